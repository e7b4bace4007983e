"""A pool as it is stored and exported, its former data, and its events.

`type` says who may write, `lifetime` and `reach` are the two lists that agents' systems call a
scope: how long it is meant to live, which decides about upkeep, and whom it is meant for, which
decides nothing: what a key may see is decided by its scopes, and by `access_control`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from app.errors import InvalidInput
from app.kernel.clock import FOREVER
from app.kernel.ids import digest
from app.kernel.kind import Gone, Searched, Stored, unpacked
from app.kernel.wire import Moment, ShortText, WireModel
from app.pools.data import Data, Mark, check, same, size_of, trimmed, without

SLUG = r"^[a-z0-9](?:[a-z0-9._-]{0,126}[a-z0-9])?$"
DEFAULT = "default"  # made on demand, public, never deleted
NOBODY = "system"  # owner of the default pool
EVERYONE = "*"  # among the readers of a pool
LARGEST = 5_000_000  # bytes of the data of one pool, whatever the settings say
MOST_AGENTS = 1000  # that one list of grants names


class PoolType(StrEnum):
    """Who may read and write beside the owner."""

    SHARED = "shared"
    AGENT_PRIVATE = "agent_private"
    TEAM_SHARED = "team_shared"
    TASK_SCOPED = "task_scoped"
    GLOBAL = "global"
    WORKFLOW = "workflow"  # of the nodes of one workflow, each of which reads and writes


class Lifetime(StrEnum):
    """How long a pool lives when nobody writes to it."""

    EXECUTION = "execution"
    PERSISTENT = "persistent"
    SESSION = "session"


class Reach(StrEnum):
    """Whom a pool is meant for; a word for people."""

    GLOBAL = "global"
    ACCOUNT = "account"
    TEAM = "team"
    AGENT = "agent"
    TASK = "task"


class Eviction(StrEnum):
    """What becomes of a write for which there is no room."""

    REFUSE = "refuse"
    OLDEST = "oldest"


IDLE = {Lifetime.EXECUTION: timedelta(days=1), Lifetime.SESSION: timedelta(days=7)}
SYNONYMS: Mapping[str, str] = {
    "private": PoolType.AGENT_PRIVATE,
    "team": PoolType.TEAM_SHARED,
    "task": PoolType.TASK_SCOPED,
    "workflow_scoped": PoolType.WORKFLOW,
    "shared_context": PoolType.WORKFLOW,
}
EVICTIONS: Mapping[str, str] = {
    "none": Eviction.REFUSE,
    "reject": Eviction.REFUSE,
    "fifo": Eviction.OLDEST,
    "lru": Eviction.OLDEST,
}


def later(moment: datetime, by: timedelta) -> datetime:
    """Return a moment later on, never one beyond the last year."""
    return moment + by if FOREVER - moment > by else FOREVER


def synonym_of(words: Mapping[str, str]) -> BeforeValidator:
    """Read another system's word for one of ours."""
    return BeforeValidator(lambda given: words.get(given, given) if _text(given) else given)


def _text(given: Any) -> bool:
    return isinstance(given, str)


def _checked(data: Data) -> Data:
    try:
        check(data, "data")
    except InvalidInput as error:
        raise ValueError(error.detail) from None
    if size_of(data) > LARGEST:
        raise ValueError(f"data has at most {LARGEST} bytes")
    return data


WorkflowId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:~-]{0,127}$")]
PoolId = Annotated[str, StringConstraints(pattern=SLUG)]
Type = Annotated[PoolType, synonym_of(SYNONYMS)]
Agents = Annotated[tuple[ShortText, ...], Field(max_length=MOST_AGENTS)]
Json = Annotated[Data, BeforeValidator(unpacked), AfterValidator(_checked)]
Marks = Annotated[tuple[Mark, ...], BeforeValidator(unpacked)]


class RetentionPolicy(WireModel):
    """What is kept: keys that nobody wrote for `ttl_seconds` go at night; the data has at most
    `max_size_bytes`, and a write beyond is refused or takes out the keys written longest ago."""

    ttl_seconds: Annotated[int, Field(ge=1, le=3_153_600_000)] | None = None
    max_size_bytes: Annotated[int, Field(ge=2, le=LARGEST)] | None = None
    eviction: Annotated[Eviction, synonym_of(EVICTIONS)] = Eviction.REFUSE


