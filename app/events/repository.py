"""Events in the graph: those of the audit trail in its order, others numbered beside it."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from app.access.repository import AccessRepository
from app.access.seal import seal_tenant
from app.events.model import Event, Place
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Tx

PAGE = 500  # events that are read or numbered at once


class EventRepository:
    """Reads after a place, and gives what is new its place."""

    def __init__(self, graph: Graph, access: AccessRepository) -> None:
        self.graph = graph
        self._access = access

    async def settle(self, tenant: str) -> None:
        """Give every event of a tenant that has none its place."""
        waiting = await self.graph.one(Q.events.waiting, tenant=tenant)
        if waiting["unsealed"]:
            await seal_tenant(self._access, tenant)
        if waiting["unnumbered"]:
            await self._number(tenant)

    async def _number(self, tenant: str) -> None:
        async def page(tx: Tx) -> int:
            head = await tx.one(Q.events.lock_head, tenant=tenant, at=now())
            row = await tx.one(Q.events.number, tenant=tenant, seq=head["seq"], limit=PAGE)
            return int(row["numbered"])

        while await self.graph.write("events.number", page) == PAGE:
            pass

    async def end(self, tenant: str) -> tuple[Place, int]:
        """Return the place of the last event, and the least number that is still there."""
        row = await self.graph.one(Q.events.heads, tenant=tenant)
        least = row["least"] if row["least"] is not None else row["numbered"] + 1
        return Place(row["sealed"], row["numbered"]), int(least)

    async def about(self, facts: list[str], scopes: list[str]) -> set[str]:
        """Return the entities that some of these ids are facts about, and what stands for them."""
        rows = await self.graph.rows(Q.events.about, facts=facts, scopes=scopes)
        return {id for row in rows for id in (row["id"], row["root"])}

    async def after(self, tenant: str, place: Place) -> list[Event]:
        """Return the next events after a place, each with its own; none where there are none."""
        sealed = await self.graph.rows(
            Q.events.sealed, tenant=tenant, after=place.sealed, limit=PAGE
        )
        numbered = await self.graph.rows(
            Q.events.numbered, tenant=tenant, after=place.numbered, limit=PAGE
        )
        return placed(
            [Event.of(row, beside=False) for row in sealed],
            [Event.of(row, beside=True) for row in numbered],
            place,
        )


def placed(sealed: list[Event], numbered: list[Event], place: Place) -> list[Event]:
    """Merge both orders by the moments of their events, and give each event its place: how far
    who has read it has read in both."""
    trail, beside = deque(sealed), deque(numbered)
    done = []
    while trail or beside:
        if not trail or (beside and beside[0].at < trail[0].at):
            event = beside.popleft()
            place = Place(place.sealed, event.seq)
        else:
            event = trail.popleft()
            place = Place(event.seq, place.numbered)
        done.append(replace(event, place=place))
    return done
