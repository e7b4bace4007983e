"""Wire types of skills. What people or models wrote stands under `untrusted`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
import orjson
from pydantic import AfterValidator, Field, StringConstraints

from app.errors import InvalidInput
from app.kernel.clock import now
from app.kernel.graph import Row
from app.kernel.wire import Moment, ShortText, TagName, WireModel
from app.skills.chores import Receipt
from app.skills.conflicts import priority_of
from app.skills.discovery import Chain, Discovery, Hit, Step
from app.skills.draft import LONGEST_BODY, SkillChange, SkillDraft, SkillText
from app.skills.enrichment import Context
from app.skills.links import Link
from app.skills.manifest import Manifest, Ranked
from app.skills.outcomes import Outcome, Recorded, rated
from app.skills.proposals import Proposed, Research
from app.skills.vocabulary import (
    Category,
    ChangeType,
    ConflictStatus,
    Dependency,
    ProposalStatus,
    Status,
    word,
)

Line = Annotated[str, StringConstraints(min_length=1, max_length=1_000, strip_whitespace=True)]
Lines = Annotated[tuple[Line, ...], Field(max_length=50)]
Body = Annotated[str, StringConstraints(max_length=LONGEST_BODY)]
Description = Annotated[str, StringConstraints(max_length=4_000)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Tags = Annotated[tuple[TagName, ...], Field(max_length=32)]
Remark = Annotated[str, StringConstraints(max_length=2_000)]
AMOUNT_MOST = 10**12  # milliseconds or tokens of one use: more than the graph's numbers is none


def _storable(bag: dict[str, Any]) -> dict[str, Any]:
    try:
        orjson.dumps(bag)
    except (TypeError, ValueError):
        raise ValueError("holds a value that cannot be stored") from None
    return bag


Bag = Annotated[dict[str, Any], AfterValidator(_storable)]
DependencyName = Literal["requires", "enhances", "composes", "succeeds"]


class SkillIn(WireModel):
    """A skill as data; nothing of it is executed."""

    name: ShortText = Field(description="Unique in its scope.")
    description: Description = Field("", description="What it is for; it is found by this.")
    body: Body = Field("", description="How it is done; up to 40,000 characters.")
    params: Bag = Field(default_factory=dict, description="A bag of parameters.")
    preconditions: Lines = Field((), description="When it can be used.")
    postconditions: Lines = Field((), description="What tells that it worked.")
    category: ShortText | None = Field(
        None, description="One of 21; inferred from name and description if unset."
    )
    status: ShortText = Field("active", description="draft or active.")
    tags: Tags = Field((), description="Labels.")
    scope: str | None = Field(None, description="Scope path; the key's home if unset.")

    def to_draft(self) -> SkillDraft:
        """The draft that this describes; InvalidInput for a category or status there is not."""
        status = word(Status, self.status, "status")
        if status not in (Status.DRAFT, Status.ACTIVE):
            raise InvalidInput("a skill begins as draft or active", field="status")
        return SkillDraft(
            name=self.name,
            description=self.description,
            text=SkillText(self.body, self.params, self.preconditions, self.postconditions),
            category=word(Category, self.category, "category") if self.category else None,
            status=status,
            tags=self.tags,
            scope=self.scope,
        )


class SkillChangeIn(WireModel):
    """What of a skill is set; what is left out stays."""

    name: ShortText | None = None
    description: Description | None = None
    body: Body | None = None
    params: Bag | None = None
    preconditions: Lines | None = None
    postconditions: Lines | None = None
    category: ShortText | None = None
    tags: Tags | None = None
    change_type: ShortText = Field(
        "minor", description="major, minor, patch, hotfix or experimental, of the version it makes."
    )
    reason: Remark = Field("", description="Why it is changed.")

    def to_change(self) -> SkillChange:
        """The change that this describes; InvalidInput for a word there is not."""
        return SkillChange(
            name=self.name,
            description=self.description,
            body=self.body,
            params=self.params,
            preconditions=self.preconditions,
            postconditions=self.postconditions,
            category=word(Category, self.category, "category") if self.category else None,
            tags=self.tags,
            change_type=word(ChangeType, self.change_type, "change_type"),
            reason=self.reason,
        )


class SkillStatusIn(WireModel):
    """The next step in the life of a skill."""

    status: ShortText = Field(description="draft, active, deprecated or archived.")

    def to_status(self) -> Status:
        """The status; InvalidInput for one there is not."""
        return word(Status, self.status, "status")


class SkillCloneIn(WireModel):
    """Where a skill is copied to."""

    scope: str = Field(description="Scope path.")


class SkillLinkIn(WireModel):
    """One dependency of a skill."""

    target: str = Field(description="Id of the other skill.")
    type: DependencyName = Field("requires", description="How it leans on the other.")
    weight: Share = Field(1.0, description="How much; 0 to 1.")
    confidence: Share = Field(1.0, description="How sure; 0 to 1.")

    def to_link(self, source: str) -> Link:
        """The link from a skill."""
        kind = Dependency(self.type)
        return Link(source, self.target, kind, self.weight, self.confidence)


class AssignmentIn(WireModel):
    """An agent that has a skill."""

    place: Annotated[int, Field(ge=0, le=1_000)] | None = Field(
        None, description="Order in which the agent prefers its skills."
    )


class OutcomeIn(WireModel):
    """How one use of a skill went."""

    success: bool
    key: ShortText | None = Field(None, description="Told again under this key, it counts once.")
    version: ShortText | None = Field(None, description="Version; the one in use if unset.")
    at: Moment | None = Field(None, description="When; now if unset, and never later than now.")
    task: Remark = Field("", description="What it was used for; only a digest is kept.")
    duration_ms: Annotated[int, Field(ge=0, le=AMOUNT_MOST)] | None = None
    tokens: Annotated[int, Field(ge=0, le=AMOUNT_MOST)] | None = None
    together: Annotated[tuple[str, ...], Field(max_length=20)] = Field(
        (), description="Ids of other skills used in the same task."
    )
    failure: Remark = Field("", description="What went wrong: kept as a pattern of failure.")

    def to_outcome(self) -> Outcome:
        """The outcome that this describes."""
        return Outcome(**self.model_dump())


class ExperimentIn(WireModel):
    """A version to try on a share of the uses."""

    version: ShortText
    share: float = Field(0.2, description="Clamped to .01 and .99.", allow_inf_nan=False)


class ConflictDecisionIn(WireModel):
    """What is done about a conflict."""

    status: ShortText = Field(description="acknowledged, resolved or dismissed.")
    note: Remark = ""

    def to_status(self) -> ConflictStatus:
        """The status; InvalidInput for one there is not."""
        return word(ConflictStatus, self.status, "status")


class PauseIn(WireModel):
    """How long an open conflict is left out of sight."""

    until: Moment


class ProposalIn(WireModel):
    """A skill that should exist."""

    name: ShortText
    description: Description = ""
    body: Body = ""
    params: Bag = Field(default_factory=dict)
    preconditions: Lines = ()
    postconditions: Lines = ()
    category: ShortText | None = Field(None, description="Inferred if unset.")
    tags: Tags = ()
    scope: str | None = Field(None, description="Scope path; the key's home if unset.")
    stage: Literal["research", "draft"] = Field(
        "draft", description="Where it begins; research is done in either case."
    )

    def to_proposed(self) -> Proposed:
        """The proposal that this describes; InvalidInput for a category there is not."""
        return Proposed(
            SkillDraft(
                name=self.name,
                description=self.description,
                text=SkillText(self.body, self.params, self.preconditions, self.postconditions),
                category=word(Category, self.category, "category") if self.category else None,
                tags=self.tags,
                scope=self.scope,
            ),
            status=ProposalStatus(self.stage),
        )


class ProposalStepIn(WireModel):
    """The next step of a proposal."""

    status: ShortText = Field(
        description="draft, submitted, under_review, approved, created, rejected or expired."
    )
    note: Remark = ""

    def to_status(self) -> ProposalStatus:
        """The status; InvalidInput for one there is not."""
        return word(ProposalStatus, self.status, "status")


class ChoreIn(WireModel):
    """Where a chore is done, and whether it is only told what it would do."""

    scope: str | None = Field(None, description="Scope path; the key's home if unset.")
    dry_run: bool = True


class LearningCheckIn(WireModel):
    """Whether a learning held when it was put to the test."""

    holds: bool


class ShareIn(WireModel):
    """Where a learning is shared."""

    scope: str = Field(description="A wider scope than the learning's own.")


class TeachIn(WireModel):
    """A learning that bears on a skill."""

    note: str = Field(description="Id of a note of the namespace learnings.")


class SkillOut(msgspec.Struct, frozen=True):
    """One skill."""

    id: str
    scope: str
    slug: str
    category: str
    status: str
    version: str
    author: str
    effectiveness: float
    usage_count: int
    success_count: int
    failure_count: int
    last_used_at: datetime | None
    created_at: datetime
    updated_at: datetime
    index_state: str
    agents: int
    open_conflicts: int
    cloned_from: list[str]
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> SkillOut:
        """The wire form of a row of `skills.get`."""
        skill = row["skill"]
        return cls(
            **{name: skill[name] for name in _SKILL},
            last_used_at=skill.get("last_used_at"),
            agents=row["agents"],
            open_conflicts=row["conflicts"],
            cloned_from=row["origins"],
            untrusted=_texts(skill),
        )


_SKILL = (
    "id", "scope", "slug", "category", "status", "version", "author", "effectiveness",
    "usage_count", "success_count", "failure_count", "created_at", "updated_at", "index_state",
)  # fmt: skip


def _texts(row: Row) -> dict[str, Any]:
    return {
        "name": row["name"],
        "description": row["description"],
        "body": row["body"],
        "params": orjson.loads(row["params"]),
        "preconditions": row["preconditions"],
        "postconditions": row["postconditions"],
        "tags": row["tags"],
    }


class SkillsOut(msgspec.Struct, frozen=True):
    """A page of skills; `next` continues it."""

    items: list[SkillOut]
    next: str | None


class SkillVersionOut(msgspec.Struct, frozen=True):
    """One version; `effectiveness` is null below five uses."""

    version: str
    change_type: str
    is_active: bool
    author: str
    created_at: datetime
    usage_count: int
    success_count: int
    failure_count: int
    effectiveness: float | None
    experiment: str | None
    share: float | None
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> SkillVersionOut:
        """The wire form of a row of `skills.versions`."""
        return cls(
            **{name: row[name] for name in _VERSION},
            effectiveness=rated(row),
            experiment=row.get("experiment_state"),
            share=row.get("share"),
            untrusted={
                "body": row["body"],
                "params": orjson.loads(row["params"]),
                "preconditions": row["preconditions"],
                "postconditions": row["postconditions"],
                "reason": row["reason"],
            },
        )


_VERSION = (
    "version", "change_type", "is_active", "author", "created_at", "usage_count", "success_count",
    "failure_count",
)  # fmt: skip


class SkillVersionsOut(msgspec.Struct, frozen=True):
    """Versions, newest first."""

    items: list[SkillVersionOut]


class SkillHitOut(msgspec.Struct, frozen=True):
    """A skill that fits a description, with what its place follows from."""

    id: str
    scope: str
    category: str
    version: str
    score: float
    similarity: float | None
    success: float
    penalty: float
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, hit: Hit) -> SkillHitOut:
        """The wire form of a hit."""
        skill = hit.skill
        return cls(
            **{name: skill[name] for name in ("id", "scope", "category", "version")},
            score=hit.score,
            similarity=hit.similarity,
            success=hit.success,
            penalty=hit.penalty,
            untrusted={
                "name": skill["name"],
                "description": skill["description"],
                "failures": [each["content"] for each in hit.failures],
            },
        )


class RankedSkillOut(msgspec.Struct, frozen=True):
    """A skill of a manifest; `rate` is the share of tasks or uses that went well, null without one,
    `reason` why it is left out: `shadowed` by one of its name in a narrower scope, or `budget`."""

    id: str
    scope: str
    rank: float
    rate: float | None
    reason: str | None
    untrusted: dict[str, str]

    @classmethod
    def of(cls, found: Ranked, reason: str | None = None) -> RankedSkillOut:
        """The wire form of one of a manifest's skills."""
        own = found.skill
        rate = None if found.rate is None else round(found.rate, 4)
        told = {"name": own["name"]}
        return cls(own["id"], own["scope"], found.rank, rate, reason, told)


