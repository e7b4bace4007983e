"""The tools of slots, which only the profile `slots` lists."""

from __future__ import annotations

from typing import Annotated

import msgspec
from pydantic import Field

from app.kernel.caller import Caller, Role
from app.kernel.wire import ShortText, WireModel
from app.mcp import telling
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.search.whole import BODY, EACH_MOST
from app.tiers.slot_schemas import LoadedOut, SlotIn, SlotOut, SlotsClearedOut, SlotsOut, slot_of

Memory = Annotated[ShortText, Field(description="The id of a memory of any kind.")]
InScope = Annotated[str | None, Field(description="Scope path; the key's home if unset.")]
Characters = Annotated[int, Field(ge=0, le=EACH_MOST, description="Most characters of a memory.")]


class SlotsIn(WireModel):
    """Whose slots: those of this agent in a scope."""

    scope: InScope = None


class SlotListIn(SlotsIn):
    """How much of each memory is told."""

    characters: Characters = BODY


class SlotLoadIn(SlotIn):
    """Which memory is loaded."""

    memory: Memory


class SlotUseIn(SlotsIn):
    """Which loaded memory is read, and how much of it."""

    memory: Memory
    characters: Characters = EACH_MOST


class SlotUnloadIn(SlotsIn):
    """Which memory leaves its slot."""

    memory: Memory


class SlotUnloadedOut(msgspec.Struct, frozen=True):
    """The memory whose slot was freed."""

    memory: str


async def slots(services: Services, caller: Caller, given: SlotListIn) -> Told:
    """List all slots."""
    shown = SlotsOut.of(await services.slotted.opened(caller, given.scope, given.characters))
    used = sum(1 for item in shown.items if item.memory is not None)
    return Told(shown, telling.data(f"{used} of {shown.size} slots are used.", shown))


async def load(services: Services, caller: Caller, given: SlotLoadIn) -> Told:
    """Load a memory."""
    opened, gone = await services.slotted.load(caller, given.scope, given.memory, given.relevance)
    shown = LoadedOut(opened.scope, slot_of(opened), list(gone))
    left = f" {telling.counted(len(gone), 'memory', 'memories')} left for it." if gone else ""
    return Told(shown, telling.data(f"It is in slot {shown.slot.index}.{left}", shown))


async def use(services: Services, caller: Caller, given: SlotUseIn) -> Told:
    """Read a loaded memory."""
    shown = slot_of(await services.slotted.use(caller, given.scope, given.memory, given.characters))
    return Told(shown, telling.data(f"The memory of slot {shown.index}.", shown))


async def unload(services: Services, caller: Caller, given: SlotUnloadIn) -> Told:
    """Free the slot of a memory."""
    await services.slotted.unload(caller, given.scope, given.memory)
    return Told(SlotUnloadedOut(given.memory), "Its slot is free.")


async def clear(services: Services, caller: Caller, given: SlotsIn) -> Told:
    """Free all slots."""
    shown = SlotsClearedOut(await services.slotted.clear(caller, given.scope))
    return Told(shown, f"{telling.counted(shown.removed, 'slot is', 'slots are')} freed.")


SLOTS = (
    Tool(
        "slot_list",
        "List loaded memories",
        "List your slots with the memories that you have loaded, as they are now.",
        SlotListIn,
        SlotsOut,
        slots,
    ),
    Tool(
        "slot_load",
        "Load a memory",
        "Load a memory of any kind; where all slots are used, one memory leaves.",
        SlotLoadIn,
        LoadedOut,
        load,
        requires=Role.WRITER,
        destructive=True,
    ),
    Tool(
        "slot_use",
        "Use a loaded memory",
        "Read a loaded memory, which counts as a use of its slot.",
        SlotUseIn,
        SlotOut,
        use,
    ),
    Tool(
        "slot_unload",
        "Free a slot",
        "Free the slot of a memory, which stays what it is.",
        SlotUnloadIn,
        SlotUnloadedOut,
        unload,
        requires=Role.WRITER,
        destructive=True,
        again=False,
    ),
    Tool(
        "slot_clear",
        "Free all slots",
        "Free all slots.",
        SlotsIn,
        SlotsClearedOut,
        clear,
        requires=Role.WRITER,
        destructive=True,
    ),
)
