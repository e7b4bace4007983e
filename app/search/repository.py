"""The two legs and what a hit shows."""

from __future__ import annotations

from app.episodes.record import tag_id
from app.kernel.clock import END, FOREVER, START, now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.search.model import ROLES, Filters

ANY_ROLE = [*ROLES, ""]


class SearchRepository:
    """Reads only; the scopes are an argument of every query."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def keyword(self, query: str, scopes: list[str], limit: int) -> list[Row]:
        """Rows of the text leg, best first."""
        return listed(await self.graph.one(Q.search.keyword, q=query, scopes=scopes, limit=limit))

    async def vector(
        self, vector: list[float], filters: Filters, sessions: list[str] | None, limit: int
    ) -> list[Row]:
        """Rows of the vector leg, best first, by the query that fits the filters."""
        common = {"v": vector, "scopes": filters.scopes, "kinds": filters.kinds, "limit": limit}
        if filters.plain:
            return listed(await self.graph.one(Q.search.vector_live, **common))
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
        return listed(found)

    async def hydrate(self, ids: list[str], scopes: list[str]) -> dict[str, Row]:
        found = await self.graph.one(Q.search.hydrate, ids=ids, scopes=scopes)
        return {memory["id"]: memory for memory in found["memories"]}

    async def vectors(self, ids: list[str], scopes: list[str]) -> dict[str, list[float]]:
        rows = await self.graph.rows(Q.search.vectors, ids=ids, scopes=scopes)
        return {row["id"]: row["vector"] for row in rows}

    async def spans(self, ids: list[str], scopes: list[str]) -> dict[str, tuple[int, int]]:
        """Where windows (`memory~place`) lie in their memory's text."""
        if not ids:
            return {}
        rows = await self.graph.rows(Q.search.window_spans, ids=ids, scopes=scopes)
        return {row["id"]: (row["start"], row["end"]) for row in rows}


def listed(columns: Row) -> list[Row]:
    """The rows of a leg, best first, from the columns that its query gives."""
    names = ("ids", "scores", "places", "titled")
    return [
        {"id": memory, "score": score, "place": place, "titled": titled}
        for memory, score, place, titled in zip(*(columns[n] for n in names), strict=True)
    ]


def _bounds(filters: Filters) -> Row:
    ends = [moment for moment in (filters.until, filters.as_of) if moment is not None]
    known_at = filters.known_at or now()
    return {
        "roles": filters.roles or ANY_ROLE,
        "since": filters.since or START,
        "until": min(ends, default=END),
        "known_at": min(known_at, FOREVER),
    }
