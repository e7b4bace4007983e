"""Wire types of pools. What clients wrote stands under `untrusted`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from pydantic import AliasChoices, ConfigDict, Field

from app.errors import InvalidInput
from app.kernel.graph import Row
from app.kernel.wire import Moment, ShortText, WireModel
from app.pools.data import size_of
from app.pools.model import (
    AccessControl,
    Lifetime,
    Pool,
    PoolEvent,
    PoolId,
    PoolType,
    PoolVersion,
    Reach,
    RetentionPolicy,
    Type,
    WorkflowId,
)
from app.pools.service import Draft

W = TypeVar("W", Lifetime, Reach)


class PoolIn(WireModel):
    """A new pool."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    name: ShortText
    pool_id: PoolId | None = Field(
        None, description="A name for addresses, unique in its scope; `pool_<type>_…` if unset."
    )
    type: Annotated[Type, Field(validation_alias=AliasChoices("type", "pool_type"))] = Field(
        PoolType.SHARED, description="Who may read and write beside the owner."
    )
    workflow: WorkflowId | None = Field(
        None,
        description="The workflow whose nodes share a pool of the type `workflow`: `agents` of "
        "`access_control` are its nodes, which read and write.",
    )
    scope: str | None = Field(
        None,
        description="Scope path to write to; the key's home if unset. A word of `lifetime` or of "
        "`reach` is taken for that.",
    )
    lifetime: Lifetime | None = Field(
        None, description="`persistent` if unset, `execution` of a workflow."
    )
    reach: Reach | None = Field(
        None, description="`account` if unset, `task` of a workflow; decides no right."
    )
    expires_at: Moment | None = Field(None, description="From then on the pool is gone.")
    retention_policy: RetentionPolicy = RetentionPolicy()
    access_control: AccessControl = AccessControl()
    persist_across_executions: bool = Field(
        False, description="The pool does not end by being idle, whatever its lifetime."
    )
    data: dict[str, Any] = Field(default_factory=dict, description="What it begins with.")

    def words(self) -> tuple[str | None, Lifetime, Reach]:
        """Return the scope path, lifetime and reach that are meant; InvalidInput (`scope`) where a
        word in place of a scope contradicts the field of that name."""
        lifetime, reach, scope = self.lifetime, self.reach, self.scope
        if scope in set(Lifetime):
            lifetime, scope = _one(lifetime, Lifetime(scope)), None
        elif scope in set(Reach):
            reach, scope = _one(reach, Reach(scope)), None
        if self.type is PoolType.WORKFLOW:
            return scope, lifetime or Lifetime.EXECUTION, reach or Reach.TASK
        return scope, lifetime or Lifetime.PERSISTENT, reach or Reach.ACCOUNT

    def to_draft(self) -> Draft:
        """Return the draft that this describes; raises as `words` does."""
        scope, lifetime, reach = self.words()
        return Draft(
            name=self.name,
            pool_id=self.pool_id,
            type=self.type,
            scope=scope,
            lifetime=lifetime,
            reach=reach,
            expires_at=self.expires_at,
            retention_policy=self.retention_policy,
            access_control=self.access_control,
            persist_across_executions=self.persist_across_executions,
            data=self.data,
            workflow=self.workflow,
        )


def _one(given: W | None, word: W) -> W:
    if given not in (None, word):
        raise InvalidInput(f"scope says {word}, and another field {given}", field="scope")
    return word


class ValueIn(WireModel):
    """What is to stand at a path; an object where the path is left out."""

    value: Any = Field(description="JSON of any kind.")


class MergeIn(WireModel):
    """A part of the data; a dotted name at the top is a path."""

    data: dict[str, Any] = Field(
        description="Objects are merged by their keys, all else is replaced."
    )


class GrantIn(WireModel):
    """Who is to read, or to read and write."""

    agent: ShortText = Field(description="`agent:tenant:name`, or the name of an agent here.")
    level: Literal["read", "write"] = Field("read")


class RetentionIn(WireModel):
    """Which pools upkeep looks at."""

    scope: str | None = Field(
        None, description="One scope; all that this key administers if unset."
    )
    dry_run: bool = Field(True, description="Tell what would go, and change nothing.")


