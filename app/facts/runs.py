"""The claims of a fact without their words, kept with it, so that a reader of scopes that disagree
need not go through them in the graph: pure.

Of a fact of few claims all are kept, whatever they say. Of one of many, each of which says no more
than that the value holds, the newest are kept, and of the older ones the first and the last that
each speaker said: as long as nobody said another value between these, the ones between them confirm
what was said before and change nothing. Whether anybody did is seen where facts are settled
together. Of those between, the moments are kept: where values are said in turns, these and who
speaks are enough (`app.facts.turns`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

import orjson

from app.extraction.model import Mode, Moment, Precision
from app.facts.carried import EPOCH, MICROSECOND, micros
from app.facts.claim import Authority, Claim, Tier
from app.facts.sweep import Event, events_of
from app.kernel.graph import Row

KEPT = 128  # claims of a fact, the newest
MOMENTS = 4096  # of older claims, of which no more is kept: of a fact with more, none
PLAINLY = 2  # parts of a claim that says no more than that the value holds from when it was said
MOST = 32  # speakers that are told apart: of a fact with more, nothing is kept


Between = tuple[Authority, Sequence[int]]  # moments in microseconds since 1970


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


def runs_of(
    claims: Iterable[Claim], known: Collection[str] = (), between: Sequence[Between] = ()
) -> list[str] | None:
    """What is kept of a fact's claims, with what is known of earlier ones, a speaker a line; None
    where many say more than that the value holds, or very many speak. Of plain claims `between`
    those that are given, their moments are enough."""
    before = _claims(known)
    ids = {claim.id for claim in before}  # what is told once more may be kept in another form
    told = {*before, *(_bare(claim) for claim in claims if claim.id not in ids)}
    if len(told) <= KEPT:
        lines = _by_speaker(told)
        return _packed(lines, None) if 0 < len(lines) <= MOST else None
    if not all(map(_plain, told)):
        return None
    short = _shortened(map(_word, events_of(told)))
    lines = _by_speaker({*short.kept})
    older = _older(short.left_out, known, between)
    return _packed(lines, older) if len(lines) <= MOST else None


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
    near = max(event.over - event.at for _, event in events) // MICROSECOND
    return not any(
        value != other and start - near <= micros(event.at) <= end + near
        for value, (start, end) in gaps
        for other, event in events
    )


def _plain(claim: Claim) -> bool:
    """Whether a claim says no more than that the value holds from some moment on."""
    whole = not claim.partial and claim.ongoing is not None
    return claim.mode is Mode.ASSERT and claim.end is None and whole


def _bare(claim: Claim) -> Claim:
    """A claim as it is read back: of no fact yet, and what the graph does not have of its speaker
    is nothing."""
    return replace(claim, fact="", value="", authority=_known(claim.authority), confidence=0.0)


def _known(by: Authority) -> Authority:
    return Authority(by.tier, by.principal, by.trust, bool(by.own), by.voice or "")


def _word(event: Event) -> Claim:
    """One of the moments of a plain claim, as a claim."""
    start = None if event.precision is Precision.INSTANT else Moment(event.at, event.precision)
    return replace(event.claim, said_at=event.at, start=start, ongoing=start is None)


def _order(claim: Claim) -> tuple[int, str]:
    """The older first."""
    return micros(claim.said_at), claim.id


@dataclass(frozen=True, slots=True)
class Short:
    """The claims of which all is kept, and the others."""

    kept: list[Claim]
    left_out: list[Claim]


def _shortened(words: Iterable[Claim]) -> Short:
    """The newest, and of the older ones each speaker's first and last."""
    ordered = sorted(words, key=_order)
    older: dict[Any, list[Claim]] = defaultdict(list)
    for word in ordered[:-KEPT]:
        older[word.authority, word.start and word.start.precision].append(word)
    ends = [end for mine in older.values() for end in (mine[0], mine[-1])]
    return Short(
        kept=[*ends, *ordered[-KEPT:]],
        left_out=[word for mine in older.values() for word in mine[1:-1]],
    )


def _older(
    words: Iterable[Claim], known: Collection[str], between: Iterable[Between]
) -> dict[Authority, list[int]] | None:
    """The moments of claims of which no more is kept, by speaker; None where they are not all
    known, where one was said with a date, and of too many."""
    found: dict[Authority, set[int]] = defaultdict(set)
    for word in words:
        if word.start is not None:
            return None
        found[word.authority].add(micros(word.said_at))
    for by, moments in between:
        found[_known(by)].update(moments)
    lines = [*map(_line, known)]
    if sum(len(line.told) for line in lines) > KEPT:
        for line in lines:
            if line.older is None:
                return None
            found[line.by].update(line.older)
    count = sum(map(len, found.values()))
    return None if count > MOMENTS else {by: sorted(moments) for by, moments in found.items()}


def _by_speaker(claims: Iterable[Claim]) -> dict[Authority, list[Claim]]:
    found: dict[Authority, list[Claim]] = defaultdict(list)
    for claim in sorted(claims, key=_order):
        found[claim.authority].append(claim)
    return found


def _packed(
    lines: Mapping[Authority, Sequence[Claim]], older: Mapping[Authority, Sequence[int]] | None
) -> list[str]:
    packed = []
    for by, claims in lines.items():
        line = [int(by.tier), by.principal, by.trust, by.own, by.voice, [*map(_told, claims)]]
        if older is not None:
            line.append(_gaps(older.get(by, ())))
        packed.append(orjson.dumps(line).decode())
    return sorted(packed)


def _gaps(moments: Sequence[int]) -> list[int]:
    """The first moment, and from each to the next."""
    return [*moments[:1], *(after - before for before, after in pairwise(moments))]


def _told(claim: Claim) -> list[Any]:
    """A claim as a list, as short as it may be."""
    told: list[Any] = [micros(claim.said_at), claim.id]
    if claim.start is not None or not claim.ongoing or not _plain(claim):
        told += [claim.start and _packed_moment(claim.start), claim.ongoing]
    if not _plain(claim):
        told += [claim.mode.value, claim.end and _packed_moment(claim.end)]
        told += [claim.voids, claim.partial]
    return told


@dataclass(frozen=True, slots=True)
class Line:
    """What is kept of one speaker: `told` as `_told` wrote it, and the moments of the `older`
    claims of which no more is kept, None where these are not known, or there are none."""

    by: Authority
    told: list[list[Any]]
    older: list[int] | None


def _line(text: str) -> Line:
    tier, principal, trust, own, voice, told, *gaps = orjson.loads(text)
    by = Authority(Tier(tier), principal, trust, own, voice)
    return Line(by, told, [*accumulate(gaps[0])] if gaps else None)


def moments_of(lines: Iterable[str]) -> list[Between] | None:
    """When each speaker said a fact; None where one said more than that it holds from then on, and
    where not all moments are kept."""
    known = [*map(_line, lines)]
    whole = sum(len(line.told) for line in known) <= KEPT
    if any(len(one) > PLAINLY for line in known for one in line.told):
        return None
    if not whole and any(line.older is None for line in known):
        return None
    return [(line.by, [*(line.older or ()), *(one[0] for one in line.told)]) for line in known]


def _claims(lines: Iterable[str]) -> list[Claim]:
    """The claims of lines as `runs_of` wrote them, the older first."""
    claims = [_untold(line.by, *one) for line in map(_line, lines) for one in line.told]
    return sorted(claims, key=_order)


def _untold(
    by: Authority,
    said_at: int,
    claim: str,
    start: list[Any] | None = None,
    ongoing: bool | None = True,
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
