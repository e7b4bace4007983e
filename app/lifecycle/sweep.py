"""The forget sweep: what is old, unimportant, doubtful and unreferenced is hidden, reversibly.

Every condition must hold (seed 001, annex 3.a); a value exactly on its floor spares the memory.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from app.extraction.predicates import Registry
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.lifecycle.decay import importance_at
from app.lifecycle.forgetting import ForgettingService
from app.scopes.every import paths
from app.scopes.service import ScopeService

IMPORTANCE_FLOOR = 0.05
TRUST_FLOOR = 0.30
LEAST_AGE = timedelta(days=30)
PAGE = 200
SWEEPER = "loci"


@dataclass(frozen=True, slots=True)
class Standing:
    """The five axes of one memory."""

    pinned: bool
    importance: float  # decayed
    trust: float
    referenced: bool
    age: timedelta


def forgettable(memory: Standing) -> bool:
    """Whether all five conditions of forgetting hold."""
    return (
        not memory.pinned
        and memory.importance < IMPORTANCE_FLOOR
        and memory.trust < TRUST_FLOOR
        and not memory.referenced
        and memory.age >= LEAST_AGE
    )


def standing(row: Row, moment: datetime, registry: Registry | None = None) -> Standing:
    """The axes of a row of `lifecycle.sweepable`."""
    memory = row["memory"]
    return Standing(
        pinned=bool(memory.get("is_pinned")),
        importance=importance_at(memory, moment, registry),
        trust=float(memory.get("trust") or 0.0),
        referenced=bool(row["referenced"]),
        age=moment - memory["ingested_at"],
    )


RegistryOf = Callable[[str], Awaitable[Registry]]


class SweepService:
    """Sweeps scopes whose rules switch forgetting on."""

    def __init__(
        self,
        graph: Graph,
        scopes: ScopeService,
        forgetting: ForgettingService,
        registry: RegistryOf,
    ) -> None:
        self._graph = graph
        self._scopes = scopes
        self._forgetting = forgetting
        self._registry = registry

    async def sweep(
        self, scope: str, *, dry_run: bool = False, moment: datetime | None = None
    ) -> list[str]:
        """Ids of what is forgotten in a scope, or would be; nothing where its rules say no."""
        if not dry_run and not (await self._scopes.rules(scope)).forgets:
            return []
        at = moment or now()
        registry = await self._registry(scope)
        found: list[str] = []
        for kind in ("episode", "fact", "note"):
            after = ""
            while rows := await self._page(scope, kind, after, at):
                after = rows[-1]["memory"]["id"]
                chosen = [r for r in rows if forgettable(standing(r, at, registry))]
                found += [row["memory"]["id"] for row in chosen]
                if chosen and not dry_run:
                    places = [{"id": r["memory"]["id"], "scope": scope} for r in chosen]
                    await self._forgetting.apply(sweeper(scope), "forget", places)
                if len(rows) < PAGE:
                    break
        return found

    async def sweep_all(self) -> dict[str, Any]:
        """Every scope whose rules switch it on; counts by scope."""
        done: dict[str, int] = {}
        async for scope in paths(self._graph):
            if forgotten := await self.sweep(scope):
                done[scope] = len(forgotten)
        return {"forgotten": sum(done.values()), "scopes": done}

    async def _page(self, scope: str, kind: str, after: str, at: datetime) -> list[Row]:
        page: dict[str, Any] = {
            "scope": scope,
            "after": after,
            "before": at - LEAST_AGE,
            "trust": TRUST_FLOOR,
            "limit": PAGE,
        }
        if kind == "episode":
            return await self._graph.rows(Q.lifecycle.sweepable_episodes, **page)
        if kind == "fact":
            return await self._graph.rows(Q.lifecycle.sweepable_facts, **page)
        return await self._graph.rows(Q.lifecycle.sweepable_notes, **page)


def sweeper(scope: str) -> Caller:
    """Who acts where a rule does."""
    tenant = scope.partition("/")[0]
    return Caller(
        principal=SWEEPER,
        kind="system",
        name=SWEEPER,
        tenant=tenant,
        home=scope,
        key="",
        roles={scope: Role.CURATOR},
        request="sweep",
    )
