"""Snapshots of scopes: rendered from the graph, stored where they differ from the last one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.autonomy.ledger import lock_scope, of_loci
from app.errors import NotFound
from app.kernel import audit
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.scopes.every import paths
from app.snapshots.markdown import Content, rendered
from app.snapshots.model import SNAPSHOT, Snapshot

LEARNINGS, KNOWLEDGE = "learnings", "knowledge"


@dataclass(frozen=True, slots=True)
class Taken:
    """A snapshot, and whether it differs from the one that was stored before."""

    snapshot: Snapshot
    changed: bool


class SnapshotService:
    """Renders and stores; `most` is how many entries of each list one shows."""

    def __init__(self, graph: Graph, most: int) -> None:
        self._graph = graph
        self._most = most

    async def render(self, scope: str, moment: datetime | None = None) -> Snapshot:
        """Return what a snapshot of a scope says now; nothing is stored."""
        return await self._rendered(self._graph, scope, moment or now())

    async def stored(self, scope: str) -> Snapshot:
        """Return the snapshot that was stored of a scope; NotFound where none was."""
        found = await self._graph.many(Q.snapshots.stored, Snapshot, scope=scope)
        if not found:
            raise NotFound(f"no snapshot was taken of {scope}", field="stored")
        return found[0]

    async def take(
        self,
        scope: str,
        who: Caller | None = None,
        *,
        dry_run: bool = False,
        moment: datetime | None = None,
    ) -> Taken:
        """Store a snapshot of a scope; where nothing has changed, the stored one stays.

        It is rendered anew with the scope's lock held, for which an erasure waits that drops it.
        """
        at = moment or now()
        before = await self._graph.many(Q.snapshots.stored, Snapshot, scope=scope)
        made = await self._rendered(self._graph, scope, at)
        if before and before[0].sha256 == made.sha256:
            return Taken(before[0], changed=False)
        if dry_run:
            return Taken(made, changed=True)
        actor = who or of_loci(scope, "snapshot")

        async def work(tx: Tx) -> Taken:
            return await self._store(tx, actor, scope, at)

        return await self._graph.write("snapshot.take", work)

    async def _store(self, tx: Tx, who: Caller, scope: str, at: datetime) -> Taken:
        """Store a snapshot that is rendered with the scope's lock held."""
        await lock_scope(tx, scope)
        held = await tx.many(Q.snapshots.stored, Snapshot, scope=scope)
        fresh = await self._rendered(tx, scope, at)
        if held and held[0].sha256 == fresh.sha256:
            return Taken(held[0], changed=False)
        if held:
            await tx.rows(Q.kinds.change, rows=[SNAPSHOT.row(fresh)])
        else:
            await tx.rows(Q.kinds.restore, rows=[SNAPSHOT.new(fresh)])
        event = audit.event(who, "snapshot.take", scope, sha256=fresh.sha256)
        await tx.rows(Q.autonomy.tell, events=[{**event, "target": fresh.id}])
        return Taken(fresh, changed=True)

    async def take_all(self, scopes: Sequence[str] | None = None, *, dry_run: bool = False) -> Row:
        """Take a snapshot of some scopes, or of all; how many there are, and which have changed."""
        changed: list[str] = []
        looked = 0
        async for scope in paths(self._graph, scopes):
            looked += 1
            try:
                if (await self.take(scope, dry_run=dry_run)).changed:
                    changed.append(scope)
            except NotFound:
                continue  # the scope was deleted meanwhile
        told = {"scopes": looked, "changed": len(changed), "places": changed[:1000]}
        return {**told, "dry_run": dry_run}

    async def _rendered(self, source: Graph | Tx, scope: str, at: datetime) -> Snapshot:
        where: Row = {"scope": scope, "at": at, "limit": self._most + 1}
        content = Content(
            statistics=await source.one(Q.snapshots.statistics, scope=scope, at=at),
            skills=await source.rows(Q.snapshots.skills, **where),
            learnings=await source.rows(Q.snapshots.notes, **where, namespace=LEARNINGS),
            notes=await source.rows(Q.snapshots.notes, **where, namespace=KNOWLEDGE),
            facts=await source.rows(Q.snapshots.facts, **where),
        )
        text = rendered(scope, content, self._most)
        return Snapshot(
            id=SNAPSHOT.id_of(scope),
            scope=scope,
            text=text,
            sha256=hashlib.sha256(text.encode()).hexdigest(),
            taken_at=at,
        )
