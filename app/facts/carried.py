"""The end of a key's sweep, kept so that a later claim does not read the whole history again.

A sweep goes through time once, from the oldest claim to the latest, so what it knows at its end is
all that a still later claim can build on. A `Carried` is just that; `advance` goes on from there
with the very same sweep. It declines (None) whatever is not plainly later: an earlier moment, a
correction, another tier, a value that loses its place. Then all claims are settled again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from app.extraction.model import Mode, Moment, Precision
from app.facts.claim import Authority, Claim, Rules, Tier
from app.facts.correction import is_plan, take_back_plans
from app.facts.interval import Held, Reason, Segment
from app.facts.layers import Layers
from app.facts.sweep import Event, Stint, Sweep, events_of, in_order

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MOMENTS = frozenset(("valid_from", "valid_to", "expired_at", "said_at", "since", "until"))
MOST_FACTS = 64  # that one key carries on; beyond that it is settled as a whole
MOST_VOICES = 256  # who stand behind them
Link = tuple[str, str, Reason]
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Named:
    """What a carried state leaves out of a fact, since the graph has it: value and sign."""

    value: str
    negated: bool


@dataclass(frozen=True, slots=True)
class Carried:
    """The end of one tier's sweep over the claims of a key; no event lies after `reached`."""

    reached: datetime
    tier: Tier
    holder: Stint | None = None
    denied: tuple[Stint, ...] = ()
    waiting: tuple[tuple[Stint, Reason], ...] = ()
    contradictions: frozenset[Pair] = frozenset()
    beside: tuple[Stint, ...] = ()
    touching: tuple[Held, ...] = ()  # closed intervals that what is open goes on from

    @property
    def open(self) -> list[Stint]:
        """What is held, denied, or stands beside that, from here on."""
        return [*([self.holder] if self.holder else []), *self.denied, *self.beside]

    @property
    def facts(self) -> list[str]:
        """The facts that a later claim may still change, by id."""
        found = {s.fact for s in self.open} | {s.fact for s, _ in self.waiting}
        return sorted(found | {fact for pair in self.contradictions for fact in pair})

    @property
    def small(self) -> bool:
        """Whether it is worth keeping."""
        stints = [*self.open, *(s for s, _ in self.waiting)]
        voices = sum(len(s.claims) for s in stints)
        return len(self.facts) <= MOST_FACTS and voices <= MOST_VOICES


@dataclass(frozen=True, slots=True)
class Advanced:
    """What follows from some later claims: the intervals of the facts that were carried or are
    claimed, what was superseded by them, every contradiction that stands, and the new end."""

    carried: Carried
    segments: tuple[Segment, ...]
    superseded: frozenset[Link] = field(default_factory=frozenset)
    contradictions: frozenset[Pair] = field(default_factory=frozenset)
    possible: frozenset[Pair] = field(default_factory=frozenset)


def sealed(claims: Iterable[Claim], rules: Rules) -> Carried | None:
    """The end of the sweep over all claims of a key; None where they are not of one plain kind."""
    known = sorted(set(claims), key=lambda claim: claim.id)
    if not known:
        return None
    start = Carried(datetime.min.replace(tzinfo=UTC), known[0].authority.tier)
    if take_back_plans(known, rules)[1]:
        return None
    done = _advance(start, known, rules)
    return done.carried if done and done.carried.small else None


def advance(carried: Carried, claims: Iterable[Claim], rules: Rules) -> Advanced | None:
    """Go on with claims that all lie after what was reached; None where they do not fit.

    A plan does not: what was said before it came to be may call it off.
    """
    known = set(claims)
    return None if any(is_plan(c) for c in known) else _advance(carried, known, rules)


def _advance(carried: Carried, known: Collection[Claim], rules: Rules) -> Advanced | None:
    events = sorted(events_of(known), key=in_order)
    if not _follows(carried, known, events):
        return None
    sweep = _resumed(carried, rules)
    for event in events:
        sweep.take(event)
    if sweep.waited or not all(_stands(stint, sweep) for stint in carried.open):
        return None
    end = _end(sweep, carried.tier, events[-1].at)
    layers = Layers(set(), rules)
    layers.add(sweep, events)
    segments = layers.finish()
    against = frozenset(p for p in layers.contradictions if p[1] in sweep.waiting)
    return Advanced(
        end,
        tuple(sorted(segments)),
        frozenset(layers.superseded),
        against,
        frozenset(layers.possible),
    )


