"""How far memories have faded, for ranking: computed when it is asked for and never stored."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from app.extraction.predicates import Registry
from app.indexing.entry import key_time
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.lifecycle.decay import share_left
from app.scopes.service import ScopeService


class FadingService:
    """Asks the rules of each scope; where none lets memories fade it asks nothing else."""

    def __init__(
        self, graph: Graph, scopes: ScopeService, registry: Callable[[str], Awaitable[Registry]]
    ) -> None:
        self._graph = graph
        self._scopes = scopes
        self._registry = registry

    async def where(self, scopes: Sequence[str]) -> list[str]:
        """Those of the scopes whose rules let memories fade; remembered for two seconds."""
        rules = await self._scopes.rules_of(scopes)
        return [scope for scope in scopes if rules[scope].decays]

    async def left(self, ids: Sequence[str], scopes: Sequence[str]) -> dict[str, float]:
        """What share of its importance each memory has now, of those in these scopes."""
        found = await self._graph.one(Q.lifecycle.last_uses, ids=list(ids), scopes=list(scopes))
        memories = [_timed(memory) for memory in found["memories"]]
        facts = {memory["scope"] for memory in memories if memory["kind"] == "fact"}
        registries = {scope: await self._registry(scope) for scope in sorted(facts)}
        at = now()
        return {m["id"]: share_left(m, at, registries.get(m["scope"])) for m in memories}


def _timed(memory: Row) -> Row:
    used = memory["last_access"]
    return memory | {
        "last_access": datetime.fromisoformat(used) if used else None,
        "captured_at": key_time(memory["captured_key"]),
        "ingested_at": key_time(memory["ingested_key"]),
    }
