"""What to believe, as a pure function of everything that was claimed.

The claims of one belief key (a subject and a functional predicate; the object as well where a
predicate takes many) are laid out on the time of the world and swept once. Nothing here knows in
which order they arrived, so nothing can depend on it, and a claim that is erased leaves no trace:
what it had retired comes back by itself.

A value ends only for a structural reason: another value of a functional predicate with a later
validity, a statement that it has stopped, an end that a source names, or a correction. Similarity
is not an argument of this module.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from app.extraction.model import Mode, Moment, Precision
from app.facts.claim import Authority, Claim, Reviews, Rules, Tier
from app.kernel.clock import FOREVER

CONFIRMATION = 0.05  # added to the confidence by each further principal (seed 003)
MOST_CONFIDENT = 0.99

PERIODS = {
    Precision.INSTANT: timedelta(0),
    Precision.DAY: timedelta(days=1),
    Precision.MONTH: timedelta(days=28),
    Precision.YEAR: timedelta(days=365),
}


class Standing(StrEnum):
    """Whether an interval is believed or waits for a review."""

    HELD = "held"
    QUARANTINED = "quarantined"


class Reason(StrEnum):
    """Why an interval is as it is."""

    STATED = "stated"
    LATER_VALUE = "later_value"
    STOPPED = "stopped"
    SOURCE_NAMES_END = "source_names_end"
    RESUMED = "resumed"
    CORRECTED = "corrected"
    LOWER_TIER = "lower_tier"
    OTHER_PRINCIPAL = "other_principal"
    NO_ORDER = "no_order_in_time"
    REJECTED = "rejected"
    REVIEWED = "reviewed"


@dataclass(frozen=True, slots=True, order=True)
class Segment:
    """One interval of one fact, half-open, with the reason of its end (or of its standing)."""

    fact: str
    valid_from: datetime
    valid_to: datetime
    from_precision: Precision
    to_precision: Precision
    standing: Standing
    reason: Reason


@dataclass(frozen=True, slots=True)
class Weight:
    """How well a fact is supported by the claims that count for it."""

    confidence: float
    evidence: int
    principals: int
    trust: float


@dataclass(frozen=True, slots=True)
class Settlement:
    """Everything that follows from the claims of one key."""

    segments: tuple[Segment, ...]
    superseded: frozenset[tuple[str, str, Reason]]  # old fact, new fact, why
    contradictions: frozenset[tuple[str, str]]  # pairs of facts, the one that stands first
    weights: dict[str, Weight]


@dataclass(frozen=True, slots=True)
class Event:
    """A claim at a moment: it says that the value holds from here on, or that it stops here."""

    at: datetime
    precision: Precision
    claim: Claim
    stops: bool = False  # the end of the claim's own interval


@dataclass(slots=True)
class Stint:
    """A value, or its negation, held without a break."""

    fact: str
    value: str
    start: Event
    last: Event
    claims: list[Claim] = field(default_factory=list)

    def confirm(self, event: Event) -> None:
        """Take one more claim of the same value."""
        self.claims.append(event.claim)
        self.last = max(self.last, event, key=lambda e: e.at)

    def covers(self, moment: datetime, but: Claim) -> bool:
        """Whether another claim names an end of its own that lies after the moment."""
        return any(c.end is not None and c.end.at > moment for c in self.claims if c is not but)


def settle(claims: Iterable[Claim], rules: Rules, reviews: Reviews | None = None) -> Settlement:
    """What follows from all claims of one belief key; the order of `claims` does not matter.

    Tiers are settled one by one from the highest down: what a lower tier says fills the time that
    the higher ones leave open, or waits for a review, and can change nothing else.
    """
    reviews = reviews or Reviews()
    known = sorted(set(claims), key=lambda claim: claim.id)
    live = [_reviewed(claim, reviews) for claim in known if claim.fact not in reviews.rejected]
    live, corrected = _apply_corrections(live, rules)
    layers = _Layers(corrected)
    for tier in sorted({claim.authority.tier for claim in live}, reverse=True):
        sweep = _Sweep(rules)
        events = sorted(_events(c for c in live if c.authority.tier == tier), key=_order)
        for event in events:
            sweep.take(event)
        layers.add(sweep, events)
    rejected = [claim for claim in known if claim.fact in reviews.rejected]
    segments = _as_reviewed(layers.finish() + _rejected(rejected), reviews)
    waiting = {s.fact for s in segments if s.standing is Standing.QUARANTINED}
    return Settlement(
        segments=tuple(sorted(set(segments))),
        superseded=frozenset(layers.superseded),
        contradictions=frozenset(p for p in layers.contradictions if p[1] in waiting),
        weights=_weights([*live, *rejected]),
    )


class _Layers:
    """Puts what one tier yields under what the higher ones hold."""

    def __init__(self, corrected: set[tuple[str, str, Reason]]) -> None:
        self.held: list[Held] = []
        self.waiting: list[Segment] = []
        self.superseded = set(corrected)
        self.contradictions: set[tuple[str, str]] = set()

    def add(self, sweep: _Sweep, events: list[Event]) -> None:
        """One more tier, with the moments at which it says something."""
        held, waiting = sweep.finish()
        self.superseded |= sweep.superseded
        self.contradictions |= sweep.contradictions
        above = list(self.held)
        for item in held:
            self._fit(item, above, [e for e in events if e.claim.fact == item.fact])
        for item in waiting:
            if not any(h.fact == item.fact and h.contains(item.start) for h in above):
                self.waiting.append(item.segment(Standing.QUARANTINED))

    def finish(self) -> list[Segment]:
        """All intervals, those of one fact that touch made one."""
        held: list[Segment] = []
        for item in sorted(self.held, key=lambda h: (h.fact, h.start)):
            segment = item.segment(Standing.HELD)
            if held and held[-1].fact == segment.fact and held[-1].valid_to >= segment.valid_from:
                if segment.valid_to > held[-1].valid_to:
                    held[-1] = replace(
                        held[-1],
                        valid_to=segment.valid_to,
                        to_precision=segment.to_precision,
                        reason=segment.reason,
                    )
                continue
            held.append(segment)
        return [*held, *self.waiting]

    def _fit(self, item: Held, above: list[Held], events: list[Event]) -> None:
        """Keep of an interval what no conflicting one of a higher tier covers."""
        against = sorted((h for h in above if h.conflicts(item)), key=lambda h: h.start)
        said = sorted(
            {item.start, *(e.at for e in events if item.start <= e.at < item.end and not e.stops)}
        )
        covered: Held | None = None
        reached = item.start
        for moment in said:
            if moment < reached:
                continue
            wall = next((h for h in against if h.contains(moment)), None)
            if wall is not None:
                covered = covered or wall
                reached = wall.end
                continue
            following = next((h for h in against if h.start > moment), None)
            end = min(item.end, following.start) if following else item.end
            if following is not None and following.start < item.end:
                self.held.append(
                    replace(
                        item,
                        start=moment,
                        end=end,
                        to_precision=following.from_precision,
                        reason=Reason.LATER_VALUE,
                    )
                )
                self.superseded.add((item.fact, following.fact, Reason.LATER_VALUE))
            else:
                self.held.append(replace(item, start=moment))
            reached = end
        if covered is not None:
            self.contradictions.add((covered.fact, item.fact))
            self.waiting.append(
                replace(item, end=item.end, reason=Reason.LOWER_TIER).segment(Standing.QUARANTINED)
            )


@dataclass(frozen=True, slots=True)
class Held:
    """An interval of one value, or of its negation, while it is being laid out."""

    fact: str
    value: str
    negative: bool
    start: datetime
    end: datetime
    from_precision: Precision
    to_precision: Precision
    reason: Reason

    def contains(self, moment: datetime) -> bool:
        """Whether the interval holds at the moment."""
        return self.start <= moment < self.end

    def conflicts(self, other: Held) -> bool:
        """Whether both cannot be so at one time, given a functional predicate or one value."""
        if self.negative or other.negative:
            return self.negative != other.negative and self.value == other.value
        return self.value != other.value

    def segment(self, standing: Standing) -> Segment:
        """The interval as it is stored."""
        return Segment(
            self.fact,
            self.start,
            self.end,
            self.from_precision,
            self.to_precision,
            standing,
            self.reason,
        )


class _Sweep:
    """One pass over the events of a key, from the oldest to the latest."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.holder: Stint | None = None
        self.denied: dict[str, Stint] = {}
        self.waiting: dict[str, Stint] = {}  # by fact: claimed, but not believed
        self.why: dict[str, Reason] = {}
        self.held: list[Held] = []
        self.superseded: set[tuple[str, str, Reason]] = set()
        self.contradictions: set[tuple[str, str]] = set()

    def take(self, event: Event) -> None:
        """Let one event take effect."""
        if event.stops:
            self._stop(event)
        elif event.claim.negative:
            self._deny(event)
        else:
            self._assert(event)

    def finish(self) -> tuple[list[Held], list[Held]]:
        """What is held and what waits; everything that is still open stays open."""
        for stint in (self.holder, *self.denied.values()):
            if stint is not None:
                self._record(stint, FOREVER, Precision.INSTANT, Reason.STATED)
        waiting = []
        for fact, stint in self.waiting.items():
            end = max((c.end.at for c in stint.claims if c.end is not None), default=FOREVER)
            waiting.append(_held(stint, end, Precision.INSTANT, self.why[fact]))
        return [h for h in self.held if h.start < h.end], waiting

    def _assert(self, event: Event) -> None:
        claim = event.claim
        if not self._lift_denial(event):
            return
        holder = self.holder
        if holder is None:
            self.holder = self._opened(event)
        elif holder.value == claim.value:
            holder.confirm(event)
        else:
            self._challenge(holder, event)

    def _challenge(self, holder: Stint, event: Event) -> None:
        """Another value of a functional predicate: retire, or wait for a review."""
        ordered = _ordered(holder.start, event)
        refusal = self._refusal(holder, event, ordered)
        if ordered and refusal is None and _planned_past(holder, event):
            refusal = Reason.NO_ORDER
        if refusal is not None:
            self._quarantine(event, holder, refusal)
        elif ordered:
            self._close(holder, event, Reason.LATER_VALUE)
            self.holder = self._opened(event)
        else:
            self._displace(holder, event)
            self.holder = self._opened(event)

    def _deny(self, event: Event) -> None:
        claim, holder = event.claim, self.holder
        standing = self.denied.get(claim.value)
        if standing is not None:
            standing.confirm(event)
            return
        if holder is not None and holder.value == claim.value:
            ordered = _ordered(holder.start, event)
            refusal = self._refusal(holder, event, ordered)
            if refusal is not None:
                self._quarantine(event, holder, refusal)
                return
            if ordered:
                self._close(holder, event, Reason.STOPPED)
            else:
                self._displace(holder, event)
            self.holder = None
        self.denied[claim.value] = self._opened(event)

    def _lift_denial(self, event: Event) -> bool:
        """Whether a positive claim gets past a denial of the same value that stands."""
        denial = self.denied.get(event.claim.value)
        if denial is None:
            return True
        ordered = _ordered(denial.start, event)
        refusal = self._refusal(denial, event, ordered)
        if refusal is not None:
            self._quarantine(event, denial, refusal)
            return False
        if ordered:
            self._close(denial, event, Reason.RESUMED)
        else:
            self._displace(denial, event)
        del self.denied[event.claim.value]
        return True

    def _stop(self, event: Event) -> None:
        claim, holder = event.claim, self.holder
        ends_here = (
            holder is not None
            and holder.fact == claim.fact
            and claim in holder.claims
            and not holder.covers(event.at, claim)
        )
        if holder is None or not ends_here:
            return
        self._record(holder, event.at, event.precision, Reason.SOURCE_NAMES_END)
        self.holder = None

    def _refusal(self, holder: Stint, event: Event, ordered: bool) -> Reason | None:
        """Why the claims for a newer value may not retire what is held; None if they may."""
        if not ordered:
            return _weaker(holder, event)
        if not _ordered(holder.last, event) and (weaker := _weaker(holder, event)):
            return weaker  # the old value was confirmed at this very moment
        waiting = self.waiting.get(event.claim.fact)
        behind = [*(waiting.claims if waiting else ()), event.claim]
        return may_not_retire(
            [c.authority for c in behind], [c.authority for c in holder.claims], self.rules
        )

    def _opened(self, event: Event) -> Stint:
        stint = _stint(event)
        waiting = self.waiting.pop(event.claim.fact, None)
        if waiting is not None:
            self.contradictions = {p for p in self.contradictions if event.claim.fact not in p}
            stint.claims = [*waiting.claims, *stint.claims]
        return stint

    def _quarantine(self, event: Event, holder: Stint, why: Reason) -> None:
        fact = event.claim.fact
        self.contradictions.add((holder.fact, fact))
        if fact in self.waiting:
            self.waiting[fact].confirm(event)
            return
        self.waiting[fact] = _stint(event)
        self.why[fact] = why

    def _displace(self, holder: Stint, event: Event) -> None:
        """What was held from the same moment on loses against a stronger claim without order."""
        self.contradictions.add((event.claim.fact, holder.fact))
        self.waiting[holder.fact] = holder
        self.why[holder.fact] = Reason.NO_ORDER

    def _close(self, stint: Stint, event: Event, why: Reason) -> None:
        self._record(stint, event.at, event.precision, why)
        self.superseded.add((stint.fact, event.claim.fact, why))

    def _record(self, stint: Stint, end: datetime, precision: Precision, why: Reason) -> None:
        self.held.append(_held(stint, end, precision, why))


