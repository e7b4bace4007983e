"""What an agent has at hand beside what is indexed: values of a task, of a session and of pools.

Whoever searches for an agent hands them to the search, which judges all of it by one measure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace

from app.errors import WorkingMemoryUnavailable
from app.kernel.caller import Caller, Role
from app.kernel.clock import now, open_end
from app.kernel.graph import Row
from app.kernel.ids import ID
from app.pools.service import PoolService
from app.pools.values import PoolValue
from app.search.held import Held, Where, fitting
from app.search.model import SearchRequest
from app.shortterm.service import ShortTermService
from app.working.model import Part, Slot
from app.working.service import WorkingService, own
from app.working.values import unpacked

LOOKED_AT = 200  # entries of short-term memory, and values of pools, that are looked at
POOLS = 50  # pools that are looked into, those that were changed last
POOL_WORDS, ALL_WORDS = 20_000, 100_000  # characters of one pool, and of all that one tier holds
PROMPT_WORDS = 8_000  # the same for a prompt, whose reader waits while they are embedded


class AtHand:
    """Reads by the rights that the caller has, counts no reading, and holds no state."""

    def __init__(
        self, working: WorkingService, shortterm: ShortTermService, pools: PoolService
    ) -> None:
        self._working = working
        self._shortterm = shortterm
        self._pools = pools

    async def values(
        self,
        who: Caller,
        session: str | None,
        wanted: Collection[Where],
        most: int = ALL_WORDS,
    ) -> tuple[Held, ...]:
        """Return what the caller holds at home and reads of pools, of each tier so many characters:
        of working memory the values under keys of the session's task, of short-term memory the
        newest entries of the session, or of all where none is named, of pools the newest values.

        Raises WorkingMemoryUnavailable where a task's values are wanted and Valkey does not answer.
        """
        readers = {
            Where.WORKING: self._of_task,
            Where.SHORT_TERM: self._of_session,
            Where.SHARED: self._of_pools,
        }
        found = await asyncio.gather(
            *(readers[one](who, session) for one in Where if one in wanted)
        )
        kept = await asyncio.to_thread(lambda: [fitting(one, POOL_WORDS, most) for one in found])
        return tuple(held for some in kept for held in some)

    async def beside(
        self, who: Caller, session: str | None, request: SearchRequest
    ) -> SearchRequest:
        """Return a search that looks at what the caller holds in its scopes as well; of working
        memory as far as Valkey answers."""
        scopes = set(request.filters.scopes)
        wanted = set(Where) if who.home in scopes else {Where.SHARED}
        try:
            held = await self.values(who, session, wanted, PROMPT_WORDS)
        except WorkingMemoryUnavailable:
            held = await self.values(who, session, wanted - {Where.WORKING}, PROMPT_WORDS)
        return replace(request, beside=tuple(one for one in held if one.scope in scopes))

    async def _of_task(self, who: Caller, session: str | None) -> list[Held]:
        if session is None or not ID.match(session):
            return []
        place = own(who, None, session, Role.READER)
        found = await self._working.values.values(place)
        keys = [(slot, content) for slot, content in found if slot.part is Part.KEYS]
        return await asyncio.to_thread(_of_keys, place.scope, keys)

    async def _of_session(self, who: Caller, session: str | None) -> list[Held]:
        rows = await self._shortterm.newest(who, [who.home], session, LOOKED_AT)
        return await asyncio.to_thread(_of_entries, rows)

    async def _of_pools(self, who: Caller, _session: str | None) -> list[Held]:
        found = await self._pools.newest(who, POOLS, LOOKED_AT)
        return await asyncio.to_thread(_of_values, found)


def _of_keys(scope: str, keys: list[tuple[Slot, bytes]]) -> list[Held]:
    at = now()  # Valkey keeps the end of a value, and not when it was written
    return [Held(Where.WORKING, None, slot.name, scope, unpacked(c), at) for slot, c in keys]


def _of_entries(rows: list[Row]) -> list[Held]:
    return [
        Held(
            Where.SHORT_TERM,
            row["id"],
            row["key"],
            row["scope"],
            unpacked(row["content"].encode()),
            row["updated_at"],
            open_end(row["expires_at"]),
            row.get("importance"),
        )
        for row in rows
    ]


def _of_values(found: list[PoolValue]) -> list[Held]:
    return [
        Held(
            Where.SHARED,
            one.pool.pool_id,
            one.key,
            one.pool.scope,
            one.value,
            one.at,
            open_end(one.pool.ends_at),
        )
        for one in found
    ]
