"""Evidence recall: which share of what a question needs is among the first hits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class Record:
    """One text to capture. `id` is unique within its corpus; `at` is aware, UTC."""

    id: str
    text: str
    at: datetime | None = None
    session: str = ""
    speaker: str = ""
    title: str = ""
    role: str = "user"


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the ids of the records that answer it."""

    id: str
    text: str
    gold: frozenset[str]
    category: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Records that are searched together, in order, with their questions."""

    name: str
    records: tuple[Record, ...]
    questions: tuple[Question, ...]


Found = str | tuple[str, ...]  # a hit: one record, or the records that one memory rests on


def recall_at(ranked: Sequence[Found], gold: frozenset[str], k: int) -> float:
    """Share (0 to 1) of `gold` among the first `k` of `ranked`; ValueError if there is no gold."""
    if not gold:
        raise ValueError("a question without evidence has no recall")
    shown = {one for hit in ranked[:k] for one in ((hit,) if isinstance(hit, str) else hit)}
    return len(gold & shown) / len(gold)


def table(
    answered: Iterable[tuple[Question, Sequence[Found]]], cuts: Sequence[int]
) -> Mapping[str, dict[str, float]]:
    """Mean recall in percent by category and overall; each row also says how many (`n`)."""
    groups: dict[str, list[list[float]]] = {}
    for question, ranked in answered:
        scores = [recall_at(ranked, question.gold, k) for k in cuts]
        for name in {OVERALL, question.category or OVERALL}:
            groups.setdefault(name, []).append(scores)
    return {name: _row(groups[name], cuts) for name in sorted(groups, key=_overall_last)}


def _row(scores: list[list[float]], cuts: Sequence[int]) -> dict[str, float]:
    means = [100 * sum(column) / len(scores) for column in zip(*scores, strict=True)]
    return {"n": len(scores), **{f"R@{k}": mean for k, mean in zip(cuts, means, strict=True)}}


def _overall_last(name: str) -> tuple[bool, str]:
    return (name == OVERALL, name)
