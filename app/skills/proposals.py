"""Proposals of new skills: researched, submitted, reviewed, and made into skills."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import orjson

from app.embeddings.calibration import Kinds
from app.embeddings.model import Role as Vector
from app.errors import Forbidden, InvalidInput, NotFound
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.kernel.ids import digest, new_id
from app.kernel.scope import parse_scope
from app.sanitize.labels import clean_label
from app.skills import transitions
from app.skills.category import inferred
from app.skills.draft import SkillDraft, cleaned_aside
from app.skills.finding import Finder
from app.skills.links import Link, LinkService
from app.skills.proposing import (
    Finding,
    confidence,
    dependency_hint,
    overlap_label,
    sub_confidence,
    sub_findings,
)
from app.skills.record import KIND, text_of, text_row
from app.skills.service import Parts, SkillService
from app.skills.suggesting import OPEN
from app.skills.vocabulary import Category, Dependency, ProposalStatus, Status

REVIEW_WITHIN = timedelta(days=30)
SOURCES = ("episode", "chunk", "fact", "note")
LOOKED_AT, SOURCE_LEAST = 8, 0.4
NEEDS_CURATOR = frozenset(
    [
        ProposalStatus.UNDER_REVIEW,
        ProposalStatus.APPROVED,
        ProposalStatus.REJECTED,
        ProposalStatus.EXPIRED,
        ProposalStatus.CREATED,
    ]
)


@dataclass(frozen=True, slots=True)
class Research:
    """What the own graph holds about a topic, and how sure a proposal is by it."""

    topic: str
    findings: tuple[Finding, ...]
    overlap: float
    confidence: float
    category: Category | None

    @property
    def sources(self) -> int:
        """How many kinds of sources said something."""
        return len({finding.kind for finding in self.findings})


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal before it is stored. `seed` makes it once; `parent` and `depth` place it."""

    draft: SkillDraft
    status: ProposalStatus = ProposalStatus.DRAFT
    origin: str = "request"  # request, gap, evolution, learnings, dependency
    seed: str = ""
    parent: str | None = None
    depth: int = 0
    confidence: float | None = None
    effectiveness: float | None = None
    sources: tuple[str, ...] = field(default_factory=tuple)


