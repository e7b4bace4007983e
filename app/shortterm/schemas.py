"""Wire types of short-term memory: what was kept comes back under `untrusted`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from pydantic import Field, StringConstraints

from app.kernel.clock import open_end
from app.kernel.graph import Row
from app.kernel.wire import ShortText, WireModel
from app.shortterm.model import IMPORTANCE, LONGEST_TTL, UNSET, Change, Draft, Kind
from app.working.values import unpacked

EntryKey = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:~-]{0,127}$")]
TTL = 3600  # seconds of an entry that names none, in an installation that sets nothing
Seconds = Annotated[int, Field(ge=1, le=LONGEST_TTL)]


class ShortMemoryIn(WireModel):
    """An entry of a session."""

    session: ShortText = Field(description="Your own name of the session.")
    key: EntryKey = Field(description="Its name in the session.")
    value: Any = Field(description="JSON of any kind; texts in it are sanitised.")
    type: Kind = Field(Kind.TASK_CONTEXT, description="What it is.")
    ttl: Seconds | None = Field(
        TTL,
        description="Seconds that it lives; null never runs out. Unset, an hour, or as the "
        "settings of the scope say.",
    )
    scope: str | None = Field(None, description="Scope path; the key's home if unset.")

    def to_draft(self) -> Draft:
        """The entry that this describes."""
        ttl = self.ttl if "ttl" in self.model_fields_set else UNSET
        return Draft(self.session, self.key, self.value, self.type, ttl)


class ShortMemoryChangeIn(WireModel):
    """What of an entry is set; what is left out stays as it is."""

    value: Any = Field(None, description="JSON of any kind; null is a value.")
    type: Kind = Field(Kind.TASK_CONTEXT, description="What it is.")
    ttl: Seconds | None = Field(TTL, description="Seconds from now on; null never runs out.")

    def to_change(self) -> Change:
        """The change that this describes: what the body names."""
        given = self.model_fields_set
        return Change(
            value=self.value if "value" in given else UNSET,
            kind=self.type if "type" in given else UNSET,
            ttl=self.ttl if "ttl" in given else UNSET,
        )


class ShortMemoryOut(msgspec.Struct, frozen=True):
    """An entry; `expires_at` null never runs out, and is otherwise when what is left of `ttl` is
    over, which shrinks each day. `importance` grows by .05 with the first reading in a day."""

    id: str
    scope: str
    session: str
    key: str
    type: str
    ttl: int | None
    expires_at: datetime | None
    access_count: int
    last_accessed_at: datetime | None
    importance: float
    created_at: datetime
    updated_at: datetime
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> ShortMemoryOut:
        """The wire form of an entry."""
        return cls(
            **{name: row[name] for name in ("id", "scope", "session", "key", "updated_at")},
            type=row["kind"],
            ttl=row.get("ttl"),
            expires_at=open_end(row["expires_at"]),
            access_count=row["count"],
            last_accessed_at=row.get("last_access"),
            importance=row.get("importance", IMPORTANCE),
            created_at=row["ingested_at"],
            untrusted={"value": unpacked(row["content"].encode())},
        )


class ShortMemoriesOut(msgspec.Struct, frozen=True):
    """A page of entries; `next` continues it."""

    items: list[ShortMemoryOut]
    next: str | None