def _follows(carried: Carried, claims: Iterable[Claim], events: Sequence[Event]) -> bool:
    plain = all(c.mode is not Mode.CORRECT and c.authority.tier == carried.tier for c in claims)
    return plain and bool(events) and events[0].at > carried.reached


def _resumed(carried: Carried, rules: Rules) -> Sweep:
    sweep = Sweep(rules)
    sweep.holder = carried.holder and _copy(carried.holder)
    sweep.denied = {s.value: _copy(s) for s in carried.denied}
    sweep.beside = {s.fact: _copy(s) for s in carried.beside}
    sweep.waiting = {s.fact: _copy(s) for s, _ in carried.waiting}
    sweep.why = {s.fact: why for s, why in carried.waiting}
    sweep.contradictions = set(carried.contradictions)
    sweep.held = list(carried.touching)
    return sweep


def _copy(stint: Stint) -> Stint:
    return Stint(stint.fact, stint.value, stint.start, stint.last, list(stint.claims))


def _stands(stint: Stint, sweep: Sweep) -> bool:
    """Whether what was open still is, or has come to an orderly end."""
    return any(s.fact == stint.fact and s.start.at == stint.start.at for s in sweep.open) or any(
        h.fact == stint.fact and h.start == stint.start.at for h in sweep.held
    )


def _end(sweep: Sweep, tier: Tier, reached: datetime) -> Carried:
    """The state at the end of the events, each stint with one claim for each who stands behind."""
    holder = _brief(sweep.holder) if sweep.holder else None
    denied = tuple(_brief(s) for _, s in sorted(sweep.denied.items()))
    beside = tuple(_brief(s) for _, s in sorted(sweep.beside.items()))
    waiting = tuple((_brief(s), sweep.why[f]) for f, s in sorted(sweep.waiting.items()))
    touching = [
        held
        for stint in (*([holder] if holder else []), *denied, *beside)
        for held in _touching(stint, sweep.held)
    ]
    against = frozenset(p for p in sweep.contradictions if p[1] in sweep.waiting)
    return Carried(reached, tier, holder, denied, waiting, against, beside, tuple(touching))


def _touching(stint: Stint, held: Iterable[Held]) -> list[Held]:
    """Earlier intervals of the fact that leave no gap before the stint: they become one."""
    edge, found = stint.start.at, []
    mine = [h for h in held if h.fact == stint.fact and h.start < h.end]
    for item in sorted(mine, key=lambda h: h.end, reverse=True):
        if item.end < edge:
            break
        found.append(item)
        edge = min(edge, item.start)
    return found


def _brief(stint: Stint) -> Stint:
    """The same with the most trusted claim of each who says so, with and without an end, and the
    one that ends last."""
    ends = [c for c in stint.claims if c.end is not None]
    kept = {max(ends, key=lambda c: (c.end.at if c.end else EPOCH, c.id))} if ends else set()
    best: dict[tuple[Any, ...], Claim] = {}
    for claim in stint.claims:
        held = claim.authority
        who = (held.principal, held.voice, held.own, claim.partial, claim.end is None)
        if who not in best or held.trust > best[who].authority.trust:
            best[who] = claim
    claims = sorted(kept | set(best.values()), key=lambda c: c.id)
    return Stint(stint.fact, stint.value, stint.start, stint.last, claims)


# --- as it is stored ----------------------------------------------------------------------------


def micros(moment: datetime) -> int:
    """Microseconds since 1970."""
    return (moment - EPOCH) // MICROSECOND


def date(part: dict[str, Any]) -> None:
    """Make the moments of a row, which come in microseconds since 1970, such as they are."""
    for name in MOMENTS & part.keys():
        if part[name] is not None:
            part[name] = _moment(part[name])


