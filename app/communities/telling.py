"""Outlines of communities, written where they differ from what was: finest first, then outwards."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from datetime import datetime

from app.communities.centrality import central
from app.communities.detect import Turn
from app.communities.model import Central, Members, Network, Outline, Plan, Stored
from app.communities.outline import heart, joined, outline
from app.communities.repository import CommunityRepository

BATCH = 200  # finest communities whose facts and passages are read at once


class Teller:
    """Describes the communities of one scope, within one pass."""

    def __init__(self, rows: CommunityRepository, turn: Turn, at: datetime) -> None:
        self._rows = rows
        self._turn = turn
        self._at = at

    async def tell(
        self, plan: Plan, old: Mapping[str, Stored], graph: Network, touched: frozenset[str]
    ) -> tuple[int, int]:
        """How many were looked at, and how many show something else now."""
        fresh = {row.id for row in plan.rows}
        damaged = {i for i, one in old.items() if one.damaged}
        wanted = {
            i
            for i, members in plan.leaves.items()
            if i in fresh or i in damaged or not members.isdisjoint(touched)
        }
        scores = await asyncio.to_thread(central, graph, plan.leaves.values())
        changed: set[str] = set()
        for start in range(0, len(wanted), BATCH):
            batch = sorted(wanted)[start : start + BATCH]
            told = await self._outlines({i: plan.leaves[i] for i in batch}, scores)
            changed |= await self._write(told, old, damaged)
        outer = {row.id for row in plan.rows if row.level}
        outer |= {i for i in damaged if old[i].level} - set(plan.gone)
        looked, others = await self._outwards(changed, outer, damaged)
        return len(wanted) + looked, len(changed) + others

    async def _outlines(
        self, leaves: Mapping[str, Members], scores: Mapping[str, Central]
    ) -> dict[str, Outline]:
        own = {i: {e: scores[e] for e in sorted(members)} for i, members in leaves.items()}
        hearts = {i: [one.entity for one in heart(of.values())] for i, of in own.items()}
        roots = sorted({entity for heart_of in hearts.values() for entity in heart_of})
        facts = await self._rows.facts(self._turn.scope, roots, self._at)
        texts = await self._rows.texts(self._turn.scope, hearts)

        def told() -> dict[str, Outline]:
            stated = {i: [f for e in hearts[i] for f in facts.get(e, ())] for i in leaves}
            return {i: outline(own[i], stated[i], texts.get(i, [])) for i in leaves}

        return await asyncio.to_thread(told)  # texts are read for their sentences

    async def _write(
        self, told: Mapping[str, Outline], old: Mapping[str, Stored], damaged: set[str]
    ) -> set[str]:
        """Write what differs, and what lost something even where the rest is the same."""
        other = {i: new for i, new in told.items() if i not in old or old[i].outline != new}
        await self._rows.describe(
            self._turn, self._at, {i: new for i, new in told.items() if i in other or i in damaged}
        )
        return set(other)

    async def _outwards(
        self, changed: Iterable[str], outer: set[str], damaged: set[str]
    ) -> tuple[int, int]:
        """Communities of communities, level by level, as far as what is in them shows otherwise."""
        scope = self._turn.scope
        moved = await self._rows.stored(scope, changed, damaged)
        waiting = outer | {one.parent for one in moved.values() if one.parent}
        looked = others = 0
        while waiting:
            nests = await self._rows.stored(scope, waiting, damaged)
            lowest = min((one.level for one in nests.values()), default=0)
            batch = {i: one for i, one in nests.items() if one.level == lowest}
            parts = await self._rows.stored(
                scope, {i for one in batch.values() for i in one.inner}, damaged
            )
            told = {i: _joined(one, parts) for i, one in batch.items()}
            written = await self._write(told, batch, damaged)
            looked, others = looked + len(told), others + len(written)
            waiting = (nests.keys() - batch.keys()) | {
                parent for i in written if (parent := batch[i].parent)
            }
        return looked, others


def _joined(nest: Stored, parts: Mapping[str, Stored]) -> Outline:
    inner = sorted(
        (parts[i] for i in nest.inner if i in parts), key=lambda one: (-one.size, one.id)
    )
    return joined([one.outline for one in inner])
