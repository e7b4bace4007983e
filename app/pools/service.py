"""Pools: made, found, read, written, shared and deleted."""

from __future__ import annotations

import asyncio
import re
import secrets
from dataclasses import dataclass
from functools import partial
from typing import Any

from app.access.parameters import principal_of
from app.errors import (
    AlreadyExists,
    Forbidden,
    InvalidInput,
    NotFound,
    QuotaReached,
    StateRefused,
    VersionMismatch,
)
from app.kernel import audit, feed
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest
from app.kernel.paging import decode, encode
from app.kernel.scope import parse_scope
from app.kernel.wire import model_of
from app.pools.data import (
    Changed,
    check,
    merge,
    nested,
    parse_path,
    put,
    read_at,
    remove,
    size_of,
)
from app.pools.finding import follow, may_be_found
from app.pools.kind import POOL, POOL_EVENT, POOL_VERSION
from app.pools.model import (
    DEFAULT,
    EVERYONE,
    NOBODY,
    SLUG,
    AccessControl,
    Lifetime,
    Pool,
    PoolEvent,
    PoolType,
    PoolVersion,
    Reach,
    RetentionPolicy,
)
from app.pools.reads import PoolReads
from app.pools.values import PoolValue, newest
from app.pools.writing import EVENTS_KEPT, Act, Written, change
from app.sanitize.labels import require_plain
from app.sanitize.tree import sanitize_tree
from app.scopes.service import ScopeService
from app.scopes.tuning import tuned

QUICK = 20_000  # bytes that are sanitised without a thread of their own
PLAIN = 100  # letters of a workflow in the name of its pool
LOOKED_INTO = 5_000_000  # bytes of pools in which values are looked for
# Who is meant by `public` there would contradict what the type says.
CLOSED = frozenset({PoolType.AGENT_PRIVATE, PoolType.TEAM_SHARED, PoolType.WORKFLOW})


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """Quotas of the settings: bytes of one pool, pools of one scope, versions kept and bytes of
    these."""

    bytes: int = tuned("pools.max_bytes")
    pools: int = tuned("pools.per_scope")
    versions: int = tuned("pools.versions")
    versions_bytes: int = tuned("pools.versions_bytes")


@dataclass(frozen=True, slots=True)
class Draft:
    """What a client hands in, not yet sanitised."""

    name: str
    pool_id: str | None
    type: PoolType
    scope: str | None
    lifetime: Lifetime
    reach: Reach
    expires_at: Any
    retention_policy: RetentionPolicy
    access_control: AccessControl
    persist_across_executions: bool
    data: dict[str, Any]
    workflow: str | None = None


@dataclass(frozen=True, slots=True)
class Which:
    """A pool as an address names it: by `pool_id` in a scope (by default the nearest of the key's
    home and what is above it), or by id, which lies in the scope where one is given."""

    named: str
    scope: str | None = None