def may_not_retire(
    challengers: Sequence[Authority], holders: Sequence[Authority], rules: Rules
) -> Reason | None:
    """Why these challengers may not end what those holders said; None where they may.

    A lower tier never retires a higher one. What a user asserted is ended by that user, by the
    person it is about, or by a quorum of distinct principals; repetition does not count.
    """
    if _outranked_by(holders, challengers):
        return Reason.LOWER_TIER
    top = max(h.tier for h in holders)
    if top != Tier.USER:
        return None
    equals = [c for c in challengers if c.tier >= top]
    if any(c.tier > Tier.USER for c in equals):
        return None
    others = {h.speaker for h in holders if h.tier == top} - {c.speaker for c in equals}
    tellers = {c.principal for c in equals}
    own = any(h.own for h in holders if h.tier == top)
    if not others or (any(c.own for c in equals) and not own):
        return None
    if own:
        return Reason.OTHER_PRINCIPAL
    agreed = len(tellers) >= rules.quorum and len(tellers) > len(others)
    return None if rules.members or agreed else Reason.OTHER_PRINCIPAL


def _outranked_by(holders: Sequence[Authority], challengers: Sequence[Authority]) -> bool:
    return max(c.tier for c in challengers) < max(h.tier for h in holders)


def _weaker(holder: Stint, event: Event) -> Reason | None:
    """Without order in time the stronger side stands: tier, then trust, then the smaller value."""
    best = max(holder.claims, key=lambda c: (c.authority.tier, c.authority.trust))
    held, said = best.authority, event.claim.authority
    stands = (held.tier, held.trust)
    comes = (said.tier, said.trust)
    if comes > stands:
        return None
    if comes == stands and (event.claim.value, event.claim.negative) < (
        best.value,
        best.negative,
    ):
        return None
    return Reason.NO_ORDER


