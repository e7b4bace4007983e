"""What graph retrieval reads: one method a query."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.rag.model import Ask


class RagRepository:
    """Reads within scopes; writes nothing."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def in_bases(
        self, sources: Sequence[str], bases: Sequence[str], scopes: list[str]
    ) -> set[str]:
        """Which passages are of documents of some knowledge bases, and which facts these state."""
        rows = await self.graph.rows(
            Q.rag.in_bases, sources=list(sources), bases=list(bases), scopes=scopes
        )
        return {row["id"] for row in rows}

    async def named_in_bases(
        self, roots: Sequence[str], bases: Sequence[str], scopes: list[str]
    ) -> set[str]:
        """Which entities the documents of some knowledge bases name."""
        rows = await self.graph.rows(
            Q.rag.named_in_bases, roots=list(roots), bases=list(bases), scopes=scopes
        )
        return {row["root"] for row in rows}

    async def communities_of_bases(
        self, bases: Sequence[str], scopes: list[str], limit: int
    ) -> list[str]:
        """The outermost communities that cite some knowledge bases, the most lines first."""
        rows = await self.graph.rows(
            Q.rag.communities_of_bases, bases=list(bases), scopes=scopes, limit=limit
        )
        return [row["id"] for row in rows]

    async def named(self, aliases: Sequence[str], scopes: list[str]) -> list[str]:
        """Roots of the bearers of names, those of the longest names first."""
        rows = await self.graph.rows(Q.rag.named, aliases=list(aliases), scopes=scopes)
        return list(dict.fromkeys(row["root"] for row in rows))

    async def near(
        self, vector: Sequence[float], scopes: list[str], limit: int
    ) -> list[tuple[str, float]]:
        """Roots of entities with their cosine to a vector, the closest first."""
        rows = await self.graph.rows(Q.rag.near, vector=list(vector), scopes=scopes, limit=limit)
        return [(row["root"], row["cosine"]) for row in rows]

    async def mentioned(self, passages: Sequence[str], scopes: list[str]) -> list[Row]:
        """What passages name."""
        return await self.graph.rows(Q.rag.mentioned, passages=list(passages), scopes=scopes)

    async def hop(
        self, roots: Sequence[str], scopes: list[str], at: datetime, fan: int
    ) -> list[Row]:
        """The next step from entities."""
        return await self.graph.rows(Q.rag.hop, roots=list(roots), scopes=scopes, at=at, fan=fan)

    async def homes(self, roots: Sequence[str], scopes: list[str]) -> dict[str, Row]:
        """Name, type and finest community of entities."""
        rows = await self.graph.rows(Q.rag.homes, roots=list(roots), scopes=scopes)
        return {row["root"]: row for row in rows}

    async def passages(self, roots: Sequence[str], ask: Ask, most: tuple[int, int]) -> list[Row]:
        """Passages that name most of some entities: at most so many in all, and of one entity."""
        return await self.graph.rows(
            Q.rag.passages,
            roots=list(roots),
            scopes=ask.scopes,
            bases=ask.bases,
            limit=most[0],
            fan=most[1],
        )

    async def texts(self, ids: Sequence[str], ask: Ask) -> list[Row]:
        """Passages with their texts, as far as they are live and not in the mind of who asks."""
        return await self.graph.rows(
            Q.rag.texts, ids=list(ids), scopes=ask.scopes, reader=ask.reader
        )