class PoolService:
    """Every operation on pools; whoever may not read one is told that there is none."""

    def __init__(self, graph: Graph, scopes: ScopeService, limits: PoolLimits) -> None:
        self.graph = graph
        self.limits = limits
        self.reads = PoolReads(graph)
        self._scopes = scopes

    async def create(self, caller: Caller, draft: Draft) -> Pool:
        """Make a pool; the caller owns it. Raises AlreadyExists (409), QuotaReached (409), and
        TooLarge (413) for data beyond the quota."""
        scope = caller.require(str(parse_scope(draft.scope or caller.home)), Role.WRITER)
        if draft.pool_id == DEFAULT:
            raise StateRefused("the default pool is made by itself", field="pool_id")
        access = self._access(caller, draft)
        await self._workflow(draft, scope)
        at = now()
        blank = Pool(
            id="new",
            scope=scope,
            pool_id=draft.pool_id or _pool_id(draft),
            workflow=draft.workflow,
            name=await self._clean(draft.name, scope, "name"),
            type=draft.type,
            owner=caller.principal,
            lifetime=draft.lifetime,
            reach=draft.reach,
            expires_at=draft.expires_at,
            retention_policy=draft.retention_policy,
            access_control=access,
            persist_across_executions=draft.persist_across_executions,
            created_at=at,
            changed_at=at,
            changed_by=caller.principal,
        )
        pool = await self._filled(POOL.placed(blank), draft.data)
        if pool.ends_at <= at:
            raise InvalidInput("expires_at lies in the past", field="expires_at")
        return await self._store(caller, pool)

    async def get(self, caller: Caller, which: Which) -> Pool:
        """Return a pool that the caller may read; NotFound."""
        pools = {pool.id: pool for pool in await self._candidates(caller, which)}
        for place in pools:
            if pools[place].readable_by(caller.principal):
                return pools[place]
        if which.named == DEFAULT:
            return await self._default(caller, which.scope)
        raise NotFound(f"there is no pool {which.named}", field="pool")

    async def page(self, caller: Caller, wanted: Row, cursor: str | None, limit: int) -> list[Row]:
        """Return rows of pools that the caller may read, by id: `pool` and `size`."""
        rows = await self.graph.rows(
            Q.pools.page,
            scopes=caller.among(wanted["within"]),
            readers=[caller.principal, EVERYONE],
            type=wanted["type"],
            lifetime=wanted["lifetime"],
            workflow=wanted.get("workflow"),
            after=cursor or "",
            at=now(),
            limit=limit,
        )
        return [{"pool": Pool.of(row["pool"]), "size": row["size"]} for row in rows]

    async def newest(self, caller: Caller, limit: int, most: int) -> list[PoolValue]:
        """Return so many values, those that were written last, of the pools that the caller may
        read and that were changed last: so many, of which the largest are left out beyond
        `LOOKED_INTO` bytes. This counts as no reading of them."""
        rows = await self.graph.rows(
            Q.pools.newest,
            scopes=caller.visible,
            readers=[caller.principal, EVERYONE],
            at=now(),
            limit=limit,
            bytes=LOOKED_INTO,
        )

        def found() -> list[PoolValue]:
            pools = [Pool.of(row["pool"]) for row in rows]
            return newest([pool for pool in pools if pool.readable_by(caller.principal)], most)

        return await asyncio.to_thread(found)

    async def delete(self, caller: Caller, which: Which) -> None:
        """Delete a pool with its history; its owner does, or an admin of the scope who may read
        it. Raises StateRefused for the default pool."""
        pool = await self.get(caller, which)
        if pool.pool_id == DEFAULT:
            raise StateRefused("the default pool cannot be deleted", field="pool")
        if pool.owner != caller.principal and not caller.may(pool.scope, Role.ADMIN):
            raise Forbidden("a pool is deleted by its owner or an admin of its scope")
        caller.require(pool.scope, Role.WRITER)
        event = _event(caller, "pool.delete", pool, version=pool.version)

        async def work(tx: Tx) -> None:
            await tx.rows(Q.kinds.lock, ids=[pool.id], at=now())
            rows = await tx.rows(Q.pools.parts, id=pool.id, scope=pool.scope)
            for row in rows:
                await tx.rows(Q.kinds.drop, ids=row["ids"])
            await tx.rows(Q.pools.tell, events=[event])

        await self.graph.write("pools.delete", work)

    # --- data ---------------------------------------------------------------------------------

    async def read(
        self, caller: Caller, which: Which, path: str | None, version: int | None = None
    ) -> tuple[Pool, int, Any]:
        """Return a pool, the version that was read, and the value at a path, or all data.

        Raises NotFound (`path`, `version`) where there is none.
        """
        pool = await self.get(caller, which)
        data, found = pool.data, pool.version
        if version is not None and version != pool.version:
            data, found = (await self._former(pool, version)).data, version
        self.reads.note(pool.id)
        if path is None:
            return pool, found, data
        try:
            return pool, found, read_at(data, parse_path(path))
        except KeyError:
            raise NotFound(f"there is nothing at {path}", field="path") from None

    async def write(
        self, caller: Caller, which: Which, value: Any, path: str | None, expected: int | None
    ) -> Pool:
        """Set the value at a path, or the whole data; the pool as it is then."""
        check(value, "value")
        steps = parse_path(path) if path is not None else ()
        if not steps and not isinstance(value, dict):
            raise InvalidInput("value is an object where no path is given", field="value")
        pool = await self._writable(caller, which)
        steps = tuple([await self._clean(step, pool.scope, "path") for step in steps])
        clean = await self._clean(value, pool.scope, "value")
        return await self._change(caller, pool, lambda data: put(data, steps, clean), expected)

    async def merge(
        self, caller: Caller, which: Which, part: dict[str, Any], expected: int | None
    ) -> Pool:
        """Write a part by its keys, so that two writers of different keys lose nothing."""
        check(part, "data")
        pool = await self._writable(caller, which)
        clean = await self._clean(nested(part), pool.scope, "data")
        return await self._change(caller, pool, lambda data: merge(data, clean), expected)

    async def remove(self, caller: Caller, which: Which, path: str, expected: int | None) -> Pool:
        """Take out what stands at a path; NotFound (`path`) where there is nothing."""
        steps = parse_path(path)
        pool = await self._writable(caller, which)

        def act(data: dict[str, Any]) -> Changed:
            try:
                return remove(data, steps)
            except KeyError:
                raise NotFound(f"there is nothing at {path}", field="path") from None

        return await self._change(caller, pool, act, expected)

    async def versions(self, caller: Caller, which: Which) -> list[Row]:
        """Return the former versions that can still be read, newest first."""
        pool = await self.get(caller, which)
        return await self.graph.rows(Q.pools.versions, id=pool.id, scope=pool.scope)

    async def events(
        self, caller: Caller, which: Which, cursor: str | None, limit: int
    ) -> tuple[list[PoolEvent], str | None]:
        """Return events after a cursor in the order of writing, and where to go on."""
        pool = await self.get(caller, which)
        after = _place(cursor)
        found = await self.graph.many(
            Q.pools.events, PoolEvent, id=pool.id, scope=pool.scope, after=after, limit=limit
        )
        return found, encode(found[-1].time, str(found[-1].seq)) if found else cursor

    async def statistics(self, caller: Caller, which: Which) -> Row:
        """Return the figures of a pool."""
        pool = await self.get(caller, which)
        if pool.changed_by == "" and pool.owner == NOBODY:
            counts: Row = {}
        else:
            counts = await self.graph.one(Q.pools.counts, id=pool.id, scope=pool.scope)
        return {
            "pool_id": pool.pool_id,
            "entries": len(pool.data),
            "data_size_bytes": size_of(pool.data),
            "max_size_bytes": await self.most(pool),
            "version": pool.version,
            "versions": counts.get("versions", 0),
            "events": counts.get("events", 0),
            "writers": len({mark.by for mark in pool.marks}),
            "reads": counts.get("reads") or 0,
            "last_read_at": counts.get("last_read_at"),
            "changed_at": pool.changed_at,
        }

    async def most(self, pool: Pool) -> int:
        """Return the bytes that a pool may hold."""
        own, most = pool.retention_policy.max_size_bytes, (await self.bounds(pool.scope)).bytes
        return most if own is None else min(own, most)

    async def bounds(self, scope: str) -> PoolLimits:
        """Return the quotas that hold in a scope."""
        return await self._scopes.limits(self.limits, scope)

    # --- rights -------------------------------------------------------------------------------

    async def share(self, caller: Caller, which: Which, agent: str, level: str | None) -> Pool:
        """Let an agent read, or read and write (`level`), or take that back (None); the owner
        does. Raises StateRefused for a private pool."""
        pool = await self.get(caller, which)
        caller.require(pool.scope, Role.WRITER)
        if pool.owner != caller.principal:
            raise Forbidden("a pool is shared by its owner")
        if level and pool.type is PoolType.AGENT_PRIVATE:
            raise StateRefused("a private pool is its owner's alone", field="type")
        who = principal_of(caller, agent, "agent")
        event = _event(caller, f"pool.{'grant' if level else 'revoke'}", pool, agent=who)

        async def work(tx: Tx) -> Pool:
            held = await self._locked(tx, caller, pool)
            access = held.access_control.revoked(who)
            if level:
                lists = _lists(held, who, level)
                access = model_of(AccessControl, {**access.model_dump(), **lists})
            made = held.model_copy(update={"access_control": access})
            await tx.rows(Q.kinds.change, rows=[POOL.row(made)])
            await tx.rows(Q.pools.tell, events=[event])
            return made

        shared = await self.graph.write("pools.share", work)
        may_be_found()
        return shared

    def _access(self, caller: Caller, draft: Draft) -> AccessControl:
        """The lists with whole ids; InvalidInput where they contradict the type."""
        access = draft.access_control.named(
            lambda agent: principal_of(caller, agent, "access_control")
        )
        if draft.type in CLOSED and (access.public or access.public_read):
            raise InvalidInput(
                f"a pool of the type {draft.type} is not public", field="access_control.public"
            )
        if draft.type is PoolType.AGENT_PRIVATE and access.readers():
            raise InvalidInput("a private pool is its owner's alone", field="access_control.agents")
        return access

    async def _workflow(self, draft: Draft, scope: str) -> None:
        """Raise InvalidInput (`workflow`) where a workflow is missing, or is of another type."""
        if (draft.workflow is None) is (draft.type is PoolType.WORKFLOW):
            told = "needs one" if draft.workflow is None else "is of none"
            raise InvalidInput(f"a pool of the type {draft.type} {told}", field="workflow")
        if draft.workflow is not None:
            require_plain(draft.workflow, "workflow", await self._scopes.policy(scope))

    # --- within -------------------------------------------------------------------------------

    async def _candidates(self, caller: Caller, which: Which) -> list[Pool]:
        """The pools that an address may mean, the nearest first."""
        if which.scope is not None:
            places = [caller.require(str(parse_scope(which.scope)), Role.READER)]
        else:
            home = parse_scope(caller.home)
            places = [str(step) for step in (home, *home.ancestors) if str(step) in caller.roles]
        if which.scope is None and which.named == DEFAULT:
            places = [caller.home]  # each scope has one of its own
        keepers = (caller.principal, "")
        ids = [POOL.id_of(place, which.named, keeper) for place in places for keeper in keepers]
        seen = caller.visible if which.scope is None else places
        ids.append(which.named)
        return await self.graph.many(Q.pools.find, Pool, ids=ids, scopes=seen, at=now())

    async def _default(self, caller: Caller, scope: str | None) -> Pool:
        """The default pool, stored as soon as somebody who may write asks for it."""
        at = now()
        pool = POOL.placed(
            Pool(
                id="new",
                scope=scope or caller.home,
                pool_id=DEFAULT,
                name="Default",
                owner=NOBODY,
                access_control=AccessControl(public=True),
                persist_across_executions=True,
                created_at=at,
                changed_at=at,
            )
        )
        if caller.may(pool.scope, Role.WRITER):
            await self.graph.rows(Q.kinds.restore, rows=[POOL.new(pool)])
        return pool

    async def _filled(self, pool: Pool, data: dict[str, Any]) -> Pool:
        check(data, "data")
        clean = await self._clean(nested(data), pool.scope, "data")
        most = (await self.bounds(pool.scope)).bytes
        done = change(pool, lambda held: put(held, (), clean), pool.owner, pool.created_at, most)
        return done.pool.model_copy(update={"version": 1, "seq": 0}) if done else pool

    async def _store(self, caller: Caller, pool: Pool) -> Pool:
        event = _event(caller, "pool.create", pool, type=pool.type.value)
        most = (await self.bounds(pool.scope)).pools

        async def work(tx: Tx) -> bool:
            held = await tx.optional(Q.pools.lock_scope, scope=pool.scope, at=now())
            if held is None:
                raise NotFound(f"there is no scope {pool.scope}", field="scope")
            if held["pools"] >= most:
                raise QuotaReached(f"{pool.scope} has {held['pools']} pools", field="scope")
            for ended in await tx.rows(Q.pools.ended, id=pool.id, scope=pool.scope, at=now()):
                await tx.rows(Q.kinds.drop, ids=ended["ids"])
            made = await tx.rows(Q.kinds.restore, rows=[POOL.new(pool)])
            if made:
                await follow(tx, pool)
                await tx.rows(Q.pools.tell, events=[event])
            return bool(made)

        if not await self.graph.write("pools.create", work):
            raise AlreadyExists(f"there is a pool {pool.pool_id} already", field="pool_id")
        return pool

    async def _writable(self, caller: Caller, which: Which) -> Pool:
        pool = await self.get(caller, which)
        caller.require(pool.scope, Role.WRITER)
        _permit(caller, pool)
        return pool

    async def _locked(self, tx: Tx, caller: Caller, pool: Pool) -> Pool:
        found = await tx.many(Q.pools.lock, Pool, id=pool.id, scope=pool.scope, at=now())
        if not found or not found[0].readable_by(caller.principal):
            raise NotFound(f"there is no pool {pool.pool_id}", field="pool")
        return found[0]

    async def _change(self, caller: Caller, pool: Pool, act: Act, expected: int | None) -> Pool:
        """Read, change and write in one transaction that holds the pool's lock from its first
        statement."""
        limits = await self.bounds(pool.scope)

        async def work(tx: Tx) -> Pool:
            held = await self._locked(tx, caller, pool)
            _permit(caller, held)
            if expected is not None and expected != held.version:
                raise VersionMismatch(f"the pool has version {held.version}", field="If-Match")
            done = change(held, act, caller.principal, now(), limits.bytes)
            if done is None:
                return held
            await save(tx, done, limits)
            event = _event(
                caller, "pool.write", done.pool, version=done.pool.version, keys=len(done.events)
            )
            await tx.rows(Q.pools.tell, events=[event])
            return done.pool

        return await self.graph.write("pools.change", work)

    async def _former(self, pool: Pool, version: int) -> PoolVersion:
        found = await self.graph.many(
            Q.pools.version, PoolVersion, id=pool.id, scope=pool.scope, version=version
        )
        if not found:
            raise NotFound(f"version {version} is not kept", field="version")
        return found[0]

    async def _clean(self, value: Any, scope: str, field: str) -> Any:
        """The value as it may be stored; InvalidInput and its kin name the place."""
        if isinstance(value, dict | list):
            check(value, field)
        policy = await self._scopes.policy(scope)
        clean = partial(sanitize_tree, value, policy, field)
        if isinstance(value, dict | list) and size_of(value) > QUICK:
            return await asyncio.to_thread(clean)
        return clean()


