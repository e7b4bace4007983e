"""Places, slots and bounds of working memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from app.errors import InvalidInput, NotFound
from app.kernel.ids import checked_id, digest
from app.scopes.tuning import tuned

SHARED = ">"  # begins the name of what is kept for another agent; no task begins so
SLOTS = "*slots"  # the place of the memories that an agent has loaded; no task has this name


class Part(StrEnum):
    """What a task's memory is made of. The first three hold any number of named values."""

    KEYS = "keys"
    RESULTS = "results"
    TOOLS = "tools"
    STATE = "state"
    CONVERSATION = "conversation"
    SCRATCH_PAD = "scratch-pad"

    @property
    def is_named(self) -> bool:
        """Whether it holds many values, each under a name."""
        return self in (Part.KEYS, Part.RESULTS, Part.TOOLS)


@dataclass(frozen=True, slots=True)
class Place:
    """Whose memory of which task; no two places meet."""

    tenant: str
    scope: str
    agent: str
    task: str

    @classmethod
    def between(cls, tenant: str, scope: str, source: str, target: str) -> Place:
        """Where one agent keeps what another one alone may read."""
        return cls(tenant, scope, source, f"{SHARED}{target}")

    @classmethod
    def of_slots(cls, tenant: str, scope: str, agent: str) -> Place:
        """Where an agent keeps which memories it has loaded."""
        return cls(tenant, scope, agent, SLOTS)

    def __str__(self) -> str:
        return f"{self.scope}|{self.agent}|{self.task}"

    @classmethod
    def parse(cls, tenant: str, text: str) -> Place:
        """The place that `str` wrote."""
        return cls(tenant, *text.split("|"))

    @property
    def id(self) -> str:
        """The hash by which audit events tell of it: its name may be a person's."""
        return digest("working", self.tenant, str(self))[:32]

    def id_of(self, slot: Slot) -> str:
        """The id that a copy of one of its values has."""
        return digest("working", self.tenant, str(self), slot.field)[:32]

    @property
    def reader(self) -> str:
        """The agent that may read what is kept here."""
        return self.task.removeprefix(SHARED) if self.is_shared else self.agent

    @property
    def is_shared(self) -> bool:
        return self.task.startswith(SHARED)

    @property
    def is_task(self) -> bool:
        """Whether it is a task that its agent named."""
        return not self.is_shared and self.task != SLOTS


@dataclass(frozen=True, slots=True)
class Slot:
    """One value of a task: a part, with a name where the part holds many."""

    part: Part
    name: str = ""

    @classmethod
    def named(cls, part: str, name: str) -> Slot:
        """A slot from outside; InvalidInput for a part without names or a name with odd letters."""
        found = part_of(part)
        if not found.is_named:
            raise InvalidInput(f"{found} is one value and takes no name", field="part")
        return cls(found, checked_id(name, "name"))

    @classmethod
    def single(cls, part: str) -> Slot:
        """A part that is one value; InvalidInput for one whose values have names."""
        found = part_of(part)
        if found.is_named:
            raise InvalidInput(
                f"{found} holds values with names: add one to the path", field="part"
            )
        return cls(found)

    @property
    def field(self) -> str:
        """The field of the task's hash."""
        return f"{self.part}:{self.name}" if self.name else str(self.part)

    @classmethod
    def parse(cls, field: str) -> Slot:
        """The slot that `field` wrote."""
        part, _, name = field.partition(":")
        return cls(Part(part), name)


class Eviction(StrEnum):
    """Which memory leaves the slots for another: that of the lowest relevance, the first loaded
    of those, or the one that was used longest ago."""

    RELEVANCE = "relevance"
    LRU = "lru"


@dataclass(frozen=True, slots=True)
class Limits:
    """Most bytes of a value, keys of a task, bytes of an agent and of a tenant, and seconds: of a
    value without a time of its own, and the most; memories that an agent has loaded, and which of
    them leaves for another one."""

    value: int = tuned("working.value_bytes")
    keys: int = tuned("working.keys")
    agent: int = tuned("working.agent_bytes")
    tenant: int = tuned("working.tenant_bytes")
    ttl: int = tuned("working.ttl_seconds")
    ttl_most: int = tuned("working.ttl_most")
    slots: int = tuned("working.slots", default=8)
    eviction: Eviction = tuned("working.eviction", Eviction, default=Eviction.RELEVANCE)

    def seconds(self, asked: int | None) -> int:
        """How long a value lives; InvalidInput (`ttl`) beyond the most."""
        if asked is None:
            return min(self.ttl, self.ttl_most)
        if not 1 <= asked <= self.ttl_most:
            raise InvalidInput(f"ttl is 1 to {self.ttl_most} seconds", field="ttl")
        return asked


@dataclass(frozen=True, slots=True)
class Held:
    """A value that was read, and the seconds that it has left."""

    slot: Slot
    value: Any
    ttl: float


@dataclass(frozen=True, slots=True)
class Listed:
    """A slot that holds something: bytes as they are counted, seconds left."""

    slot: Slot
    bytes: int
    ttl: float


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes in use, of an agent and of its tenant."""

    agent: int
    tenant: int


def part_of(name: str) -> Part:
    """A part by its word; InvalidInput naming those that there are."""
    try:
        return Part(name)
    except ValueError:
        known = ", ".join(Part)
        raise InvalidInput(
            f"there is no part {name[:64]!r}: there are {known}", field="part"
        ) from None


def missing(what: str) -> NotFound:
    """What is not there, has run out, or is another's: the three look alike."""
    return NotFound(f"there is no {what} that this key may read")