class SkillManifestOut(msgspec.Struct, frozen=True):
    """Skills for a prompt, of at most `budget` characters: `items` by name, `excluded` by rank."""

    items: list[RankedSkillOut]
    excluded: list[RankedSkillOut]
    budget: int
    untrusted: dict[str, str]

    @classmethod
    def of(cls, made: Manifest) -> SkillManifestOut:
        """The wire form of a manifest."""
        return cls(
            items=[RankedSkillOut.of(one) for one in made.chosen],
            excluded=[RankedSkillOut.of(one.ranked, one.reason) for one in made.excluded],
            budget=made.budget,
            untrusted={"text": made.text},
        )


class DiscoveryOut(msgspec.Struct, frozen=True):
    """Skills, best first; `mode` is keyword where the embedding model was away."""

    mode: str
    items: list[SkillHitOut]

    @classmethod
    def of(cls, found: Discovery) -> DiscoveryOut:
        """The wire form of a discovery."""
        return cls(found.mode, [SkillHitOut.of(hit) for hit in found.hits])


class StepOut(msgspec.Struct, frozen=True):
    """One skill of a chain."""

    id: str
    scope: str
    score: float
    depth: int
    via: dict[str, Any] | None
    hub: bool
    status: str
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, step: Step) -> StepOut:
        """The wire form of a step."""
        skill = step.skill
        told = {"name": skill["name"], "description": skill["description"]}
        return cls(
            id=skill["id"],
            scope=skill["scope"],
            score=step.score,
            depth=step.depth,
            via=step.via,
            hub=step.hub,
            status=skill["status"],
            untrusted=told,
        )


