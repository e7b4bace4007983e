"""The slots of an agent over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import Controller, delete, get, put
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT
from pydantic import Field

from app.kernel.caller import Caller, Role
from app.kernel.wire import WireModel
from app.search.whole import BODY, EACH_MOST, MemoryOut
from app.tiers.loading import Opened, SlotService, shown
from app.tiers.slots import Loaded, text_of

InScope = Annotated[
    str | None, QueryParameter(name="scope", description="Scope path; the key's home if unset.")
]
Characters = Annotated[
    int, QueryParameter(ge=0, le=EACH_MOST, description="Most characters of each memory.")
]
RELEVANCE = 0.5  # of a memory that is loaded without one


class SlotIn(WireModel):
    """A memory to load."""

    relevance: Annotated[float, Field(ge=0, le=1)] = Field(
        RELEVANCE, description="What it is worth for what the agent does, 0 to 1."
    )
    scope: str | None = Field(None, description="Scope path; the key's home if unset.")


class SlotOut(msgspec.Struct, frozen=True):
    """A slot; one that is empty has no memory, and so has one whose memory can no longer be
    read."""

    index: int
    memory: str | None = None
    kind: str | None = None
    relevance: float | None = None
    loaded_at: str | None = None
    used_at: str | None = None
    untrusted: dict[str, Any] = {}

    @classmethod
    def of(cls, slot: Loaded, memory: MemoryOut) -> SlotOut:
        """Return the wire form of a slot."""
        return cls(
            slot.index,
            slot.memory,
            memory.kind,
            slot.relevance,
            slot.loaded_at,
            slot.used_at,
            {"text": memory.untrusted["text"]},
        )


class SlotsOut(msgspec.Struct, frozen=True):
    """All slots of an agent in a scope. The text of those that are used, ready for a prompt, is
    under `untrusted`, and empty where none is."""

    scope: str
    size: int
    eviction: str
    items: list[SlotOut]
    untrusted: dict[str, str]

    @classmethod
    def of(cls, opened: Opened) -> SlotsOut:
        """Return the wire form of the slots."""
        slots, used = opened.slots, shown(opened)
        by_index = {slot.index: SlotOut.of(slot, memory) for slot, memory in used}
        items = [by_index.get(index, SlotOut(index)) for index in range(slots.size)]
        told = [(slot, memory.kind, memory.untrusted["text"]) for slot, memory in used]
        return cls(opened.scope, slots.size, slots.eviction, items, {"text": text_of(told)})


class LoadedOut(msgspec.Struct, frozen=True):
    """A slot that was loaded, and the memories that left for it."""

    scope: str
    slot: SlotOut
    evicted: list[str]


class SlotsClearedOut(msgspec.Struct, frozen=True):
    """How many slots were freed."""

    removed: int


class SlotController(Controller):
    """The memories that this agent has loaded: 8 unless a scope says otherwise."""

    path = "/v1/slots"
    tags = ("Working memory",)

    @get("/", operation_id="listSlots", opt={"requires": Role.READER})
    async def slots(
        self,
        caller: NamedDependency[Caller],
        slotted: NamedDependency[SlotService],
        within: InScope = None,
        characters: Characters = BODY,
    ) -> SlotsOut:
        """All slots with what is in them now; this is no use of them."""
        return SlotsOut.of(await slotted.opened(caller, within, characters))

    @delete(
        "/",
        operation_id="clearSlots",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def clear(
        self,
        caller: NamedDependency[Caller],
        slotted: NamedDependency[SlotService],
        within: InScope = None,
    ) -> SlotsClearedOut:
        """Free all slots."""
        return SlotsClearedOut(await slotted.clear(caller, within))

    @put("/{memory_id:str}", operation_id="loadSlot", opt={"requires": Role.WRITER})
    async def load(
        self,
        memory_id: FromPath[str],
        data: JSONBody[SlotIn],
        caller: NamedDependency[Caller],
        slotted: NamedDependency[SlotService],
    ) -> LoadedOut:
        """Load a memory of any kind. One that is loaded already stays in its slot and takes the
        relevance; where all slots are used, one memory leaves by the setting
        `working.eviction`."""
        opened, gone = await slotted.load(caller, data.scope, memory_id, data.relevance)
        return LoadedOut(opened.scope, _slot(opened), list(gone))

    @get("/{memory_id:str}", operation_id="useSlot", opt={"requires": Role.READER})
    async def use(
        self,
        memory_id: FromPath[str],
        caller: NamedDependency[Caller],
        slotted: NamedDependency[SlotService],
        within: InScope = None,
        characters: Characters = EACH_MOST,
    ) -> SlotOut:
        """Read one loaded memory, which counts as a use of its slot; not found where it is in
        none."""
        return _slot(await slotted.use(caller, within, memory_id, characters))

    @delete(
        "/{memory_id:str}",
        operation_id="unloadSlot",
        opt={"requires": Role.WRITER},
        status_code=HTTP_204_NO_CONTENT,
    )
    async def unload(
        self,
        memory_id: FromPath[str],
        caller: NamedDependency[Caller],
        slotted: NamedDependency[SlotService],
        within: InScope = None,
    ) -> None:
        """Free the slot of a memory, which stays what it is."""
        await slotted.unload(caller, within, memory_id)


def _slot(opened: Opened) -> SlotOut:
    return SlotOut.of(*shown(opened)[0])
