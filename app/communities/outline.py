"""What the summary of a community shows: pure, and without a model.

Central entities, what is held of them now, and the sentences that name most of them; each is only
pointed at, and read when it is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.communities.model import Central, Cite, Outline
from app.extraction.segment import sentences

CENTRAL, FACTS, SENTENCES = 8, 8, 3
OF_ONE = 3  # facts that tell of one entity


@dataclass(frozen=True, slots=True)
class Told:
    """A fact that is held: the root it is about, its object's where that is an entity."""

    id: str
    subject: str
    object: str | None
    confidence: float


@dataclass(frozen=True, slots=True)
class Text:
    """A passage, where it names entities, and the ranges of what it says and no longer holds."""

    id: str
    content: str
    named: tuple[tuple[int, str], ...]
    lapsed: tuple[tuple[int, int], ...] = ()


def heart(scores: Iterable[Central]) -> tuple[Central, ...]:
    """The most central entities, equal ones in the order of their ids."""
    return tuple(sorted(scores, key=lambda one: (-one.score, one.entity))[:CENTRAL])


def outline(scores: Mapping[str, Central], facts: Sequence[Told], texts: Sequence[Text]) -> Outline:
    """The outline of a finest community by the PageRank of its members.

    A fact weighs what its entities do together, times its confidence; a sentence what the
    entities do that it names and no sentence before it.
    """
    best = heart(scores.values())
    chosen = _facts({one.entity: one.score for one in scores.values()}, facts)
    return Outline(best, tuple(Cite(fact) for fact in chosen), tuple(_sentences(best, texts)))


def joined(inner: Sequence[Outline]) -> Outline:
    """The outline of a community of communities, largest first: the first of each, then the next.

    It depends on nothing but what its parts show, so that it stays where they do.
    """
    scores = (one for part in inner for one in part.central)
    return Outline(
        heart(scores),
        tuple(_in_turn([part.facts for part in inner])[:FACTS]),
        tuple(_in_turn([part.sentences for part in inner])[:SENTENCES]),
    )


def _facts(scores: Mapping[str, float], facts: Sequence[Told]) -> list[str]:
    def weight(fact: Told) -> float:
        both = scores.get(fact.subject, 0.0) + scores.get(fact.object or "", 0.0)
        return both * fact.confidence

    told: dict[str, int] = {}
    chosen: list[str] = []
    for fact in sorted(facts, key=lambda fact: (-weight(fact), fact.id)):
        if len(chosen) < FACTS and told.get(fact.subject, 0) < OF_ONE and fact.id not in chosen:
            told[fact.subject] = told.get(fact.subject, 0) + 1
            chosen.append(fact.id)
    return chosen


def _sentences(best: Sequence[Central], texts: Sequence[Text]) -> list[Cite]:
    left = {one.entity: one.score for one in best}
    ranges = [(cite, named) for text in texts for cite, named in _naming(text)]
    chosen: list[Cite] = []
    while ranges and left and len(chosen) < SENTENCES:
        cite, named = min(
            ranges,
            key=lambda one: (
                -sum(left.get(entity, 0.0) for entity in one[1]),
                one[0].id,
                one[0].start or 0,
            ),
        )
        if not named & left.keys():
            break
        chosen.append(cite)
        left = {entity: score for entity, score in left.items() if entity not in named}
        ranges = [one for one in ranges if one[0].id != cite.id]
    return chosen


def _naming(text: Text) -> list[tuple[Cite, frozenset[str]]]:
    found = []
    for span in sentences(text.content):
        if any(start < span.end and end > span.start for start, end in text.lapsed):
            continue
        named = frozenset(entity for at, entity in text.named if span.start <= at < span.end)
        if named:
            found.append((Cite(text.id, span.start, span.end), named))
    return found


def _in_turn(lists: Sequence[Sequence[Cite]]) -> list[Cite]:
    longest = max((len(one) for one in lists), default=0)
    turns = [one[place] for place in range(longest) for one in lists if place < len(one)]
    return list(dict.fromkeys(turns))
