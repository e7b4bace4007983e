"""Working memory under an erasure: a scope's, an agent's, a session's, or what tells of
a person."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest, new_id
from app.kernel.kind import Gone, strings_in
from app.scopes.sessions import session_id
from app.working.model import Place, Slot
from app.working.store import WorkingStore
from app.working.values import unpacked


@dataclass(frozen=True, slots=True)
class Value:
    """A value in Valkey that an erasure means, as JSON."""

    place: Place
    slot: Slot
    value: bytes

    @property
    def copy(self) -> tuple[str, str]:
        """The id and the hash that a copy of it has."""
        return self.place.id_of(self.slot), digest(self.value.decode())


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
        row = await self._graph.one(Q.working.drop_of, tenant=tenant, agents=sorted(agents))
        await self.stop_loading(tenant)
        dropped = await self._drop(tenant, lambda p: p.agent in agents or p.reader in agents)
        return dropped + int(row["copies"])

    async def of_tenant(self, tenant: str) -> None:
        """All of a tenant in Valkey, with what counts it."""
        await self._store.forget_tenant(tenant)

    async def meant(self, tenant: str, scopes: Collection[str], gone: Gone) -> int:
        """Count what an erasure means in some scopes: all that an author keeps, shares or was
        handed, the task of a session, and values of which task, name or text name a person; copies
        too."""
        return len(await self.values(tenant, scopes, gone)) + len(await self.copies(scopes, gone))

    async def values(self, tenant: str, scopes: Collection[str], gone: Gone) -> list[Value]:
        """Return what an erasure means in Valkey."""
        return [
            Value(place, slot, value)
            async for place in self._store.places(tenant)
            if place.scope in scopes
            for slot, value in await self._meant_in(place, gone)
        ]

    async def take(self, values: Collection[Value]) -> int:
        """Take some values out of Valkey; how many were still there. What was written in the place
        of one stays, since nobody has looked at it."""
        return sum([await self._store.take(v.place, v.slot, v.value) for v in values])

    async def _meant_in(self, place: Place, gone: Gone) -> list[tuple[Slot, bytes]]:
        whole = _is_whole(place, gone)
        if not whole and gone.names is None:
            return []
        held = await self._store.values(place)
        return [(s, value) for s, value in held if whole or _names(s.name, value, gone)]

    async def copies(
        self, scopes: Collection[str], gone: Gone, tx: Tx | None = None
    ) -> dict[str, str]:
        """Return the copied values that an erasure means in some scopes, by id the hash of the
        value."""
        rows = await (tx or self._graph).rows(
            Q.working.texts, scopes=sorted(scopes), whole=gone.names is not None
        )
        return {row["id"]: row["content_hash"] for row in rows if _is_meant(row, gone)}

    async def take_copies(
        self, tx: Tx, tenant: str, scopes: Collection[str], gone: Gone
    ) -> list[tuple[str, str]]:
        """Take out the copied values that an erasure means; the id and the hash of each. Whoever
        copies something waits, and then reads again what he copies."""
        await tx.rows(Q.working.renew_mark, tenant=tenant, mark=new_id(), at=now())
        found = await self.copies(scopes, gone, tx)
        rows = [{"id": each, "content_hash": found[each]} for each in sorted(found)]
        taken = await tx.rows(Q.working.drop_copies, rows=rows, scopes=sorted(scopes))
        return [(row["id"], found[row["id"]]) for row in taken]

    async def stop_loading(self, tenant: str) -> None:
        """Let nothing come back into Valkey of copies that were read before: called once these are
        gone from the graph, and before Valkey is looked through."""
        await self._store.renew_mark(tenant)

    async def _drop(self, tenant: str, chosen: Callable[[Place], bool]) -> int:
        return sum(
            [
                await self._store.drop(place)
                async for place in self._store.places(tenant)
                if chosen(place)
            ]
        )


def _is_whole(place: Place, gone: Gone) -> bool:
    """Whether all of a place goes: what is kept for another agent belongs to no session."""
    if gone.wrote(place.agent) or gone.wrote(place.reader):
        return True
    if place.is_shared:
        return False
    return gone.ended(session_id(place.scope, place.task)) or gone.named(place.task)


def _is_meant(row: Row, gone: Gone) -> bool:
    """Whether a copied value goes."""
    place = Place(row["tenant"], row["scope"], row["author"], row["task"])
    if _is_whole(place, gone):
        return True
    content = row["content"]
    return content is not None and _names(Slot.parse(row["key"]).name, content.encode(), gone)


def _names(name: str, value: bytes, gone: Gone) -> bool:
    return any(map(gone.named, (name, *strings_in(unpacked(value)))))
