"""Wire types of working memory: what was kept comes back under `untrusted`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

import msgspec
from pydantic import Field

from app.kernel.wire import WireModel
from app.working.copies import Copy
from app.working.model import Held, Limits, Listed, Place, Slot, Usage
from app.working.service import Given

TTL = "Seconds that it lives; the default if unset."


class WorkingValueIn(WireModel):
    """A value to keep."""

    value: Any = Field(description="JSON of any kind; texts in it are sanitised.")
    ttl: Annotated[int, Field(ge=1, le=86_400)] | None = Field(None, description=TTL)

    def to_given(self) -> Given:
        """The value that this describes."""
        return Given(self.value, self.ttl)


class WorkingLoadIn(WireModel):
    """How a copy is brought back."""

    ttl: Annotated[int, Field(ge=1, le=86_400)] | None = Field(None, description=TTL)
    replace: bool = Field(False, description="Overwrite what is there already.")


class WorkingStoredOut(msgspec.Struct, frozen=True):
    """What was kept: bytes as JSON, and seconds left."""

    scope: str
    task: str
    part: str
    name: str | None
    bytes: int
    ttl: int

    @classmethod
    def of(cls, place: Place, slot: Slot, kept: tuple[int, int]) -> WorkingStoredOut:
        """The wire form of bytes and seconds."""
        return cls(place.scope, place.task, str(slot.part), slot.name or None, *kept)


class WorkingValueOut(msgspec.Struct, frozen=True):
    """A value with the seconds that it has left."""

    scope: str
    task: str
    part: str
    name: str | None
    ttl: int
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, place: Place, held: Held) -> WorkingValueOut:
        """The wire form of a value."""
        slot = held.slot
        return cls(
            place.scope,
            place.task,
            str(slot.part),
            slot.name or None,
            math.ceil(held.ttl),
            {"value": held.value},
        )


class WorkingEntryOut(msgspec.Struct, frozen=True):
    """What a task holds under a name: bytes as they are counted, and seconds left."""

    part: str
    name: str | None
    bytes: int
    ttl: int

    @classmethod
    def of(cls, listed: Listed) -> WorkingEntryOut:
        """The wire form of an entry."""
        slot = listed.slot
        return cls(str(slot.part), slot.name or None, listed.bytes, math.ceil(listed.ttl))


class WorkingTaskOut(msgspec.Struct, frozen=True):
    """What a task holds, without the values."""

    scope: str
    task: str
    bytes: int
    items: list[WorkingEntryOut]

    @classmethod
    def of(cls, place: Place, listed: Sequence[Listed]) -> WorkingTaskOut:
        """The wire form of a task."""
        items = [WorkingEntryOut.of(one) for one in listed]
        return cls(place.scope, place.task, sum(one.bytes for one in listed), items)


class WorkingTasksOut(msgspec.Struct, frozen=True):
    """The tasks of this agent in a scope; bytes in use by it and by the tenant in all scopes."""

    scope: str
    items: list[str]
    agent_bytes: int
    tenant_bytes: int

    @classmethod
    def of(cls, scope: str, places: Sequence[Place], usage: Usage) -> WorkingTasksOut:
        """The wire form of tasks."""
        return cls(scope, [place.task for place in places], usage.agent, usage.tenant)


class WorkingLimitsOut(msgspec.Struct, frozen=True):
    """The bounds that hold: bytes, counts and seconds."""

    value_bytes: int
    keys: int
    agent_bytes: int
    tenant_bytes: int
    ttl_seconds: int
    ttl_most: int

    @classmethod
    def of(cls, limits: Limits) -> WorkingLimitsOut:
        """The wire form of the bounds."""
        return cls(
            limits.value,
            limits.keys,
            limits.agent,
            limits.tenant,
            limits.seconds(None),
            limits.ttl_most,
        )


class WorkingClearedOut(msgspec.Struct, frozen=True):
    """How many values went."""

    removed: int


class WorkingCopyOut(msgspec.Struct, frozen=True):
    """A copy in the graph: how many values, their bytes as JSON, and until when it is kept."""

    scope: str
    task: str
    values: int
    bytes: int
    expires_at: datetime | None

    @classmethod
    def of(cls, place: Place, copy: Copy) -> WorkingCopyOut:
        """The wire form of a copy."""
        return cls(place.scope, place.task, len(copy.values), copy.bytes, copy.expires_at)


class WorkingLoadedOut(msgspec.Struct, frozen=True):
    """How many values came back, and how many were there already and stayed."""

    loaded: int
    kept: int


class WorkingSharedOut(msgspec.Struct, frozen=True):
    """A value that another agent has handed over, with the seconds that it has left."""

    scope: str
    agent: str
    name: str
    ttl: int
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, place: Place, held: Held) -> WorkingSharedOut:
        """The wire form of a value."""
        value = {"value": held.value}
        return cls(place.scope, place.agent, held.slot.name, math.ceil(held.ttl), value)


class WorkingHandedOut(msgspec.Struct, frozen=True):
    """What was handed to another agent: bytes as JSON, and seconds left."""

    scope: str
    agent: str
    name: str
    bytes: int
    ttl: int