class ChainOut(msgspec.Struct, frozen=True):
    """Skills along dependencies; `untrusted.text` holds those that fit the budget."""

    mode: str
    steps: list[StepOut]
    dropped: int
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, chain: Chain) -> ChainOut:
        """The wire form of a chain."""
        steps = [StepOut.of(step) for step in chain.steps]
        return cls(chain.mode, steps, chain.dropped, {"text": chain.text})


class SkillContextOut(msgspec.Struct, frozen=True):
    """A skill with what one should know to use it."""

    id: str
    needs: list[StepOut]
    entities: list[dict[str, Any]]
    learnings: list[dict[str, Any]]
    failures: list[dict[str, Any]]
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, found: Context) -> SkillContextOut:
        """The wire form of a context."""
        return cls(
            id=found.skill["id"],
            needs=[StepOut.of(step) for step in found.chain.steps],
            entities=[{k: e[k] for k in ("id", "type", "by")} for e in found.entities],
            learnings=[{k: n[k] for k in ("id", "scope", "importance")} for n in found.learnings],
            failures=[{k: f[k] for k in ("id", "count")} for f in found.failures],
            untrusted={**_texts(found.skill), "text": found.text},
        )


class SkillLinkOut(msgspec.Struct, frozen=True):
    """One dependency, as it points."""

    source: str
    target: str
    type: str
    weight: float
    confidence: float


