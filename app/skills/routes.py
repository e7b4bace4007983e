"""Skills, their versions, links and outcomes over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from litestar import Controller, Response, delete, get, patch, post, put
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED, HTTP_204_NO_CONTENT

from app.access.parameters import Limit, Within, aware
from app.kernel.caller import Caller, Role
from app.kernel.clock import END
from app.skills.discovery import MODES, Sought, Walk
from app.skills.door import SkillGraph
from app.skills.links import Link
from app.skills.schemas import (
    AdviceOut,
    AssignmentIn,
    ChainOut,
    ConcernOut,
    ConcernsOut,
    DependencyName,
    DiscoveryOut,
    EvolutionOut,
    ExperimentIn,
    HealthOut,
    HolderOut,
    HoldersOut,
    OutcomeIn,
    ProposalOut,
    RecordedOut,
    SkillChangeIn,
    SkillCloneIn,
    SkillContextOut,
    SkillIn,
    SkillLinkIn,
    SkillLinkOut,
    SkillLinksOut,
    SkillManifestOut,
    SkillOut,
    SkillsOut,
    SkillStatusIn,
    SkillVersionOut,
    SkillVersionsOut,
    TeachIn,
    UsageOut,
    UsagesOut,
)
from app.skills.service import Wanted
from app.skills.vocabulary import Category, Dependency, Status, word
from app.skills.walk import DEEPEST, TOKENS

Window = Annotated[
    int, QueryParameter(ge=0, le=10**9, description="Characters that the prompt may have.")
]
READS, WRITES = {"requires": Role.READER}, {"requires": Role.WRITER}
Skilled = NamedDependency[SkillGraph]
Text = Annotated[str, QueryParameter(min_length=1, max_length=2_000, description="In words.")]
Few = Annotated[int, QueryParameter(ge=1, le=100, description="Most items.")]
Budget = Annotated[int, QueryParameter(ge=100, le=100_000, description="Tokens, 4 letters each.")]
Depth = Annotated[int, QueryParameter(ge=1, le=DEEPEST, description="Edges from a first skill.")]
Named = Annotated[str | None, QueryParameter(description="One of the 21 categories.")]
Standing = Annotated[
    str | None, QueryParameter(description="draft, active, deprecated or archived.")
]
Unit = Annotated[
    str, QueryParameter(min_length=1, max_length=200, description="Task, session or agent.")
]


class SkillController(Controller):
    """Capabilities as data; nothing of them is executed."""

    path = "/v1/skills"
    tags = ("Skills",)

    @post(
        "/",
        operation_id="createSkill",
        opt=WRITES,
        status_code=HTTP_201_CREATED,
        responses={HTTP_200_OK: ResponseSpec(SkillOut, description="It was there already.")},
    )
    async def create(
        self, data: JSONBody[SkillIn], caller: NamedDependency[Caller], skilled: Skilled
    ) -> Response[SkillOut]:
        """Store a skill; the same one again changes nothing and answers 200."""
        row, made = await skilled.skills.create(caller, data.to_draft())
        return Response(SkillOut.of(row), status_code=HTTP_201_CREATED if made else HTTP_200_OK)

    @get("/", operation_id="listSkills", opt=READS)
    async def list_skills(
        self,
        caller: NamedDependency[Caller],
        skilled: Skilled,
        within: Within = None,
        category: Named = None,
        status: Standing = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> SkillsOut:
        """Skills by id, of a category or status."""
        rows = await skilled.skills.page(
            Wanted(
                caller.among(within),
                category=category and word(Category, category, "category"),
                status=status and word(Status, status, "status"),
                after=cursor or "",
                limit=limit + 1,
            )
        )
        items = [SkillOut.of(row) for row in rows[:limit]]
        return SkillsOut(items, items[-1].id if len(rows) > limit else None)

    @get("/discover", operation_id="discoverSkills", opt=READS)
    async def discover(
        self,
        caller: NamedDependency[Caller],
        skilled: Skilled,
        description: Text,
        within: Within = None,
        category: Named = None,
        limit: Few = 10,
    ) -> DiscoveryOut:
        """Active skills that fit a description, by words, meaning and past outcomes."""
        named = category and word(Category, category, "category")
        sought = Sought(description, caller.among(within), named, limit)
        return DiscoveryOut.of(await skilled.discovery.discover(sought))

    @get("/manifest", operation_id="listSkillsForPrompt", opt=READS)
    async def manifest(
        self,
        caller: NamedDependency[Caller],
        skilled: Skilled,
        task: Annotated[str, QueryParameter(max_length=2_000, description="In words.")] = "",
        within: Within = None,
        window: Window = 0,
    ) -> SkillManifestOut:
        """Active skills for a prompt: chosen by words and by how tasks ended that used them, told
        in the order of their names."""
        scopes = caller.among(within)
        return SkillManifestOut.of(await skilled.ranking.manifest(task, scopes, window))

    @get("/traverse", operation_id="traverseSkills", opt=READS)
    async def traverse(
        self,
        caller: NamedDependency[Caller],
        skilled: Skilled,
        task: Annotated[str, QueryParameter(max_length=2_000, description="In words.")] = "",
        within: Within = None,
        mode: Annotated[str, QueryParameter(description=f"One of {', '.join(MODES)}.")] = "full",
        depth: Depth = DEEPEST,
        tokens: Budget = TOKENS,
    ) -> ChainOut:
        """Skills that fit a task and those around them along dependencies, within a budget."""
        walk = Walk(task, caller.among(within), mode, depth, tokens)
        return ChainOut.of(await skilled.discovery.traverse(walk))

    @get("/health", operation_id="skillHealth", opt=READS)
    async def health(
        self,
        caller: NamedDependency[Caller],
        skilled: Skilled,
        within: Annotated[
            str | None, QueryParameter(name="scope", description="Scope; the key's home if unset.")
        ] = None,
    ) -> HealthOut:
        """How the skill graph of one scope is, 0 to 100, with a grade."""
        found = await skilled.condition.checkup(caller, within or caller.home)
        vitals = found.vitals
        return HealthOut(
            scope=found.scope,
            score=found.health.score,
            grade=found.health.grade,
            skills=vitals.skills,
            coverage=vitals.coverage,
            edges_per_skill=vitals.edges_per_skill,
            freshness=vitals.freshness,
            effectiveness=vitals.effectiveness,
            penalty=vitals.penalty,
            open_conflicts=found.open_conflicts,
        )

    @get("/{skill_id:str}", operation_id="getSkill", opt=READS)
    async def read(
        self, skill_id: FromPath[str], caller: NamedDependency[Caller], skilled: Skilled
    ) -> SkillOut:
        """One skill."""
        return SkillOut.of(await skilled.skills.get(caller, skill_id))

    @patch("/{skill_id:str}", operation_id="changeSkill", opt=WRITES)
    async def change(
        self,
        skill_id: FromPath[str],
        data: JSONBody[SkillChangeIn],
        caller: NamedDependency[Caller],
        skilled: Skilled,
    ) -> SkillOut:
        """Set parts of a skill; a new body, parameters or conditions make a version."""
        return SkillOut.of(await skilled.skills.change(caller, skill_id, data.to_change()))

    @post(
        "/{skill_id:str}/status",
        operation_id="setSkillStatus",
        opt=WRITES,
        status_code=HTTP_200_OK,
    )
    async def set_status(
        self,
        skill_id: FromPath[str],
        data: JSONBody[SkillStatusIn],
        caller: NamedDependency[Caller],
        skilled: Skilled,
    ) -> SkillOut:
        """Move a skill on in its life."""
        row = await skilled.skills.set_status(caller, skill_id, data.to_status())
        return SkillOut.of(row)

    @post("/{skill_id:str}/clone", operation_id="cloneSkill", opt=WRITES)
    async def clone(
        self,
        skill_id: FromPath[str],
        data: JSONBody[SkillCloneIn],
        caller: NamedDependency[Caller],
        skilled: Skilled,
    ) -> SkillOut:
        """Copy a skill to another scope; the copy knows which version it was taken from."""
        return SkillOut.of(await skilled.skills.clone(caller, skill_id, data.scope))

    @get("/{skill_id:str}/context", operation_id="getSkillContext", opt=READS)
    async def context(
        self,
        skill_id: FromPath[str],
        caller: NamedDependency[Caller],
        skilled: Skilled,
        tokens: Budget = TOKENS,
    ) -> SkillContextOut:
        """A skill with what it needs, what it is about, what was learnt and how it failed."""
        return SkillContextOut.of(await skilled.enrichment.context(caller, skill_id, tokens))

    # --- versions ------------------------------------------------------------------------------

    @get("/{skill_id:str}/versions", operation_id="listSkillVersions", opt=READS)
    async def versions(
        self, skill_id: FromPath[str], caller: NamedDependency[Caller], skilled: Skilled
    ) -> SkillVersionsOut:
        """The versions of a skill, newest first."""
        rows = await skilled.skills.versions(caller, skill_id)
        return SkillVersionsOut([SkillVersionOut.of(row) for row in rows])

    @post(
        "/{skill_id:str}/versions/{version:str}/activate",
        operation_id="activateSkillVersion",
        opt=WRITES,
        status_code=HTTP_200_OK,
    )
    async def activate(
        self,
        skill_id: FromPath[str],
        version: FromPath[str],
        caller: NamedDependency[Caller],
        skilled: Skilled,
    ) -> SkillOut:
        """Bring one version into use; its siblings are not from then on."""
        return SkillOut.of(await skilled.skills.activate(caller, skill_id, version))

    @post("/{skill_id:str}/experiment", operation_id="startSkillExperiment", opt=WRITES)
    async def experiment(
        self,
        skill_id: FromPath[str],
        data: JSONBody[ExperimentIn],
        caller: NamedDependency[Caller],
        skilled: Skilled,
    ) -> SkillVersionOut:
        """Try a version on a share of the uses; an earlier test is cleared."""
        row = await skilled.outcomes.start(caller, skill_id, data.version, data.share)
        return SkillVersionOut.of(row)

    @get("/{skill_id:str}/variant", operation_id="getSkillVariant", opt=READS)
    async def variant(
        self,
        skill_id: FromPath[str],
        caller: NamedDependency[Caller],
        skilled: Skilled,
        unit: Unit,
    ) -> SkillVersionOut:
        """The version that a task, session or agent is to use; always the same during a test."""
        return SkillVersionOut.of(await skilled.outcomes.variant(caller, skill_id, unit))

    @post(
        "/{skill_id:str}/experiment/end",
        operation_id="endSkillExperiment",
        opt=WRITES,
        status_code=HTTP_200_OK,
    )
    async def end_experiment(
        self, skill_id: FromPath[str], caller: NamedDependency[Caller], skilled: Skilled
    ) -> SkillVersionOut:
        """End the test; the variant comes into use only if it is strictly better."""
        return SkillVersionOut.of(await skilled.outcomes.end(caller, skill_id))

    # --- links ---------------------------------------------------------------------------------

    @get("/{skill_id:str}/links", operation_id="listSkillLinks", opt=READS)
    async def links(
        self, skill_id: FromPath[str], caller: NamedDependency[Caller], skilled: Skilled
    ) -> SkillLinksOut:
        """The dependencies that begin or end at a skill."""
        rows = await skilled.links.around(caller, skill_id)
        return SkillLinksOut([SkillLinkOut(**row) for row in rows])

    @post(
        "/{skill_id:str}/links",
        operation_id="linkSkill",
        opt=WRITES,
        status_code=HTTP_200_OK,
    )
    async def link(
        self,
        skill_id: FromPath[str],
        data: JSONBody[SkillLinkIn],
        caller: NamedDependency[Caller],
        skilled: Skilled,
    ) -> SkillLinkOut:
        """Let a skill lean on another; said again, only weight and confidence change."""
        return SkillLinkOut(**await skilled.links.link(caller, data.to_link(skill_id)))

    @delete(
        "/{skill_id:str}/links/{kind:str}/{target:str}",
        operation_id="unlinkSkill",
        opt=WRITES,
        status_code=HTTP_204_NO_CONTENT,
    )
    async def unlink(
        self,
        skill_id: FromPath[str],
        kind: FromPath[DependencyName],
        target: FromPath[str],
        caller: NamedDependency[Caller],
        skilled: Skilled,
    ) -> None:
        """Take a dependency away."""
        await skilled.links.unlink(caller, Link(skill_id, target, Dependency(kind)))

    @get("/{skill_id:str}/agents", operation_id="listSkillAgents", opt=READS)
    async def holders(
        self, skill_id: FromPath[str], caller: NamedDependency[Caller], skilled: Skilled
    ) -> HoldersOut:
        """The agents that have a skill."""
        rows = await skilled.links.holders(caller, skill_id)
        return HoldersOut([HolderOut(**row) for row in rows])

    @put(
        "/{skill_id:str}/agents/{agent:str}",
        operation_id="assignSkill",
        opt=WRITES,
        status_code=HTTP_204_NO_CONTENT,
    )
    async def assign(
        self,
        skill_id: FromPath[str],
        agent: FromPath[str],
        data: JSONBody[AssignmentIn],
        caller: NamedDependency[Caller],
        skilled: Skilled,
    ) -> None:
        """Give an agent a skill."""
        await skilled.links.assign(caller, skill_id, agent, data.place)

    @delete(
        "/{skill_id:str}/agents/{agent:str}",
        operation_id="unassignSkill",
        opt=WRITES,
        status_code=HTTP_204_NO_CONTENT,
    )
    async def unassign(
        self,
        skill_id: FromPath[str],
        agent: FromPath[str],
        caller: NamedDependency[Caller],
        skilled: Skilled,
    ) -> None:
        """Take a skill from an agent."""
        await skilled.links.unassign(caller, skill_id, agent)

    @get("/{skill_id:str}/entities", operation_id="listSkillEntities", opt=READS)
    async def concerns(
        self, skill_id: FromPath[str], caller: NamedDependency[Caller], skilled: Skilled
    ) -> ConcernsOut:
        """The entities that a skill is about, with what is held of each."""
        rows = await skilled.links.concerns(caller, skill_id)
        return ConcernsOut([ConcernOut.of(row) for row in rows])

    @post(
        "/{skill_id:str}/entities",
        operation_id="bridgeSkill",
        opt=WRITES,
        status_code=HTTP_200_OK,
    )
    async def bridge(
        self, skill_id: FromPath[str], caller: NamedDependency[Caller], skilled: Skilled
    ) -> ConcernsOut:
        """Tie a skill to the entities that its text names."""
        rows = await skilled.links.bridge(caller, skill_id)
        return ConcernsOut([ConcernOut.of(row) for row in rows])

    @put("/{skill_id:str}/entities/{entity:str}", operation_id="tieSkill", opt=WRITES)
    async def tie(
        self,
        skill_id: FromPath[str],
        entity: FromPath[str],
        caller: NamedDependency[Caller],
        skilled: Skilled,
    ) -> ConcernsOut:
        """Tie a skill to one entity by hand."""
        rows = await skilled.links.tie(caller, skill_id, entity)
        return ConcernsOut([ConcernOut.of(row) for row in rows])

    @post(
        "/{skill_id:str}/learnings",
        operation_id="teachSkill",
        opt=WRITES,
        status_code=HTTP_204_NO_CONTENT,
    )
    async def teach(
        self,
        skill_id: FromPath[str],
        data: JSONBody[TeachIn],
        caller: NamedDependency[Caller],
        skilled: Skilled,
    ) -> None:
        """Let a learning bear on a skill."""
        await skilled.outcomes.teach(caller, skill_id, data.note)

    # --- outcomes ------------------------------------------------------------------------------

    @post("/{skill_id:str}/outcomes", operation_id="recordSkillOutcome", opt=WRITES)
    async def record(
        self,
        skill_id: FromPath[str],
        data: JSONBody[OutcomeIn],
        caller: NamedDependency[Caller],
        skilled: Skilled,
    ) -> RecordedOut:
        """Tell how one use went; under a key it counts once."""
        done = await skilled.outcomes.record(caller, skill_id, data.to_outcome())
        return RecordedOut.of(done)

    @get("/{skill_id:str}/outcomes", operation_id="listSkillOutcomes", opt=READS)
    async def outcomes(
        self,
        skill_id: FromPath[str],
        caller: NamedDependency[Caller],
        skilled: Skilled,
        before: FromQuery[datetime | None] = None,
        limit: Limit = 50,
    ) -> UsagesOut:
        """Outcomes, newest first."""
        moment = aware(before, "before") or END
        rows = await skilled.outcomes.usages(caller, skill_id, moment, limit)
        return UsagesOut([UsageOut.of(row) for row in rows])

    @get("/{skill_id:str}/evolution", operation_id="getSkillEvolution", opt=READS)
    async def evolution(
        self, skill_id: FromPath[str], caller: NamedDependency[Caller], skilled: Skilled
    ) -> EvolutionOut:
        """How a skill went over its versions, and what would make it better."""
        found = await skilled.condition.evolution(caller, skill_id)
        advice = await skilled.outcomes.advice(caller, skill_id)
        return EvolutionOut(
            id=skill_id,
            effectiveness=found.skill["effectiveness"],
            trend=found.trend,
            weak=found.weak,
            confidence=found.confidence,
            versions=[SkillVersionOut.of(version) for version, _ in found.versions],
            advice=[AdviceOut(each.about, each.reason) for each in advice],
        )

    @post("/{skill_id:str}/evolution", operation_id="evolveSkill", opt=WRITES)
    async def evolve(
        self, skill_id: FromPath[str], caller: NamedDependency[Caller], skilled: Skilled
    ) -> ProposalOut:
        """Propose to renew a skill that was tried often and works badly."""
        return ProposalOut.of(await skilled.condition.evolve(caller, skill_id))