def pack(carried: Carried) -> str:
    """The state as JSON: ids, moments and authorities, and no word of what is said."""
    return orjson.dumps(
        {
            "tier": int(carried.tier),
            "holder": _packed(carried.holder) if carried.holder else None,
            "denied": [_packed(s) for s in carried.denied],
            "beside": [_packed(s) for s in carried.beside],
            "waiting": [[_packed(s), why.value] for s, why in carried.waiting],
            "against": sorted(carried.contradictions),
            "touching": [_packed_held(h) for h in carried.touching],
        }
    ).decode()


def unpack(text: str, reached: datetime, facts: Mapping[str, Named]) -> Carried | None:
    """The state again; None where one of its facts is not among `facts`."""
    kept = orjson.loads(text)
    named = {s["fact"] for s in _stints_in(kept)} | {h["fact"] for h in kept["touching"]}
    if not named <= facts.keys():
        return None
    tier = Tier(kept["tier"])
    return Carried(
        reached=reached,
        tier=tier,
        holder=_unpacked(kept["holder"], tier, facts) if kept["holder"] else None,
        denied=tuple(_unpacked(s, tier, facts) for s in kept["denied"]),
        beside=tuple(_unpacked(s, tier, facts) for s in kept.get("beside", ())),
        waiting=tuple((_unpacked(s, tier, facts), Reason(why)) for s, why in kept["waiting"]),
        contradictions=frozenset((first, second) for first, second in kept["against"]),
        touching=tuple(_unpacked_held(h, facts) for h in kept["touching"]),
    )


def _stints_in(kept: dict[str, Any]) -> list[dict[str, Any]]:
    held = [kept["holder"]] if kept["holder"] else []
    return [
        *held,
        *kept["denied"],
        *kept.get("beside", ()),
        *(stint for stint, _ in kept["waiting"]),
    ]


def _packed(stint: Stint) -> dict[str, Any]:
    return {
        "fact": stint.fact,
        "start": [micros(stint.start.at), stint.start.precision.value],
        "last": [micros(stint.last.at), stint.last.precision.value],
        "claims": [
            [
                c.id,
                c.authority.principal,
                c.authority.trust,
                c.authority.own,
                c.authority.voice,
                micros(c.end.at) if c.end else None,
                c.partial,
            ]
            for c in stint.claims
        ],
    }


def _unpacked(kept: dict[str, Any], tier: Tier, facts: Mapping[str, Named]) -> Stint:
    named = facts[kept["fact"]]
    claims = [_claim(kept["fact"], named, tier, row) for row in kept["claims"]]
    return Stint(
        kept["fact"],
        named.value,
        Event(_moment(kept["start"][0]), Precision(kept["start"][1]), claims[0]),
        Event(_moment(kept["last"][0]), Precision(kept["last"][1]), claims[0]),
        claims,
    )


def _claim(fact: str, named: Named, tier: Tier, row: Sequence[Any]) -> Claim:
    identity, principal, trust, own, voice, end = row[:6]
    return Claim(
        id=identity,
        fact=fact,
        value=named.value,
        mode=Mode.DENY if named.negated else Mode.ASSERT,
        said_at=EPOCH,
        authority=Authority(tier, principal, trust, own, voice),
        end=None if end is None else Moment(_moment(end), Precision.INSTANT),
        partial=row[6] if len(row) > 6 else False,  # a state of an older version has no such claim
    )


def _packed_held(held: Held) -> dict[str, Any]:
    return {
        "fact": held.fact,
        "start": [micros(held.start), held.from_precision.value],
        "end": [micros(held.end), held.to_precision.value],
        "reason": held.reason.value,
    }


def _unpacked_held(kept: dict[str, Any], facts: Mapping[str, Named]) -> Held:
    named = facts[kept["fact"]]
    return Held(
        fact=kept["fact"],
        value=named.value,
        negative=named.negated,
        start=_moment(kept["start"][0]),
        end=_moment(kept["end"][0]),
        from_precision=Precision(kept["start"][1]),
        to_precision=Precision(kept["end"][1]),
        reason=Reason(kept["reason"]),
    )


def _moment(at: int) -> datetime:
    return EPOCH + timedelta(microseconds=at)
