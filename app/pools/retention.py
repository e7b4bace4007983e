"""Upkeep of pools: what has ended goes, keys that ran out go, events older than a day go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from app.jobs.apart import apart
from app.kernel import audit
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Tx
from app.kernel.ids import new_id
from app.pools.data import Changed, Path, ages
from app.pools.kind import POOL
from app.pools.model import NOBODY, Pool
from app.pools.service import PoolLimits, save
from app.pools.writing import Act, change
from app.scopes.service import ScopeService

PAGE = 100
EVENTS_LAST = timedelta(days=1)
NAMED = 1000  # pools that a receipt names; the counts are of all


@dataclass(slots=True)
class Receipt:
    """What an upkeep took, or would take: pools by `scope/pool_id`, keys by the same."""

    id: str
    dry_run: bool
    at: datetime
    pools: list[str] = field(default_factory=list)
    keys: dict[str, int] = field(default_factory=dict)
    events: int = 0
    counts: dict[str, dict[str, int]] = field(default_factory=dict)

    def add(self, pool: Pool, *, pools: int = 0, keys: int = 0) -> None:
        """Count what becomes of one pool."""
        place = f"{pool.scope}/{pool.pool_id}"
        if pools and len(self.pools) < NAMED:
            self.pools.append(place)
        if keys and len(self.keys) < NAMED:
            self.keys[place] = keys
        of_scope = self.counts.setdefault(pool.scope, {"pools": 0, "keys": 0})
        of_scope["pools"] += pools
        of_scope["keys"] += keys


def stale_keys(pool: Pool, at: datetime) -> list[str]:
    """Return the keys at the top that nobody has written for the time that the policy gives."""
    ttl = pool.retention_policy.ttl_seconds
    if ttl is None:
        return []
    written = ages(pool.data, pool.marks, pool.created_at)
    return sorted(key for key, moment in written.items() if at - moment >= timedelta(seconds=ttl))


class PoolUpkeep:
    """Runs by night and by hand; a second run changes nothing more."""

    def __init__(self, graph: Graph, scopes: ScopeService, limits: PoolLimits) -> None:
        self._graph = graph
        self._scopes = scopes
        self._limits = limits

    async def run(
        self, scopes: Sequence[str] | None, *, dry_run: bool, moment: datetime | None = None
    ) -> Receipt:
        """Look at the pools of some scopes, or of all; the receipt, which the audit keeps too."""
        receipt = Receipt(new_id(), dry_run, moment or now())
        asked = None if scopes is None else list(scopes)
        after = ""
        while rows := await self._graph.rows(
            Q.pools.due, scopes=asked, at=receipt.at, after=after, limit=PAGE
        ):
            for row in rows:
                with apart("pools.retention", row["id"]):
                    await self._one(row["id"], receipt)
            after = rows[-1]["id"]
        before = receipt.at - EVENTS_LAST
        if dry_run:
            old = await self._graph.one(Q.pools.old_events, scopes=asked, before=before)
        else:
            old = await self._graph.one(Q.pools.drop_events, scopes=asked, before=before)
        receipt.events = old["events"]
        return receipt

    async def _one(self, pool_id: str, receipt: Receipt) -> None:
        async def work(tx: Tx) -> tuple[Pool, int, int] | None:
            found = await tx.many(Q.kinds.lock, Pool, ids=[pool_id], at=now())
            return await self._settle(tx, found[0], receipt) if found else None

        done = await self._graph.write("pools.retention", work)
        if done is not None:
            pool, gone, keys = done
            receipt.add(pool, pools=gone, keys=keys)

    async def _settle(self, tx: Tx, pool: Pool, receipt: Receipt) -> tuple[Pool, int, int]:
        """What becomes of one pool whose lock is held: the pool, whether it went, and its keys."""
        if pool.ends_at <= receipt.at:
            if not receipt.dry_run:
                for row in await tx.rows(Q.pools.parts, id=pool.id, scope=pool.scope):
                    await tx.rows(Q.kinds.drop, ids=row["ids"])
                await self._tell(tx, pool, receipt, pools=1, keys=0)
            return pool, 1, 0
        keys = stale_keys(pool, receipt.at)
        if receipt.dry_run:
            return pool, 0, len(keys)
        limits = await self._scopes.limits(self._limits, pool.scope)
        done = change(pool, _without(keys), NOBODY, receipt.at, limits.bytes)
        if done is not None:
            await save(tx, done, limits)
            await self._tell(tx, pool, receipt, pools=0, keys=len(keys))
        else:
            await tx.rows(Q.kinds.change, rows=[POOL.row(pool)])
        return pool, 0, len(keys)

    async def _tell(self, tx: Tx, pool: Pool, receipt: Receipt, *, pools: int, keys: int) -> None:
        event = audit.record(
            "pool.retention",
            tenant=pool.scope.partition("/")[0],
            scope=pool.scope,
            actor=NOBODY,
            request=receipt.id,
            payload={"receipt": receipt.id, "pool": pool.id, "pools": pools, "keys": keys},
        )
        await tx.rows(Q.pools.tell, events=[{**event, "target": pool.id}])


def _without(keys: Sequence[str]) -> Act:
    gone = set(keys)
    paths: list[Path] = [(key,) for key in keys]
    return lambda data: Changed({k: v for k, v in data.items() if k not in gone}, paths)
