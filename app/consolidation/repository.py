"""The states of episodes on their way into the derived graph."""

from __future__ import annotations

from datetime import datetime, timedelta

from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.skipscan import SkipScan

LEASE = timedelta(seconds=60)  # then another worker may take the episodes up
ATTEMPTS = 5  # of an episode that cannot be read (seed 001, annex 3.a)
LOST = "cut short: whoever read it was not heard of again"


class ConsolidationRepository:
    """One method a query."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._waiting = SkipScan(
            graph, query=Q.consolidation.waiting, states=["raw", "in_progress"]
        )

    async def lost(self, scope: str) -> int:
        """Count an attempt for episodes whose lease ran out; how many were given up with it."""
        row = await self.graph.one(
            Q.consolidation.lost, scope=scope, at=now(), most=ATTEMPTS, reason=LOST
        )
        return int(row["failed"])

    async def lease(self, scope: str, tenant: str, holder: str, limit: int) -> list[Row]:
        """The next episodes for `holder`; none while another one holds the scope."""
        at = now()
        rows = await self.graph.rows(
            Q.consolidation.lease,
            scope=scope,
            tenant=tenant,
            holder=holder,
            at=at,
            until=at + LEASE,
            limit=limit,
        )
        return [row["episode"] for row in rows]

    async def lease_episodes(self, ids: list[str], scope: str, holder: str) -> list[Row]:
        """These episodes, unless another holder works on them."""
        at = now()
        rows = await self.graph.rows(
            Q.consolidation.lease_episodes,
            ids=ids,
            scope=scope,
            holder=holder,
            at=at,
            until=at + LEASE,
        )
        return [row["episode"] for row in rows]

    async def complete(self, tx: Tx, ids: list[str], scope: str, holder: str, facts: int) -> int:
        """Mark episodes in the transaction that writes what they yield; how many were ours."""
        row = await tx.one(
            Q.consolidation.complete, ids=ids, scope=scope, holder=holder, at=now(), facts=facts
        )
        return int(row["done"])

    async def fail(self, episode: str, scope: str, reason: str, most: int) -> Row:
        """Count an attempt that failed; with `most` of them the episode is given up."""
        return await self.graph.one(
            Q.consolidation.fail, id=episode, scope=scope, reason=reason, most=most
        )

    async def renew(self, ids: list[str], scope: str, holder: str) -> None:
        """Hold a scope and these episodes for another while."""
        await self.graph.rows(
            Q.consolidation.renew, ids=ids, scope=scope, holder=holder, until=now() + LEASE
        )

    async def release(self, scope: str, holder: str) -> None:
        await self.graph.rows(Q.consolidation.release, scope=scope, holder=holder)

    async def hand_back(self, scope: str, holder: str) -> None:
        await self.graph.rows(Q.consolidation.hand_back, scope=scope, holder=holder)

    async def due_scopes(self, each: int = 100) -> list[Row]:
        """Scopes that nobody works on, at most `each` of a tenant, those that wait longest."""
        scopes = await self._waiting.keys()
        return await self.graph.rows(Q.consolidation.due_scopes, scopes=scopes, each=each)

    async def status(self, scopes: list[str]) -> list[Row]:
        return await self.graph.rows(Q.consolidation.status, scopes=scopes)

    async def failures(self, scopes: list[str], limit: int) -> list[Row]:
        return await self.graph.rows(Q.consolidation.failures, scopes=scopes, limit=limit)

    async def reset(self, scope: str, states: list[str], limit: int = 1_000_000) -> int:
        row = await self.graph.one(Q.consolidation.reset, scope=scope, states=states, limit=limit)
        return int(row["found"])

    async def facts_of(self, episode: str, scopes: list[str]) -> list[str]:
        rows = await self.graph.rows(Q.consolidation.facts_of, episode=episode, scopes=scopes)
        return [row["id"] for row in rows]

    async def backlog(self) -> dict[str, int]:
        """Episodes that wait and that failed, over the whole installation."""
        row = await self.graph.one(Q.consolidation.backlog)
        return {"raw": int(row["raw"]), "failed": int(row["failed"])}


def since(moment: datetime | None) -> float:
    """Seconds since a moment; 0 where there is none."""
    return 0.0 if moment is None else max(0.0, (now() - moment).total_seconds())
