"""What graph retrieval reads: one method a query."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row


class RagRepository:
    """Reads within scopes; writes nothing."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def in_bases(
        self, passages: Sequence[str], bases: Sequence[str], scopes: list[str]
    ) -> set[str]:
        """Which passages are of documents of some knowledge bases."""
        rows = await self.graph.rows(
            Q.rag.in_bases, passages=list(passages), bases=list(bases), scopes=scopes
        )
        return {row["id"] for row in rows}

    async def named(self, aliases: Sequence[str], scopes: list[str]) -> list[str]:
        """Roots of the bearers of names, those of the longest names first."""
        rows = await self.graph.rows(Q.rag.named, aliases=list(aliases), scopes=scopes)
        return list(dict.fromkeys(row["root"] for row in rows))

    async def near(
        self, vector: Sequence[float], scopes: list[str], limit: int
    ) -> list[tuple[str, float]]:
        """Roots of entities with their cosine to a vector, the closest first."""
        rows = await self.graph.rows(Q.rag.near, vector=list(vector), scopes=scopes, limit=limit)
        return [(row["root"], 2 * row["score"] - 1) for row in rows]

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

    async def passages(self, roots: Sequence[str], where: Row) -> list[Row]:
        """Passages that name most of some entities; `where` holds the rest of the query."""
        return await self.graph.rows(
            Q.rag.passages,
            roots=list(roots),
            scopes=where["scopes"],
            bases=where["bases"],
            vector=where["vector"],
            limit=where["limit"],
            fan=where["fan"],
        )
