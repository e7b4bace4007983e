"""Clearing a scope: everything that was remembered in it goes, the scope itself stays."""

from __future__ import annotations

from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.kernel.vocab import Label
from app.lifecycle.in_scopes import drop, indexes_of
from app.lifecycle.scope_deletion import REMOVED

# Settings of the scope, and what work is handed out by: not memories.
_KEPT = frozenset(
    {Label.PREDICATE, Label.JOB, Label.COMMUNITY_CURSOR,
     Label.PASSAGE_GRAPH, Label.FEED_EVENT, Label.FEED_HEAD, Label.MODEL_USAGE}
)  # fmt: skip
CLEARED = indexes_of(label for label in REMOVED if label not in _KEPT)
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
            removed = 0
            for found_by in CLEARED:
                removed += sum((await drop(self._graph, found_by, [scope])).values())
            if not removed:
                break
            total += removed
        await self._graph.rows(Q.agentmemory.dropped_passages, scope=scope, at=now())
        event = audit.event(caller, "scope.clear", scope, removed=total)
        await self._graph.rows(Q.transcripts.tell, events=[event])
        return total
