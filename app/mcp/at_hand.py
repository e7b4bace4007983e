"""The tools of working memory, which only the profile `working` lists."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from pydantic import Field, model_validator

from app.kernel.caller import Caller, Role
from app.kernel.wire import ShortText, WireModel
from app.mcp import telling
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.working.model import Part, Slot
from app.working.schemas import (
    WorkingClearedOut,
    WorkingCopyOut,
    WorkingHandedOut,
    WorkingLoadedOut,
    WorkingLoadIn,
    WorkingSharedOut,
    WorkingStoredOut,
    WorkingTaskOut,
    WorkingValueIn,
    WorkingValueOut,
)
from app.working.service import given_by, given_to, own

Task = Annotated[ShortText, Field(description="Your own name of the task.")]
InScope = Annotated[str | None, Field(description="Scope path; the key's home if unset.")]


class TaskIn(WireModel):
    """A task of this agent."""

    task: Task
    scope: InScope = None


class SlotIn(TaskIn):
    """A value of a task."""

    part: Part = Field(
        Part.KEYS,
        description="`keys`, `results` of steps and `tools` hold values under names; `state`, "
        "`conversation` and `scratch-pad` are one value each.",
    )
    key: ShortText | None = Field(None, description="The name of the value, where there are many.")

    @model_validator(mode="after")
    def _named(self) -> SlotIn:
        if self.part.is_named != (self.key is not None):
            raise ValueError("key names a value of keys, results and tools, and of no other part")
        return self

    def to_slot(self) -> Slot:
        """Return the slot; InvalidInput (`name`) for a key with odd letters."""
        return Slot.named(self.part, self.key) if self.key else Slot.single(self.part)


class StoreIn(SlotIn, WorkingValueIn):
    """A value to keep."""


class GrowIn(TaskIn, WorkingValueIn):
    """What is added to a task."""

    part: Literal["conversation", "scratch-pad"]


class LoadIn(TaskIn, WorkingLoadIn):
    """How the copy of a task is brought back."""


class ShareIn(WorkingValueIn):
    """A value for another agent."""

    agent: ShortText = Field(description="Who alone may read it, of the same tenant.")
    key: ShortText
    scope: InScope = None


class SharedIn(WireModel):
    """A value that another agent has handed over."""

    agent: ShortText = Field(description="Who has handed it over.")
    key: ShortText
    scope: InScope = None


class WorkingRemovedOut(msgspec.Struct, frozen=True):
    """What was taken out."""

    task: str
    part: str
    name: str | None


async def store(services: Services, caller: Caller, given: StoreIn) -> Told:
    """Keep a value of a task."""
    place, slot = own(caller, given.scope, given.task, Role.WRITER), given.to_slot()
    kept = await services.working.store(caller, place, slot, given.to_given())
    return _stored(WorkingStoredOut.of(place, slot, kept))


async def append(services: Services, caller: Caller, given: GrowIn) -> Told:
    """Add to the conversation or the scratch pad of a task."""
    place, slot = own(caller, given.scope, given.task, Role.WRITER), Slot.single(given.part)
    kept = await services.working.append(caller, place, slot, given.to_given())
    return _stored(WorkingStoredOut.of(place, slot, kept))


def _stored(shown: WorkingStoredOut) -> Told:
    return Told(shown, f"Kept: {shown.bytes} bytes for {shown.ttl} seconds.")


async def retrieve(services: Services, caller: Caller, given: SlotIn) -> Told:
    """Read a value of a task."""
    place = own(caller, given.scope, given.task, Role.READER)
    shown = WorkingValueOut.of(place, await services.working.retrieve(place, given.to_slot()))
    return Told(shown, telling.data(f"It lives for {shown.ttl} seconds more.", shown))


async def keys(services: Services, caller: Caller, given: TaskIn) -> Told:
    """List what a task holds."""
    place = own(caller, given.scope, given.task, Role.READER)
    shown = WorkingTaskOut.of(place, await services.working.keys(place))
    return Told(shown, telling.data(telling.counted(len(shown.items), "value.", "values."), shown))


async def remove(services: Services, caller: Caller, given: SlotIn) -> Told:
    """Take a value of a task out."""
    slot = given.to_slot()
    await services.working.remove(own(caller, given.scope, given.task, Role.WRITER), slot)
    shown = WorkingRemovedOut(given.task, slot.part.value, slot.name or None)
    return Told(shown, "It is taken out.")


async def clear(services: Services, caller: Caller, given: TaskIn) -> Told:
    """Take all of a task out."""
    place = own(caller, given.scope, given.task, Role.WRITER)
    shown = WorkingClearedOut(await services.working.clear(place))
    return Told(shown, f"{telling.counted(shown.removed, 'value is', 'values are')} taken out.")


async def persist(services: Services, caller: Caller, given: TaskIn) -> Told:
    """Copy a task into the graph."""
    place = own(caller, given.scope, given.task, Role.WRITER)
    shown = WorkingCopyOut.of(place, await services.working.persist(caller, place))
    return Told(shown, f"{telling.counted(shown.values, 'value is', 'values are')} copied.")


async def load(services: Services, caller: Caller, given: LoadIn) -> Told:
    """Bring the copy of a task back."""
    place = own(caller, given.scope, given.task, Role.WRITER)
    done = await services.working.load(caller, place, given.ttl, replace=given.replace)
    shown = WorkingLoadedOut(*done)
    return Told(shown, f"{shown.loaded} came back, {shown.kept} stayed as they were.")


async def share(services: Services, caller: Caller, given: ShareIn) -> Told:
    """Hand a value to another agent."""
    place, slot = given_to(caller, given.scope, given.agent), Slot.named(Part.KEYS, given.key)
    kept = await services.working.share(caller, place, slot, given.to_given())
    shown = WorkingHandedOut(place.scope, place.reader, slot.name, *kept)
    return Told(shown, f"It is handed over for {shown.ttl} seconds.")


async def shared(services: Services, caller: Caller, given: SharedIn) -> Told:
    """Read what another agent has handed over."""
    place, slot = given_by(caller, given.scope, given.agent), Slot.named(Part.KEYS, given.key)
    shown = WorkingSharedOut.of(place, await services.working.retrieve(place, slot))
    return Told(shown, telling.data(f"It lives for {shown.ttl} seconds more.", shown))


WORKING = (
    Tool(
        "working_store",
        "Keep at hand",
        "Keep a value for a task, for an hour unless told otherwise.",
        StoreIn,
        WorkingStoredOut,
        store,
        requires=Role.WRITER,
        destructive=True,
    ),
    Tool(
        "working_retrieve",
        "Take at hand",
        "Read a value of a task; it is not found once its time is over.",
        SlotIn,
        WorkingValueOut,
        retrieve,
    ),
    Tool(
        "working_keys",
        "List what is at hand",
        "List what a task holds, without the values.",
        TaskIn,
        WorkingTaskOut,
        keys,
    ),
    Tool(
        "working_append",
        "Add to what is at hand",
        "Add a message to the conversation of a task, or a line to its scratch pad.",
        GrowIn,
        WorkingStoredOut,
        append,
        requires=Role.WRITER,
        again=False,
    ),
    Tool(
        "working_remove",
        "Take a value out",
        "Take a value of a task out.",
        SlotIn,
        WorkingRemovedOut,
        remove,
        requires=Role.WRITER,
        destructive=True,
        again=False,
    ),
    Tool(
        "working_clear",
        "Clear a task",
        "Take all of a task out; a copy in the graph stays until its day is over.",
        TaskIn,
        WorkingClearedOut,
        clear,
        requires=Role.WRITER,
        destructive=True,
    ),
    Tool(
        "working_persist",
        "Copy a task",
        "Copy all of a task into the graph, where it is kept for 24 hours.",
        TaskIn,
        WorkingCopyOut,
        persist,
        requires=Role.WRITER,
        destructive=True,
    ),
    Tool(
        "working_load",
        "Bring a task back",
        "Bring the copy of a task back; what it holds by now stays unless `replace`.",
        LoadIn,
        WorkingLoadedOut,
        load,
        requires=Role.WRITER,
        destructive=True,
    ),
    Tool(
        "working_share",
        "Hand over",
        "Hand a value to another agent of the tenant, who alone reads it.",
        ShareIn,
        WorkingHandedOut,
        share,
        requires=Role.WRITER,
        destructive=True,
    ),
    Tool(
        "working_retrieve_shared",
        "Take what was handed over",
        "Read what another agent has handed to you.",
        SharedIn,
        WorkingSharedOut,
        shared,
    ),
)