def _planned_past(holder: Stint, event: Event) -> bool:
    """Whether what is held names an end that lies after the event, in words as new as its own."""
    return any(
        c.end is not None and c.end.at > event.at and c.said_at >= event.claim.said_at
        for c in holder.claims
    )


def _ordered(held: Event, event: Event) -> bool:
    """Whether one moment surely lies after the other, given how exactly each is known."""
    if event.at == held.at:
        return False
    if {held.precision, event.precision} == {Precision.INSTANT}:
        return True
    return event.at >= held.at + PERIODS[held.precision]


def _order(event: Event) -> tuple[datetime, int, float, int, str, str]:
    """Ends before starts, then the more trusted first, then the smaller value (annex, 3.a)."""
    claim = event.claim
    sign = 0 if event.stops else 1
    trust = claim.authority.trust
    return (event.at, sign, -trust, int(claim.negative), claim.value, claim.id)


def _events(claims: Iterable[Claim]) -> Iterable[Event]:
    for claim in claims:
        start = claim.start or Moment(claim.said_at, Precision.INSTANT)
        yield Event(start.at, start.precision, claim)
        if claim.end is not None and not claim.negative:
            yield Event(claim.end.at, claim.end.precision, claim, stops=True)
        elif claim.start is not None and claim.ongoing and claim.start.at < claim.said_at:
            yield Event(claim.said_at, Precision.INSTANT, claim)


