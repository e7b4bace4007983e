"""One pass over the claims of one tier, from the oldest to the latest.

A value ends only for a structural reason: another value of a functional predicate with a later
validity, a statement that it has stopped, an end that a source names. Who may end what somebody
else said is `may_not_retire`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from app.extraction.model import Moment, Precision, over
from app.facts.claim import SPOKEN, Authority, Claim, Rules, Tier
from app.facts.interval import Held, Reason
from app.kernel.clock import FOREVER
from app.values.money import comparable

Upheld = dict[str, set[tuple[str, bool]]]  # values and whether they are denied, by claim


@dataclass(frozen=True, slots=True)
class Event:
    """A claim at a moment: it says that the value holds from here on, or that it stops here."""

    at: datetime
    precision: Precision
    claim: Claim
    stops: bool = False  # the end of the claim's own interval
    reviewed: bool = False  # an end that a curator names: of what the claim says, whoever says it

    @property
    def over(self) -> datetime:
        """When the period is surely over that the moment stands for."""
        return over(self.at, self.precision)


@dataclass(slots=True)
class Behind:
    """Who stands behind some claims, and which of them name an end: gone on with as claims come, as
    what is held for long is asked at each word against it."""

    claims: list[Claim] = field(default_factory=list)
    read: int = 0
    authorities: set[Authority] = field(default_factory=set)
    whole: set[Authority] = field(default_factory=set)  # of those that were read to the last word
    ending: list[Claim] = field(default_factory=list)

    @property
    def plainly(self) -> bool:
        """Whether any was read to the last word."""
        return bool(self.whole)

    def of(self, claims: list[Claim]) -> Behind:
        """Return the same of these claims; of the same list only what came since is read."""
        if claims is not self.claims or len(claims) < self.read:
            self.claims, self.read = claims, 0
            self.authorities, self.whole, self.ending = set(), set(), []
        for place in range(self.read, len(claims)):
            claim = claims[place]
            self.authorities.add(claim.authority)
            if not claim.partial:
                self.whole.add(claim.authority)
            if claim.end is not None:
                self.ending.append(claim)
        self.read = len(claims)
        return self


@dataclass(slots=True)
class Stint:
    """A value, or its negation, held without a break."""

    fact: str
    value: str
    start: Event
    last: Event
    claims: list[Claim] = field(default_factory=list)
    _behind: Behind = field(default_factory=Behind, compare=False, repr=False)

    @property
    def behind(self) -> Behind:
        """Who stands behind it."""
        return self._behind.of(self.claims)

    def confirm(self, event: Event) -> None:
        """Take one more claim of the same value."""
        moves = self.partial or not event.claim.partial
        self.claims.append(event.claim)
        if not moves:
            return  # it is told, and not told of any moment
        self.last = max(self.last, event, key=lambda e: e.at)

    @property
    def negative(self) -> bool:
        """Whether it is a negation that is held."""
        return self.start.claim.negative

    @property
    def partial(self) -> bool:
        """Whether nothing that speaks for it was read to the last word."""
        return not self.behind.plainly

    @property
    def plain(self) -> list[Claim]:
        """The claims that were read to the last word, or all where none was."""
        return [claim for claim in self.claims if not claim.partial] or self.claims

    def against(self, claim: Claim) -> bool:
        """Whether both cannot be so at one time."""
        if self.negative or claim.negative:
            return self.negative != claim.negative and self.value == claim.value
        return self.value != claim.value

    def let_go(self, claim: Claim) -> None:
        """Who names an end no longer says what he said before without one."""
        speaker = claim.authority.speaker
        self.claims = [
            c for c in self.claims if c.end is not None or c.authority.speaker != speaker
        ]

    def covers(self, moment: datetime, but: Claim) -> bool:
        """Whether another claim names an end of its own that lies after the moment."""
        return any(c.end is not None and c.end.at > moment for c in self.claims if c.id != but.id)


@dataclass(slots=True)
class Waiting:
    """A stint that waits for a review, with why, and the pairs of what stands and what waits."""

    stint: Stint
    why: Reason
    against: set[tuple[str, str]]


class Sweep:
    """One pass over the events of a key, from the oldest to the latest.

    What was not read to the last word ends nothing: where a claim that was would take the place of
    what is held, it stands `beside` it. Who may not revise what is held waits, as ever.

    What a curator accepted takes the place of whatever stands against it at its moment. Who could
    revise that may revise what took its place; what waited then goes on waiting. Accepted claims of
    tiers below the `tier` that is swept take part, and are held there; `upheld` has, by claim, what
    each took the place of in any tier.
    """

    def __init__(
        self, rules: Rules, tier: Tier | None = None, upheld: Upheld | None = None
    ) -> None:
        self.rules = rules
        self.tier = tier
        self.upheld: Upheld = {} if upheld is None else upheld
        # By claim: those behind what it took the place of, each of whom may revise it.
        self.over: dict[str, list[frozenset[Authority]]] = {}
        self.holder: Stint | None = None
        self.denied: dict[str, Stint] = {}
        self.beside: dict[str, Stint] = {}  # by fact: held, though something speaks against it
        self.waiting: dict[str, Stint] = {}  # by fact: claimed, but not believed
        self.why: dict[str, Reason] = {}
        # By fact: who waits while what was not wholly read of the same is held.
        self.waited: dict[str, Waiting] = {}
        self.ended_changes: set[str] = set()  # changes that what was told no earlier has ended
        self.held: list[Held] = []
        self.superseded: set[tuple[str, str, Reason]] = set()
        self.contradictions: set[tuple[str, str]] = set()

    def take(self, event: Event) -> None:
        """Let one event take effect."""
        if event.reviewed:
            self._end_reviewed(event)
        elif event.claim.id in self.ended_changes:
            return
        elif event.stops:
            self._stop(event)
        elif event.claim.negative:
            self._deny(event)
        else:
            self._assert(event)
        if self.holder is None:
            self._move_up()

    @property
    def open(self) -> list[Stint]:
        """What is held, denied or stands beside that, from here on."""
        holder = [self.holder] if self.holder is not None else []
        return [*holder, *self.denied.values(), *self.beside.values()]

    def finish(self) -> tuple[list[Held], list[Held]]:
        """What is held and what waits; everything that is still open stays open."""
        for stint in self.open:
            self._record(stint, FOREVER, Precision.INSTANT, Reason.STATED)
        waiting = []
        for fact, stint in self.waiting.items():
            if not self._of_tier(stint):
                continue
            end = max((c.end.at for c in stint.claims if c.end is not None), default=FOREVER)
            waiting.append(laid_out(stint, end, Precision.INSTANT, self.why[fact]))
        return [h for h in self.held if h.start < h.end], waiting

    def _assert(self, event: Event) -> None:
        claim = event.claim
        if not claim.partial and self._may_share(claim):
            self._share(event)
            return
        if claim.partial:
            self._stand_beside(event)
            return
        if not self._lift_denial(event):
            return
        holder = self.holder
        if holder is None:
            self.holder = self._opened(event)
        elif holder.value == claim.value:
            holder.confirm(event)
        elif not self._challenge(holder, event):
            return
        self._end_beside(event)

    def _may_share(self, claim: Claim) -> bool:
        """Whether what is held and what is claimed may both be so, so that neither ends the
        other."""
        holder = self.holder
        return holder is not None and self.rules.may_share(holder.value, claim.value)

    def _share(self, event: Event) -> None:
        """What may be so beside what is held stands beside it, and ends what stands there already
        and cannot be so with it."""
        if not self._lift_denial(event):
            return
        for stint in self.beside.values():
            if stint.negative or not self._excludes(stint, event.claim):
                continue
            refusal = self._refusal(stint, event, _ordered(stint.start, event))
            if refusal is not None:
                self._quarantine(event, stint, refusal)
                return
        self._end_beside(event)
        self._stand_beside(replace(event, claim=replace(event.claim, partial=True)))

    def _excludes(self, stint: Stint, claim: Claim) -> bool:
        """Whether what stands and what is claimed cannot both be so."""
        if not stint.against(claim):
            return False
        negated = stint.negative or claim.negative
        return negated or not self.rules.may_share(stint.value, claim.value)

    def _challenge(self, holder: Stint, event: Event) -> bool:
        """Another value of a functional predicate: retire, or wait for a review; whether it is
        held from now on."""
        ordered = _ordered(holder.start, event)
        refusal = self._refusal(holder, event, ordered)
        if ordered and refusal is None and _planned_past(holder, event):
            refusal = Reason.NO_ORDER
        if refusal is Reason.NO_ORDER and holder.partial:
            refusal, ordered = None, False
        if not self._comparable(holder, event.claim.value):
            refusal = Reason.OTHER_UNIT
        if self._accepted(refusal, holder, event) is not None:
            self._quarantine(event, holder, refusal or Reason.NO_ORDER)
            return False
        if ordered:
            self._close(holder, event, Reason.LATER_VALUE)
        else:
            self._displace(holder, event)
        self.holder = self._opened(event)
        return True

    def _deny(self, event: Event) -> None:
        claim, holder = event.claim, self.holder
        if claim.partial:
            self._stand_beside(event)
            return
        standing = self.denied.get(claim.value)
        if standing is not None:
            standing.confirm(event)
            self._end_beside(event)
            return
        if holder is not None and holder.value == claim.value:
            ordered = _ordered(holder.start, event)
            refusal = self._refusal(holder, event, ordered)
            if refusal is Reason.NO_ORDER and holder.partial:
                refusal, ordered = None, False
            if refusal is not None:
                self._quarantine(event, holder, refusal)
                return
            if ordered:
                self._close(holder, event, Reason.STOPPED)
            else:
                self._displace(holder, event)
            self.holder = None
        self.denied[claim.value] = self._opened(event)
        self._end_beside(event)

    def _stand_beside(self, event: Event) -> None:
        """A claim of which words were not read: it is held, and ends nothing that stands against
        it; whoever may not revise that waits."""
        claim = event.claim
        same = next((s for s in self.open if s.fact == claim.fact or _again(event, s)), None)
        if same is not None:
            same.confirm(event)
            return
        against = [stint for stint in self.open if self._excludes(stint, claim)]
        for stint in against:
            refusal = self._unfit(stint, event)
            if refusal is not None:
                self._quarantine(event, stint, refusal)
                return
        self._wait_behind(claim.fact)  # who waits is not lifted by it
        stint = self._opened(event)
        takes_place = self.holder is None and not claim.negative
        if takes_place:
            self.holder = stint
        else:
            self.beside[claim.fact] = stint

    def _end_beside(self, event: Event) -> None:
        """What stands beside ends with a later claim that was wholly read, as all else does."""
        for stint in [s for s in self.beside.values() if self._excludes(s, event.claim)]:
            if not _ordered(stint.start, event) or self._refusal(stint, event, True) is not None:
                continue
            if not event.claim.negative and _planned_past(stint, event):
                continue
            why = Reason.RESUMED if stint.negative else Reason.LATER_VALUE
            self._close(stint, event, Reason.STOPPED if event.claim.negative else why)
            del self.beside[stint.fact]

    def _move_up(self) -> None:
        """What stood beside a value that is no longer held takes its place."""
        values = [s for s in self.beside.values() if not s.negative]
        if values:
            first = min(values, key=lambda s: (s.start.at, s.fact))
            self.holder = self.beside.pop(first.fact)

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
        """Close what its own source says has ended, where nobody else holds it on."""
        claim = event.claim
        for stint in [s for s in self.open if not s.negative]:
            if all(c.id != claim.id for c in stint.claims):
                continue
            if claim.partial and not stint.partial:
                continue
            stint.let_go(claim)
            if stint.covers(event.at, claim) or self._held_on(stint, event):
                continue
            self._record(stint, event.at, event.precision, Reason.SOURCE_NAMES_END)
            if stint is self.holder:
                self.holder = None
            else:
                del self.beside[stint.fact]
            self._wait_again(stint.fact)

    def _held_on(self, stint: Stint, event: Event) -> bool:
        """Whether others say so without an end whom those that name one may not revise."""
        told = [c for c in stint.claims if event.claim.partial or not c.partial]
        others = [c.authority for c in told if c.end is None]
        over = [c.authority for c in told if c.end is not None and c.end.at <= event.at]
        # A change told with its date is held as not wholly read, so its end revises nobody.
        return bool(others) and (not over or may_not_retire(over, others, self.rules) is not None)

    def _end_reviewed(self, event: Event) -> None:
        """Close what a curator said has ended."""
        claim = event.claim
        for stint in self.open:
            if (stint.value, stint.negative) != (claim.value, claim.negative):
                continue
            self._record(stint, event.at, event.precision, Reason.REVIEWED)
            if stint is self.holder:
                self.holder = None
            elif self.denied.get(stint.value) is stint:
                del self.denied[stint.value]
            else:
                del self.beside[stint.fact]
            self._wait_again(stint.fact)

    def _refusal(self, holder: Stint, event: Event, ordered: bool) -> Reason | None:
        """Why the claims for a newer value may not retire what is held; None if they may, and where
        a curator said that they are right."""
        return self._accepted(self._refused(holder, event, ordered), holder, event)

    def _accepted(self, refusal: Reason | None, holder: Stint, event: Event) -> Reason | None:
        """A refusal as it stands where no curator accepted the claim."""
        claim = event.claim
        if refusal is None or claim.accepted is None:
            return refusal
        self.upheld.setdefault(claim.id, set()).add((holder.value, holder.negative))
        behind = [frozenset(holder.behind.authorities), *self._over(holder)]
        self.over.setdefault(claim.id, []).extend(behind)
        return None

    def _over(self, stint: Stint) -> list[frozenset[Authority]]:
        """Those behind what a stint took the place of by a curator's word."""
        if not self.over:
            return []
        return [behind for claim in stint.claims for behind in self.over.get(claim.id, ())]

    def _judged(self, holder: Stint, claim: Claim) -> bool:
        """Whether a claim says what a curator had before him when he said that what is held is
        right."""
        said = claim.value, claim.negative
        return bool(self.upheld) and any(
            c.accepted is not None
            and claim.said_at <= c.accepted
            and said in self.upheld.get(c.id, ())
            for c in holder.claims
        )

    def _comparable(self, holder: Stint, value: str) -> bool:
        """Whether a value is of one unit with what is held, or with what that took the place of."""
        if comparable(holder.value, value):
            return True
        before = (self.upheld.get(claim.id, ()) for claim in holder.claims)
        return any(comparable(old, value) for some in before for old, _ in some)

    def _of_tier(self, stint: Stint) -> bool:
        """Whether anything of the tier that is swept speaks for a stint."""
        tiers = (claim.authority.tier for claim in stint.claims)
        return self.tier is None or any(tier == self.tier for tier in tiers)

    def _refused(self, holder: Stint, event: Event, ordered: bool) -> Reason | None:
        if self._judged(holder, event.claim):
            return Reason.REVIEWED
        if not ordered:
            return _weaker(holder, event)
        if not _ordered(holder.last, event) and (weaker := _weaker(holder, event)):
            return weaker  # the old value was confirmed at this very moment
        return self._unfit(holder, event)

    def _unfit(self, holder: Stint, event: Event) -> Reason | None:
        """Why those behind a claim may not revise those behind what is held; None if they may."""
        behind = {event.claim.authority}
        if not event.claim.partial:
            hidden = self.waited.get(event.claim.fact)
            waiting = self.waiting.get(event.claim.fact) or (hidden.stint if hidden else None)
            behind |= waiting.behind.whole if waiting else set()
        over = self._over(holder)
        if not over:
            return may_not_retire(behind, holder.behind.authorities, self.rules)
        refusals = [may_not_retire(behind, before, self.rules) for before in over]
        if None in refusals:
            return None
        own = [a for a in holder.behind.authorities if a.tier == self.tier]
        later = all(c.accepted is None or event.claim.said_at > c.accepted for c in holder.claims)
        if own and (later or event.claim.negative):
            return may_not_retire(behind, own, self.rules)
        return refusals[0]

    def _opened(self, event: Event) -> Stint:
        stint = begun(event)
        waiting = self.waiting.pop(event.claim.fact, None)
        if waiting is not None:
            self.contradictions = {p for p in self.contradictions if event.claim.fact not in p}
            stint.claims = [*waiting.claims, *stint.claims]
        beside = self.beside.pop(event.claim.fact, None)
        if beside is not None:
            self._record(beside, event.at, event.precision, Reason.STATED)
            stint.claims = [*beside.claims, *stint.claims]
        if not event.claim.partial and event.claim.fact in self.waited:
            stint.claims = [*self.waited.pop(event.claim.fact).stint.claims, *stint.claims]
        return stint

    def _quarantine(self, event: Event, holder: Stint, why: Reason) -> None:
        fact = event.claim.fact
        same = next((stint for stint in self.open if stint.fact == fact), None)
        if same is not None:  # it is held by what others say, and needs no review
            if same.partial and not event.claim.partial:
                self._wait_hidden(event, holder, why)
            return
        self.contradictions.add((holder.fact, fact))
        if fact in self.waiting:
            self.waiting[fact].confirm(event)
            return
        self.waiting[fact] = begun(event)
        self.why[fact] = why

    def _wait_hidden(self, event: Event, holder: Stint, why: Reason) -> None:
        """Let somebody wait behind what was not wholly read of the same."""
        fact = event.claim.fact
        pair = (holder.fact, fact)
        if fact not in self.waited:
            self.waited[fact] = Waiting(begun(event), why, {pair})
            return
        self.waited[fact].stint.confirm(event)
        self.waited[fact].against.add(pair)

    def _wait_behind(self, fact: str) -> None:
        """Let who waits do so behind what was not wholly read of the same."""
        stint = self.waiting.get(fact)
        if stint is None or stint.partial:
            return
        del self.waiting[fact]
        against = {pair for pair in self.contradictions if pair[1] == fact}
        self.contradictions -= against
        self.waited[fact] = Waiting(stint, self.why[fact], against)

    def _wait_again(self, fact: str) -> None:
        """Let who waited behind what is over wait as before."""
        hidden = self.waited.pop(fact, None)
        if hidden is not None:
            self.waiting[fact], self.why[fact] = hidden.stint, hidden.why
            self.contradictions |= hidden.against

    def _displace(self, holder: Stint, event: Event) -> None:
        """What was held from the same moment on loses against a stronger claim without order, or
        stands beside it where it was not wholly read."""
        if holder.partial:
            self.beside[holder.fact] = holder
            return
        self.contradictions.add((event.claim.fact, holder.fact))
        self.waiting[holder.fact] = holder
        self.why[holder.fact] = Reason.NO_ORDER

    def _close(self, stint: Stint, event: Event, why: Reason) -> None:
        self._record(stint, event.at, event.precision, why)
        self.superseded.add((stint.fact, event.claim.fact, why))
        said_at = event.claim.said_at
        self.ended_changes |= {
            c.id for c in stint.claims if c.ongoing is None and c.said_at <= said_at
        }
        self._wait_again(stint.fact)

    def _record(self, stint: Stint, end: datetime, precision: Precision, why: Reason) -> None:
        if self._of_tier(stint):
            self.held.append(laid_out(stint, end, precision, why))


