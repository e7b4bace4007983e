"""What a line says of skills: themselves with their versions, edges, outcomes, conflicts,
proposals."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from app.kernel.fields import Count, Id, Path, Unit
from app.kernel.wire import Moment, ShortText, TagName, WireModel
from app.skills.draft import LONGEST_BODY
from app.skills.vocabulary import (
    Category,
    ChangeType,
    ConflictStatus,
    Finding,
    ProposalStatus,
    Severity,
    Status,
)

Body = Annotated[str, StringConstraints(max_length=LONGEST_BODY)]
Lines = Annotated[tuple[Annotated[str, StringConstraints(max_length=4_000)], ...],
                  Field(max_length=50)]  # fmt: skip
Version = Annotated[str, StringConstraints(pattern=r"^\d{1,6}\.\d{1,6}\.\d{1,6}(-exp\.\d{1,6})?$")]
Ids = Annotated[tuple[Id, ...], Field(max_length=1_000)]


class SaidRecord(WireModel):
    """What a version consists of."""

    body: Body = ""
    params: dict[str, Any] = Field(default_factory=dict)
    preconditions: Lines = ()
    postconditions: Lines = ()


class SkillVersionRecord(SaidRecord):
    """One version of a skill, with its own outcomes."""

    version: Version
    change_type: ChangeType = ChangeType.MINOR
    reason: Body = ""
    is_active: bool = False
    author: ShortText | None = None
    created_at: Moment
    success_count: Count = 0
    failure_count: Count = 0
    experiment: ShortText | None = None
    experiment_state: Literal["running", "won", "lost", "cleared"] | None = None
    share: Unit | None = None
    started_at: Moment | None = None
    ended_at: Moment | None = None


class SkillRecord(WireModel):
    """A skill; it says what its version in use says."""

    id: Id
    scope: Path
    name: ShortText
    slug: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=90)]
    description: Body = ""
    category: Category
    status: Status = Status.ACTIVE
    tags: Annotated[tuple[TagName, ...], Field(max_length=32)] = ()
    author: ShortText | None = None
    confidence: Unit = 0.5
    effectiveness: Unit = 0.5
    importance: Unit = 0.5
    trust: Unit = 0.5
    is_pinned: bool = False
    usage_count: Count = 0
    last_used_at: Moment | None = None
    decayed_at: Moment | None = None
    created_at: Moment
    updated_at: Moment | None = None
    active_from: Moment | None = None
    active_to: Moment | None = None
    ingested_at: Moment | None = None
    expired_at: Moment | None = None
    versions: Annotated[tuple[SkillVersionRecord, ...], Field(min_length=1, max_length=1_000)]


class SkillLinkRecord(WireModel):
    """One edge at a skill; `other` is a skill, a principal, an entity, a note or a pattern."""

    scope: Path
    type: Literal[
        "REQUIRES", "ENHANCES", "COMPOSES", "SUCCEEDS", "CO_USED", "CLONED_FROM", "HAS_SKILL",
        "CONCERNS", "TEACHES", "HAS_FAILURE",
    ]  # fmt: skip
    skill: Id
    other: Id
    other_scope: Path | None = Field(None, description="Where the other end lies, if elsewhere.")
    weight: Unit | None = None
    confidence: Unit | None = None
    version: Version | None = None
    at: Moment | None = None
    by: ShortText | None = None
    place: Count | None = None
    outside: bool = Field(False, description="Its other end did not come along; it counts not.")


class SkillUsageRecord(WireModel):
    """How one use went."""

    id: Id
    scope: Path
    skill: Id
    version: Version
    outcome: Literal["success", "failure"]
    principal: ShortText | None = None
    at: Moment
    recorded_at: Moment | None = None
    task: ShortText | None = None
    duration_ms: Count | None = None
    tokens: Count | None = None


class SkillConflictRecord(WireModel):
    """Something that is wrong among skills; its id follows from scope, finding and skills."""

    scope: Path
    finding: Finding
    severity: Severity
    status: ConflictStatus
    skills: Annotated[tuple[Id, ...], Field(min_length=1, max_length=1_000)]
    similarity: float | None = None
    detail: ShortText | None = None
    note: Body | None = None
    detected_at: Moment
    seen_at: Moment
    paused_until: Moment | None = None
    decided_at: Moment | None = None
    decided_by: ShortText | None = None


class FindingRecord(WireModel):
    """What research came upon."""

    kind: ShortText
    id: Id
    similarity: float
    category: Category | None = None


class SkillProposalRecord(SaidRecord):
    """A skill that should exist; parents come before their parts."""

    id: Id
    scope: Path
    author: ShortText | None = None
    name: ShortText
    description: Body = ""
    category: Category
    tags: Annotated[tuple[TagName, ...], Field(max_length=32)] = ()
    status: ProposalStatus
    origin: Literal["request", "gap", "evolution", "learnings", "dependency"] = "request"
    confidence: Unit = 0.0
    overlap: float = 0.0
    effectiveness: Unit | None = None
    findings: Annotated[tuple[FindingRecord, ...], Field(max_length=100)] = ()
    sources: Ids = ()
    parent: Id | None = None
    depth: Annotated[int, Field(ge=0, le=10)] = 0
    skill: Id | None = None
    reviewer: ShortText | None = None
    note: Body | None = None
    created_at: Moment
    submitted_at: Moment | None = None
    due_at: Moment | None = None
    decided_at: Moment | None = None
