"""Conflicts, proposals, learnings, teams and the knowledge graph over HTTP."""

from __future__ import annotations

from typing import Annotated, Literal

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED

from app.access.parameters import Limit, Within
from app.kernel.caller import Caller, Role
from app.skills.conflicts import Listed
from app.skills.coverage import Needs
from app.skills.graph_schemas import (
    AgentEntryOut,
    AgentsOut,
    ClusterOut,
    ClustersOut,
    CoverageOut,
    GraphStatisticsOut,
    LearningAnswerOut,
    LearningItemOut,
    LearningScoreOut,
    SharedOut,
    SubgraphOut,
    TeamOut,
    TeamsOut,
)
from app.skills.knowledge import DEEPEST, folded
from app.skills.routes import READS, WRITES, Few, Skilled, Text
from app.skills.schemas import (
    ChoreIn,
    ChoreOut,
    ConflictDecisionIn,
    ConflictOut,
    ConflictsOut,
    LearningCheckIn,
    PauseIn,
    ProposalIn,
    ProposalOut,
    ProposalsOut,
    ProposalStepIn,
    RepairActionOut,
    RepairOut,
    ResearchOut,
    ShareIn,
)
from app.skills.vocabulary import Category, Chore, ConflictStatus, ProposalStatus, word

CURATES = {"requires": Role.CURATOR}
Cursor = FromQuery[str | None]
Question = Annotated[
    str, QueryParameter(name="query", min_length=1, max_length=2_000, description="In words.")
]
Hops = Annotated[int, QueryParameter(ge=1, le=DEEPEST, description="Edges from a first node.")]
Relation = Annotated[
    str | None,
    QueryParameter(
        name="relation_type",
        max_length=100,
        description="A type of edge, such as references, or the predicate of a fact.",
    ),
]
Status = Annotated[str | None, QueryParameter(description="Only of this status.")]


class ConflictController(Controller):
    """What is wrong among skills."""

    path = "/v1/skill-conflicts"
    tags = ("Skills",)

    @get("/", operation_id="listSkillConflicts", opt=READS)
    async def list_conflicts(
        self,
        caller: NamedDependency[Caller],
        skilled: Skilled,
        within: Within = None,
        status: Status = None,
        open_only: Annotated[
            bool, QueryParameter(name="open", description="Only open ones that do not pause.")
        ] = False,
        weights: Annotated[
            Literal["document", "code"], QueryParameter(description="1, 2, 4, 8 or 1, 2, 3, 4.")
        ] = "document",
        cursor: Cursor = None,
        limit: Limit = 50,
    ) -> ConflictsOut:
        """Conflicts by id, each with its priority."""
        named = status and word(ConflictStatus, status, "status")
        listed = Listed(caller.among(within), named, open_only, cursor or "", limit + 1)
        rows = await skilled.conflicts.page(listed)
        items = [ConflictOut.of(row, weights) for row in rows[:limit]]
        return ConflictsOut(items, items[-1].id if len(rows) > limit else None)

    @get("/{conflict_id:str}", operation_id="getSkillConflict", opt=READS)
    async def read(
        self, conflict_id: FromPath[str], caller: NamedDependency[Caller], skilled: Skilled
    ) -> ConflictOut:
        """One conflict."""
        return ConflictOut.of(await skilled.conflicts.get(caller, conflict_id))

    @post(
        "/{conflict_id:str}/status",
        operation_id="decideSkillConflict",
        opt=CURATES,
        status_code=HTTP_200_OK,
    )
    async def decide(
        self,
        conflict_id: FromPath[str],
        data: JSONBody[ConflictDecisionIn],
        caller: NamedDependency[Caller],
        skilled: Skilled,
    ) -> ConflictOut:
        """Acknowledge, resolve or dismiss a conflict."""
        row = await skilled.conflicts.decide(caller, conflict_id, data.to_status(), data.note)
        return ConflictOut.of(row)

    @post(
        "/{conflict_id:str}/pause",
        operation_id="pauseSkillConflict",
        opt=CURATES,
        status_code=HTTP_200_OK,
    )
    async def pause(
        self,
        conflict_id: FromPath[str],
        data: JSONBody[PauseIn],
        caller: NamedDependency[Caller],
        skilled: Skilled,
    ) -> ConflictOut:
        """Leave an open conflict out of sight until a moment to come."""
        return ConflictOut.of(await skilled.conflicts.pause(caller, conflict_id, data.until))


@post(
    "/v1/skill-repairs",
    operation_id="repairSkills",
    tags=["Skills"],
    opt=CURATES,
    status_code=HTTP_200_OK,
)
async def repair(
    data: JSONBody[ChoreIn], caller: NamedDependency[Caller], skilled: Skilled
) -> RepairOut:
    """Close the simple conflicts of a scope by rule, or tell how they would be."""
    scope = caller.require(data.scope or caller.home, Role.CURATOR)
    actions = await skilled.repair.repair(caller, scope, dry_run=data.dry_run)
    told = [RepairActionOut(a.conflict, a.action, a.detail, a.closes) for a in actions]
    return RepairOut(scope, data.dry_run, told)


