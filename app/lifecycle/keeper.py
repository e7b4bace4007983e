"""Every process empties its caches of texts soon after any process has erased something."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import datetime

from app.errors import LociError
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.lifecycle.caches import clear_caches

EVERY = 5.0  # seconds between two looks


class CacheKeeper:
    """Looks for erasures that ended since it last looked; the graph is the only messenger."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._seen: datetime = now()
        self._runner: asyncio.Task[None] | None = None

    async def look(self) -> bool:
        """Whether something was erased, and the caches were emptied for it."""
        rows = await self._graph.rows(Q.lifecycle.erased_since, since=self._seen)
        if not rows:
            return False
        clear_caches()
        self._seen = max(row["finished_at"] for row in rows)
        return True

    def start(self) -> None:
        """Look every few seconds from now on; needs a running loop."""
        self._runner = asyncio.create_task(self._run(), name="cache keeper")

    async def stop(self) -> None:
        """Stop looking."""
        if self._runner is not None:
            self._runner.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._runner
            self._runner = None

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            with contextlib.suppress(LociError):
                await self.look()
