"""A graph that tells what its statements cost, in what the server counts: its hits of the store."""

from __future__ import annotations

from typing import Any

from app.kernel.cypher import Query
from app.kernel.graph import Graph, Row


class Profiled(Graph):
    """Runs each statement as the graph it is made of does, under PROFILE; `hits` is their sum."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph.driver, graph._login)
        self.hits = 0

    async def rows(self, query: Query, /, **params: Any) -> list[Row]:
        """All rows of a statement that reads; what it cost is added to `hits`."""
        query.check(params)
        assert query.mode == "read"
        async with self.driver.session() as session:
            result = await session.run(f"PROFILE {query.text}", params)  # type: ignore[arg-type]
            rows = await result.data()
            profile = (await result.consume()).profile
        assert profile is not None
        self.hits += hits_of(profile)
        return rows


def hits_of(plan: dict[str, Any]) -> int:
    """Hits of the store by an operator and those that it reads from."""
    return int(plan.get("dbHits", 0)) + sum(hits_of(child) for child in plan.get("children", ()))