class ProposalService:
    """The workflow; nothing is approved by itself."""

    def __init__(self, parts: Parts, skills: SkillService, links: LinkService) -> None:
        self._parts = parts
        self._graph = parts.graph
        self._skills = skills
        self._links = links
        self._finder = Finder(parts.graph, parts.spaces)

    async def research(self, scopes: list[str], topic: str) -> Research:
        """What skills, notes, facts and texts say about a topic; without the embedding model
        nothing is known to be alike."""
        drafted = await self._finder.asked(topic, scopes, Vector.DOCUMENT)
        skills = await self._finder.near(drafted, (KIND,), LOOKED_AT, Kinds.SKILLS)
        asked = await self._finder.asked(topic, scopes)
        others = await self._finder.near(asked, SOURCES, LOOKED_AT, Kinds.ANSWER)
        near = [n for n in (*skills, *others) if (n.similarity or 0.0) >= SOURCE_LEAST]
        rows = await self._graph.rows(Q.skills.kinds, ids=[n.id for n in near], scopes=scopes)
        known = {row["id"]: row for row in rows}
        found = tuple(
            Finding(n.kind, n.id, round(n.similarity or 0.0, 6), known[n.id]["category"])
            for n in near
            if n.id in known
        )
        overlap = max((f.similarity for f in found if f.kind == KIND), default=0.0)
        kinds = len({f.kind for f in found})
        sure = confidence(kinds, len(found), overlap)
        return Research(topic, found, overlap, sure, inferred(topic))

    async def propose(self, who: Caller, proposed: Proposed) -> Row:
        """Store a proposal with what research finds; the same seed again changes nothing.

        Raises NotFound or Forbidden by the scope, InvalidInput for what its policy refuses and
        where no category is named and none can be inferred.
        """
        scope = str(parse_scope(proposed.draft.scope or who.home))
        who.require(scope, Role.WRITER)
        policy = await self._parts.scopes.policy(scope)
        draft = await cleaned_aside(proposed.draft, policy)
        told = await self.research([scope], f"{draft.name}\n{draft.description}")
        category = draft.category or told.category
        if category is None:
            raise InvalidInput("name a category: none could be inferred", field="category")
        chosen = replace(proposed, draft=replace(draft, category=category, scope=scope))
        row = _row(who, chosen, told)
        event = audit.event(who, "skill.propose", scope, origin=proposed.origin)
        saved = await self._graph.one(Q.skills.save_proposal, proposal=row, audit=event)
        return await self.get(who, saved["id"])

    async def suggested(self, scope: str, origin: str) -> list[Row]:
        """The proposals of a scope that one kind of upkeep made (id, status, category, sources),
        the oldest first."""
        return await self._graph.rows(Q.skills.suggested, scope=scope, origin=origin)

    async def suggest(self, who: Caller, known: str | None, proposed: Proposed) -> str:
        """Make a proposal, or give the open one that is known other sources; its id.

        One that was decided on meanwhile stays as it is. Raises as `propose` does.
        """
        if known is None:
            made: str = (await self.propose(who, proposed))["proposal"]["id"]
            return made
        scope = who.require(proposed.draft.scope or who.home, Role.WRITER)
        given = {
            "sources": list(proposed.sources),
            "description": proposed.draft.description,
            "effectiveness": proposed.effectiveness,
        }

        async def work(tx: Tx) -> None:
            row = await tx.optional(Q.skills.lock_proposal, id=known, scopes=[scope], at=now())
            held = row and row["proposal"]
            if not held or held["status"] not in OPEN or held["sources"] == given["sources"]:
                return
            event = audit.event(who, "skill.propose", scope, origin=proposed.origin)
            await tx.one(
                Q.skills.set_proposal, id=known, scope=scope, properties=given, audit=event
            )

        await self._graph.write("skills.suggest", work)
        return known

    async def get(self, who: Caller, proposal: str) -> Row:
        """One proposal; NotFound where absent or not visible."""
        row = await self._graph.optional(Q.skills.get_proposal, id=proposal, scopes=who.visible)
        if row is None:
            raise NotFound(f"there is no proposal {proposal}")
        return row

    async def page(
        self, scopes: list[str], status: str | None, after: str, limit: int
    ) -> list[Row]:
        """Proposals by id."""
        return await self._graph.rows(
            Q.skills.proposals, scopes=scopes, status=status, after=after, limit=limit
        )

    async def move(self, who: Caller, proposal: str, status: ProposalStatus, note: str = "") -> Row:
        """The next step. Its proposer (or a curator) drafts, submits and withdraws; all other
        steps are a curator's. Approval makes proposals of what it depends on; `created` makes the
        skill.

        Raises NotFound, Forbidden, StateRefused (field `status`) for a step there is not.
        """
        stored = (await self.get(who, proposal))["proposal"]
        self._require(who, stored, status)
        transitions.step(transitions.PROPOSAL, ProposalStatus(stored["status"]), status)
        policy = await self._parts.scopes.policy(stored["scope"])
        said = clean_label(note, "note", policy) or ""
        skill = await self._made(who, stored) if status is ProposalStatus.CREATED else None

        async def work(tx: Tx) -> None:
            at = now()
            row = await tx.optional(Q.skills.lock_proposal, id=proposal, scopes=who.visible, at=at)
            if row is None:
                raise NotFound(f"there is no proposal {proposal}")
            current = ProposalStatus(row["proposal"]["status"])
            transitions.step(transitions.PROPOSAL, current, status)
            await tx.one(
                Q.skills.set_proposal,
                id=proposal,
                scope=stored["scope"],
                properties=_moved(who, status, said, at) | ({"skill": skill} if skill else {}),
                audit=audit.event(who, f"skill.proposal.{status}", stored["scope"]),
            )
            if skill:
                await tx.one(Q.skills.propose, id=proposal, skill=skill, scope=stored["scope"])

        await self._graph.write("skills.proposal", work)
        if status is ProposalStatus.APPROVED:
            await self._sub_proposals(who, stored)
        return await self.get(who, proposal)

    async def expire(
        self, actor: Caller, scope: str | None = None, *, dry_run: bool = False
    ) -> list[str]:
        """Expire proposals that nobody reviewed in time; ids. What was decided on meanwhile
        stays."""
        at = now()
        rows = await self._graph.rows(Q.skills.proposals_due, scope=scope, at=at, limit=500)
        if dry_run:
            return [row["id"] for row in rows]
        return [row["id"] for row in rows if await self._expired(actor, row, at)]

    async def _expired(self, actor: Caller, due: Row, at: datetime) -> bool:
        scope = due["scope"]
        who = replace(actor, home=scope, tenant=scope.partition("/")[0])

        async def work(tx: Tx) -> bool:
            row = await tx.optional(Q.skills.lock_proposal, id=due["id"], scopes=[scope], at=at)
            if row is None or not is_due(row["proposal"], at):
                return False
            await tx.one(
                Q.skills.set_proposal,
                id=due["id"],
                scope=scope,
                properties={"status": str(ProposalStatus.EXPIRED), "decided_at": at},
                audit=audit.event(who, "skill.proposal.expired", scope),
            )
            return True

        return await self._graph.write("skills.expire", work)

    # --- becoming a skill ----------------------------------------------------------------------

    async def _made(self, who: Caller, stored: Row) -> str:
        """The skill of an approved proposal, with its dependencies. Its id follows from the
        proposal's, so that a step that was cut short is simply taken again."""
        draft = _draft(stored)
        made = await self._skills.create_beside(who, draft, identity=_skill_id(stored["id"]))
        skill: str = made["skill"]["id"]
        for link in _hints(skill, stored):
            known = await self._graph.rows(
                Q.skills.read_many, ids=[link.target], scopes=who.visible
            )
            if known:
                await self._links.link(who, link)
        return skill

    async def _sub_proposals(self, who: Caller, stored: Row) -> None:
        found = [Finding(**each) for each in orjson.loads(stored["findings"])]
        for place, finding in enumerate(sub_findings(found, stored["depth"]), start=1):
            draft = SkillDraft(
                name=f"{stored['name'][:100]}, part {place}",
                description=f"Needed for: {stored['name']}",
                category=Category(stored["category"]),
                scope=stored["scope"],
            )
            await self.propose(
                who,
                Proposed(
                    draft,
                    origin="dependency",
                    seed=digest("sub", stored["id"], finding.id),
                    parent=stored["id"],
                    depth=stored["depth"] + 1,
                    confidence=sub_confidence(finding.similarity),
                    sources=(finding.id,),
                ),
            )

    @staticmethod
    def _require(who: Caller, stored: Row, status: ProposalStatus) -> None:
        who.require(stored["scope"], Role.WRITER)
        curates = who.may(stored["scope"], Role.CURATOR)
        own = stored["author"] == who.principal
        withdrawn = status is ProposalStatus.REJECTED and own
        if not curates and ((status in NEEDS_CURATOR and not withdrawn) or not own):
            raise Forbidden("only a curator takes this step")