def may_not_retire(
    challengers: Collection[Authority], holders: Collection[Authority], rules: Rules
) -> Reason | None:
    """Why these challengers may not end what those holders said; None where they may.

    A lower tier never retires a higher one. What a user asserted is ended by that user, by the
    person it is about, or by a quorum of distinct principals; repetition does not count.
    """
    if _outranked_by(holders, challengers):
        return Reason.LOWER_TIER
    top = max(h.tier for h in holders)
    if top not in SPOKEN:
        return None
    equals = [c for c in challengers if c.tier >= top]
    if any(c.tier > top for c in equals):
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


def events_of(claims: Iterable[Claim]) -> Iterable[Event]:
    for claim in claims:
        start = claim.start or Moment(claim.said_at, Precision.INSTANT)
        yield Event(start.at, start.precision, claim)
        if claim.end is not None and not claim.negative:
            yield Event(claim.end.at, claim.end.precision, claim, stops=True)
        elif claim.start is not None and claim.start.at < claim.said_at:
            yield from _later(claim, claim.start)


def _later(claim: Claim, start: Moment) -> Iterator[Event]:
    """What a claim that dates its beginning says of later moments. A change had come to be by the
    end of the time that is named; that it is so still when it is told of nobody said, so that it
    ends nothing that was said meanwhile."""
    told = Event(claim.said_at, Precision.INSTANT, claim)
    if claim.ongoing or (claim.ongoing is None and start.over >= claim.said_at):
        yield told
    elif claim.ongoing is None:
        if start.over > start.at:
            yield Event(start.over, Precision.INSTANT, claim)
        yield replace(told, claim=replace(claim, partial=True))


