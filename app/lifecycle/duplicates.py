"""Memories that say the same twice, proposed to a curator and never merged (seed 000, at night).

Vectors say which to look at: a similarity of 0.92. What is proposed follows from the words: one
adds nothing to the other, and the two do not contradict each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.contradiction.compare import compare
from app.contradiction.repetition import adds_nothing
from app.embeddings.calibration import Calibration, Kinds, calibration
from app.kernel.cypher import Q, Query
from app.kernel.graph import Graph, Row

LEAST = 0.92  # similarity (seed 000)
NEAR = 8  # closest of each memory that are looked at
PAGE = 200
MOST = 1000  # proposals of one report


@dataclass(frozen=True, slots=True)
class Double:
    """Two memories of one kind, the smaller id first, and how alike they are."""

    kind: str
    left: str
    right: str
    similarity: float


def same(left: Row, right: Row) -> bool:
    """Whether one text adds nothing to the other, and the two do not contradict each other."""
    language = left["language"] if left["language"] == right["language"] else "en"
    texts = left["text"], right["text"]
    repeats = any(adds_nothing(a, b, language) for a, b in (texts, texts[::-1]))
    return repeats and not compare(*texts).found and not compare(*texts[::-1]).found


def doubles(kind: str, rows: Sequence[Row], means: Calibration) -> list[Double]:
    """The proposals among rows of the queries `duplicates.notes` and `duplicates.facts`."""
    return [
        Double(kind, row["id"], close["id"], round(similarity, 4))
        for row in rows
        for close in row["close"]
        if (similarity := _similarity(row, close, means)) >= LEAST and same(row, close)
    ]


def _similarity(left: Row, right: Row, means: Calibration) -> float:
    languages = left["language"], right["language"]
    return means.similarity(right["cosine"], Kinds.TEXTS, languages)


class DuplicateService:
    """Looks for doubles; changes nothing."""

    def __init__(self, graph: Graph, model: str) -> None:
        self._graph = graph
        self._means = calibration(model)

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
            found += doubles(kind, rows, self._means)
            after = rows[-1]["id"]
            if len(rows) < PAGE:
                break
        return found
