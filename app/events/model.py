"""An event, where it stands in its tenant's order, and who asks for what."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import orjson

from app.errors import InvalidInput
from app.kernel.caller import Caller
from app.kernel.graph import Row

_PLACE = re.compile(r"(\d{1,15})\.(\d{1,15})\Z")
# What the audit trail holds of what people see as well: by the word before the dot.
OPEN = frozenset(
    (
        "block", "capture", "context", "document", "entity", "escalation", "fact", "goal",
        "intent", "intervention", "job", "knowledge_base", "learning", "memory_pool_key_write",
        "memory_pool_update", "merge", "note", "observation", "page", "possible_change", "scope",
        "short_memory", "skill", "snapshot", "table", "task_segment", "trace", "work",
    )
)  # fmt: skip
# Of these the audit trail says more than their readers may know: a job that touches more than its
# scope is shown to few, and is told of by what is numbered beside the trail, or by nothing.
NOT_BY_TRAIL = frozenset(("job",))
# Whole kinds beside them: that somebody has read a memory is nobody else's business.
ALSO_OPEN = frozenset(("memory.forget", "memory.unforget"))
# What an event may tell of its change, none of it text that somebody wrote.
TOLD = (
    "by", "version", "status", "verdict", "outcome", "item", "to", "before", "state", "task",
    "agent", "facts", "older", "pool", "is_bulletin", "document",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """How far somebody has read: in the audit trail, and in what is numbered beside it."""

    sealed: int = 0
    numbered: int = 0

    @classmethod
    def of(cls, text: str) -> Place:
        """Read the `Last-Event-ID` of a client; InvalidInput where it is none of ours."""
        match = _PLACE.match(text)
        if match is None:
            raise InvalidInput("the id of an event is two numbers, such as 120.7", field="after")
        return cls(int(match[1]), int(match[2]))

    def covers(self, event: Event) -> bool:
        """Return whether who has read this far knows an event."""
        if event.beside:
            return event.seq <= self.numbered
        return event.seq <= self.sealed

    def reaches(self, other: Place) -> bool:
        """Return whether this is as far as another place, or further, in both orders."""
        return self.sealed >= other.sealed and self.numbered >= other.numbered

    def joined(self, other: Place) -> Place:
        """Return the place of who has read as far as either, in each order."""
        if other.reaches(self):
            return other
        return Place(max(self.sealed, other.sealed), max(self.numbered, other.numbered))

    def __str__(self) -> str:
        return f"{self.sealed}.{self.numbered}"


@dataclass(frozen=True)
class Event:
    """A change: its kind, what it is about, and where. `readers` may see it alone."""

    seq: int
    beside: bool  # numbered beside the audit trail
    kind: str
    scope: str
    target: str
    at: datetime
    actor: str
    payload: dict[str, Any]
    readers: frozenset[str] | None
    refused: bool = False
    place: Place = field(default_factory=Place)

    @classmethod
    def of(cls, row: Row, *, beside: bool) -> Event:
        """Read a row of either query."""
        payload = orjson.loads(row["payload"] or "{}")
        readers = row.get("readers")
        return cls(
            seq=row["seq"],
            beside=beside,
            kind=row["kind"],
            scope=row["scope"] or "",
            target=row["target"] or "",
            at=row["at"],
            actor=row["actor"] or "",
            payload={name: payload[name] for name in TOLD if name in payload},
            readers=None if readers is None else frozenset(readers),
            refused=row.get("outcome") == "refused",
        )

    @property
    def is_open(self) -> bool:
        """Whether it was done, and is of a kind that every reader of its scope may see."""
        word = self.kind.partition(".")[0]
        known = self.kind in ALSO_OPEN or word in OPEN
        return known and not self.refused and (self.beside or word not in NOT_BY_TRAIL)

    @property
    def told(self) -> dict[str, Any]:
        """What it says: ids and words of ours, never content."""
        return {
            "kind": self.kind,
            "scope": self.scope,
            "target": self.target,
            "at": self.at,
            "actor": self.actor,
            **self.payload,
        }

    @cached_property
    def wire(self) -> bytes:
        """The event as the stream sends it; made once for all who listen."""
        return b"id: %b\nevent: %b\ndata: %b\n\n" % (
            str(self.place).encode(),
            self.kind.encode(),
            orjson.dumps(self.told),
        )


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a listener asks for: scopes and kinds, all that he sees where unset."""

    scopes: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None

    def takes(self, event: Event, caller: Caller, visible: frozenset[str]) -> bool:
        """Return whether the caller sees an event and asked for it."""
        if not event.is_open or event.scope not in visible:
            return False
        if event.readers is not None and caller.principal not in event.readers:
            return False
        if self.scopes is not None and event.scope not in self.scopes:
            return False
        return self.kinds is None or any(
            event.kind == kind or event.kind.startswith(f"{kind}.") for kind in self.kinds
        )
