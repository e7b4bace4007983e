"""Working memory under an erasure: a scope's, an agent's, or what tells of a person."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.kernel.kind import strings_in
from app.working.model import Place
from app.working.store import WorkingStore
from app.working.values import unpacked


class WorkingErasure:
    """Takes values out of Valkey, and copies out of the graph; run again, it finds nothing."""

    def __init__(self, store: WorkingStore, graph: Graph) -> None:
        self._store = store
        self._graph = graph

    async def of_scopes(self, tenant: str, scopes: Collection[str]) -> int:
        """All that lies in some scopes; copies there go with the scopes' other nodes."""
        return await self._drop(tenant, lambda place: place.scope in scopes)

    async def of_agents(self, tenant: str, agents: Collection[str]) -> int:
        """All that some agents keep or were handed, in every scope, copies too."""
        dropped = await self._drop(tenant, lambda p: p.agent in agents or p.reader in agents)
        row = await self._graph.one(Q.working.drop_of, tenant=tenant, agents=sorted(agents))
        return dropped + int(row["copies"])

    async def of_tenant(self, tenant: str) -> None:
        """All of a tenant in Valkey, with what counts it."""
        await self._store.forget_tenant(tenant)

    async def by(self, tenant: str, scopes: Collection[str], agent: str) -> int:
        """All that an agent keeps, shares or was handed in some scopes, copies too."""

        def its(place: Place) -> bool:
            return place.scope in scopes and agent in (place.agent, place.reader)

        dropped = await self._drop(tenant, its)
        row = await self._graph.one(Q.working.drop_by, scopes=sorted(scopes), agent=agent)
        return dropped + int(row["copies"])

    async def holds(self, tenant: str, scopes: Collection[str], agent: str) -> bool:
        """Whether there is anything that `by` would take."""
        async for place in self._store.places(tenant):
            its = place.scope in scopes and agent in (place.agent, place.reader)
            if its and await self._store.listed(place):
                return True
        row = await self._graph.one(Q.working.copies_by, scopes=sorted(scopes), agent=agent)
        return bool(row["copies"])

    async def naming(self, tenant: str, scopes: Collection[str], names: re.Pattern[str]) -> int:
        """Values in some scopes that hold one of some names, copies too."""
        dropped = 0
        async for place in self._store.places(tenant):
            if place.scope not in scopes:
                continue
            for slot, value in await self._store.values(place):
                if _names(value, names) and await self._store.remove(place, slot):
                    dropped += 1
        rows = await self._graph.rows(Q.working.texts, scopes=sorted(scopes))
        ids = [row["id"] for row in rows if _names(row["content"].encode(), names)]
        row = await self._graph.one(Q.working.drop_copies, ids=ids, scopes=sorted(scopes))
        return dropped + int(row["copies"])

    async def _drop(self, tenant: str, chosen: Callable[[Place], bool]) -> int:
        return sum(
            [
                await self._store.drop(place)
                async for place in self._store.places(tenant)
                if chosen(place)
            ]
        )


def _names(value: bytes, names: re.Pattern[str]) -> bool:
    return any(names.search(text) for text in strings_in(unpacked(value)))
