"""Wire types of what questions came to. Times in milliseconds, qualities from 0 to 100."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from app.kernel.graph import Row
from app.questions.analytics import Analytics


class TotalsOut(msgspec.Struct, frozen=True, kw_only=True):
    """All questions of the period; a mean is null where nothing has a value."""

    questions: int
    different: int
    principals: int
    failed: int
    empty: int
    empty_by_floor: int
    average_results: float | None
    average_score: float | None
    quality_score: float | None

    @classmethod
    def of(cls, row: Row) -> TotalsOut:
        """The wire form of the totals."""
        return cls(
            questions=row["questions"],
            different=row["different"],
            principals=row["principals"],
            failed=row["failed"],
            empty=row["empty"],
            empty_by_floor=row["empty_by_floor"],
            average_results=_short(row["results"]),
            average_score=_short(row["avg_score"]),
            quality_score=_short(row["quality"]),
        )


class DoorOut(msgspec.Struct, frozen=True, kw_only=True):
    """Questions by what was asked for and the mode that they asked for."""

    door: str
    strategy: str
    questions: int
    average_ms: float
    p95_ms: float
    most_ms: float
    quality_score: float | None

    @classmethod
    def of(cls, row: Row) -> DoorOut:
        """The wire form of a row."""
        return cls(
            door=row["door"],
            strategy=row["strategy"],
            questions=row["questions"],
            average_ms=round(row["avg_ms"], 3),
            p95_ms=round(row["p95_ms"], 3),
            most_ms=row["max_ms"],
            quality_score=_short(row["quality"]),
        )


class ModeOut(msgspec.Struct, frozen=True, kw_only=True):
    """Searches by the mode that ran and its fusion; an answer may take several."""

    mode: str
    fusion: str
    searches: int
    average_ms: float
    p95_ms: float
    most_ms: float
    average_results: float
    empty: int
    empty_by_floor: int
    without_walk: int

    @classmethod
    def of(cls, row: Row) -> ModeOut:
        """The wire form of a row."""
        return cls(
            mode=row["mode"],
            fusion=row["fusion"],
            searches=row["searches"],
            average_ms=round(row["avg_ms"], 3),
            p95_ms=round(row["p95_ms"], 3),
            most_ms=row["max_ms"],
            average_results=round(row["results"], 3),
            empty=row["empty"],
            empty_by_floor=row["empty_by_floor"],
            without_walk=row["without_walk"],
        )


class UnansweredOut(msgspec.Struct, frozen=True, kw_only=True):
    """A question that found nothing; its words where they are kept and this key may see them."""

    fingerprint: str
    times: int
    last_at: datetime
    door: str
    by_floor: bool
    untrusted: dict[str, str | None]

    @classmethod
    def of(cls, row: Row) -> UnansweredOut:
        """The wire form of a row."""
        return cls(
            fingerprint=row["fingerprint"],
            times=row["times"],
            last_at=row["last_at"],
            door=row["door"],
            by_floor=row["floored"],
            untrusted={"query": row["words"]},
        )


class AnalyticsOut(msgspec.Struct, frozen=True, kw_only=True):
    """What the questions of a period came to; `dropped` were not recorded by this process."""

    since: datetime
    until: datetime
    scopes: list[str]
    totals: TotalsOut
    doors: list[DoorOut]
    modes: list[ModeOut]
    unanswered: list[UnansweredOut]
    dropped: int

    @classmethod
    def of(cls, found: Analytics, dropped: int) -> AnalyticsOut:
        """The wire form of a period."""
        return cls(
            since=found.period.since,
            until=found.period.until,
            scopes=found.period.scopes,
            totals=TotalsOut.of(found.totals),
            doors=[DoorOut.of(row) for row in found.doors],
            modes=[ModeOut.of(row) for row in found.modes],
            unanswered=[UnansweredOut.of(row) for row in found.unanswered],
            dropped=dropped,
        )


StatusName = Literal["answered", "empty", "failed"]


class SearchedOut(msgspec.Struct, frozen=True, kw_only=True):
    """One search of a question; `without` says why no walk ran."""

    asked_mode: str
    mode: str
    fusion: str
    without: str | None
    candidates: int
    results: int
    floored: int
    ms: float

    @classmethod
    def of(cls, row: Row) -> SearchedOut:
        """The wire form of a `HybridSearchResult`."""
        fields: Row = {name: row.get(name) for name in cls.__struct_fields__}
        return cls(**fields)


class QueryOut(msgspec.Struct, frozen=True, kw_only=True):
    """A question that was asked from `home`, put to `scopes`; its words where they are kept.

    `searches` are there where one question is read.
    """

    id: str
    home: str
    scopes: list[str]
    principal: str
    fingerprint: str
    door: str
    strategy: str
    top_k: int
    threshold: float | None
    knowledge_base_ids: list[str]
    status: str
    error: str | None
    results: int
    floored: int
    avg_score: float | None
    quality: float | None
    ms: float
    asked_at: datetime
    searches: list[SearchedOut] | None
    untrusted: dict[str, str | None]

    @classmethod
    def of(cls, row: Row, searches: list[Row] | None = None) -> QueryOut:
        """The wire form of a `RagQuery`."""
        fields: Row = {name: row.get(name) for name in _PLAIN}
        return cls(
            **fields,
            home=row["scope"],
            searches=None if searches is None else [SearchedOut.of(one) for one in searches],
            untrusted={"query": row.get("words")},
        )


_PLAIN = frozenset(QueryOut.__struct_fields__) - {"home", "searches", "untrusted"}


class QueriesOut(msgspec.Struct, frozen=True):
    """A page of questions, newest first; `next` continues it."""

    items: list[QueryOut]
    next: str | None


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
