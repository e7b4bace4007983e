"""Scopes in which entities were written of late, for passes that follow what changes."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from app.kernel.clock import START, now
from app.kernel.cypher import Q, Query
from app.kernel.graph import Graph

LAG = timedelta(seconds=5)  # what was written so long ago is committed, save where much is to do
WHOLE = 60.0  # seconds after which every scope is named, for what was committed later than that


class TouchedScopes:
    """Names the scopes that a look at what changed has to look at: those in which entities were
    written since the look before, and once a minute all that `every` gives."""

    def __init__(self, graph: Graph, every: Query) -> None:
        self._graph, self._every = graph, every
        self._since: datetime = START
        self._whole_at = time.monotonic()

    async def scopes(self) -> list[str]:
        """Return scopes, each once; at the first call all of them."""
        start, moment = now(), time.monotonic()
        if moment >= self._whole_at:
            rows = await self._graph.rows(self._every)
            self._whole_at = moment + WHOLE
        else:
            rows = await self._graph.rows(Q.entities.touched_scopes, since=self._since)
        self._since = start - LAG
        return [row["scope"] for row in rows]
