"""What is held on a question stands above what is past or disputed on it: pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from app.search.judging import Judge, placed
from app.search.latest import asks_of_the_past
from app.search.model import Candidate, Lapse, Mark
from app.search.relevance import Asked

Marks = Mapping[str, Sequence[Mark]]


def first(pool: Sequence[Candidate], named: Sequence[str]) -> list[Candidate]:
    """The same candidates with those that the question names in front."""
    there = {candidate.id for candidate in pool}
    front = [memory for memory in named if memory in there]
    if not front:
        return list(pool)
    return placed(pool, [*front, *(c.id for c in pool if c.id not in front)])


def held_first(
    question: str,
    pool: Sequence[Candidate],
    marks: Marks,
    judge: Judge,
    says: Mapping[str, Collection[str]],
) -> list[Candidate]:
    """The same candidates, with what is past or disputed on the question below all that is held on
    it: what took its place, what says something else of the same, in whatever words or language,
    and what holds as many of the question's words and more.

    `says` are the held facts that each candidate is or states.

    Who asks about the past is shown the past as it was found; what is disputed goes down for him
    too.
    """
    lapsed = _lapsed(question, pool, marks, judge)
    held = [candidate for candidate in pool if candidate.id not in lapsed]
    if not lapsed or not held:
        return list(pool)
    below: dict[int, list[str]] = {}
    before = 0
    for candidate in pool:
        if candidate.id not in lapsed:
            before += 1
            continue
        rivals = {fact for mark in lapsed[candidate.id] for fact in _rivals(mark)}
        last = (
            place
            for place, one in enumerate(held, 1)
            if not rivals.isdisjoint((one.id, *says.get(one.id, ())))
            or _in_as_many_words(one.id, candidate.id, judge)
        )
        below.setdefault(max(before, *last, 0), []).append(candidate.id)
    order = below.get(0, [])
    for place, candidate in enumerate(held, 1):
        order += [candidate.id, *below.get(place, [])]
    return placed(pool, order)


def _lapsed(
    question: str, pool: Sequence[Candidate], marks: Marks, judge: Judge
) -> dict[str, Sequence[Mark]]:
    """Candidates of which what the question asks for does not hold, with the marks that say so: a
    text may say more than that, and be asked for the rest."""
    found: dict[str, Sequence[Mark]] = {}
    for candidate in pool:
        known = marks.get(candidate.id, ())
        if touching := touched(question, judge.asked, judge.which(candidate.id), known):
            found[candidate.id] = touching
    return found


def touched(question: str, asked: Asked, held: frozenset[int], marks: Sequence[Mark]) -> list[Mark]:
    """Marks of a text on all that it holds of a question (`held` are places of words)."""
    wanted = {Lapse.DISPUTED} if asks_of_the_past(question) else {*Lapse}
    return [m for m in marks if m.lapse in wanted and held <= asked.within(m.statement)]


def _rivals(mark: Mark) -> frozenset[str]:
    return mark.rivals | ({mark.replaced_by[0]} if mark.replaced_by else set())


def _in_as_many_words(held: str, lapsed: str, judge: Judge) -> bool:
    words = judge.which(lapsed)
    return bool(words) and words <= judge.which(held)
