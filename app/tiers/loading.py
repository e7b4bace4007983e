"""Slots of an agent in Valkey: memories are loaded, read by rights of the moment, and let go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import orjson

from app.episodes.repository import EpisodeRepository
from app.errors import StateRefused
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.scope import parse_scope
from app.search.service import SearchService
from app.search.whole import AT_ONCE, EACH_MOST, TOTAL_MOST, Caps, MemoryOut, memories_of, memory_of
from app.tiers.slots import Loaded, Slots, dumped, held
from app.working.model import Limits, Part, Place, Slot, missing
from app.working.service import WorkingService

FIELD = Slot(Part.STATE)
SLOTS = "slots"  # the part of which the audit trail tells
ROUNDS = 50  # of trying again because another request of the agent came between
BYTES = 65_536  # 16 slots are far below
KEPT = 86_400  # seconds after the last operation that the slots are kept
Changed = tuple[Slots, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SlotParts:
    """Where slots are kept, and what memories are read from."""

    working: WorkingService
    episodes: EpisodeRepository
    searches: SearchService


@dataclass(frozen=True, slots=True)
class Opened:
    """The slots of an agent in a scope, and the memories of those that it may read by id."""

    scope: str
    slots: Slots
    memories: dict[str, MemoryOut]


class SlotService:
    """An agent is the principal of its key: nobody else sees its slots, whatever his role.

    Each method raises NotFound for a scope or memory that is not visible and for one that is in no
    slot, and WorkingMemoryUnavailable where Valkey does not answer.
    """

    def __init__(self, parts: SlotParts) -> None:
        self._parts = parts

    async def opened(self, who: Caller, scope: str | None, characters: int) -> Opened:
        """Return the slots with so many characters of each memory; no use is counted."""
        place = _place(who, scope, Role.READER)
        slots = (await self._kept(place))[0].fitted()[0]
        return Opened(place.scope, slots, await self._read(who, slots, characters))

    async def load(
        self, who: Caller, scope: str | None, memory: str, relevance: float
    ) -> tuple[Opened, tuple[str, ...]]:
        """Put a memory into a slot; the slot, and what left for it. What can no longer be read
        leaves first."""
        place = _place(who, scope, Role.WRITER)
        read = await memory_of(self._parts.episodes, self._parts.searches, who, memory, 0)
        slots, _ = await self._kept(place)
        lost: set[str] = set()
        if len(slots.loaded) >= slots.size:
            readable = await self._read(who, slots, 0)
            lost = {one.memory for one in slots.loaded if one.memory not in readable} - {memory}
        at = now().isoformat()

        def change(slots: Slots) -> Changed:
            for one in lost:
                slots = slots.unload(one)
            return slots.load(memory, relevance, at)

        await self._parts.working.wrote(who, place, SLOTS)
        slots, gone = await self._change(place, change, fit=False)
        return Opened(place.scope, slots, {memory: read}), gone

    async def use(self, who: Caller, scope: str | None, memory: str, size: int | None) -> Opened:
        """Read one loaded memory, which counts as a use of its slot."""
        place = _place(who, scope, Role.READER)
        read = await memory_of(self._parts.episodes, self._parts.searches, who, memory, size)
        at = now().isoformat()
        slots, _ = await self._change(place, lambda s: (_with(s, memory).use(memory, at), ()))
        return Opened(place.scope, slots, {memory: read})

    async def unload(self, who: Caller, scope: str | None, memory: str) -> None:
        """Free the slot of a memory."""
        place = _place(who, scope, Role.WRITER)
        await self._change(place, lambda s: (_with(s, memory).unload(memory), ()))

    async def clear(self, who: Caller, scope: str | None) -> int:
        """Free all slots; how many that were of those that there are."""
        place = _place(who, scope, Role.WRITER)
        slots = (await self._kept(place))[0].fitted()[0]
        await self._parts.working.values.drop(place)
        return len(slots.loaded)

    async def _change(
        self, place: Place, change: Callable[[Slots], Changed], *, fit: bool = True
    ) -> Changed:
        """Change the slots of a place in one step, however many do so at once. What there is no
        room for any more leaves first, as a list shows them, but where the change fits them."""
        for _ in range(ROUNDS):
            slots, stored = await self._kept(place)
            made, gone = change(slots.fitted()[0] if fit else slots)
            limits = _bounds(await self._parts.working.bounds(place.scope))
            values = stored, orjson.dumps(dumped(made.loaded))
            if await self._parts.working.values.swap(place, FIELD, values, KEPT, limits):
                return made, gone
        raise StateRefused("others change these slots all the while: try again")

    async def _kept(self, place: Place) -> tuple[Slots, bytes]:
        """The slots, and the bytes that they were read from; empty for none."""
        limits = await self._parts.working.bounds(place.scope)
        found = dict(await self._parts.working.values.values(place)).get(FIELD, b"")
        loaded = held(orjson.loads(found)) if found else ()
        return Slots(limits.slots, limits.eviction, loaded), found

    async def _read(self, who: Caller, slots: Slots, characters: int) -> dict[str, MemoryOut]:
        ids = [one.memory for one in slots.loaded][:AT_ONCE]
        caps = Caps(min(characters, EACH_MOST), TOTAL_MOST)
        found = await memories_of(self._parts.episodes, self._parts.searches, who, ids, caps)
        return {one.id: one for one in found.items}


def shown(opened: Opened) -> Sequence[tuple[Loaded, MemoryOut]]:
    """Return the slots whose memory can be read, by index."""
    return [
        (one, opened.memories[one.memory])
        for one in opened.slots.loaded
        if one.memory in opened.memories
    ]


def _with(slots: Slots, memory: str) -> Slots:
    if slots.of(memory) is None:
        raise missing("loaded memory")
    return slots


def _bounds(limits: Limits) -> Limits:
    return replace(limits, value=max(limits.value, BYTES))


def _place(who: Caller, scope: str | None, role: Role) -> Place:
    path = who.require(str(parse_scope(scope or who.home)), role)
    return Place.of_slots(who.tenant, path, who.principal)
