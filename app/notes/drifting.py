"""Baselines of core blocks: taken by curators, compared on request and by a schedule, which tells
of a drift once."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import structlog

from app.embeddings.calibration import Kinds
from app.errors import LociError, NotFound, StateRefused
from app.indexing.spaces import Spaces
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import new_id
from app.kernel.scope import parse_scope
from app.notes import keeping
from app.notes.drift import (
    BLOCK_BASELINE,
    LEAST,
    SAMPLE,
    WINDOW,
    WINDOWS,
    BlockBaseline,
    Drift,
    DriftState,
    Measure,
    closeness,
    drifted,
)

log = structlog.get_logger()
PAGE = 100
NOBODY = "system"  # who tells what the schedule finds


class DriftService:
    """Compares by the model that a scope is searched by; similarities are calibrated."""

    def __init__(self, graph: Graph, spaces: Spaces) -> None:
        self.graph = graph
        self._spaces = spaces

    async def take(self, who: Caller, scope: str | None, kind: str) -> BlockBaseline:
        """Take the baseline of a block, in the place of a former one. NotFound for a block that is
        not there, StateRefused where fewer than eight texts of the last week have a vector."""
        path = str(parse_scope(scope or who.home))
        who.require(path, Role.CURATOR)
        at = now()
        block = await self._block(path, kind)
        measure = await self._measured(path, block, at)
        if measure.sample < LEAST:
            raise StateRefused(
                f"{measure.sample} texts of the last week can be compared, {LEAST} are needed",
                field="kind",
            )
        made = BLOCK_BASELINE.placed(
            BlockBaseline(
                id="new",
                scope=path,
                block_kind=kind,
                block=block["id"],
                block_hash=measure.block_hash,
                model=measure.model,
                closeness=round(min(max(measure.closeness, 0.0), 1.0), 4),
                sample=measure.sample,
                windows=measure.windows,
                taken_by=who.principal,
                taken_at=at,
            )
        )

        async def work(tx: Tx) -> BlockBaseline:
            await keeping.lock_scope(tx, path)
            held = await tx.many(Q.blocks.baselines, BlockBaseline, id=made.id, scope=path)
            if held:
                await keeping.change(tx, BLOCK_BASELINE, made)
            else:
                await keeping.add(tx, BLOCK_BASELINE, made)
            told = {"block": kind, "closeness": made.closeness, "sample": made.sample}
            event = audit.event(who, "block.baseline", path, **told)
            await keeping.tell(tx, event, made.id)
            return made

        return await self.graph.write("blocks.baseline", work)

    async def read(self, who: Caller, scope: str | None, kind: str) -> Drift:
        """Return how far what is said has moved from a block; NotFound where no baseline was
        taken. Nothing is told or changed."""
        path = who.require(str(parse_scope(scope or who.home)), Role.READER)
        return await self._compared(await self._baseline(path, kind), now())

    async def drop(self, who: Caller, scope: str | None, kind: str) -> None:
        """Give up the baseline of a block; NotFound where there is none."""
        path = str(parse_scope(scope or who.home))
        who.require(path, Role.CURATOR)
        seen = await self._baseline(path, kind)

        async def work(tx: Tx) -> None:
            await keeping.lock_scope(tx, path)
            await keeping.drop(tx, seen.id)
            event = audit.event(who, "block.baseline_dropped", path, block=kind)
            await keeping.tell(tx, event, seen.id)

        await self.graph.write("blocks.baseline", work)

    async def check(self, *, dry_run: bool, moment: datetime | None = None) -> Row:
        """Compare every baseline, and tell of each drift once until it has gone back; how many
        there are of each state, how many could not be compared, and how many were told of."""
        at = moment or now()
        counts: Counter[str] = Counter({state.value: 0 for state in DriftState})
        told, failed, after = 0, 0, ""
        while page := await self.graph.rows(Q.blocks.scopes_after, after=after, limit=PAGE):
            after = page[-1]["path"]
            paths = [row["path"] for row in page]
            for baseline in await self.graph.many(
                Q.blocks.every_baseline, BlockBaseline, scopes=paths
            ):
                try:
                    found = await self._compared(baseline, at)
                    counts[found.state] += 1
                    if _turned(found):
                        told += dry_run or await self._told(found)
                except NotFound:
                    continue  # the block ran out or went meanwhile
                except LociError as error:
                    failed += 1  # one scope's model may be broken, and the next one's whole
                    log.warning("blocks.drift_failed", scope=baseline.scope, reason=error.detail)
        return {**counts, "failed": failed, "told": told, "dry_run": dry_run}

    async def _told(self, found: Drift) -> bool:
        """Tell of a drift, or note that it has gone back; true where it was told."""
        seen = found.baseline
        alarm = found.state is DriftState.DRIFTED

        async def work(tx: Tx) -> bool:
            await keeping.lock_scope(tx, seen.scope)
            held = await tx.many(Q.blocks.baselines, BlockBaseline, id=seen.id, scope=seen.scope)
            if not held or held[0] != seen:
                return False  # another run was first, or it was taken anew
            made = seen.model_copy(update={"alarmed_at": found.at if alarm else None})
            await keeping.change(tx, BLOCK_BASELINE, made)
            if alarm:
                await keeping.tell(tx, _event(found), seen.block)
            return alarm

        return await self.graph.write("blocks.drift", work)

    async def _compared(self, baseline: BlockBaseline, at: datetime) -> Drift:
        block = await self._block(baseline.scope, baseline.block_kind)
        return drifted(baseline, await self._measured(baseline.scope, block, at), at)

    async def _baseline(self, scope: str, kind: str) -> BlockBaseline:
        own = BLOCK_BASELINE.id_of(scope, kind)
        found = await self.graph.many(Q.blocks.baselines, BlockBaseline, id=own, scope=scope)
        if not found:
            raise NotFound(f"no baseline was taken of {kind} in {scope}", field="kind")
        return found[0]

    async def _block(self, scope: str, kind: str) -> Row:
        found = await self.graph.rows(Q.blocks.block_of, scope=scope, kind=kind)
        if not found:
            raise NotFound(f"{scope} has no block of the kind {kind}", field="kind")
        block: Row = found[0]["block"]
        return block

    async def _measured(self, scope: str, block: Row, at: datetime) -> Measure:
        part, vectors = await self._spaces.compared_whole(block["content"], scope, WINDOWS)
        rows = await self.graph.rows(
            part.space.over(query=Q.blocks.lately),
            scope=scope,
            vectors=vectors,
            since=at - WINDOW,
            until=at,
            limit=SAMPLE,
        )
        similar = [
            part.similarity(row["cosine"], Kinds.TEXTS, row["language"] or part.language)
            for row in rows
        ]
        near = closeness(similar)
        return Measure(block["content_hash"], part.model, near, len(similar), len(vectors))


def _event(found: Drift) -> Row:
    seen = found.baseline
    return audit.record(
        "block.drift",
        tenant=parse_scope(seen.scope).tenant,
        scope=seen.scope,
        actor=NOBODY,
        request=new_id(),
        payload={
            "block": seen.block_kind,
            "drift": found.drift,
            "sample": found.sample,
            "status": found.state.value,
        },
    )


def _turned(found: Drift) -> bool:
    """Whether the state is another one than was told last."""
    alarmed = found.baseline.alarmed_at is not None
    return (found.state is DriftState.DRIFTED and not alarmed) or (
        found.state is DriftState.STEADY and alarmed
    )
