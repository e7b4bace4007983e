"""Facts to which a curator gave intervals, and what was said of them since: pure.

Of what was said by then they hold in just these intervals. What is said later goes on from there:
another value, or a denial, that is held by its own right ends one, and a word of the fact itself
after its interval begins anew. Facts that were given intervals that overlap do not end each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from app.extraction.model import Precision
from app.facts.claim import Authority, Claim, Reviews, Rules
from app.facts.interval import Reason, Segment, Standing
from app.facts.sweep import Event, events_of, in_order, may_not_retire
from app.kernel.clock import FOREVER


@dataclass(slots=True)
class Given:
    """The intervals of facts that were given some, with what took their place and what may have."""

    segments: list[Segment] = field(default_factory=list)
    superseded: set[tuple[str, str, Reason]] = field(default_factory=set)
    possible: set[tuple[str, str]] = field(default_factory=set)


def given_spans(
    segments: Iterable[Segment], claims: Collection[Claim], rules: Rules, reviews: Reviews
) -> Given:
    """The segments of a key with those of facts that were given intervals in place of their own;
    `segments` are what follows without the intervals."""
    given = Given()
    by_fact: dict[str, list[Segment]] = defaultdict(list)
    for segment in segments:
        by_fact[segment.fact].append(segment)
    for fact, found in by_fact.items():
        if fact not in reviews.intervals:
            given.segments += found
    said: dict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        said[claim.fact].append(claim)
    held = {
        fact: [segment for segment in found if segment.standing is Standing.HELD]
        for fact, found in by_fact.items()
    }
    for fact in sorted(reviews.intervals):
        _lay_out(fact, held, said, (rules, reviews), given)
    return given


def _lay_out(
    fact: str,
    held: dict[str, list[Segment]],
    said: dict[str, list[Claim]],
    by: tuple[Rules, Reviews],
    given: Given,
) -> None:
    rules, reviews = by
    own = said.get(fact, ())
    (start, end), since = reviews.intervals[fact], reviews.since(fact)
    against = [
        (other, event)
        for other, claims in said.items()
        if own and _against(own[0], claims[0], rules)
        if not _beside(fact, other, reviews)
        for event in _later(claims, since, held.get(other, ()))
    ]
    for other, event in sorted(against, key=lambda one: in_order(one[1])):
        if event.claim.partial:
            open_end = any(s.valid_to == FOREVER for s in held[other])
            if open_end and start < event.at < end == FOREVER:
                given.possible.add((fact, other))
            continue
        behind = {c.authority for c in said[other] if not c.partial and _begins(c) <= event.at}
        if start < event.at < end and _may_end(behind, fact, said, rules, reviews):
            end = event.at
            why = Reason.STOPPED if event.claim.negative else Reason.LATER_VALUE
            given.superseded.add((fact, other, why))
            given.possible = {pair for pair in given.possible if pair[0] != fact}
    instant = Precision.INSTANT
    given.segments.append(
        Segment(fact, start, end, instant, instant, Standing.HELD, Reason.REVIEWED)
    )
    for segment in held.get(fact, ()):
        anew = [e for e in _later(own, since, [segment]) if e.at >= end]
        if anew:
            first = min(anew, key=in_order)
            precision = first.precision
            given.segments.append(replace(segment, valid_from=first.at, from_precision=precision))


def _later(claims: Iterable[Claim], since: datetime, held: Collection[Segment]) -> list[Event]:
    """What was said after a moment and is held: an event for each time when it says that it is
    so."""
    return [
        event
        for event in events_of(claim for claim in claims if claim.said_at > since)
        if not event.stops and any(s.valid_from <= event.at < s.valid_to for s in held)
    ]


def _against(one: Claim, other: Claim, rules: Rules) -> bool:
    """Whether two facts cannot both be so."""
    if one.negative or other.negative:
        return one.negative != other.negative and one.value == other.value
    return one.value != other.value and not rules.may_share(one.value, other.value)


def _beside(fact: str, other: str, reviews: Reviews) -> bool:
    """Whether a curator let one hold while the other does."""
    if other not in reviews.intervals:
        return False
    (start, end), (begin, over) = reviews.intervals[fact], reviews.intervals[other]
    return start < over and begin < end


def _may_end(
    behind: set[Authority],
    fact: str,
    said: dict[str, list[Claim]],
    rules: Rules,
    reviews: Reviews,
) -> bool:
    """Whether some may end a fact: as they might by its own claims, or by those of a fact that was
    given an interval with it and is no weaker."""
    own = {claim.authority for claim in said[fact]}
    top = max(authority.tier for authority in own)
    others = (
        {claim.authority for claim in said.get(other, ())}
        for other in reviews.intervals
        if other != fact
    )
    weighed = [own, *(one for one in others if one and max(a.tier for a in one) >= top)]
    return any(may_not_retire(behind, holders, rules) is None for holders in weighed)


def _begins(claim: Claim) -> datetime:
    return claim.start.at if claim.start is not None else claim.said_at
