"""Values that scopes say in turns, settled by moments and speakers alone: pure.

Where every claim says no more than that its value holds from when it was said, all are of one tier
and no two values may both be so, one word follows the other: a word of what is held confirms it,
and a word of another value takes its place or, where its speakers may not revise those of what is
held, waits. That is what `app.facts.sweep` comes to for such claims, at a hundredth of its price;
whatever else they are, it is for that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

from app.extraction.model import Precision
from app.facts.belief import Settlement
from app.facts.carried import EPOCH, MICROSECOND, micros
from app.facts.claim import Authority, Rules
from app.facts.interval import Reason, Segment, Standing
from app.facts.runs import Between, moments_of
from app.facts.sweep import may_not_retire
from app.kernel.clock import FOREVER
from app.kernel.graph import Row
from app.values.money import comparable

VALUES = 32  # that are compared with each other
FEW = 6  # speakers of whom it is asked whether each may revise each

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Words:
    """Claims in the order of their moments; facts and speakers are places in lists."""

    at: Numbers
    fact: Numbers
    speaker: Numbers

    def where(self, kept: npt.NDArray[np.bool_]) -> Words:
        """Return some of them."""
        return Words(self.at[kept], self.fact[kept], self.speaker[kept])


@dataclass(frozen=True, slots=True)
class Course:
    """How what is held goes on: when each interval begins and the fact that opens it, and the facts
    that wait, since when and why."""

    starts: Numbers
    facts: Numbers
    waiting: Mapping[int, tuple[int, Reason]] = field(default_factory=dict)


def in_turns(
    rows: Sequence[Row], runs: Mapping[str, Collection[str] | None], rules: Rules, as_of: datetime
) -> Settlement | None:
    """What all claims of facts of one key settle to, of the many intervals of a fact the first, the
    last and the one at a moment; None where what is kept is not of the kind that is told here.

    Each row has `fact` (its `id`) and `value`.
    """
    ids = [row["fact"]["id"] for row in rows]
    known = _plainly([runs.get(fact) or () for fact in ids])
    kinds = [*dict.fromkeys(row["value"] for row in rows)]
    if known is None or not _exclude_each_other(kinds, rules):
        return None
    speakers = [*dict.fromkeys(by for said in known for by, _ in said)]
    words = _in_order(known, speakers)
    if words is None:
        return None
    values = np.array([kinds.index(row["value"]) for row in rows])
    course = _freely(words, values) if _free(speakers, rules) else None
    return _settled(ids, course or _course(words, values, speakers, rules), micros(as_of))


def _plainly(runs: Sequence[Collection[str]]) -> list[list[Between]] | None:
    """When each fact was said by whom, all by one tier; None where one was said in another way."""
    told = [moments_of(lines) for lines in runs]
    known = [said for said in told if said]
    tiers = {by.tier for said in known for by, _ in said}
    return known if len(known) == len(runs) and len(tiers) == 1 else None


def _exclude_each_other(values: Collection[str], rules: Rules) -> bool:
    """Whether of any two values one ends the other."""
    return len(values) <= VALUES and not any(
        rules.may_share(one, other) or rules.may_share(other, one) or not comparable(one, other)
        for one, other in combinations(values, 2)
    )


def _free(speakers: Sequence[Authority], rules: Rules) -> bool:
    """Whether each of few speakers may revise each: then all together may."""
    return len(speakers) <= FEW and all(
        may_not_retire([one], [other], rules) is None for one, other in product(speakers, repeat=2)
    )


def _in_order(known: Sequence[Sequence[Between]], speakers: Sequence[Authority]) -> Words | None:
    """All words, of what one speaker says of one fact on end the first; None where two different
    ones fall on one moment."""
    place = {by: at for at, by in enumerate(speakers)}
    lists = [
        (fact * len(speakers) + place[by], moments)
        for fact, said in enumerate(known)
        for by, moments in said
    ]
    at = np.concatenate([np.asarray(moments, np.int64) for _, moments in lists])
    code = np.repeat([code for code, _ in lists], [len(moments) for _, moments in lists])
    order = np.argsort(at, kind="stable")
    at, code = at[order], code[order]
    other = code[1:] != code[:-1]
    if bool(np.any(other & (at[1:] == at[:-1]))):
        return None
    return Words(at, *np.divmod(code, len(speakers))).where(_first_of(code))


def _first_of(codes: Numbers) -> npt.NDArray[np.bool_]:
    """The places of numbers that are not the ones before them."""
    return np.concatenate(([True], codes[1:] != codes[:-1]))


def _freely(words: Words, values: Numbers) -> Course:
    """The course where each word of another value takes the place of what is held."""
    opening = words.where(_first_of(values[words.fact]))
    return Course(opening.at, opening.fact)


def _course(words: Words, values: Numbers, speakers: Sequence[Authority], rules: Rules) -> Course:
    """The course where words of some speakers wait."""
    who = _Revising(speakers, rules)
    starts: list[int] = []
    facts: list[int] = []
    waiting: dict[int, tuple[int, int, Reason]] = {}  # since when, who, why
    held, holders = -1, 0
    said = (words.at, words.fact, values[words.fact], words.speaker)
    for at, fact, value, speaker in zip(*(part.tolist() for part in said), strict=True):
        if value == held:
            holders |= 1 << speaker
            continue
        since, others, why = waiting.get(fact, (at, 0, Reason.OTHER_PRINCIPAL))
        challengers = others | 1 << speaker
        refusal = who.refusal(challengers, holders) if starts else None
        if refusal is not None:
            waiting[fact] = (since, challengers, why if others else refusal)
            continue
        waiting.pop(fact, None)
        starts.append(at)
        facts.append(fact)
        held, holders = value, challengers
    waited = {fact: (since, why) for fact, (since, _, why) in waiting.items()}
    return Course(np.array(starts), np.array(facts), waited)


class _Revising:
    """Who may revise whom; several speakers are the bits of a number."""

    def __init__(self, speakers: Sequence[Authority], rules: Rules) -> None:
        self._speakers = speakers
        self._rules = rules
        self._known: dict[tuple[int, int], Reason | None] = {}

    def refusal(self, challengers: int, holders: int) -> Reason | None:
        """Why some may not retire what others said; None if they may."""
        asked = challengers, holders
        if asked not in self._known:
            those = self._among(challengers), self._among(holders)
            self._known[asked] = may_not_retire(*those, self._rules)
        return self._known[asked]

    def _among(self, bits: int) -> list[Authority]:
        return [by for place, by in enumerate(self._speakers) if bits >> place & 1]


def _settled(ids: Sequence[str], course: Course, as_of: int) -> Settlement:
    """What a course comes to."""
    starts, facts = course.starts, course.facts
    first = np.unique(facts, return_index=True)[1]
    last = len(facts) - 1 - np.unique(facts[::-1], return_index=True)[1]
    now = int(np.searchsorted(starts, as_of, side="right")) - 1
    places = {*first.tolist(), *last.tolist(), *([now] if now >= 0 else [])}
    waiting = [
        _interval(ids[fact], since, None, Standing.QUARANTINED, why)
        for fact, (since, why) in course.waiting.items()
    ]
    after = np.unique(facts[:-1] * len(ids) + facts[1:]).tolist()
    return Settlement(
        segments=tuple(sorted([*(_held(ids, course, place) for place in places), *waiting])),
        superseded=frozenset(
            (ids[old], ids[new], Reason.LATER_VALUE)
            for old, new in (divmod(pair, len(ids)) for pair in after)
        ),
        contradictions=frozenset(),
        weights={},
    )


def _held(ids: Sequence[str], course: Course, place: int) -> Segment:
    fact, start = ids[course.facts[place]], int(course.starts[place])
    if place + 1 == len(course.starts):
        return _interval(fact, start, None, Standing.HELD, Reason.STATED)
    end = int(course.starts[place + 1])
    return _interval(fact, start, end, Standing.HELD, Reason.LATER_VALUE)


def _interval(fact: str, start: int, end: int | None, standing: Standing, why: Reason) -> Segment:
    return Segment(
        fact,
        EPOCH + start * MICROSECOND,
        FOREVER if end is None else EPOCH + end * MICROSECOND,
        Precision.INSTANT,
        Precision.INSTANT,
        standing,
        why,
    )
