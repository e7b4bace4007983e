"""The claims of a fact without their words, kept with it, so that a reader of scopes that disagree
need not go through them in the graph: pure.

Of a fact of few claims all are kept, whatever they say. Of one of many, each of which says no more
than that the value holds, the newest are kept, and of the older ones the first and the last that
each speaker said: as long as nobody said another value between these, the ones between them confirm
what was said before and change nothing. Whether anybody did is seen where facts are settled
together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from app.extraction.model import Mode, Moment, Precision
from app.facts.carried import EPOCH, MICROSECOND, micros
from app.facts.claim import Authority, Claim, Tier
from app.facts.sweep import PERIODS, Event, events_of
from app.kernel.graph import Row

KEPT = 128  # claims of a fact, the newest
MOST = 32  # speakers that are told apart: of a fact with more, nothing is kept


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a fact: its claims, and the time out of which some may be left out."""

    value: str
    claims: tuple[Claim, ...]

    @property
    def events(self) -> list[Event]:
        """All that is kept, by moments."""
        return list(events_of(self.claims))

    @property
    def gap(self) -> tuple[int, int] | None:
        """The first and last moment between which claims may be left out, in microseconds."""
        older = self.claims[:-KEPT]
        return (micros(older[0].said_at), micros(older[-1].said_at)) if older else None


def runs_of(claims: Iterable[Claim], known: Collection[str] = ()) -> list[str] | None:
    """What is kept of a fact's claims, with what is known of earlier ones, a speaker a line; None
    where many say more than that the value holds, or very many speak."""
    before = _claims(known)
    ids = {claim.id for claim in before}  # what is told once more may be kept in another form
    told = {*before, *(_bare(claim) for claim in claims if claim.id not in ids)}
    if len(told) > KEPT:
        if not all(map(_plain, told)):
            return None
        told = set(_shortened(map(_word, events_of(told))))
    lines = _by_speaker(told)
    return _packed(lines) if 0 < len(lines) <= MOST else None


def told_by(rows: Sequence[Row], runs: Mapping[str, Collection[str] | None]) -> list[Claim] | None:
    """Claims that settle to what all claims of the facts would; None where what is kept does not
    tell. Each row has `fact` (its `id`) and `value`; all share a belief key."""
    kept = []
    for row in rows:
        fact, value = row["fact"]["id"], row["value"]
        claims = [replace(one, fact=fact, value=value) for one in _claims(runs.get(fact) or ())]
        if not claims:
            return None
        kept.append(Kept(value, tuple(claims)))
    if not _apart(kept):
        return None
    return [claim for one in kept for claim in one.claims]


def _apart(kept: Sequence[Kept]) -> bool:
    """Whether no other value was said while claims of a fact may be left out, nor so near that the
    order is open. A higher tier's interval may end within: then one tier alone may speak."""
    gaps = [(one.value, gap) for one in kept if (gap := one.gap)]
    if not gaps:
        return True
    claims = [claim for one in kept for claim in one.claims]
    if len({claim.authority.tier for claim in claims}) > 1 or not all(map(_plain, claims)):
        return False
    events = [(one.value, event) for one in kept for event in one.events]
    near = max(PERIODS[event.precision] for _, event in events) // MICROSECOND
    return not any(
        value != other and start - near <= micros(event.at) <= end + near
        for value, (start, end) in gaps
        for other, event in events
    )


def _plain(claim: Claim) -> bool:
    """Whether a claim says no more than that the value holds from some moment on."""
    return claim.mode is Mode.ASSERT and claim.end is None and not claim.partial


def _bare(claim: Claim) -> Claim:
    """A claim as it is read back: of no fact yet, and what the graph does not have of its speaker
    is nothing."""
    by = claim.authority
    by = Authority(by.tier, by.principal, by.trust, bool(by.own), by.voice or "")
    return replace(claim, fact="", value="", authority=by, confidence=0.0)


def _word(event: Event) -> Claim:
    """One of the moments of a plain claim, as a claim."""
    start = None if event.precision is Precision.INSTANT else Moment(event.at, event.precision)
    return replace(event.claim, said_at=event.at, start=start, ongoing=start is None)


def _order(claim: Claim) -> tuple[int, str]:
    """The older first."""
    return micros(claim.said_at), claim.id


def _shortened(words: Iterable[Claim]) -> list[Claim]:
    """The newest, and of the older ones each speaker's first and last."""
    ordered = sorted(words, key=_order)
    older: dict[Any, list[Claim]] = defaultdict(list)
    for word in ordered[:-KEPT]:
        older[word.authority, word.start and word.start.precision].append(word)
    return [*(end for mine in older.values() for end in (mine[0], mine[-1])), *ordered[-KEPT:]]


def _by_speaker(claims: Iterable[Claim]) -> dict[Authority, list[Claim]]:
    found: dict[Authority, list[Claim]] = defaultdict(list)
    for claim in sorted(claims, key=_order):
        found[claim.authority].append(claim)
    return found


def _packed(lines: Mapping[Authority, Sequence[Claim]]) -> list[str]:
    return sorted(
        orjson.dumps(
            [int(by.tier), by.principal, by.trust, by.own, by.voice, [*map(_told, claims)]]
        ).decode()
        for by, claims in lines.items()
    )


def _told(claim: Claim) -> list[Any]:
    """A claim as a list, as short as it may be."""
    told: list[Any] = [micros(claim.said_at), claim.id]
    if claim.start is not None or not claim.ongoing or not _plain(claim):
        told += [claim.start and _packed_moment(claim.start), claim.ongoing]
    if not _plain(claim):
        told += [claim.mode.value, claim.end and _packed_moment(claim.end)]
        told += [claim.voids, claim.partial]
    return told


def _claims(lines: Iterable[str]) -> list[Claim]:
    """The claims of lines as `runs_of` wrote them, the older first."""
    claims = []
    for line in lines:
        tier, principal, trust, own, voice, told = orjson.loads(line)
        by = Authority(Tier(tier), principal, trust, own, voice)
        claims += [_untold(by, *one) for one in told]
    return sorted(claims, key=_order)


def _untold(
    by: Authority,
    said_at: int,
    claim: str,
    start: list[Any] | None = None,
    ongoing: bool = True,
    mode: str = Mode.ASSERT.value,
    end: list[Any] | None = None,
    voids: str | None = None,
    partial: bool = False,
) -> Claim:
    return Claim(
        id=claim,
        fact="",
        value="",
        mode=Mode(mode),
        said_at=EPOCH + said_at * MICROSECOND,
        authority=by,
        start=_moment(start),
        end=_moment(end),
        ongoing=ongoing,
        confidence=0.0,
        voids=voids,
        partial=partial,
    )


def _packed_moment(moment: Moment) -> list[Any]:
    return [micros(moment.at), moment.precision.value]


def _moment(packed: list[Any] | None) -> Moment | None:
    if packed is None:
        return None
    return Moment(EPOCH + packed[0] * MICROSECOND, Precision(packed[1]))