def _apply_corrections(
    claims: list[Claim], rules: Rules
) -> tuple[list[Claim], set[tuple[str, str, Reason]]]:
    """Take out what was said in error; the right value holds from when the wrong one did."""
    live = list(claims)
    links: set[tuple[str, str, Reason]] = set()
    corrections = [c for c in claims if c.mode is Mode.CORRECT]
    # The strongest first: what a weaker correction takes out must not change what they do.
    for correction in sorted(
        corrections, key=lambda c: (-c.authority.tier, c.said_at, c.value, c.id)
    ):
        errors = _errors_of(correction, live, rules) if correction in live else []
        if not errors:
            continue
        links |= {(error.fact, correction.fact, Reason.CORRECTED) for error in errors}
        live = [c for c in live if c not in errors]
        starts = [
            e.start or Moment(e.said_at, Precision.INSTANT)
            for e in errors
            if e.authority.tier == correction.authority.tier
        ]
        if correction.start is None and starts:
            first = min(starts, key=lambda moment: (moment.at, moment.precision))
            live[live.index(correction)] = replace(correction, start=first)
    return live, links


def _errors_of(correction: Claim, live: list[Claim], rules: Rules) -> list[Claim]:
    """The earlier claims that a correction may take out, of its own tier and of lower ones."""
    earlier = [
        c
        for c in live
        if not c.negative
        and c.authority.tier <= correction.authority.tier
        and c.said_at <= correction.said_at
        and c.value != correction.value
    ]
    gone: list[Claim] = []
    for tier in sorted({c.authority.tier for c in earlier}):
        same = [c for c in earlier if c.authority.tier == tier]
        wrong = correction.voids or _held_value(same, correction, rules)
        told = [c for c in same if c.value == wrong]
        if told and not may_not_retire([correction.authority], [c.authority for c in told], rules):
            gone += told
    return gone


