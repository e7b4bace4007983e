"""Memories that say the same twice, proposed to a curator and never merged (seed 000, at night).

Vectors say which to look at: a cosine of 0.92, as the seed has it, or more where the model's lie
close together. What is proposed follows from the words: one adds nothing to the other, and the two
do not contradict each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.contradiction.compare import compare
from app.contradiction.repetition import adds_nothing
from app.embeddings.calibration import calibration
from app.kernel.cypher import Q, Query
from app.kernel.graph import Graph, Row

LEAST = 0.92  # cosine (seed 000)
NEAR = 8  # closest of each memory that are looked at
PAGE = 200
MOST = 1000  # proposals of one report


@dataclass(frozen=True, slots=True)
class Double:
    """Two memories of one kind, the smaller id first; `similarity` is their cosine."""

    kind: str
    left: str
    right: str
    similarity: float


def least_cosine(model: str) -> float:
    """From which cosine on two memories are looked at."""
    return max(LEAST, calibration(model).duplicate)


def same(left: Row, right: Row) -> bool:
    """Whether one text adds nothing to the other, and the two do not contradict each other."""
    language = left["language"] if left["language"] == right["language"] else "en"
    texts = left["text"], right["text"]
    repeats = any(adds_nothing(a, b, language) for a, b in (texts, texts[::-1]))
    return repeats and not compare(*texts).found and not compare(*texts[::-1]).found


def doubles(kind: str, rows: Sequence[Row], least: float) -> list[Double]:
    """The proposals among rows of the queries `duplicates.notes` and `duplicates.facts`."""
    return [
        Double(kind, row["id"], close["id"], round(2 * close["score"] - 1, 4))
        for row in rows
        for close in row["close"]
        if 2 * close["score"] - 1 >= least and same(row, close)
    ]


class DuplicateService:
    """Looks for doubles; changes nothing."""

    def __init__(self, graph: Graph, model: str) -> None:
        self._graph = graph
        self._least = least_cosine(model)

    async def report(self, scope: str, most: int = MOST) -> list[Double]:
        """The doubles of a scope, the most alike first."""
        found = await self._pages("note", scope, query=Q.duplicates.notes)
        found += await self._pages("fact", scope, query=Q.duplicates.facts)
        return sorted(found, key=lambda d: (-d.similarity, d.left, d.right))[:most]

    async def _pages(self, kind: str, scope: str, query: Query) -> list[Double]:
        found: list[Double] = []
        after = ""
        while rows := await self._graph.rows(
            query, scope=scope, after=after, near=NEAR, limit=PAGE
        ):
            found += doubles(kind, rows, self._least)
            after = rows[-1]["id"]
            if len(rows) < PAGE:
                break
        return found
