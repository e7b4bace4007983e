"""Wire types of slots: the text of a memory comes under `untrusted`."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from pydantic import Field

from app.kernel.wire import WireModel
from app.search.whole import MemoryOut
from app.tiers.loading import Opened, shown
from app.tiers.slots import Loaded, text_of

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


def slot_of(opened: Opened) -> SlotOut:
    """Return the wire form of the one slot that was opened."""
    return SlotOut.of(*shown(opened)[0])