@post(
    "/v1/skill-chores/{chore:str}",
    operation_id="runSkillChore",
    tags=["Skills"],
    opt=CURATES,
    status_code=HTTP_200_OK,
)
async def run_chore(
    chore: FromPath[str],
    data: JSONBody[ChoreIn],
    caller: NamedDependency[Caller],
    skilled: Skilled,
) -> ChoreOut:
    """One chore of the schedule by hand: conflict-scan, stale-decay, re-embedding, gap-detection
    or proposal-expiry."""
    scope = caller.require(data.scope or caller.home, Role.CURATOR)
    named = word(Chore, chore, "chore")
    return ChoreOut.of(await skilled.chores.run(caller, named, scope, dry_run=data.dry_run))


class ProposalController(Controller):
    """Skills that should exist."""

    path = "/v1/skill-proposals"
    tags = ("Skills",)

    @post("/", operation_id="proposeSkill", opt=WRITES, status_code=HTTP_201_CREATED)
    async def propose(
        self, data: JSONBody[ProposalIn], caller: NamedDependency[Caller], skilled: Skilled
    ) -> ProposalOut:
        """Propose a skill; the own graph is searched for what it repeats and rests on."""
        return ProposalOut.of(await skilled.proposals.propose(caller, data.to_proposed()))

    @get("/", operation_id="listSkillProposals", opt=READS)
    async def list_proposals(
        self,
        caller: NamedDependency[Caller],
        skilled: Skilled,
        within: Within = None,
        status: Status = None,
        cursor: Cursor = None,
        limit: Limit = 50,
    ) -> ProposalsOut:
        """Proposals by id."""
        named = status and word(ProposalStatus, status, "status")
        rows = await skilled.proposals.page(caller.among(within), named, cursor or "", limit + 1)
        items = [ProposalOut.of(row) for row in rows[:limit]]
        return ProposalsOut(items, items[-1].id if len(rows) > limit else None)

    @get("/research", operation_id="researchSkill", opt=READS)
    async def research(
        self,
        caller: NamedDependency[Caller],
        skilled: Skilled,
        topic: Text,
        within: Within = None,
    ) -> ResearchOut:
        """What the own graph holds about a topic; nothing is stored."""
        return ResearchOut.of(await skilled.proposals.research(caller.among(within), topic))

    @get("/{proposal_id:str}", operation_id="getSkillProposal", opt=READS)
    async def read(
        self, proposal_id: FromPath[str], caller: NamedDependency[Caller], skilled: Skilled
    ) -> ProposalOut:
        """One proposal."""
        return ProposalOut.of(await skilled.proposals.get(caller, proposal_id))

    @post(
        "/{proposal_id:str}/status",
        operation_id="moveSkillProposal",
        opt=WRITES,
        status_code=HTTP_200_OK,
    )
    async def move(
        self,
        proposal_id: FromPath[str],
        data: JSONBody[ProposalStepIn],
        caller: NamedDependency[Caller],
        skilled: Skilled,
    ) -> ProposalOut:
        """The next step; `created` makes the skill. Reviews are a curator's."""
        row = await skilled.proposals.move(caller, proposal_id, data.to_status(), data.note)
        return ProposalOut.of(row)