def _held_value(earlier: list[Claim], correction: Claim, rules: Rules) -> str | None:
    """The value that one tier held when a correction was made that does not name the error."""
    sweep = _Sweep(rules)
    for event in sorted(_events(earlier), key=_order):
        if event.at <= correction.said_at:
            sweep.take(event)
    return sweep.holder.value if sweep.holder is not None else None


def _reviewed(claim: Claim, reviews: Reviews) -> Claim:
    if claim.fact not in reviews.accepted:
        return claim
    return replace(claim, authority=replace(claim.authority, tier=Tier.CURATOR))


def _rejected(claims: list[Claim]) -> list[Segment]:
    """A rejected fact keeps its place in the record, and is not believed."""
    first: dict[str, Event] = {}
    for event in sorted(_events(claims), key=_order):
        first.setdefault(event.claim.fact, event)
    return [
        _held(_stint(event), FOREVER, Precision.INSTANT, Reason.REJECTED).segment(
            Standing.QUARANTINED
        )
        for event in first.values()
    ]


def _as_reviewed(segments: list[Segment], reviews: Reviews) -> list[Segment]:
    """Facts that a curator gave intervals hold in just these."""
    kept = [segment for segment in segments if segment.fact not in reviews.intervals]
    for fact, (start, end) in reviews.intervals.items():
        kept.append(
            Segment(
                fact,
                start,
                end,
                Precision.INSTANT,
                Precision.INSTANT,
                Standing.HELD,
                Reason.REVIEWED,
            )
        )
    return kept


def _stint(event: Event) -> Stint:
    return Stint(event.claim.fact, event.claim.value, event, event, [event.claim])


def _held(stint: Stint, end: datetime, precision: Precision, why: Reason) -> Held:
    return Held(
        fact=stint.fact,
        value=stint.value,
        negative=stint.start.claim.negative,
        start=stint.start.at,
        end=max(end, stint.start.at),
        from_precision=stint.start.precision,
        to_precision=precision,
        reason=why,
    )


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
    return Weight(round(max(said, confirmed), 4), evidence, principals, trust)