async def save(tx: Tx, done: Written, limits: PoolLimits) -> None:
    """Store a pool whose lock is held, its texts, its former data and its events, within the
    bounds."""
    pool = done.pool
    await tx.rows(Q.kinds.change, rows=[POOL.row(pool)])
    await follow(tx, pool)
    parts = [POOL_EVENT.new(event) for event in done.events]
    if limits.versions:
        parts.append(POOL_VERSION.new(POOL_VERSION.placed(done.former)))
    await tx.rows(Q.kinds.restore, rows=parts)
    told = [_told(pool, event) for event in done.events]
    await tx.rows(Q.events.put, rows=[*told, _updated(pool)])
    await tx.rows(
        Q.pools.prune,
        id=pool.id,
        scope=pool.scope,
        keep=limits.versions,
        bytes=limits.versions_bytes,
        below=pool.seq - EVENTS_KEPT,
    )


def _pool_id(draft: Draft) -> str:
    """The name of a pool that is given none: a workflow's follows from it, so that there is one for
    all of its nodes; a digest tells apart those that differ by what no name may have."""
    if draft.workflow is None:
        return f"pool_{draft.type}_{secrets.token_hex(8)}"
    named = f"workflow.{draft.workflow}"
    if re.match(SLUG, named):
        return named
    plain = re.sub(r"[^a-z0-9]+", "-", draft.workflow.lower())[:PLAIN].strip("-")
    return f"workflow.{plain}.{digest(draft.workflow)[:8]}"