class AccessControl(WireModel):
    """Who may read beside the owner: `agents`, or everybody (`public`); `read` and `write` are
    lists of their own, and `public_read` lets everybody read and nobody write."""

    agents: Agents = ()
    public: bool = False
    read: Agents = ()
    write: Agents = ()
    public_read: bool = False

    def readers(self) -> set[str]:
        """Return everybody who is listed, and `*` for a public pool."""
        everyone = {EVERYONE} if self.public or self.public_read else set()
        return {*self.agents, *self.read, *self.write, *everyone}

    def named(self, name: Callable[[str], str]) -> AccessControl:
        """Return the lists with every agent replaced by what `name` gives, each once."""
        lists = {
            field: tuple(dict.fromkeys(name(one) for one in getattr(self, field)))
            for field in ("agents", "read", "write")
        }
        return self.model_copy(update=lists)

    def revoked(self, agent: str) -> AccessControl:
        """Return the lists without an agent."""
        lists = {
            field: tuple(one for one in getattr(self, field) if one != agent)
            for field in ("agents", "read", "write")
        }
        return self.model_copy(update=lists)


class Pool(Stored):
    """A pool with its data, and marks that tell who wrote what."""

    pool_id: PoolId
    name: ShortText
    type: PoolType = PoolType.SHARED
    workflow: WorkflowId | None = None
    owner: Annotated[str, StringConstraints(max_length=200)]
    lifetime: Lifetime = Lifetime.PERSISTENT
    reach: Reach = Reach.ACCOUNT
    expires_at: Moment | None = None
    retention_policy: Annotated[RetentionPolicy, BeforeValidator(unpacked)] = RetentionPolicy()
    access_control: Annotated[AccessControl, BeforeValidator(unpacked)] = AccessControl()
    persist_across_executions: bool = False
    version: Annotated[int, Field(ge=1, le=2**53 - 1)] = 1
    created_at: Moment
    changed_at: Moment
    changed_by: Annotated[str, StringConstraints(max_length=200)] = ""
    seq: Annotated[int, Field(ge=0, le=2**53 - 1)] = 0
    data: Json = Field(default_factory=dict)
    marks: Marks = ()

    def readable_by(self, principal: str) -> bool:
        """Return whether a principal may read: the owner, who is listed, or anybody if public."""
        if principal == self.owner:
            return True
        return not self.readers().isdisjoint({principal, EVERYONE})

    def writable_by(self, principal: str) -> bool:
        """Return whether a principal may write: the owner, who has a grant to write, every node of
        the workflow, or anybody where the pool is shared and public."""
        if principal == self.owner:
            return True
        if self.type is PoolType.AGENT_PRIVATE:
            return False
        if self.type is PoolType.WORKFLOW and principal in self.access_control.agents:
            return True
        everyone = self.type is PoolType.SHARED and self.access_control.public
        return everyone or principal in self.access_control.write

    def readers(self) -> set[str]:
        """Return who may read beside the owner; `*` stands for everybody."""
        return set() if self.type is PoolType.AGENT_PRIVATE else self.access_control.readers()

    @property
    def keeper(self) -> str:
        """The owner of a private pool, whose name nobody else meets; empty for other pools."""
        return self.owner if self.type is PoolType.AGENT_PRIVATE else ""

    @property
    def ends_at(self) -> datetime:
        """When the pool is gone if nobody writes to it: expired, or idle beyond its lifetime."""
        ends = [self.expires_at or FOREVER]
        if self.pool_id != DEFAULT and not self.persist_across_executions:
            idle = IDLE.get(self.lifetime)
            ends += [later(self.changed_at, idle)] if idle else []
        return min(ends)

    def derived(self) -> dict[str, Any]:
        """Return what lists, rights and upkeep ask the graph for; whoever writes a pool without
        its texts leaves them due."""
        return {
            "ends_at": self.ends_at,
            "due_at": self.due_at,
            "readers": sorted(self.readers()),
            "size": size_of(self.data),
            "texts_due": True,
        }

    @property
    def due_at(self) -> datetime:
        """The first moment at which upkeep may have something to do."""
        ttl = self.retention_policy.ttl_seconds
        if ttl is None or not self.data:
            return self.ends_at
        oldest = min((mark.at for mark in self.marks), default=self.created_at)
        return min(self.ends_at, later(oldest, timedelta(seconds=ttl)))

    def people(self) -> Iterable[str]:
        """Return owner, writers and everybody who is listed."""
        listed = self.access_control.readers() - {EVERYONE}
        writers = (mark.by for mark in self.marks)
        return {self.owner, self.changed_by, *listed, *writers} - {NOBODY}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the pool with every principal replaced."""
        known = _known(name)
        marks = tuple(mark.model_copy(update={"by": known(mark.by)}) for mark in self.marks)
        return self.model_copy(
            update={
                "owner": known(self.owner),
                "changed_by": known(self.changed_by),
                "access_control": self.access_control.named(known),
                "marks": marks,
            }
        )

    def without(self, gone: Gone) -> Self | None:
        """Return the pool without what somebody wrote and what names him.

        His private pools go whole, and those of his in which nobody else wrote anything. Another
        pool of his stays, without an owner.
        """
        owned = gone.wrote(self.owner)
        if owned and self.type is PoolType.AGENT_PRIVATE:
            return None
        data = without(self.data, self.marks, gone.wrote, gone.named)
        if owned and not data:
            return None
        access = self.access_control.revoked(gone.author) if gone.author else self.access_control
        changes = not same(data, self.data)
        return self.model_copy(
            update={
                "owner": "" if owned else self.owner,
                "name": self.pool_id if gone.named(self.name) else self.name,
                "workflow": None if gone.named(self.workflow or "") else self.workflow,
                "changed_by": "" if gone.wrote(self.changed_by) else self.changed_by,
                "access_control": access,
                "data": data,
                "version": self.version + changes,
                "marks": trimmed((m for m in self.marks if not gone.wrote(m.by)), data),
            }
        )


def _known(name: Callable[[str], str]) -> Callable[[str], str]:
    """Leave alone what is no principal."""
    return lambda one: one if one in ("", NOBODY) else name(one)


class PoolVersion(Stored):
    """The data that a pool had before, with who had changed it to that, and when."""

    pool_id: PoolId
    keeper: Annotated[str, StringConstraints(max_length=200)] = ""
    version: Annotated[int, Field(ge=1, le=2**53 - 1)]
    changed_at: Moment
    changed_by: Annotated[str, StringConstraints(max_length=200)] = ""
    data: Json = Field(default_factory=dict)
    marks: Marks = ()

    def derived(self) -> dict[str, Any]:
        """Return the bytes of the data, by which the history is bounded."""
        return {"size": size_of(self.data)}

    def people(self) -> Iterable[str]:
        """Return everybody who wrote something of it."""
        return {self.changed_by, *(mark.by for mark in self.marks)} - {NOBODY}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the version with every principal replaced."""
        known = _known(name)
        marks = tuple(mark.model_copy(update={"by": known(mark.by)}) for mark in self.marks)
        by, keeper = known(self.changed_by), known(self.keeper)
        return self.model_copy(update={"changed_by": by, "keeper": keeper, "marks": marks})

    def without(self, gone: Gone) -> Self | None:
        """Return the version without what somebody wrote and what names him."""
        data = without(self.data, self.marks, gone.wrote, gone.named)
        marks = trimmed((m for m in self.marks if not gone.wrote(m.by)), data)
        by = "" if gone.wrote(self.changed_by) else self.changed_by
        return self.model_copy(update={"data": data, "marks": marks, "changed_by": by})


