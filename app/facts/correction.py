"""Corrections: what was said in error is taken out of the record of the world."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from app.extraction.model import Mode, Moment, Precision
from app.facts.claim import Claim, Rules
from app.facts.interval import Reason
from app.facts.layers import Layers
from app.facts.sweep import Sweep, events_of, in_order, may_not_retire

EARLIEST = datetime.min.replace(tzinfo=UTC)


def apply_corrections(
    claims: list[Claim], rules: Rules
) -> tuple[list[Claim], set[tuple[str, str, Reason]]]:
    """Take out what was said in error; the right value holds from when the wrong one did."""
    live = list(claims)
    links: set[tuple[str, str, Reason]] = set()
    corrections = [c for c in claims if c.mode is Mode.CORRECT and not c.partial]
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
    """The earlier claims that a correction may take out, of its own tier and of lower ones: those
    of the stint that the wrong value was in."""
    accepted = correction.accepted is not None
    said = [c for c in live if c.said_at <= correction.said_at and c is not correction]
    before = [c for c in said if accepted or c.authority.tier <= correction.authority.tier]
    gone: list[Claim] = []
    since: dict[str, datetime] = {}
    for tier in sorted({c.authority.tier for c in before}):
        others = [
            c
            for c in before
            if c.authority.tier == tier and not c.negative and c.value != correction.value
        ]
        wrong = correction.voids or _held_value(others, correction, rules)
        if wrong is None:
            continue
        if wrong not in since:
            since[wrong] = _last_began(wrong, said, correction, rules)
        told = [
            c
            for c in others
            if c.value == wrong
            and _last_said(c) >= since[wrong]
            and (c.accepted is None or accepted or c.accepted < correction.said_at)
        ]
        behind = [c.authority for c in told]
        if told and (accepted or not may_not_retire([correction.authority], behind, rules)):
            gone += told
    return gone


def _last_began(value: str, said: list[Claim], correction: Claim, rules: Rules) -> datetime:
    """When the last stint of a value began, or is to begin, by all that was `said` before a
    correction: what was said of earlier ones is no error."""
    if all(c.value == value and not c.negative and c.end is None for c in said):
        return EARLIEST
    layers, starts = Layers(set(), rules), [EARLIEST]
    for tier in sorted({c.authority.tier for c in said}, reverse=True):
        sweep = Sweep(rules, tier)
        events = sorted(events_of(c for c in said if c.authority.tier == tier), key=in_order)
        for event in events:
            sweep.take(event)
        layers.add(sweep, events)
        if tier == correction.authority.tier:
            waiting = (s for s in sweep.waiting.values() if s.value == value)
            starts += [stint.start.at for stint in waiting if not stint.negative]
    held = [h for h in layers.held if h.value == value and not h.negative]
    reached = EARLIEST
    for item in sorted(held, key=lambda h: h.start):
        if item.start > reached:
            starts.append(item.start)
        reached = max(reached, item.end)
    return max(starts)


def _last_said(claim: Claim) -> datetime:
    """The last moment at which a claim says that its value holds."""
    return max(event.at for event in events_of([claim]) if not event.stops)


def _held_value(earlier: list[Claim], correction: Claim, rules: Rules) -> str | None:
    """The value that one tier held when a correction was made that does not name the error."""
    sweep = Sweep(rules)
    for event in sorted(events_of(earlier), key=in_order):
        if event.at <= correction.said_at:
            sweep.take(event)
    if sweep.holder is None:
        return None
    held = sweep.holder
    beside = [s for s in sweep.beside.values() if rules.may_share(s.value, held.value)]
    wrong = [s for s in (held, *beside) if not rules.may_share(s.value, correction.value)]
    latest = max(wrong, key=lambda s: (s.start.at, s.fact), default=None)
    return None if latest is None else latest.value


def take_back_plans(
    claims: list[Claim], rules: Rules
) -> tuple[list[Claim], set[tuple[str, str, Reason]]]:
    """Take out what was announced and then called off before it came to be.

    A denial without a time of its own ("I'm not moving after all") means the plan where nothing
    else could be meant: the value was not said to hold before.
    """
    links: set[tuple[str, str, Reason]] = set()
    gone: set[str] = set()
    for plan in claims:
        if not is_plan(plan):
            continue
        denial = next((c for c in sorted(claims, key=_said) if _calls_off(c, plan, rules)), None)
        if denial is not None and not _held_before(plan, denial, claims):
            gone.add(plan.id)
            links.add((plan.fact, denial.fact, Reason.CORRECTED))
    return [c for c in claims if c.id not in gone], links


def is_plan(claim: Claim) -> bool:
    """Whether it tells of what is to come."""
    return not claim.negative and claim.start is not None and claim.start.at > claim.said_at


def _said(claim: Claim) -> tuple[datetime, str]:
    return claim.said_at, claim.id


def _calls_off(claim: Claim, plan: Claim, rules: Rules) -> bool:
    if not claim.negative or claim.value != plan.value or claim.start is not None:
        return False
    if claim.partial:
        return False
    if plan.start is None or not plan.said_at < claim.said_at < plan.start.at:
        return False
    if claim.accepted is not None:
        return True
    lower = claim.authority.tier < plan.authority.tier
    return not lower and may_not_retire([claim.authority], [plan.authority], rules) is None


def _held_before(plan: Claim, denial: Claim, claims: list[Claim]) -> bool:
    """Whether the same value was said to hold by then, so that the denial may mean that; what a
    lower tier says of it counts for nothing here."""
    return any(
        c.value == plan.value
        and not c.partial
        and c.authority.tier >= plan.authority.tier
        and not c.negative
        and (c.start.at if c.start is not None else c.said_at) <= denial.said_at
        for c in claims
    )