def is_due(proposal: Row, at: datetime) -> bool:
    """Whether a proposal still waits for a review that was to be made by then."""
    ends = transitions.PROPOSAL[ProposalStatus(proposal["status"])]
    return ProposalStatus.EXPIRED in ends and proposal["due_at"] <= at


def _skill_id(proposal: str) -> str:
    return digest("proposed-skill", proposal)[:32]


def _draft(stored: Row) -> SkillDraft:
    return SkillDraft(
        name=stored["name"],
        description=stored["description"],
        text=text_of(stored),
        category=Category(stored["category"]),
        status=Status.ACTIVE,
        tags=tuple(stored["tags"]),
        scope=stored["scope"],
    )


def _hints(skill: str, stored: Row) -> list[Link]:
    found = [Finding(**each) for each in orjson.loads(stored["findings"])]
    links = []
    for finding in found:
        same = finding.category == stored["category"]
        hint = dependency_hint(finding.similarity, same_category=same)
        if finding.kind == KIND and hint is not None and finding.id != skill:
            sure = round(finding.similarity, 4)
            links.append(Link(skill, finding.id, Dependency(hint), 1.0, sure))
    return links


def _moved(who: Caller, status: ProposalStatus, note: str, at: datetime) -> Row:
    row: dict[str, Any] = {"status": str(status)}
    if status is ProposalStatus.SUBMITTED:
        return row | {"submitted_at": at, "due_at": at + REVIEW_WITHIN}
    if status in (ProposalStatus.DRAFT, ProposalStatus.CREATED):
        return row
    return row | {"reviewer": who.principal, "decided_at": at, "note": note}


def _row(who: Caller, proposed: Proposed, told: Research) -> Row:
    draft = proposed.draft
    scope = draft.scope or who.home
    identity = digest("skill-proposal", scope, proposed.seed)[:32] if proposed.seed else new_id()
    sure = told.confidence if proposed.confidence is None else proposed.confidence
    at = now()
    row = {
        **text_row(draft.text),
        "id": identity,
        "scope": scope,
        "tenant": who.tenant,
        "author": who.principal,
        "name": draft.name,
        "description": draft.description,
        "category": str(draft.category),
        "tags": list(draft.tags),
        "status": str(proposed.status),
        "origin": proposed.origin,
        "confidence": sure,
        "overlap": told.overlap,
        "overlap_label": overlap_label(told.overlap),
        "findings": orjson.dumps([_told(f) for f in told.findings]).decode(),
        "sources": list(proposed.sources) or [f.id for f in told.findings],
        "effectiveness": proposed.effectiveness,
        "parent": proposed.parent,
        "depth": proposed.depth,
        "created_at": at,
        "touched_at": at,
    }
    return {name: value for name, value in row.items() if value is not None}


def _told(finding: Finding) -> Row:
    return {
        "kind": finding.kind,
        "id": finding.id,
        "similarity": finding.similarity,
        "category": finding.category,
    }
