"""What callers say of memories, and how often memories are used: three counters kept apart.

Being recalled, being put into a prompt and being useful are different things; only the last
raises trust, by a little for each distinct principal, so that retrieval does not feed itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from app.errors import NotFound
from app.facts.service import FactService
from app.kernel import audit
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.ids import digest, new_id
from app.kernel.periodic import Periodic

BONUS = 0.02  # of trust, for each distinct principal that found a memory useful
MOST = 5  # principals that count
FULL = 10_000  # memories that a buffer counts between two writes
EVERY = 5.0  # seconds between two writes


class FeedbackService:
    """One word of each principal on each memory."""

    def __init__(self, graph: Graph, facts: FactService) -> None:
        self.graph = graph
        self._facts = facts

    async def give(self, caller: Caller, memory: str, verdict: str) -> Row:
        """Record `useful`, `wrong` or `irrelevant`; said again, it changes nothing.

        `wrong` lowers nothing by itself: a curator sees it, and a fact that only this user says
        waits in quarantine for one (`quarantined`).

        Raises NotFound for a memory that is not seen or is forgotten.
        """
        row: dict[str, Any] = {
            "id": digest("feedback", memory, caller.principal, verdict)[:32],
            "memory": memory,
            "verdict": verdict,
            "principal": caller.principal,
            "tenant": caller.tenant,
            "at": now(),
            "request": new_id(),
        }
        event = audit.event(caller, "feedback", caller.home, memory=memory, verdict=verdict)
        found = await self.graph.optional(
            Q.lifecycle.give_feedback,
            row=row,
            scopes=caller.visible,
            bonus=BONUS,
            most=MOST,
            audit=event,
        )
        if found is None:
            raise NotFound(f"there is no memory {memory}")
        doubts = verdict == "wrong" and await self._facts.doubt(caller, memory)
        return found | {"quarantined": doubts}


class UseCounter:
    """Counts uses in the memory of a process and writes them every few seconds.

    A crash loses the counts of some seconds and nothing else; no search waits for a write.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._recalled: Counter[str] = Counter()
        self._injected: Counter[str] = Counter()
        self.periodic = Periodic("uses", EVERY, self.flush)

    def note(self, ids: Iterable[str], injected: bool) -> None:
        """Count one search; `injected` tells that it went into a prompt. Beyond what the buffer
        holds, memories that are new to it are not counted."""
        counted = self._injected if injected else self._recalled
        room = len(counted) < FULL
        counted.update(i for i in ids if room or i in counted)

    async def flush(self) -> int:
        """Write what was counted; how many memories that were."""
        recalled, injected = self._recalled, self._injected
        self._recalled, self._injected = Counter(), Counter()
        at = now()
        rows = [
            {"id": i, "recalled": recalled[i], "injected": injected[i], "at": at}
            for i in sorted(recalled.keys() | injected.keys())
        ]
        if rows:
            await self._graph.rows(Q.lifecycle.count_uses, rows=rows)
            await self._graph.rows(Q.lifecycle.count_readings, rows=rows)
        return len(rows)
