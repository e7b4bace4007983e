"""Pages of what came while clients were away, read once for all of them.

After a restart every client comes back at once, each with another last event. So a page begins at a
round number in both orders, whoever asks, and each client leaves out what he knows of it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from weakref import WeakValueDictionary

from app.events.model import Event, Place
from app.events.repository import PAGE, EventRepository

KEPT = 32  # pages of one process, of up to two times PAGE events each


class Earlier:
    """Reads on from a place that lies back, over pages that are kept while they are of use."""

    def __init__(self, rows: EventRepository, kept: int = KEPT) -> None:
        self._rows = rows
        self._kept = kept
        self._pages: OrderedDict[tuple[str, Place], list[Event]] = OrderedDict()
        self._reading: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def after(self, tenant: str, place: Place) -> list[Event]:
        """Return the next events after a place, with some that lie before it; nothing that lies
        behind it where nothing has come."""
        start = Place(*(number - number % PAGE for number in (place.sealed, place.numbered)))
        async with self._reading.setdefault(tenant, asyncio.Lock()):
            events = self._pages.get((tenant, start))
            if events is None:
                events = await self._rows.after(tenant, start)
                self._keep(tenant, start, events)
        return events

    def _keep(self, tenant: str, start: Place, events: list[Event]) -> None:
        """Keep a page that leads on in one order at least: what comes later to the other is on the
        next page, which asks for it again."""
        if events and _leads_on(start, events[-1].place):
            self._pages[tenant, start] = events
            while len(self._pages) > self._kept:
                self._pages.popitem(last=False)


def _leads_on(start: Place, end: Place) -> bool:
    """Whether a page ends where the next one begins, or behind, in one order."""
    return end.sealed - start.sealed >= PAGE or end.numbered - start.numbered >= PAGE
