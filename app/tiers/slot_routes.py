"""The slots of an agent over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, delete, get, put
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from app.kernel.caller import Caller, Role
from app.search.whole import BODY, EACH_MOST
from app.tiers.loading import SlotService
from app.tiers.slot_schemas import LoadedOut, SlotIn, SlotOut, SlotsClearedOut, SlotsOut, slot_of

InScope = Annotated[
    str | None, QueryParameter(name="scope", description="Scope path; the key's home if unset.")
]
Characters = Annotated[
    int, QueryParameter(ge=0, le=EACH_MOST, description="Most characters of each memory.")
]


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
        return LoadedOut(opened.scope, slot_of(opened), list(gone))

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
        return slot_of(await slotted.use(caller, within, memory_id, characters))

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
