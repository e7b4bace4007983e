"""Memory pools over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, delete, get, patch, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from app.access.parameters import IfMatch, Limit, Within, one_of, principal_of, version_of
from app.kernel.caller import Caller, Role
from app.pools.model import Lifetime, PoolType
from app.pools.retention import PoolUpkeep
from app.pools.schemas import (
    AccessOut,
    DataOut,
    GrantIn,
    MergeIn,
    PoolEventOut,
    PoolEventsOut,
    PoolIn,
    PoolOut,
    PoolsOut,
    PoolVersionOut,
    PoolVersionsOut,
    RetentionIn,
    RetentionOut,
    StatisticsOut,
    ValueIn,
)
from app.pools.service import PoolService, Which

InScope = Annotated[
    str | None,
    QueryParameter(
        name="scope", description="Scope of the pool; the nearest from the key's home up if unset."
    ),
]
At = Annotated[
    str | None, QueryParameter(name="path", description="Names with dots between them: `a.b`.")
]
OfType = Annotated[
    str | None,
    QueryParameter(name="type", enum=[*PoolType], description="Only pools of this type."),
]
There = Annotated[str, QueryParameter(name="path", description="Names with dots between them.")]
Version = Annotated[
    int | None,
    QueryParameter(
        name="version", ge=1, le=2**53 - 1, description="A former version; the present if unset."
    ),
]


class PoolController(Controller):
    """JSON that several agents share."""

    path = "/v1/pools"
    tags = ("Pools",)

    @post("/", operation_id="createPool", opt={"requires": Role.WRITER})
    async def create(
        self,
        data: JSONBody[PoolIn],
        caller: NamedDependency[Caller],
        pools: NamedDependency[PoolService],
    ) -> PoolOut:
        """Make a pool, which the caller owns."""
        return PoolOut.of(await pools.create(caller, data.to_draft()), caller.principal)

    @get("/", operation_id="listPools", opt={"requires": Role.READER})
    async def list_pools(
        self,
        caller: NamedDependency[Caller],
        pools: NamedDependency[PoolService],
        within: Within = None,
        kind: OfType = None,
        lifetime: FromQuery[Lifetime | None] = None,
        workflow: FromQuery[str | None] = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> PoolsOut:
        """List the pools that this key may read, by id."""
        wanted = {
            "within": within,
            "type": one_of(PoolType, kind, "type"),
            "lifetime": lifetime,
            "workflow": workflow,
        }
        rows = await pools.page(caller, wanted, cursor, limit + 1)
        items = [PoolOut.of(row["pool"], caller.principal, row["size"]) for row in rows[:limit]]
        return PoolsOut(items, items[-1].id if len(rows) > limit else None)

    @post(
        "/retention",
        operation_id="retainPools",
        opt={"requires": Role.ADMIN},
        status_code=HTTP_200_OK,
    )
    async def retain(
        self,
        data: JSONBody[RetentionIn],
        caller: NamedDependency[Caller],
        pool_upkeep: NamedDependency[PoolUpkeep],
    ) -> RetentionOut:
        """Take out what ended or ran out, as the schedule does at 03:30; by default a dry run."""
        asked = [caller.require(data.scope, Role.ADMIN)] if data.scope is not None else None
        scopes = asked or [s for s in caller.visible if caller.may(s, Role.ADMIN)]
        receipt = await pool_upkeep.run(scopes, dry_run=data.dry_run)
        return RetentionOut(
            receipt.id, receipt.dry_run, receipt.at, receipt.pools, receipt.keys, receipt.events
        )

    @get("/{pool:str}", operation_id="getPool", opt={"requires": Role.READER})
    async def read(
        self,
        pool: FromPath[str],
        caller: NamedDependency[Caller],
        pools: NamedDependency[PoolService],
        scope_path: InScope = None,
    ) -> PoolOut:
        """Read a pool without its data, by `pool_id` or id."""
        return PoolOut.of(await pools.get(caller, Which(pool, scope_path)), caller.principal)

    @delete(
        "/{pool:str}",
        operation_id="deletePool",
        opt={"requires": Role.WRITER},
        status_code=HTTP_204_NO_CONTENT,
    )
    async def delete_pool(
        self,
        pool: FromPath[str],
        caller: NamedDependency[Caller],
        pools: NamedDependency[PoolService],
        scope_path: InScope = None,
    ) -> None:
        """Delete a pool with its versions and events; the pool `default` cannot be deleted."""
        await pools.delete(caller, Which(pool, scope_path))

    @get("/{pool:str}/data", operation_id="readPoolData", opt={"requires": Role.READER})
    async def read_data(
        self,
        pool: FromPath[str],
        caller: NamedDependency[Caller],
        pools: NamedDependency[PoolService],
        scope_path: InScope = None,
        at: At = None,
        version: Version = None,
    ) -> DataOut:
        """Read the data, or the value at a path, of now or of a version that is kept."""
        found, number, value = await pools.read(caller, Which(pool, scope_path), at, version)
        return DataOut.of(found, number, at, value)

    @put("/{pool:str}/data", operation_id="writePoolData", opt={"requires": Role.WRITER})
    async def write_data(
        self,
        pool: FromPath[str],
        data: JSONBody[ValueIn],
        caller: NamedDependency[Caller],
        pools: NamedDependency[PoolService],
        scope_path: InScope = None,
        at: At = None,
        if_match: IfMatch = None,
    ) -> PoolOut:
        """Set the value at a path, or all of the data where no path is given."""
        which, expected = Which(pool, scope_path), version_of(if_match)
        written = await pools.write(caller, which, data.value, at, expected)
        return PoolOut.of(written, caller.principal)

    @patch("/{pool:str}/data", operation_id="mergePoolData", opt={"requires": Role.WRITER})
    async def merge_data(
        self,
        pool: FromPath[str],
        data: JSONBody[MergeIn],
        caller: NamedDependency[Caller],
        pools: NamedDependency[PoolService],
        scope_path: InScope = None,
        if_match: IfMatch = None,
    ) -> PoolOut:
        """Write some keys and leave the others; two writers at once lose nothing."""
        which, expected = Which(pool, scope_path), version_of(if_match)
        return PoolOut.of(await pools.merge(caller, which, data.data, expected), caller.principal)

    @delete(
        "/{pool:str}/data",
        operation_id="removePoolData",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def remove_data(
        self,
        pool: FromPath[str],
        at: There,
        caller: NamedDependency[Caller],
        pools: NamedDependency[PoolService],
        scope_path: InScope = None,
        if_match: IfMatch = None,
    ) -> PoolOut:
        """Take out what stands at a path."""
        which, expected = Which(pool, scope_path), version_of(if_match)
        return PoolOut.of(await pools.remove(caller, which, at, expected), caller.principal)

    @get("/{pool:str}/versions", operation_id="listPoolVersions", opt={"requires": Role.READER})
    async def versions(
        self,
        pool: FromPath[str],
        caller: NamedDependency[Caller],
        pools: NamedDependency[PoolService],
        scope_path: InScope = None,
    ) -> PoolVersionsOut:
        """List the former versions that can still be read, newest first."""
        rows = await pools.versions(caller, Which(pool, scope_path))
        return PoolVersionsOut([PoolVersionOut.of(row) for row in rows])

    @get("/{pool:str}/events", operation_id="listPoolEvents", opt={"requires": Role.READER})
    async def events(
        self,
        pool: FromPath[str],
        caller: NamedDependency[Caller],
        pools: NamedDependency[PoolService],
        scope_path: InScope = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> PoolEventsOut:
        """List keys as they were written, of the last day; `next` goes on behind them."""
        found, following = await pools.events(caller, Which(pool, scope_path), cursor, limit)
        return PoolEventsOut([PoolEventOut.of(event) for event in found], following)

    @get("/{pool:str}/access", operation_id="getPoolAccess", opt={"requires": Role.READER})
    async def access(
        self,
        pool: FromPath[str],
        caller: NamedDependency[Caller],
        pools: NamedDependency[PoolService],
        scope_path: InScope = None,
        agent: FromQuery[str | None] = None,
    ) -> AccessOut:
        """Tell whether an agent, by default the caller, may read and write a pool."""
        found = await pools.get(caller, Which(pool, scope_path))
        who = principal_of(caller, agent, "agent") if agent else caller.principal
        return AccessOut(found.pool_id, who, found.readable_by(who), found.writable_by(who))

    @get("/{pool:str}/statistics", operation_id="getPoolStatistics", opt={"requires": Role.READER})
    async def statistics(
        self,
        pool: FromPath[str],
        caller: NamedDependency[Caller],
        pools: NamedDependency[PoolService],
        scope_path: InScope = None,
    ) -> StatisticsOut:
        """Return the figures of a pool."""
        return StatisticsOut(**await pools.statistics(caller, Which(pool, scope_path)))

    @post(
        "/{pool:str}/grants",
        operation_id="grantPoolAccess",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def grant(
        self,
        pool: FromPath[str],
        data: JSONBody[GrantIn],
        caller: NamedDependency[Caller],
        pools: NamedDependency[PoolService],
        scope_path: InScope = None,
    ) -> PoolOut:
        """Let an agent read, or read and write; the owner does."""
        which = Which(pool, scope_path)
        return PoolOut.of(
            await pools.share(caller, which, data.agent, data.level), caller.principal
        )

    @delete(
        "/{pool:str}/grants/{agent:str}",
        operation_id="revokePoolAccess",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def revoke(
        self,
        pool: FromPath[str],
        agent: FromPath[str],
        caller: NamedDependency[Caller],
        pools: NamedDependency[PoolService],
        scope_path: InScope = None,
    ) -> PoolOut:
        """Take a grant back; the owner does."""
        which = Which(pool, scope_path)
        return PoolOut.of(await pools.share(caller, which, agent, None), caller.principal)
