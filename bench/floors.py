"""Retrieval floors: the recall of each data set that a change may not lower by a point."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files

from bench.recall import OVERALL, Found, Question, table

SLACK = 1.0  # points; a figure that has dropped by that much has fallen
HALVES = ("first", "second")

Figures = Mapping[str, Mapping[str, Mapping[str, float]]]  # percent by set, mode and cut
Answered = Sequence[tuple[Question, Sequence[Found]]]


def read_floors() -> Figures:
    """Return the recorded figures in percent, by data set, mode and cut (`R@5`)."""
    text = files("bench").joinpath("floors.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def fallen(floors: Figures, measured: Figures) -> list[str]:
    """Return a sentence for each measured figure that is a point or more below its floor.

    A floor whose set was not measured is passed over; one whose figure is missing has fallen.
    """
    sentences = []
    for name, mode, cut, floor in _flat(floors):
        if name not in measured:
            continue
        figure = measured[name].get(mode, {}).get(cut)
        if figure is None:
            sentences.append(f"{name} by {mode}: {cut} was not measured, its floor is {floor:.1f}")
        elif figure <= floor - SLACK:
            sentences.append(f"{name} by {mode}: {cut} is {figure:.1f}, its floor is {floor:.1f}")
    return sentences


def _flat(figures: Figures) -> list[tuple[str, str, str, float]]:
    return [
        (name, mode, cut, floor)
        for name, modes in figures.items()
        for mode, cuts in modes.items()
        for cut, floor in cuts.items()
    ]


def half(question: Question) -> str:
    """Return which half a question lies in, by a hash of its id: the same in every run."""
    return half_of(question.id)


def half_of(id: str) -> str:
    """Return the same of an id."""
    return HALVES[hashlib.sha256(id.encode()).digest()[0] % 2]


def rows_of(answered: Answered, cuts: Sequence[int]) -> dict[str, Mapping[str, float]]:
    """Return the recall in percent and the count `n` over all questions and over each half."""
    parts = {"all": answered} | {
        name: [pair for pair in answered if half(pair[0]) == name] for name in HALVES
    }
    return {name: table(part, cuts)[OVERALL] for name, part in parts.items() if part}
