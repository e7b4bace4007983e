"""Short-term memory under an erasure; with its scope it goes as all nodes of it do."""

from __future__ import annotations

import re
from collections.abc import Collection

from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.kernel.kind import strings_in
from app.working.values import unpacked


class ShortTermErasure:
    """Takes entries out of the graph; run again, it finds nothing."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def holds(self, scopes: Collection[str], agent: str) -> bool:
        """Whether there is anything that `by` would take."""
        row = await self._graph.one(Q.shortterm.kept_by, scopes=sorted(scopes), agent=agent)
        return bool(row["entries"])

    async def by(self, scopes: Collection[str], agent: str) -> int:
        """All entries of an agent in some scopes."""
        row = await self._graph.one(Q.shortterm.drop_by, scopes=sorted(scopes), agent=agent)
        return int(row["entries"])

    async def naming(self, scopes: Collection[str], names: re.Pattern[str]) -> int:
        """Entries in some scopes whose value holds one of some names."""
        rows = await self._graph.rows(Q.shortterm.texts, scopes=sorted(scopes))
        ids = [
            row["id"]
            for row in rows
            if any(names.search(text) for text in strings_in(unpacked(row["content"].encode())))
        ]
        row = await self._graph.one(Q.shortterm.drop_entries, ids=ids, scopes=sorted(scopes))
        return int(row["entries"])