class PoolEvent(Stored):
    """One key that was written; it goes with its writer."""

    pool_id: PoolId
    keeper: str = ""
    seq: int
    event: Literal["memory_pool_key_write"] = "memory_pool_key_write"
    key: str
    writer: str
    is_bulletin: bool
    version: int
    time: Moment

    def people(self) -> Iterable[str]:
        """Return the writer."""
        return {self.writer}


class PoolText(Stored):
    """What search finds of a pool: the words under one key, or of one bulletin.

    It follows from the data of the pool, in which alone it is written. `written_at` is when
    somebody wrote there last, `writers` who did.
    """

    pool: str
    pool_id: PoolId
    key: Annotated[str, StringConstraints(min_length=1)]
    content: Annotated[str, StringConstraints(min_length=1)]
    written_at: Moment
    writers: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        """What tells two contents of one key apart."""
        return digest(self.content, self.written_at.isoformat(), *self.writers)[:32]

    def derived(self) -> dict[str, Any]:
        """Return what tells whether the text still follows from the pool."""
        return {"fingerprint": self.fingerprint}

    def searched(self) -> Searched:
        """Return the words under the names of pool and key; the pool stands for the session, by
        which a search is kept to the pools that its reader may read."""
        return Searched(
            self.content,
            self.written_at,
            title=f"{self.pool_id}: {self.key}",
            session=self.pool,
        )

    def people(self) -> Iterable[str]:
        """Return everybody who wrote something of it."""
        return set(self.writers) - {NOBODY, ""}


def readers_of(principal: str) -> list[str]:
    """Return what stands for a principal among the readers of pools; of nobody everybody alone."""
    return [principal, EVERYONE] if principal else [EVERYONE]
