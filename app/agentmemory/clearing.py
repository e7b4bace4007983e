"""Clearing a scope: everything that was remembered in it goes, the scope itself stays."""

from __future__ import annotations

import asyncio

from app.errors import GraphBusy
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.kernel.vocab import Label
from app.lifecycle.scope_deletion import REMOVED, TRIES

# Settings of the scope, and what work is handed out by: not memories.
_KEPT = frozenset(
    {Label.PREDICATE, Label.JOB, Label.COMMUNITY_CURSOR,
     Label.PASSAGE_GRAPH, Label.FEED_EVENT, Label.FEED_HEAD, Label.MODEL_USAGE}
)  # fmt: skip
CLEARED = tuple(label.value for label in REMOVED if label not in _KEPT)
MOST_ROUNDS = 10  # against others who write meanwhile


class ClearService:
    """Takes out what lies in the caller's home, and nothing else."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def clear(self, caller: Caller) -> int:
        """Take everything out of the caller's home, label by label; how many nodes that were. Run
        again after a crash, it goes on.

        Raises Forbidden without the admin's role there.
        """
        scope = caller.require(caller.home, Role.ADMIN)
        total = 0
        await self._graph.one(Q.kinds.drop_referring, scopes=[scope])
        for _ in range(MOST_ROUNDS):
            row = await self._graph.one(Q.agentmemory.labels_in, labels=list(CLEARED), scope=scope)
            if not row["labels"]:
                break
            for label in row["labels"]:
                total += await self._drop(label, scope)
        await self._graph.rows(Q.agentmemory.dropped_passages, scope=scope, at=now())
        event = audit.event(caller, "scope.clear", scope, removed=total)
        await self._graph.rows(Q.transcripts.tell, events=[event])
        return total

    async def _drop(self, label: str, scope: str) -> int:
        for attempt in range(TRIES):
            try:
                row = await self._graph.one(Q.scope_deletion.drop, label=label, scopes=[scope])
            except GraphBusy:
                if attempt == TRIES - 1:
                    raise
                await asyncio.sleep(0.2)
            else:
                return int(row["removed"])
        return 0