class LearningController(Controller):
    """Notes of the namespace learnings, by what their use tells."""

    path = "/v1/learnings"
    tags = ("Learnings",)

    @get("/", operation_id="askLearnings", opt=READS)
    async def ask(
        self,
        caller: NamedDependency[Caller],
        skilled: Skilled,
        question: Question,
        within: Within = None,
        limit: Few = 10,
    ) -> LearningAnswerOut:
        """Learnings for a question; the answer tells how they were found."""
        answer = await skilled.learnings.ask(caller.among(within), question, limit)
        return LearningAnswerOut.of(answer)

    @get("/score", operation_id="scoreLearnings", opt=READS)
    async def score(
        self, caller: NamedDependency[Caller], skilled: Skilled, within: Within = None
    ) -> LearningScoreOut:
        """How learnings stand, 0 to 100."""
        return LearningScoreOut.of(await skilled.learnings.standing(caller.among(within)))

    @get("/{note_id:str}", operation_id="getLearning", opt=READS)
    async def read(
        self, note_id: FromPath[str], caller: NamedDependency[Caller], skilled: Skilled
    ) -> LearningItemOut:
        """One learning."""
        return LearningItemOut.of(await skilled.learnings.get(caller, note_id))

    @post(
        "/{note_id:str}/check",
        operation_id="checkLearning",
        opt=WRITES,
        status_code=HTTP_200_OK,
    )
    async def check(
        self,
        note_id: FromPath[str],
        data: JSONBody[LearningCheckIn],
        caller: NamedDependency[Caller],
        skilled: Skilled,
    ) -> LearningItemOut:
        """Verify or disprove a learning."""
        return LearningItemOut.of(await skilled.learnings.check(caller, note_id, holds=data.holds))

    @post(
        "/{note_id:str}/share",
        operation_id="shareLearning",
        opt=WRITES,
        status_code=HTTP_200_OK,
    )
    async def share(
        self,
        note_id: FromPath[str],
        data: JSONBody[ShareIn],
        caller: NamedDependency[Caller],
        skilled: Skilled,
    ) -> SharedOut:
        """Copy a learning that has proved itself to a wider scope."""
        return SharedOut.of(await skilled.learnings.share(caller, note_id, data.scope))

    @post(
        "/clusters",
        operation_id="proposeFromLearnings",
        opt=CURATES,
        status_code=HTTP_200_OK,
    )
    async def clusters(
        self, data: JSONBody[ChoreIn], caller: NamedDependency[Caller], skilled: Skilled
    ) -> ClustersOut:
        """Propose a skill for each cluster of learnings, or tell which there are."""
        scope = caller.require(data.scope or caller.home, Role.CURATOR)
        found = await skilled.learnings.propose(caller, scope, dry_run=data.dry_run)
        told = [ClusterOut(name, list(notes)) for name, notes in found]
        return ClustersOut(scope, data.dry_run, told)


@get("/v1/agents", operation_id="listAgents", tags=["Agents"], opt=READS)
async def list_agents(caller: NamedDependency[Caller], skilled: Skilled) -> AgentsOut:
    """The registry: agents whose home the key sees, with teams and skills."""
    rows = await skilled.coverage.agents(caller)
    return AgentsOut([AgentEntryOut.of(row) for row in rows])


@get("/v1/teams", operation_id="listTeams", tags=["Agents"], opt=READS)
async def list_teams(caller: NamedDependency[Caller], skilled: Skilled) -> TeamsOut:
    """Teams that the key sees, with their members; a grant in a team's scope makes a member."""
    return TeamsOut([TeamOut(**row) for row in await skilled.coverage.teams(caller)])


@get("/v1/teams/coverage", operation_id="teamCoverage", tags=["Agents"], opt=READS)
async def team_coverage(
    caller: NamedDependency[Caller],
    skilled: Skilled,
    team: Annotated[str, QueryParameter(description="Scope path of the team.")],
    skills: Annotated[
        list[str] | None, QueryParameter(name="skill", description="Ids of needed skills.")
    ] = None,
    categories: Annotated[
        list[str] | None, QueryParameter(name="category", description="Needed categories.")
    ] = None,
    task: Annotated[
        str, QueryParameter(max_length=2_000, description="What calls for skills.")
    ] = "",
) -> CoverageOut:
    """How a team covers skills, categories or a task; every category if nothing is named."""
    named = tuple(str(word(Category, each, "category")) for each in categories or ())
    needs = Needs(tuple(skills or ()), named, task)
    return CoverageOut.of(team, await skilled.coverage.of_team(caller, team, needs))


class GraphController(Controller):
    """Entities, skills, pages and agents as one graph."""

    path = "/v1/graph"
    tags = ("Graph",)

    @get("/search", operation_id="searchGraph", opt=READS)
    async def search(
        self,
        caller: NamedDependency[Caller],
        skilled: Skilled,
        question: Question,
        relation: Relation = None,
        depth: Hops = 1,
        limit: Few = 10,
    ) -> SubgraphOut:
        """Nodes for a question and what lies around them."""
        return SubgraphOut.of(
            await skilled.knowledge.search(caller, question, folded(relation), depth, limit)
        )

    @get("/nodes/{node_id:str}/neighbours", operation_id="graphNeighbours", opt=READS)
    async def neighbours(
        self,
        node_id: FromPath[str],
        caller: NamedDependency[Caller],
        skilled: Skilled,
        relation: Relation = None,
        depth: Hops = 1,
        limit: Few = 50,
    ) -> SubgraphOut:
        """What lies around a node, in either direction."""
        return SubgraphOut.of(
            await skilled.knowledge.neighbours(caller, node_id, folded(relation), depth, limit)
        )

    @get("/statistics", operation_id="graphStatistics", opt=READS)
    async def statistics(
        self,
        caller: NamedDependency[Caller],
        skilled: Skilled,
        within: Within = None,
        relation: Relation = None,
    ) -> GraphStatisticsOut:
        """Counts by kind and relation, density and mean degree."""
        found = await skilled.knowledge.statistics(caller.among(within), folded(relation))
        return GraphStatisticsOut.of(found)
