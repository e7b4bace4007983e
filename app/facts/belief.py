"""What to believe, as a pure function of everything that was claimed.

The claims of one belief key (a subject and a functional predicate; the object as well where a
predicate takes many) are laid out on the time of the world and swept once. Nothing here knows in
which order they arrived, so nothing can depend on it, and a claim that is erased leaves no trace:
what it had retired comes back by itself.

A value ends only for a structural reason: another value of a functional predicate with a later
validity, a statement that it has stopped, an end that a source names, or a correction. Similarity
is not an argument of this module. A claim of which words were not read does none of this: it stands
beside what it might have ended, and the two are a possible change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from app.extraction.model import Precision
from app.facts.claim import Claim, Reviews, Rules
from app.facts.correction import apply_corrections, take_back_plans
from app.facts.interval import Reason, Segment, Standing
from app.facts.layers import Layers
from app.facts.spans import given_spans
from app.facts.sweep import Event, Sweep, Upheld, begun, events_of, in_order, laid_out
from app.kernel.clock import FOREVER

CONFIRMATION = 0.05  # added to the confidence by each further principal (seed 003)
MOST_CONFIDENT = 0.99


@dataclass(frozen=True, slots=True)
class Weight:
    """How well a fact is supported by the claims that count for it; `said` is the confidence of the
    surest of them alone."""

    confidence: float
    evidence: int
    principals: int
    trust: float
    said: float


@dataclass(frozen=True, slots=True)
class Settlement:
    """Everything that follows from the claims of one key."""

    segments: tuple[Segment, ...]
    superseded: frozenset[tuple[str, str, Reason]]  # old fact, new fact, why
    contradictions: frozenset[tuple[str, str]]  # pairs of facts, the one that stands first
    weights: dict[str, Weight]
    possible: frozenset[tuple[str, str]] = frozenset()  # older and newer: a possible change


def settle(claims: Iterable[Claim], rules: Rules, reviews: Reviews | None = None) -> Settlement:
    """What follows from all claims of one belief key; the order of `claims` does not matter.

    Tiers are settled one by one from the highest down: what a lower tier says fills the time that
    the higher ones leave open, or waits for a review, and can change nothing else, unless a curator
    accepted it.
    """
    reviews = reviews or Reviews()
    known = sorted(set(claims), key=lambda claim: claim.id)
    if reviews.changed:
        values = {claim.fact: claim.value for claim in known}
        changed = ((values.get(old, ""), values.get(new, "")) for old, new in reviews.changed)
        rules = replace(rules, apart=frozenset(changed))
    live = as_decided((c for c in known if c.fact not in reviews.disbelieved), reviews)
    live, corrected = apply_corrections(live, rules)
    live, called_off = take_back_plans(live, rules)
    layers = Layers(corrected | called_off, rules)
    accepted = [claim for claim in live if claim.accepted is not None]
    ended, upheld = _ended(live, reviews), Upheld()
    for tier in sorted({claim.authority.tier for claim in live}, reverse=True):
        sweep = Sweep(rules, tier, upheld)
        events = sorted(events_of(c for c in live if c.authority.tier == tier), key=in_order)
        more = [*ended, *events_of(c for c in accepted if c.authority.tier < tier)]
        for event in sorted([*events, *more], key=in_order) if more else events:
            sweep.take(event)
        layers.add(sweep, events)
    rejected = [claim for claim in known if claim.fact in reviews.disbelieved]
    given = given_spans(layers.finish() + _rejected(rejected, reviews), live, rules, reviews)
    possible = {p for p in layers.possible if not reviews.intervals.keys() & set(p)}
    waiting = {s.fact for s in given.segments if s.standing is Standing.QUARANTINED}
    return Settlement(
        segments=tuple(sorted(set(given.segments))),
        superseded=frozenset(layers.superseded | given.superseded),
        contradictions=frozenset(p for p in layers.contradictions if p[1] in waiting),
        weights=_weights([*live, *rejected]),
        possible=frozenset((possible | given.possible) - set(reviews.both)),
    )


def as_decided(claims: Iterable[Claim], reviews: Reviews) -> list[Claim]:
    """The claims as curators have it; whatever the clocks say, a verdict is on the first of a fact
    at least."""
    found = list(claims)
    first: dict[str, datetime] = {}
    for claim in found:
        first[claim.fact] = min(first.get(claim.fact, FOREVER), claim.said_at)
    return [_decided(claim, reviews, first[claim.fact]) for claim in found]


def _decided(claim: Claim, reviews: Reviews, first: datetime) -> Claim:
    since = max(reviews.since(claim.fact), first)
    if claim.said_at > since:
        return claim
    if claim.fact in reviews.accepted:
        return replace(claim, partial=False, accepted=since)
    return replace(claim, partial=False) if claim.fact in reviews.read else claim


def _ended(claims: Collection[Claim], reviews: Reviews) -> list[Event]:
    """The ends that later texts tell, as a curator said."""
    said = {claim.fact: claim for claim in claims}
    return [
        Event(at, Precision.INSTANT, said[fact], stops=True, reviewed=True)
        for fact, at in reviews.ended.items()
        if fact in said
    ]


def _rejected(claims: list[Claim], reviews: Reviews) -> list[Segment]:
    """A rejected or doubted fact keeps its place in the record, and is not believed."""
    first: dict[str, Event] = {}
    for event in sorted(events_of(claims), key=in_order):
        first.setdefault(event.claim.fact, event)
    return [
        laid_out(
            begun(event),
            FOREVER,
            Precision.INSTANT,
            Reason.REJECTED if event.claim.fact in reviews.rejected else Reason.DOUBTED,
        ).segment(Standing.QUARANTINED)
        for event in first.values()
    ]


def _weights(claims: Collection[Claim]) -> dict[str, Weight]:
    by_fact: dict[str, list[Claim]] = {}
    for claim in claims:
        by_fact.setdefault(claim.fact, []).append(claim)
    return {fact: _weight(found) for fact, found in by_fact.items()}


def _weight(claims: list[Claim]) -> Weight:
    return weigh(
        said=max(claim.confidence for claim in claims),
        evidence=len(claims),
        principals=len({claim.authority.principal for claim in claims}),
        trust=max(claim.authority.trust for claim in claims),
    )


def weigh(said: float, evidence: int, principals: int, trust: float) -> Weight:
    """How sure a fact is: the surest claim, and a little more for each further principal."""
    confirmed = min(MOST_CONFIDENT, said + CONFIRMATION * (principals - 1))
    return Weight(round(max(said, confirmed), 4), evidence, principals, trust, said)
