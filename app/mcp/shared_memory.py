"""The tools of memory pools, which only the profile `pools` lists."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from pydantic import AliasChoices, Field

from app.kernel.caller import Caller, Role
from app.kernel.wire import ShortText, WireModel
from app.mcp import telling
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.pools.model import Lifetime, PoolType
from app.pools.schemas import DataOut, PoolIn, PoolOut, PoolsOut
from app.pools.service import Which

Named = Annotated[
    ShortText,
    Field(
        validation_alias=AliasChoices("pool_id", "pool"),
        description="`pool_id` of the pool, or its id.",
    ),
]
InScope = Annotated[
    str | None, Field(description="Scope of a pool named by `pool_id`; the key's home if unset.")
]
Key = Annotated[
    ShortText | None,
    Field(
        validation_alias=AliasChoices("key", "path"),
        description="Names with dots between them, such as `a.b`; all of the data if unset.",
    ),
]


class ListPoolsIn(WireModel):
    """Which pools are wanted."""

    type: PoolType | None = None
    lifetime: Lifetime | None = None
    workflow: str | None = Field(None, description="Only pools of this workflow.")
    scopes: tuple[str, ...] | None = Field(
        None, description="Scopes to read; all visible if unset."
    )
    cursor: str | None = Field(None, description="Where the page before ended.")
    limit: Annotated[int, Field(ge=1, le=100)] = 50


class PoolNamedIn(WireModel):
    """A pool."""

    pool_id: Named
    scope: InScope = None


class ReadSharedIn(PoolNamedIn):
    """Which value of a pool is read."""

    key: Key = None


class WriteSharedIn(PoolNamedIn):
    """What is to stand where in a pool."""

    value: Any = Field(description="JSON of any kind; an object where no key is given.")
    key: Key = None
    merge: bool = Field(
        False, description="Leave other keys of the data as they are; only without a key."
    )


class PoolDeletedOut(msgspec.Struct, frozen=True):
    """What is gone."""

    pool: str


async def create(services: Services, caller: Caller, given: PoolIn) -> Told:
    """Make a pool."""
    shown = PoolOut.of(await services.pools.create(caller, given.to_draft()), caller.principal)
    return Told(shown, f"Pool {shown.pool_id} is made in {shown.scope}.")


async def list_pools(services: Services, caller: Caller, given: ListPoolsIn) -> Told:
    """List pools that may be read."""
    within = None if given.scopes is None else list(given.scopes)
    wanted = {
        "within": within,
        "type": given.type,
        "lifetime": given.lifetime,
        "workflow": given.workflow,
    }
    rows = await services.pools.page(caller, wanted, given.cursor, given.limit + 1)
    found = rows[: given.limit]
    items = [PoolOut.of(row["pool"], caller.principal, row["size"]) for row in found]
    shown = PoolsOut(items, items[-1].id if len(rows) > given.limit else None)
    return Told(shown, telling.data(telling.counted(len(items), "pool.", "pools."), shown))


async def read(services: Services, caller: Caller, given: ReadSharedIn) -> Told:
    """Read a value of a pool."""
    which = Which(given.pool_id, given.scope)
    pool, version, value = await services.pools.read(caller, which, given.key, None)
    shown = DataOut.of(pool, version, given.key, value)
    return Told(shown, telling.data(f"Version {version} of pool {pool.pool_id}.", shown))


async def write(services: Services, caller: Caller, given: WriteSharedIn) -> Told:
    """Write a value into a pool."""
    which = Which(given.pool_id, given.scope)
    if given.merge and given.key is None:
        written = await services.pools.merge(caller, which, given.value, None)
    else:
        written = await services.pools.write(caller, which, given.value, given.key, None)
    shown = PoolOut.of(written, caller.principal)
    return Told(shown, f"Pool {shown.pool_id} is at version {shown.version}.")


async def delete(services: Services, caller: Caller, given: PoolNamedIn) -> Told:
    """Delete a pool."""
    await services.pools.delete(caller, Which(given.pool_id, given.scope))
    return Told(PoolDeletedOut(given.pool_id), f"Pool {given.pool_id} is deleted.")


POOLS = (
    Tool(
        name="create_memory_pool",
        title="Make a memory pool",
        description="Make a pool of JSON that agents share; who reads and writes follows from its "
        "type and grants.",
        takes=PoolIn,
        gives=PoolOut,
        run=create,
        requires=Role.WRITER,
        again=False,
    ),
    Tool(
        name="list_memory_pools",
        title="List memory pools",
        description="List the pools that this key may read.",
        takes=ListPoolsIn,
        gives=PoolsOut,
        run=list_pools,
    ),
    Tool(
        name="read_shared_memory",
        title="Read shared memory",
        description="Read the data of a pool, or the value under a key.",
        takes=ReadSharedIn,
        gives=DataOut,
        run=read,
    ),
    Tool(
        name="write_shared_memory",
        title="Write shared memory",
        description="Set the value under a key of a pool, or all of its data; `merge` writes some "
        "keys and leaves the others.",
        takes=WriteSharedIn,
        gives=PoolOut,
        run=write,
        requires=Role.WRITER,
        destructive=True,
    ),
    Tool(
        name="delete_memory_pool",
        title="Delete a memory pool",
        description="Delete a pool with its versions; the pool `default` stays.",
        takes=PoolNamedIn,
        gives=PoolDeletedOut,
        run=delete,
        requires=Role.WRITER,
        destructive=True,
    ),
)
