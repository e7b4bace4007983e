"""The scopes that a run of upkeep goes through."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from app.autonomy.ledger import PAGE
from app.kernel.cypher import Q
from app.kernel.graph import Graph


async def paths(graph: Graph, scopes: Sequence[str] | None) -> AsyncIterator[str]:
    """Yield some scopes, or all of the installation in the order of their paths where None."""
    for scope in scopes or ():
        yield scope
    after = ""
    while scopes is None:
        rows = await graph.rows(Q.autonomy.every_scope, after=after, limit=PAGE)
        for row in rows:
            yield row["path"]
        if not rows:
            return
        after = rows[-1]["path"]