class PoolOut(msgspec.Struct, frozen=True):
    """A pool without its data; `readable` and `writable` are said of the key that asks."""

    id: str
    pool_id: str
    scope: str
    type: str
    workflow: str | None
    owner: str
    lifetime: str
    reach: str
    expires_at: datetime | None
    retention_policy: dict[str, Any]
    access_control: dict[str, Any]
    persist_across_executions: bool
    version: int
    data_size_bytes: int
    created_at: datetime
    changed_at: datetime
    changed_by: str
    writable: bool
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, pool: Pool, principal: str, size: int | None = None) -> PoolOut:
        """Return the wire form; `size` where the pool comes without its data."""
        return cls(
            id=pool.id,
            pool_id=pool.pool_id,
            scope=pool.scope,
            type=pool.type.value,
            workflow=pool.workflow,
            owner=pool.owner,
            lifetime=pool.lifetime.value,
            reach=pool.reach.value,
            expires_at=pool.expires_at,
            retention_policy=pool.retention_policy.model_dump(mode="json", exclude_none=True),
            access_control=pool.access_control.model_dump(mode="json"),
            persist_across_executions=pool.persist_across_executions,
            version=pool.version,
            data_size_bytes=size_of(pool.data) if size is None else size,
            created_at=pool.created_at,
            changed_at=pool.changed_at,
            changed_by=pool.changed_by,
            writable=pool.writable_by(principal),
            untrusted={"name": pool.name},
        )


class PoolsOut(msgspec.Struct, frozen=True):
    """A page of pools; `next` is the cursor of the one after it."""

    items: list[PoolOut]
    next: str | None


class DataOut(msgspec.Struct, frozen=True):
    """A value of a pool: the whole data where no path was given."""

    pool_id: str
    scope: str
    version: int
    path: str | None
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, pool: Pool, version: int, path: str | None, value: Any) -> DataOut:
        """Return the wire form of a value."""
        return cls(pool.pool_id, pool.scope, version, path, {"value": value})


class PoolVersionOut(msgspec.Struct, frozen=True):
    """A former version that can still be read."""

    version: int
    changed_at: datetime
    changed_by: str
    data_size_bytes: int

    @classmethod
    def of(cls, row: Row) -> PoolVersionOut:
        """Return the wire form of a row of `pools.versions`."""
        found = PoolVersion.of(row["version"])
        return cls(found.version, found.changed_at, found.changed_by, row["size"])


class PoolVersionsOut(msgspec.Struct, frozen=True):
    """Former versions, newest first."""

    items: list[PoolVersionOut]


class AccessOut(msgspec.Struct, frozen=True):
    """What a pool lets a principal do; its key needs a role in the scope besides."""

    pool_id: str
    agent: str
    accessible: bool
    writable: bool


class StatisticsOut(msgspec.Struct, frozen=True):
    """Figures of a pool; `reads` is written down every few seconds."""

    pool_id: str
    entries: int
    data_size_bytes: int
    max_size_bytes: int
    version: int
    versions: int
    events: int
    writers: int
    reads: int
    last_read_at: datetime | None
    changed_at: datetime


class PoolEventOut(msgspec.Struct, frozen=True):
    """One key that was written."""

    event: str
    pool_id: str
    writer: str
    is_bulletin: bool
    version: int
    time: datetime
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, event: PoolEvent) -> PoolEventOut:
        """Return the wire form of an event."""
        return cls(
            event.event,
            event.pool_id,
            event.writer,
            event.is_bulletin,
            event.version,
            event.time,
            {"key": event.key},
        )


class PoolEventsOut(msgspec.Struct, frozen=True):
    """Events in the order of writing. `next` goes on after them, also when there are none yet."""

    items: list[PoolEventOut]
    next: str | None


class RetentionOut(msgspec.Struct, frozen=True):
    """The receipt of an upkeep: pools that are gone, keys that went by pool, and events."""

    receipt: str
    dry_run: bool
    at: datetime
    pools: list[str]
    keys: dict[str, int]
    events: int
