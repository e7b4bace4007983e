"""The scopes that a run of upkeep goes through, read page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from app.kernel.cypher import Q
from app.kernel.graph import Graph

PAGE = 500  # scopes that are read at once


async def pages(graph: Graph) -> AsyncIterator[list[str]]:
    """Yield all scopes of the installation in the order of their paths, at most `PAGE` at once."""
    after = ""
    while rows := await graph.rows(Q.scopes.every, after=after, limit=PAGE):
        after = rows[-1]["path"]
        yield [row["path"] for row in rows]


async def paths(graph: Graph, scopes: Sequence[str] | None = None) -> AsyncIterator[str]:
    """Yield some scopes, or all of the installation in the order of their paths where None."""
    for scope in scopes or ():
        yield scope
    if scopes is None:
        async for page in pages(graph):
            for scope in page:
                yield scope
