"""Pools in search: their texts follow each write, and a search keeps to pools that may be read."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Tx
from app.kernel.nothing import KnownEmpty
from app.pools.kind import POOL_TEXT
from app.pools.model import Pool, readers_of
from app.pools.texts import Difference, Held, difference

ROOMS = 2000  # pools that one search looks into, those that were changed last
PAGE = 100
ROWS = 200  # texts that are written by one statement
QUICK = 20_000  # bytes of a pool whose texts are analysed without a thread of their own


# Most readers have no such pool, and would wait for that answer before each search: who has none
# is remembered for a moment. A pool that this process writes or shares ends that at once.
_none = KnownEmpty()


async def rooms(graph: Graph, scopes: Sequence[str], principal: str) -> list[str]:
    """Return the ids of the pools in some scopes that a principal may read and that have texts;
    one that another process has just made may be missed for a second."""
    key = (principal, tuple(scopes))
    if key in _none:
        return []
    found = await graph.one(
        Q.pools.rooms,
        scopes=list(scopes),
        readers=readers_of(principal),
        at=now(),
        limit=ROOMS,
    )
    ids: list[str] = found["ids"]
    if not ids:
        _none.add(key)
    return ids


def may_be_found() -> None:
    """Ask again who has pools with texts: one was written or shared."""
    _none.clear()


async def follow(tx: Tx, pool: Pool) -> int:
    """Make the texts of a pool whose lock is held those of its data; how many are other than
    before."""
    rows = await tx.rows(Q.pools.texts, id=pool.id, scope=pool.scope)
    held = {row["key"]: Held(row["id"], row["fingerprint"]) for row in rows}

    def work() -> tuple[Difference, list[dict[str, Any]], list[dict[str, Any]]]:
        found = difference(pool, held)
        return found, [*map(POOL_TEXT.new, found.new)], [*map(POOL_TEXT.row, found.changed)]

    large = pool.derived()["size"] > QUICK
    found, new, changed = await asyncio.to_thread(work) if large else work()
    if found.gone:
        await tx.rows(Q.kinds.drop, ids=found.gone)
    for at in range(0, len(new), ROWS):
        await tx.rows(Q.kinds.restore, rows=new[at : at + ROWS])
    for at in range(0, len(changed), ROWS):
        await tx.rows(Q.kinds.change, rows=changed[at : at + ROWS])
    may_be_found()
    await tx.rows(Q.pools.followed, id=pool.id, scope=pool.scope, texts=found.left or None)
    return len(new) + len(changed) + len(found.gone)


class PoolTexts:
    """Gives pools their texts that a package brought or an erasure changed; a second run changes
    nothing more."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def run(self) -> int:
        """Look at every pool whose texts are due; how many texts are other than before."""
        told, after = 0, ""
        while rows := await self._graph.rows(Q.pools.unfollowed, after=after, limit=PAGE):
            ids = [row["id"] for row in rows]
            told += sum([await self._one(pool) for pool in ids])
            after = ids[-1]
        return told

    async def _one(self, pool: str) -> int:
        async def work(tx: Tx) -> int:
            found = await tx.many(Q.kinds.lock, Pool, ids=[pool], at=now())
            return await follow(tx, found[0]) if found else 0

        return await self._graph.write("pools.follow", work)