def _again(event: Event, stint: Stint) -> bool:
    """Whether a change that lies back is told, and what came of it is held already."""
    claim = event.claim
    is_back = claim.ongoing is None and claim.start is not None and claim.start.at < event.at
    return is_back and (stint.value, stint.negative) == (claim.value, claim.negative)


def in_order(event: Event) -> tuple[datetime, int, float, int, str, str]:
    """Ends before starts, then the more trusted first, then the smaller value (annex, 3.a)."""
    claim = event.claim
    sign = 0 if event.stops else 1
    trust = claim.authority.trust
    return (event.at, sign, -trust, int(claim.negative), claim.value, claim.id)


def _outranked_by(holders: Collection[Authority], challengers: Collection[Authority]) -> bool:
    return max(c.tier for c in challengers) < max(h.tier for h in holders)


def _weaker(holder: Stint, event: Event) -> Reason | None:
    """Without order in time the stronger side stands: tier, then trust, then the smaller value."""
    best = max(holder.plain, key=_strength)
    stands, comes = _strength(best), _strength(event.claim)
    if comes > stands:
        return None
    if comes == stands and (event.claim.value, event.claim.negative) < (
        best.value,
        best.negative,
    ):
        return None
    return Reason.NO_ORDER


def _strength(claim: Claim) -> tuple[bool, Tier, float]:
    """What decides without order in time: a curator's word, then tier and trust."""
    return claim.accepted is not None, claim.authority.tier, claim.authority.trust


def _planned_past(holder: Stint, event: Event) -> bool:
    """Whether what is held names an end that lies after the event, in words as new as its own."""
    behind = holder.behind
    return any(
        c.end is not None and c.end.at > event.at and c.said_at >= event.claim.said_at
        for c in behind.ending
        if not (c.partial and behind.plainly)
    )


def _ordered(held: Event, event: Event) -> bool:
    """Whether one moment surely lies after the other, given how exactly each is known."""
    if event.at == held.at:
        return False
    if {held.precision, event.precision} == {Precision.INSTANT}:
        return True
    return event.at >= held.over


def begun(event: Event) -> Stint:
    return Stint(event.claim.fact, event.claim.value, event, event, [event.claim])


def laid_out(stint: Stint, end: datetime, precision: Precision, why: Reason) -> Held:
    return Held(
        fact=stint.fact,
        value=stint.value,
        negative=stint.start.claim.negative,
        start=stint.start.at,
        end=max(end, stint.start.at),
        from_precision=stint.start.precision,
        to_precision=precision,
        reason=why,
        partial=stint.partial,
    )