def _lists(pool: Pool, agent: str, level: str) -> dict[str, Any]:
    """The lists with an agent that may read, or read and write: as a node where the pool is a
    workflow's."""
    access = pool.access_control.revoked(agent)
    if pool.type is PoolType.WORKFLOW and level == "read":
        return {"read": (*access.read, agent)}
    lists: dict[str, Any] = {"agents": (*access.agents, agent)}
    return lists | ({"write": (*access.write, agent)} if level == "write" else {})


def _told(pool: Pool, event: PoolEvent) -> Row:
    """An event for who follows events and may read the pool; the key is read there."""
    return feed.told(
        event.event,
        pool.scope,
        pool.id,
        event.time,
        actor=event.writer,
        readers=_readers(pool),
        version=event.version,
        is_bulletin=event.is_bulletin,
    )


def _updated(pool: Pool) -> Row:
    """One event for all that a change wrote, likewise."""
    return feed.told(
        "memory_pool_update",
        pool.scope,
        pool.id,
        pool.changed_at,
        actor=pool.changed_by,
        readers=_readers(pool),
        pool=pool.id,
        version=pool.version,
    )


def _readers(pool: Pool) -> set[str] | None:
    readers = {pool.owner, *pool.readers()}
    return None if EVERYONE in readers else readers


def _permit(caller: Caller, pool: Pool) -> None:
    if not pool.writable_by(caller.principal):
        raise Forbidden("this pool may be read and not written", field="pool")


def _place(cursor: str | None) -> int:
    """The number of the last event that was read; InvalidInput (`cursor`)."""
    if cursor is None:
        return 0
    _, place = decode(cursor)
    if not place.isdecimal():
        raise InvalidInput("the cursor was not made by this API", field="cursor")
    return min(int(place), 2**53)


def _event(caller: Caller, kind: str, pool: Pool, **payload: Any) -> Row:
    return {**audit.event(caller, kind, pool.scope, pool=pool.id, **payload), "target": pool.id}
