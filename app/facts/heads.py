"""What is kept with a fact so that a reader need not go through its claims: pure.

Facts of several scopes that state one value, and that nobody denies, ends or has reviewed, agree:
of each tier the first word opens the interval and every other confirms it. So the first claim of
each tier tells as much as all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.extraction.model import Mode, Precision
from app.facts.carried import EPOCH, MICROSECOND, micros
from app.facts.claim import Claim
from app.facts.interval import Reason, Segment, Standing
from app.facts.sweep import events_of, in_order
from app.kernel.clock import FOREVER
from app.kernel.graph import Row

NEWEST = 16  # sources that a fact keeps, the newest first


@dataclass(frozen=True, slots=True)
class Head:
    """The first claim of a tier: its moment in microseconds since 1970, and what orders it."""

    tier: int
    at: int
    precision: Precision
    trust: float
    claim: str

    @property
    def order(self) -> tuple[int, float, str]:
        """Among claims of one value: the earlier, then the more trusted, then by id."""
        return self.at, -self.trust, self.claim

    def pack(self) -> str:
        """As it is stored."""
        return f"{self.tier} {self.at} {self.precision.value} {self.trust!r} {self.claim}"

    @classmethod
    def unpack(cls, text: str) -> Head:
        """As `pack` wrote it."""
        tier, at, precision, trust, claim = text.split(" ", 4)
        return cls(int(tier), int(at), Precision(precision), float(trust), claim)


def heads_of(claims: Iterable[Claim], known: Collection[str] = ()) -> list[str] | None:
    """The heads of a fact's claims, with those known of earlier ones; None where one claim says
    more than that the value holds from some moment on."""
    first = {head.tier: head for head in map(Head.unpack, known)}
    for claim in claims:
        if claim.mode is not Mode.ASSERT or claim.end is not None:
            return None
        event = min(events_of([claim]), key=in_order)
        held = claim.authority
        head = Head(int(held.tier), micros(event.at), event.precision, held.trust, claim.id)
        if head.tier not in first or head.order < first[head.tier].order:
            first[head.tier] = head
    return [first[tier].pack() for tier in sorted(first)] or None


def agreeing(rows: Sequence[Row]) -> bool:
    """Whether facts of one belief key say the same, and nothing else has to be looked at.

    Each row has `fact` (with `negated` and `heads`), `value` and `reviewed`.
    """
    return len({row["value"] for row in rows}) == 1 and all(
        row["fact"]["heads"] and not row["fact"]["negated"] and not row["reviewed"] for row in rows
    )


def agreed(rows: Sequence[Row]) -> list[Segment]:
    """The intervals of facts that agree: what settling all of their claims would give."""
    heads = [
        (Head.unpack(head), row["fact"]["id"]) for row in rows for head in row["fact"]["heads"]
    ]
    opened: dict[str, Head] = {}
    for tier in sorted({head.tier for head, _ in heads}, reverse=True):
        head, fact = min((h for h in heads if h[0].tier == tier), key=lambda h: h[0].order)
        if fact not in opened or head.at < opened[fact].at:
            opened[fact] = head
    return [
        Segment(
            fact,
            EPOCH + head.at * MICROSECOND,
            FOREVER,
            head.precision,
            Precision.INSTANT,
            Standing.HELD,
            Reason.STATED,
        )
        for fact, head in sorted(opened.items())
    ]


def newest_of(told: Iterable[str], known: Collection[str] = ()) -> list[str]:
    """The newest of some sources (`microseconds passage start end`), the newest first."""
    return sorted({*told, *known}, key=_told, reverse=True)[:NEWEST]


def source_of(claim: Mapping[str, object], passage: str, said_at: int) -> str:
    """A source as it is stored."""
    return f"{said_at} {passage} {claim['start']} {claim['end']}"


def _told(source: str) -> tuple[int, str, int]:
    at, passage, start, _ = source.split(" ")
    return int(at), passage, int(start)