class SkillLinksOut(msgspec.Struct, frozen=True):
    """Dependencies at a skill."""

    items: list[SkillLinkOut]


class HolderOut(msgspec.Struct, frozen=True):
    """An agent that has a skill."""

    agent: str
    name: str
    home: str
    at: datetime
    by: str
    place: int | None


class HoldersOut(msgspec.Struct, frozen=True):
    """The agents that have a skill."""

    items: list[HolderOut]


class ConcernOut(msgspec.Struct, frozen=True):
    """An entity that a skill is about; `by` is text or hand."""

    id: str
    type: str
    by: str
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> ConcernOut:
        """The wire form of a row of `skills.concerns`."""
        told = {"name": row["name"], "facts": row["facts"]}
        return cls(row["id"], row["type"], row["by"], told)


class ConcernsOut(msgspec.Struct, frozen=True):
    """Entities that a skill is about."""

    items: list[ConcernOut]


class RecordedOut(msgspec.Struct, frozen=True):
    """What an outcome changed; `recorded` is false where it was told before."""

    id: str
    recorded: bool
    version: str
    effectiveness: float
    trend: str
    pattern: str | None

    @classmethod
    def of(cls, done: Recorded) -> RecordedOut:
        """The wire form of a receipt."""
        return cls(
            done.id, done.recorded, done.version, done.effectiveness, done.trend, done.pattern
        )


class UsageOut(msgspec.Struct, frozen=True):
    """One outcome."""

    id: str
    version: str
    outcome: str
    principal: str
    at: datetime
    duration_ms: int | None
    tokens: int | None

    @classmethod
    def of(cls, row: Row) -> UsageOut:
        """The wire form of a row of `skills.usages`."""
        named = {name: row[name] for name in ("id", "version", "outcome", "principal", "at")}
        return cls(**named, duration_ms=row.get("duration_ms"), tokens=row.get("tokens"))


class UsagesOut(msgspec.Struct, frozen=True):
    """Outcomes, newest first."""

    items: list[UsageOut]


class AdviceOut(msgspec.Struct, frozen=True):
    """One suggestion."""

    about: str
    reason: str


class EvolutionOut(msgspec.Struct, frozen=True):
    """A skill over its versions, and what would make it better."""

    id: str
    effectiveness: float
    trend: str
    weak: bool
    confidence: float
    versions: list[SkillVersionOut]
    advice: list[AdviceOut]


