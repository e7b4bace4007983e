"""Wire types of facts; what was recalled sits in fields marked untrusted."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import msgspec
from pydantic import Field

from app.errors import InvalidInput
from app.extraction.predicates import Predicate
from app.facts.repository import Settled
from app.facts.sentences import MentionOut
from app.facts.service import Decision
from app.kernel.clock import open_end
from app.kernel.graph import Row
from app.kernel.wire import Moment, ShortText, WireModel
from app.sanitize.privacy import Level, named

TIERS = ("external_unverified", "agent_inferred", "tool_verified", "user_asserted", "curator",
         "user_quoted")  # fmt: skip


class IntervalOut(msgspec.Struct, frozen=True):
    """When a fact holds in the world (half-open), and when Loci held it; an open end is null."""

    valid_from: datetime
    valid_to: datetime | None
    from_precision: str
    to_precision: str
    recorded_at: datetime
    retracted_at: datetime | None
    standing: str
    reason: str

    @classmethod
    def of(cls, row: Row) -> IntervalOut:
        """The wire form of an ABOUT edge."""
        return cls(
            valid_from=row["valid_from"],
            valid_to=open_end(row["valid_to"]),
            from_precision=row["from_precision"],
            to_precision=row["to_precision"],
            recorded_at=row["recorded_at"],
            retracted_at=open_end(row.get("retracted_at")),
            standing=row["standing"],
            reason=row["reason"],
        )


class FactOut(msgspec.Struct, frozen=True):
    """One fact at the moments asked for; `untrusted` holds what was recalled."""

    id: str
    scope: str
    status: str
    predicate: str
    negated: bool
    subject: str
    object_kind: str
    object_id: str | None
    confidence: float
    trust: float
    evidence: int
    principals: int
    is_pinned: bool
    privacy: Level
    ingested_at: datetime
    intervals: list[IntervalOut]
    untrusted: dict[str, Any]
    support: list[dict[str, Any]] = []
    contradicts: list[str] = []
    superseded_by: list[dict[str, Any]] = []
    possible_changes: list[dict[str, Any]] = []

    @classmethod
    def of(cls, row: Row) -> FactOut:
        """The wire form of a row of `facts.get` or `facts.list_held`."""
        fact = row["fact"]
        intervals = row["intervals"] if "intervals" in row else [row["interval"]]
        return cls(
            id=fact["id"],
            scope=fact["scope"],
            status=fact["status"],
            predicate=fact["predicate"],
            negated=fact["negated"],
            subject=fact["subject"],
            object_kind=fact["object_kind"],
            object_id=fact.get("object_id"),
            confidence=fact["confidence"],
            trust=fact["trust"],
            evidence=fact["evidence"],
            principals=fact["principals"],
            is_pinned=bool(fact.get("is_pinned")),
            privacy=named(fact.get("privacy")),
            ingested_at=fact["ingested_at"],
            intervals=[IntervalOut.of(i) for i in sorted(intervals, key=_start)],
            untrusted={
                "statement": fact["statement"],
                "subject": fact.get("subject_name"),
                "object": fact["object_text"],
            },
            support=[_support(s) for s in sorted(row.get("support", []), key=_said)],
            contradicts=sorted(set(row.get("contradicts", []))),
            superseded_by=row.get("superseded_by", []),
            possible_changes=_possible(row),
        )


class FactsOut(msgspec.Struct, frozen=True):
    """A page of facts; `next` continues it."""

    items: list[FactOut]
    next: str | None


class TimelineEntryOut(msgspec.Struct, frozen=True):
    """One interval of one fact about an entity."""

    fact: str
    predicate: str
    negated: bool
    status: str
    interval: IntervalOut
    untrusted: dict[str, Any]
    possible_changes: list[dict[str, Any]] = []

    @classmethod
    def of(cls, row: Row) -> TimelineEntryOut:
        """The wire form of a row of `facts.timeline`."""
        fact = row["fact"]
        return cls(
            fact=fact["id"],
            predicate=fact["predicate"],
            negated=fact["negated"],
            status=fact["status"],
            interval=IntervalOut.of(row["interval"]),
            untrusted={"statement": fact["statement"], "object": fact["object_text"]},
            possible_changes=_possible(row) if row["interval"]["standing"] == "held" else [],
        )


class TimelineOut(msgspec.Struct, frozen=True):
    """An entity's facts in the order of the world, as they were known at a moment, and the newest
    sentences that speak of it."""

    entity: str
    items: list[TimelineEntryOut]
    sentences: list[MentionOut] = []


class HistoryOut(msgspec.Struct, frozen=True):
    """Everything that was ever held of a fact, and why it changed."""

    fact: str
    status: str
    intervals: list[IntervalOut]
    superseded_by: list[dict[str, Any]]
    supersedes: list[dict[str, Any]]
    reviews: list[dict[str, Any]]
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> HistoryOut:
        """The wire form of a row of `facts.history`."""
        intervals = sorted(row["intervals"], key=lambda i: (i["recorded_at"], i["valid_from"]))
        return cls(
            fact=row["fact"]["id"],
            status=row["fact"]["status"],
            intervals=[IntervalOut.of(i) for i in intervals],
            superseded_by=[_link(link) for link in row["superseded_by"]],
            supersedes=[_link(link) for link in row["supersedes"]],
            reviews=row["reviews"],
            untrusted={"statement": row["fact"]["statement"]},
        )


class QuarantinedOut(msgspec.Struct, frozen=True):
    """A fact that waits for a review, why, and the facts that stand against it."""

    fact: FactOut
    reasons: list[str]
    against: list[FactOut]


class QuarantineOut(msgspec.Struct, frozen=True):
    """A page of what waits; `next` continues it."""

    items: list[QuarantinedOut]
    next: str | None


class PossibleChangeOut(msgspec.Struct, frozen=True):
    """A newer fact that may have ended older ones: `unread` are the places of its sources with
    words that nobody read, for which both are still held."""

    newer: FactOut
    older: list[FactOut]
    unread: list[dict[str, Any]]

    @classmethod
    def of(cls, row: Row, facts: Mapping[str, FactOut]) -> PossibleChangeOut:
        """The wire form of a row of `facts.possible_changes`, given the facts that it names."""
        return cls(
            newer=facts[row["id"]],
            older=[facts[one] for one in sorted(set(row["older"])) if one in facts],
            unread=[
                {
                    "passage": one["passage"],
                    "start": one["start"],
                    "end": one["end"],
                    "said_at": one["said_at"],
                    "untrusted": {"words": one["rest"]},
                }
                for one in sorted(row["unread"], key=_said_of)
            ],
        )


class PossibleChangesOut(msgspec.Struct, frozen=True):
    """A page of possible changes; `next` continues it."""

    items: list[PossibleChangeOut]
    next: str | None


class PredicateOut(msgspec.Struct, frozen=True):
    """One predicate: `functional` takes one value at a time; `half_life` is in days."""

    name: str
    functional: bool
    exclusive: bool | list[str]
    kind: str | None
    inverse: str | None
    half_life: float
    label_en: str
    label_de: str

    @classmethod
    def of(cls, predicate: Predicate) -> PredicateOut:
        """The wire form of a predicate."""
        exclusive = predicate.exclusive
        return cls(
            name=predicate.name,
            functional=predicate.functional,
            exclusive=exclusive if isinstance(exclusive, bool) else sorted(exclusive),
            kind=predicate.kind.value if predicate.kind else None,
            inverse=predicate.inverse,
            half_life=predicate.half_life,
            label_en=predicate.label_en,
            label_de=predicate.label_de,
        )


class PredicatesOut(msgspec.Struct, frozen=True):
    """The registry of a scope."""

    scope: str
    items: list[PredicateOut]


class SpanIn(WireModel):
    """An interval of validity; an end that is not given is open."""

    valid_from: Moment = Field(description="From when it holds.")
    valid_to: Moment | None = Field(None, description="Until when, not included.")


class ReviewIn(WireModel):
    """Why a reviewer decides as he does."""

    note: ShortText | None = Field(None, description="Kept with the decision.")


class KeepBothIn(WireModel):
    """Both sides are right, each in its own time."""

    valid: SpanIn = Field(description="When the quarantined fact holds.")
    other: ShortText = Field(description="Id of the fact that it stands against.")
    other_valid: SpanIn = Field(description="When the other fact holds.")
    note: ShortText | None = Field(None, description="Kept with the decision.")

    def to_decisions(self, fact: str) -> list[Decision]:
        """The verdicts on both; InvalidInput for an interval that ends before it begins."""
        pairs = ((fact, self.valid, "valid"), (self.other, self.other_valid, "other_valid"))
        for _, span, field in pairs:
            if span.valid_to is not None and span.valid_to <= span.valid_from:
                raise InvalidInput("an interval ends after it begins", field=f"{field}.valid_to")
        return [
            Decision(each, "interval", span.valid_from, span.valid_to, self.note)
            for each, span, _ in pairs
        ]


class ChangeIn(WireModel):
    """What a curator says of a possible change."""

    older: ShortText = Field(description="Id of the fact that may have ended.")
    verdict: Literal["changed", "both", "wrong"] = Field(
        description="changed ends the older when the newer began, both lets them hold side by "
        "side, wrong leaves the newer out. Of a later text, both and wrong say that it changes "
        "nothing."
    )
    note: ShortText | None = Field(None, description="Kept with the decision.")

    def to_decision(self, fact: str) -> Decision:
        """The verdict on the newer fact."""
        verdict = "reject" if self.verdict == "wrong" else self.verdict
        return Decision(fact, verdict, note=self.note, other=self.older)


class DecisionOut(msgspec.Struct, frozen=True):
    """What a decision changed."""

    fact: str
    verdict: Literal["accept", "reject", "interval", "undo", "changed", "both"]
    status: str
    opened: int
    retracted: int

    @classmethod
    def of(cls, row: Row, verdict: str, settled: Settled) -> DecisionOut:
        """What became of the fact of a row of `facts.get`."""
        return cls(
            fact=row["fact"]["id"],
            verdict=verdict,  # type: ignore[arg-type]
            status=row["fact"]["status"],
            opened=settled.opened,
            retracted=settled.retracted,
        )


def _support(row: Row) -> dict[str, Any]:
    shown = {k: v for k, v in row.items() if k not in ("tier", "id", "rest")}
    unread = {"untrusted": {"unread": row["rest"]}} if row.get("rest") else {}
    return {"claim": row["id"], "tier": TIERS[row["tier"]], **shown, **unread}


def _possible(row: Row) -> list[dict[str, Any]]:
    """What may have ended this one, at the moments asked for, the newest first."""
    return [newer_fact(newer) for newer in row.get("possible_changes") or ()]


def newer_fact(newer: Row) -> dict[str, Any]:
    """A newer fact, or a passage, as it is named beside what it may have ended."""
    return {
        "fact": newer.get("fact"),
        "passage": newer.get("passage"),
        "since": newer["since"],
        "untrusted": {"statement": newer["statement"]},
    }


def _said_of(row: Row) -> tuple[datetime, str, int]:
    return row["said_at"], row["passage"], row["start"]


def _link(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "reason": row["reason"],
        "recorded_at": row["recorded_at"],
        "retracted_at": open_end(row["retracted_at"]),
        "untrusted": {"statement": row["statement"]},
    }


def _start(row: Row) -> datetime:
    start: datetime = row["valid_from"]
    return start


def _said(row: Row) -> tuple[datetime, str]:
    return row["said_at"], row["id"]
