"""The two legs and what a hit shows."""

from __future__ import annotations

from app.episodes.record import tag_id
from app.indexing.entry import key_time
from app.kernel.clock import END, FOREVER, START, now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.search.model import ROLES, Filters, Ranking

ANY_ROLE = [*ROLES, ""]


class SearchRepository:
    """Reads only; the scopes are an argument of every query."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def keyword(self, query: str, scopes: list[str], limit: int) -> Ranking:
        """The text leg."""
        found = await self.graph.one(Q.search.keyword, q=query, scopes=scopes, limit=limit)
        return Ranking.of(found)

    async def vector(
        self, vector: list[float], filters: Filters, sessions: list[str] | None, limit: int
    ) -> Ranking:
        """The vector leg, by the query that fits the filters."""
        common = {"v": vector, "scopes": filters.scopes, "kinds": filters.kinds, "limit": limit}
        if filters.plain:
            return Ranking.of(await self.graph.one(Q.search.vector_live, **common))
        full = common | _bounds(filters)
        if filters.tags is not None:
            tags = [tag_id(scope, tag) for scope in filters.scopes for tag in filters.tags]
            wanted = len(set(filters.tags))
            found = await self.graph.one(
                Q.search.vector_tagged, tags=tags, wanted=wanted, sessions=sessions, **full
            )
        elif sessions is not None:
            found = await self.graph.one(Q.search.vector_in_sessions, sessions=sessions, **full)
        else:
            found = await self.graph.one(Q.search.vector_filtered, **full)
        return Ranking.of(found)

    async def hydrate(self, ids: list[str], scopes: list[str]) -> dict[str, Row]:
        """Memories by id, as far as they are in the scopes."""
        found = await self.graph.one(Q.search.hydrate, ids=ids, scopes=scopes)
        return {memory["id"]: timed(memory) for memory in found["memories"]}

    async def vectors(self, ids: list[str], scopes: list[str]) -> dict[str, list[float]]:
        rows = await self.graph.rows(Q.search.vectors, ids=ids, scopes=scopes)
        return {row["id"]: row["vector"] for row in rows}

    async def spans(self, ids: list[str], scopes: list[str]) -> dict[str, tuple[int, int]]:
        """Where windows (`memory~place`) lie in their memory's text."""
        if not ids:
            return {}
        rows = await self.graph.rows(Q.search.window_spans, ids=ids, scopes=scopes)
        return {row["id"]: (row["start"], row["end"]) for row in rows}


def timed(memory: Row) -> Row:
    """The memory with its times as moments in place of their tokens."""
    for name in ("captured", "ingested", "expired"):
        memory[f"{name}_at"] = key_time(memory.pop(f"{name}_key"))
    return memory


def _bounds(filters: Filters) -> Row:
    ends = [moment for moment in (filters.until, filters.as_of) if moment is not None]
    known_at = filters.known_at or now()
    return {
        "roles": filters.roles or ANY_ROLE,
        "since": filters.since or START,
        "until": min(ends, default=END),
        "known_at": min(known_at, FOREVER),
    }