class HealthOut(msgspec.Struct, frozen=True):
    """The health of a scope's skill graph; at best 90.0."""

    scope: str
    score: float
    grade: str
    skills: int
    coverage: float
    edges_per_skill: float
    freshness: float
    effectiveness: float
    penalty: float
    open_conflicts: int


class ConflictOut(msgspec.Struct, frozen=True):
    """One conflict; `priority` grows with its age up to three months."""

    id: str
    scope: str
    type: str
    finding: str
    severity: str
    status: str
    priority: float
    similarity: float | None
    skills: list[str]
    detected_at: datetime
    paused_until: datetime | None
    decided_by: str | None
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row, weights: str = "document") -> ConflictOut:
        """The wire form of a row of `skills.conflicts`; `weights` as in `priority.TABLES`."""
        conflict = row["conflict"]
        return cls(
            **{name: conflict[name] for name in _CONFLICT},
            priority=priority_of(conflict, now(), weights),
            similarity=conflict.get("similarity"),
            paused_until=conflict.get("paused_until"),
            decided_by=conflict.get("decided_by"),
            untrusted={
                "detail": conflict["detail"],
                "note": conflict.get("note"),
                "names": sorted(skill["name"] for skill in row["skills"]),
            },
        )


_CONFLICT = ("id", "scope", "type", "finding", "severity", "status", "skills", "detected_at")


class ConflictsOut(msgspec.Struct, frozen=True):
    """A page of conflicts; `next` continues it."""

    items: list[ConflictOut]
    next: str | None


class RepairActionOut(msgspec.Struct, frozen=True):
    """What was done, or would be, about one conflict."""

    conflict: str
    action: str
    detail: str
    closes: bool


class RepairOut(msgspec.Struct, frozen=True):
    """The receipt of a repair."""

    scope: str
    dry_run: bool
    actions: list[RepairActionOut]


class FindingOut(msgspec.Struct, frozen=True):
    """Something that research came upon."""

    kind: str
    id: str
    similarity: float
    category: str | None


class ResearchOut(msgspec.Struct, frozen=True):
    """What the graph holds about a topic."""

    sources: int
    findings: list[FindingOut]
    overlap: float
    confidence: float
    category: str | None

    @classmethod
    def of(cls, told: Research) -> ResearchOut:
        """The wire form of a piece of research."""
        found = [FindingOut(f.kind, f.id, f.similarity, f.category) for f in told.findings]
        return cls(told.sources, found, told.overlap, told.confidence, told.category)


class ProposalOut(msgspec.Struct, frozen=True):
    """One proposal; it points at its sources and quotes none."""

    id: str
    scope: str
    author: str
    status: str
    origin: str
    category: str
    confidence: float
    overlap: float
    overlap_label: str
    effectiveness: float | None
    parent: str | None
    parts: list[str]
    depth: int
    sources: list[str]
    findings: list[FindingOut]
    skill: str | None
    reviewer: str | None
    created_at: datetime
    submitted_at: datetime | None
    due_at: datetime | None
    decided_at: datetime | None
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> ProposalOut:
        """The wire form of a row of `skills.get_proposal`."""
        told = row["proposal"]
        return cls(
            **{name: told[name] for name in _PROPOSAL},
            **{name: told.get(name) for name in _PROPOSAL_MAYBE},
            parts=sorted(row["parts"]),
            skill=next(iter(row["skills"]), None),
            findings=[FindingOut(**each) for each in orjson.loads(told["findings"])],
            untrusted={**_texts(told), "note": told.get("note")},
        )


_PROPOSAL = (
    "id", "scope", "author", "status", "origin", "category", "confidence", "overlap",
    "overlap_label", "depth", "sources", "created_at",
)  # fmt: skip
_PROPOSAL_MAYBE = (
    "effectiveness", "parent", "reviewer", "submitted_at", "due_at", "decided_at",
)  # fmt: skip


class ProposalsOut(msgspec.Struct, frozen=True):
    """A page of proposals; `next` continues it."""

    items: list[ProposalOut]
    next: str | None


class ChoreOut(msgspec.Struct, frozen=True):
    """The receipt of a chore."""

    chore: str
    scope: str
    dry_run: bool
    counts: dict[str, int]
    ids: list[str]

    @classmethod
    def of(cls, receipt: Receipt) -> ChoreOut:
        """The wire form of a receipt."""
        return cls(receipt.chore, receipt.scope, receipt.dry_run, receipt.counts, list(receipt.ids))
