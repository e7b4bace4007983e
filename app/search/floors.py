"""Floors: what is too far from the question is held back, step by step, and the answer says so.

The ladder is that of seed 000: what reaches the floor asked for; else what reaches 0.5; else what
holds enough of the question's words; else nothing. A floor of 0.65 alone left two of three answers
empty there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

RELAXED = 0.5  # the lower floor (seed 000)
COUNTED = 5  # words of a question that count towards the share that must be held (seed 000)
STRANGER = 0.65  # relevance at which a turn takes a text for the answer that names nobody asked for
REST = 0.2  # of a floor, which what comes along must reach where a subject is known
GRAPH_RANK = 32  # places of the walk that are let through where the question names the way


class Match(StrEnum):
    """By what the hits of an answer stand in it."""

    SEMANTIC = "semantic"  # they reach the floor that was asked for
    SEMANTIC_FALLBACK = "semantic_fallback"  # none does, these reach 0.5
    KEYWORD = "keyword"  # none does, these hold enough of the question's words
    GRAPH = "graph"  # none does, these were walked to from what the question names
    NONE = "none"  # nothing was found, or all of it was held back


@dataclass(frozen=True, slots=True)
class Floor:
    """`least` relevance (0 to 1); with `relax` the lower steps follow where nothing reaches it.

    What reaches a floor that is `whole` lets the rest in: a subject is known, or it is not. Of a
    person, who says the name needs half of it, and who does not needs `STRANGER`. What is as good
    as no answer stays out all the same: the rest needs `REST` of the floor."""

    least: float
    relax: bool = True
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate: how relevant it is, how many of the question's words it holds, whether the walk
    came to it from what the question names, and how early, and whether it says the name of a person
    whom the question names."""

    id: str
    relevance: float
    words: int
    walked: int | None = None
    named: bool = False

    @property
    def anchored(self) -> bool:
        """Whether the graph speaks for it: what answers in two steps is like no question."""
        return self.walked is not None and self.walked <= GRAPH_RANK


@dataclass(frozen=True, slots=True)
class Floored:
    """What is kept, in the order given; `held` are those held back, `best` the best of these;
    no match where no floor was asked for."""

    kept: frozenset[str]
    match: Match | None
    held: int = 0
    best: float | None = None


def floored(
    judged: Sequence[Judged], floor: Floor, asked: int, *, of_person: bool = False
) -> Floored:
    """What a floor lets through; `asked` is how many words the question has, and `of_person`
    whether it names a person."""
    anchored = {one.id for one in judged if one.anchored}
    for match, kept in _steps(judged, floor, asked, of_person and floor.whole):
        if kept and floor.whole:
            rest = {one.id for one in judged if one.relevance >= floor.least * REST}
            return _told(judged, kept | anchored | rest, match)
        if kept:
            return _told(judged, kept | anchored, match)
    return _told(judged, anchored, Match.GRAPH if anchored else Match.NONE)


def enough_words(asked: int) -> int:
    """How many of a question's words a text must hold: half of them, and two where there are."""
    counted = min(asked, COUNTED)
    return max((counted + 1) // 2, min(2, counted), 1)


def _steps(
    judged: Sequence[Judged], floor: Floor, asked: int, of_person: bool
) -> Sequence[tuple[Match, frozenset[str]]]:
    def reaching(least: float) -> frozenset[str]:
        return frozenset(one.id for one in judged if one.relevance >= least)

    first = reaching(floor.least)
    if of_person:
        says = {one.id for one in judged if one.named and one.relevance >= floor.least / 2}
        first = reaching(max(floor.least, STRANGER)) | says
    steps = [(Match.SEMANTIC, first)]
    if floor.relax:
        if floor.least > RELAXED:
            steps.append((Match.SEMANTIC_FALLBACK, reaching(RELAXED)))
        words = enough_words(asked)
        worded = frozenset(one.id for one in judged if one.words >= words)
        steps.append((Match.KEYWORD, worded))
    return steps


def _told(judged: Sequence[Judged], kept: frozenset[str] | set[str], match: Match) -> Floored:
    held = [one.relevance for one in judged if one.id not in kept]
    return Floored(frozenset(kept), match, len(held), max(held, default=None))
