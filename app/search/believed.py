"""What a hit tells of a fact beside its statement: since when, how sure, and by whom."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.extraction.model import Precision
from app.kernel.clock import open_end
from app.kernel.graph import Row
from app.sanitize.privacy import Level, named


@dataclass(frozen=True, slots=True)
class Support:
    """Where an episode says it; the newest comes first."""

    episode: str
    start: int
    end: int
    author: str | None
    origin: str | None
    content_hash: str | None
    flags: list[str]


@dataclass(frozen=True, slots=True)
class Believed:
    """A fact at the moments of a reading; `until` is None where no end is known."""

    since: datetime
    until: datetime | None
    precision: Precision
    support: tuple[Support, ...]


def believed(memory: Row) -> Believed:
    """From what `hydrate_facts` gives; the latest of several intervals counts."""
    intervals = sorted(memory["intervals"], reverse=True)
    support = tuple(Support(*parts[1:]) for parts in sorted(memory["support"], reverse=True))
    if not intervals:  # it holds only together with a wider or narrower scope
        return Believed(memory["captured_at"], None, Precision.INSTANT, support)
    start, end, precision = intervals[0]
    return Believed(
        datetime.fromisoformat(start),
        open_end(datetime.fromisoformat(end)),
        Precision(precision),
        support,
    )


def flags_of(memory: Row) -> list[str]:
    """What a memory is flagged as; a fact as what of the texts that say it is, as far as shown."""
    if memory["kind"] != "fact":
        return list(memory.get("flags") or [])
    return sorted({flag for support in believed(memory).support for flag in support.flags})


def privacy_of(memory: Row) -> Level:
    """How private a memory is; a fact as the most private of all texts that say it."""
    return named(memory.get("privacy"))


def worded(moment: datetime, precision: Precision) -> str:
    """A moment as exactly as it is known: 2026, May 2026, 3 May 2026."""
    forms = {Precision.YEAR: "%Y", Precision.MONTH: "%B %Y"}
    if precision in forms:
        return moment.strftime(forms[precision])
    return f"{moment.day} {moment:%B %Y}"
