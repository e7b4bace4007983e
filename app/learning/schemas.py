"""Wire types of the learning loop. What clients wrote stands under `untrusted`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from pydantic import Field, StringConstraints

from app.kernel.wire import Moment, ShortText, WireModel
from app.learning.evidence import Told
from app.learning.intents import Counted
from app.learning.model import (
    LONGEST_TASK,
    MOST_CALLS,
    Amount,
    Check,
    Count,
    Id,
    Intent,
    LearnedChange,
    LearnedEntry,
    Segment,
    SegmentUse,
)
from app.learning.segments import Draft, Use

LONGEST_SAID = 100_000  # characters of a reply or an answer, of which the ends are looked at
Said = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_SAID)]


class SegmentIn(WireModel):
    """A task as it begins."""

    task: Annotated[
        str, StringConstraints(min_length=1, max_length=LONGEST_TASK, strip_whitespace=True)
    ]
    scope: str | None = Field(None, description="Scope path; the key's home if unset.")
    session: ShortText | None = Field(
        None, description="Your name of the conversation, which is read when the task ends."
    )
    trace: Id | None = Field(
        None, description="Your trace of the task, whose tool calls are read when it ends."
    )

    def to_draft(self) -> Draft:
        """Return the draft that this describes."""
        return Draft(self.task, self.scope, self.session, self.trace)


class SegmentUseIn(WireModel):
    """A skill or memory that was used."""

    memory: Id
    rank: Annotated[int, Field(ge=1, le=1000)] | None = Field(
        None, description="Its rank among the hits of the search that found it."
    )


class SegmentEvidenceIn(WireModel):
    """What is known of how a task went; a reply and an answer are looked at and not kept."""

    tools: Annotated[tuple[bool, ...], Field(max_length=MOST_CALLS)] | None = Field(
        None, description="Tool calls in their order: whether each succeeded."
    )
    checks: Annotated[tuple[Check, ...], Field(max_length=MOST_CALLS)] | None = Field(
        None, description="Tests, builds and other checks of the result."
    )
    reply: Said | None = Field(None, description="What the user said next.")
    answer: Said | None = Field(None, description="What the agent said last.")
    turn_count: Count | None = Field(None, description="Turns that it took.")
    cost: Amount | None = Field(None, description="In whatever unit, the same for all tasks.")
    cancelled: bool = False
    over_budget: bool = Field(False, description="More turns were needed than allowed.")
    used: Annotated[tuple[SegmentUseIn, ...], Field(max_length=100)] = ()

    def to_told(self) -> Told:
        """Return what is told."""
        return Told(
            tools=self.tools or (),
            checks=self.checks or (),
            reply=self.reply,
            answer=self.answer,
            turns=self.turn_count,
            cost=self.cost,
            cancelled=self.cancelled,
            over_budget=self.over_budget,
            no_tools=self.tools == (),
            no_checks=self.checks == (),
        )

    def to_uses(self) -> list[Use]:
        """Return what was used."""
        return [Use(one.memory, one.rank) for one in self.used]


class RollBackIn(WireModel):
    """From when on the entries of a batch do not hold, and whether that is only told."""

    at: Moment | None = Field(None, description="A moment that is past; now if unset.")
    dry_run: bool = Field(True, description="Tell what would be closed, and close nothing.")


class SegmentOut(msgspec.Struct, frozen=True):
    """A task, its evidence and how it was scored."""

    id: str
    scope: str
    agent: str
    trace: str | None
    state: str
    started_at: datetime
    changed_at: datetime
    ended_at: datetime | None
    evidence: dict[str, Any]
    score: float | None
    label: str | None
    confidence: float | None
    intent: str | None
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, found: Segment) -> SegmentOut:
        """Return the wire form of a segment."""
        return cls(
            id=found.id,
            scope=found.scope,
            agent=found.agent,
            trace=found.trace,
            state=found.state.value,
            started_at=found.started_at,
            changed_at=found.changed_at,
            ended_at=found.ended_at,
            evidence=found.evidence.model_dump(mode="json"),
            score=found.score,
            label=found.label.value if found.label else None,
            confidence=found.certainty,
            intent=found.intent,
            untrusted={"task": found.task, "session": found.session_key},
        )


class SegmentUseOut(msgspec.Struct, frozen=True):
    """A skill or memory that a task used."""

    memory: str
    kind: str
    scope: str
    rank: int | None
    used_at: datetime

    @classmethod
    def of(cls, found: SegmentUse) -> SegmentUseOut:
        """Return the wire form of a use."""
        return cls(
            found.memory, found.memory_kind.value, found.memory_scope, found.rank, found.used_at
        )


class WholeSegmentOut(msgspec.Struct, frozen=True):
    """A task with what it used and the caller sees."""

    segment: SegmentOut
    used: list[SegmentUseOut]


class SegmentsOut(msgspec.Struct, frozen=True):
    """A page of segments; `next` is the cursor of the one after it."""

    items: list[SegmentOut]
    next: str | None


class IntentOut(msgspec.Struct, frozen=True):
    """An intent, how many tasks are of it, and how many of them were resolved; both null where they
    are not counted."""

    id: str
    scope: str
    state: str
    example: str | None
    found_at: datetime
    changed_at: datetime
    segments: int | None
    resolved: int | None
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, found: Intent, counted: Counted | None = None) -> IntentOut:
        """Return the wire form of an intent."""
        return cls(
            id=found.id,
            scope=found.scope,
            state=found.state.value,
            example=found.example,
            found_at=found.found_at,
            changed_at=found.changed_at,
            segments=counted.segments if counted else None,
            resolved=counted.resolved if counted else None,
            untrusted={"name": found.name},
        )


class IntentsOut(msgspec.Struct, frozen=True):
    """A page of intents; `next` is the cursor of the one after it."""

    items: list[IntentOut]
    next: str | None


class LearnedEntryOut(msgspec.Struct, frozen=True):
    """One entry: it holds from `valid_from` to `valid_to`, an end that was told at `closed_at`."""

    id: str
    scope: str
    type: str
    about: str | None
    about_kind: str
    batch: str
    figures: dict[str, Any]
    actor: str
    valid_from: datetime
    valid_to: datetime | None
    recorded_at: datetime
    closed_at: datetime | None

    @classmethod
    def of(cls, found: LearnedEntry) -> LearnedEntryOut:
        """Return the wire form of an entry."""
        return cls(
            id=found.id,
            scope=found.scope,
            type=found.type.value,
            about=found.about,
            about_kind=found.about_kind,
            batch=found.batch,
            figures=found.figures.told(),
            actor=found.actor,
            valid_from=found.valid_from,
            valid_to=found.valid_to,
            recorded_at=found.recorded_at,
            closed_at=found.closed_at,
        )


class LearnedLogOut(msgspec.Struct, frozen=True):
    """A page of the log; `next` is the cursor of the one after it."""

    items: list[LearnedEntryOut]
    next: str | None


class LearnedChangeOut(msgspec.Struct, frozen=True):
    """One write of the learning loop; of what is erased a hash of the id is left."""

    version: int
    operation: str
    target: str | None
    target_kind: str
    target_hash: str | None
    actor_kind: str
    at: datetime

    @classmethod
    def of(cls, found: LearnedChange) -> LearnedChangeOut:
        """Return the wire form of a row."""
        return cls(
            version=found.version,
            operation=found.operation.value,
            target=found.target,
            target_kind=found.target_kind,
            target_hash=found.target_hash,
            actor_kind=found.actor_kind.value,
            at=found.at,
        )


class LearnedChangesOut(msgspec.Struct, frozen=True):
    """Rows of a changelog; `next` is the version to go on after."""

    items: list[LearnedChangeOut]
    next: int | None
