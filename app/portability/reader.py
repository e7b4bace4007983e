"""What an import reads the graph through, where it writes as well and where it only looks."""

from __future__ import annotations

from typing import Any, Protocol

from app.kernel.cypher import Query
from app.kernel.graph import Row


class Reader(Protocol):
    """What reads from the graph, in a transaction or alone."""

    async def rows(self, query: Query, /, **params: Any) -> list[Row]:
        """All rows of a query."""
