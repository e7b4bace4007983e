"""Wire types of the tiers: what was kept comes back under `untrusted`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from pydantic import Field, StringConstraints

from app.contexts.entries import LONGEST_KEY
from app.kernel.wire import ShortText, TagName, WireModel
from app.search.schemas import LIMIT_MOST, QUERY_MOST
from app.shortterm.model import LONGEST_TTL, Kind
from app.tiers.injection import BUDGET, MINIMAL, Task
from app.tiers.model import Address, Near, Tier, Value
from app.tiers.packing import Packed, Section
from app.tiers.receipt import Done, Receipt
from app.tiers.service import Question
from app.tiers.shelves import Written

Key = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_KEY)]
LEAST = 0.7  # similarity of what a search returns


class TierWriteIn(WireModel):
    """A value under a key."""

    key: Key
    value: Any = Field(description="JSON of any kind; texts in it are sanitised.")
    tier: str | None = Field(
        None,
        max_length=40,
        description="working, short_term, long_term or shared; short_term if unset or unknown.",
    )
    session_id: ShortText | None = Field(
        None, description="Your own name of the session; working and short_term need one."
    )
    ttl: Annotated[int, Field(ge=1, le=LONGEST_TTL)] | None = Field(
        None, description="Seconds that it lives: 1800 in working, 3600 in short_term if unset."
    )
    type: Kind = Field(Kind.GENERAL, description="What it is, in short_term.")
    pool: ShortText | None = Field(None, description="The pool of shared; `default` if unset.")
    scope: str | None = Field(None, description="Scope path; the key's home if unset.")

    def to_address(self) -> Address:
        """Return where the value goes."""
        return Address(self.key, self.session_id, self.pool)

    def to_written(self) -> Written:
        """Return the value with its time."""
        return Written(self.value, self.ttl, self.type)


class TierSearchIn(WireModel):
    """A question to the tiers."""

    query: Annotated[
        str, StringConstraints(min_length=1, max_length=QUERY_MOST, strip_whitespace=True)
    ]
    tiers: tuple[Tier, ...] = Field(
        (Tier.WORKING, Tier.SHORT_TERM, Tier.LONG_TERM, Tier.SHARED),
        description="Where to look.",
    )
    session_id: ShortText | None = Field(
        None, description="Whose working and short-term memory; short-term of all if unset."
    )
    limit: Annotated[int, Field(ge=1, le=LIMIT_MOST)] = 10
    least: Annotated[float, Field(ge=0, le=1)] = Field(
        LEAST, description="Least calibrated similarity."
    )
    scope: str | None = Field(None, description="Scope path; the key's home if unset.")

    def to_question(self) -> Question:
        """Return the question."""
        return Question(self.query, self.tiers, self.session_id, self.limit, self.least)


class ConsolidateIn(WireModel):
    """Which session is consolidated, and whether it is only told what would be done."""

    session_id: ShortText | None = Field(None, description="All of the agent's if unset.")
    scope: str | None = Field(None, description="Scope path; the key's home if unset.")
    dry_run: bool = Field(False, description="Tell what would change, and change nothing.")


class PromoteIn(WireModel):
    """Promotion by hand, as the schedule does it."""

    scope: str | None = Field(None, description="One scope; all that the key administers if unset.")
    dry_run: bool = Field(True, description="Tell what would change, and change nothing.")


class InjectIn(WireModel):
    """What a context is for, and how long it may be."""

    query: Annotated[
        str, StringConstraints(min_length=1, max_length=QUERY_MOST, strip_whitespace=True)
    ] = Field(description="The task, as plain text.")
    session_id: ShortText | None = Field(None, description="Whose working memory comes along.")
    tags: tuple[TagName, ...] = Field(
        (), max_length=32, description="Facts that share some of them come first."
    )
    minimal: bool = Field(False, description="Facts alone.")
    token_budget: Annotated[int, Field(ge=100, le=100_000)] | None = Field(
        None,
        description=f"Most tokens (o200k): {BUDGET}, or {MINIMAL} of a minimal one if unset, or as "
        "the settings of the scope say.",
    )
    scope: str | None = Field(None, description="Scope path; the key's home if unset.")

    def to_task(self) -> Task:
        """Return the task."""
        return Task(self.query, self.session_id, self.tags, self.token_budget, self.minimal)


class SectionOut(msgspec.Struct, frozen=True):
    """A section of a context: how many entries it tells, and how many did not fit."""

    name: str
    entries: int
    left_out: int


class InjectedOut(msgspec.Struct, frozen=True):
    """A context: its text, ready for a prompt, is under `untrusted`, and empty where nothing is
    known. `compressed` entries were too long, and are half as long."""

    tokens: int
    token_budget: int
    compressed: int
    sections: list[SectionOut]
    untrusted: dict[str, str]

    @classmethod
    def of(cls, done: Packed) -> InjectedOut:
        """Return the wire form of a context."""
        sections = [SectionOut(s.value, done.told[s], done.left_out[s]) for s in Section]
        return cls(done.tokens, done.budget, done.compressed, sections, {"text": done.text})


class TierValueOut(msgspec.Struct, frozen=True):
    """What a key has, and in which tier; `expires_at` null never runs out."""

    found: bool
    key: str
    tier: str | None = None
    id: str | None = None
    scope: str | None = None
    expires_at: datetime | None = None
    untrusted: dict[str, Any] = {}

    @classmethod
    def of(cls, key: str, value: Value | None) -> TierValueOut:
        """Return the wire form of a value, or of none."""
        if value is None:
            return cls(False, key)
        untrusted = {"value": value.value}
        tier, end = value.tier.value, value.expires_at
        return cls(True, key, tier, value.id, value.scope, end, untrusted)


class TierHitOut(msgspec.Struct, frozen=True):
    """A value like the question."""

    tier: str
    id: str | None
    scope: str
    similarity: float
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, near: Near) -> TierHitOut:
        """Return the wire form of a hit."""
        value = near.value
        untrusted = {"key": near.key, "value": value.value}
        return cls(value.tier.value, value.id, value.scope, round(near.similarity, 4), untrusted)


class TierHitsOut(msgspec.Struct, frozen=True):
    """Values like a question, the most similar first."""

    hits: list[TierHitOut]


class PromotedOut(msgspec.Struct, frozen=True):
    """What became of a short-term entry; `entry` is the long-term one, null where it was not made
    or would have to be made first."""

    short_memory: str
    scope: str
    fate: str
    entry: str | None
    importance: float | None

    @classmethod
    def of(cls, done: Done) -> PromotedOut:
        """Return the wire form of what became of an entry."""
        return cls(done.short, done.scope, done.fate.value, done.entry, done.importance)


class PromotionOut(msgspec.Struct, frozen=True):
    """The receipt of a promotion: how many entries had which fate, and at most 1,000 of them."""

    receipt: str
    dry_run: bool
    at: datetime
    counts: dict[str, int]
    items: list[PromotedOut]

    @classmethod
    def of(cls, receipt: Receipt) -> PromotionOut:
        """Return the wire form of a receipt."""
        items = [PromotedOut.of(done) for done in receipt.items]
        return cls(receipt.id, receipt.dry_run, receipt.at, dict(receipt.counts), items)


class WorkingStatsOut(msgspec.Struct, frozen=True):
    """Tasks of the agent in the scope, and its bytes in all of them."""

    tasks: int
    bytes: int


class ShortTermStatsOut(msgspec.Struct, frozen=True):
    """Entries that have not run out; `ready` are those that wait to be promoted."""

    entries: int
    bytes: int
    ready: int
    by_type: dict[str, int]


class LongTermStatsOut(msgspec.Struct, frozen=True):
    """Entries in use of the agent's own context; `promoted` came from short-term memory."""

    entries: int
    promoted: int


class SharedStatsOut(msgspec.Struct, frozen=True):
    """Pools of the scope that the agent may read."""

    pools: int
    bytes: int


class TierStatsOut(msgspec.Struct, frozen=True):
    """Figures by tier."""

    working: WorkingStatsOut
    short_term: ShortTermStatsOut
    long_term: LongTermStatsOut
    shared: SharedStatsOut

    @classmethod
    def of(cls, figures: dict[Tier, dict[str, Any]]) -> TierStatsOut:
        """Return the wire form of the figures."""
        return cls(
            WorkingStatsOut(**figures[Tier.WORKING]),
            ShortTermStatsOut(**figures[Tier.SHORT_TERM]),
            LongTermStatsOut(**figures[Tier.LONG_TERM]),
            SharedStatsOut(**figures[Tier.SHARED]),
        )
