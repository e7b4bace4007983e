"""How often pools are read: counted in the process, written down every few seconds."""

from __future__ import annotations

from collections import Counter

from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.kernel.periodic import Periodic

FULL = 10_000  # pools that are counted between two writes
EVERY = 5.0  # seconds between two writes


class PoolReads:
    """Counts reads, so that none of them waits for a write; a crash loses those of some seconds."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._counted: Counter[str] = Counter()
        self.periodic = Periodic("pool reads", EVERY, self.flush)

    def note(self, pool: str) -> None:
        """Count one read."""
        if pool in self._counted or len(self._counted) < FULL:
            self._counted[pool] += 1

    async def flush(self) -> int:
        """Write what was counted; returns how many pools that were."""
        counted, self._counted = self._counted, Counter()
        rows = [{"id": pool, "reads": reads, "at": now()} for pool, reads in counted.items()]
        if rows:
            await self._graph.rows(Q.pools.count_reads, rows=rows)
        return len(rows)
