"""Communities of scopes: found anew where something changed, and described anew where it shows.

A pass over a scope is one holder's, by a lease. It may be killed at any line: what it wrote is
whole by batches, and the cursor stands where it stood, so that the next pass does the rest.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.communities.centrality import network
from app.communities.detect import Turn, leiden
from app.communities.grouping import replaced, replanned
from app.communities.model import Cursor, Network, Pass, Plan, Stored
from app.communities.nesting import finest, nested
from app.communities.repository import CommunityRepository
from app.communities.telling import Teller
from app.errors import LeaseLost, LociError
from app.kernel.clock import now
from app.kernel.graph import Graph
from app.kernel.ids import new_id
from app.kernel.scope import parse_scope

WHOLE_BELOW = 1000  # entities; so few are grouped anew each time
DRIFT = 0.25  # share of entities that moved since the last whole run, from which all is redone
LAG = timedelta(seconds=5)  # what was written so long ago is committed; later is looked at again


@dataclass(frozen=True, slots=True)
class Changes:
    """Since the last pass: roots that were written, and communities that lost something."""

    touched: frozenset[str]
    damaged: frozenset[str]


class CommunityService:
    """Keeps communities; passes run one at a time for each scope."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.rows = CommunityRepository(graph)

    async def due(self, limit: int = 1000) -> list[str]:
        """Scopes in which something was written since the last pass."""
        return await self.rows.due(limit)

    async def refresh(self, scope: str, *, whole: bool = False) -> Pass | None:
        """Bring a scope's communities up to date; None where another worker is at it.

        `whole` groups everything anew. Raises GdsUnavailable, and then nothing has changed.
        """
        turn, start = Turn(scope, new_id()), now()
        cursor = await self.rows.take(turn, parse_scope(scope).tenant, start)
        if cursor is None:
            return None
        try:
            return await self._pass(turn, cursor, start, whole=whole)
        except LeaseLost:
            raise
        except LociError as error:
            await self.rows.give_back(turn, error.detail)
            raise

    async def _pass(self, turn: Turn, cursor: Cursor, start: datetime, *, whole: bool) -> Pass:
        done = Pass(turn.scope, entities=await self.rows.count(turn.scope))
        marks = _Marks()
        changes = await self._changes(turn.scope, cursor, start)
        done.whole = whole or _wants_whole(cursor, done.entities, len(changes.touched))
        old = await self._old(turn.scope, changes, whole=done.whole)
        graph = await self._network(turn.scope, changes, old, start, whole=done.whole)
        marks.mark("read")
        plan = await self._plan(turn, old, graph, whole=done.whole)
        marks.mark("leiden")
        await self.rows.save(turn, parse_scope(turn.scope).tenant, start, plan)
        marks.mark("group")
        teller = Teller(self.rows, turn, start)
        done.told, done.changed = await teller.tell(plan, old, graph, changes.touched)
        marks.mark("describe")
        done.regrouped, done.removed = len(plan.rows), len(plan.gone)
        done.communities = len(await self.rows.every(turn.scope))
        done.seconds = marks.seconds
        await self.rows.finish(turn, _state(cursor, done, start, _moved(old, plan)))
        return done

    async def _changes(self, scope: str, cursor: Cursor, at: datetime) -> Changes:
        damaged = await self.rows.damaged(scope, at)
        if cursor.reached_at is None:
            return Changes(frozenset(), frozenset(damaged))
        touched = await self.rows.touched(scope, cursor.reached_at - LAG)
        return Changes(frozenset(touched), frozenset(damaged))

    async def _old(self, scope: str, changes: Changes, *, whole: bool) -> dict[str, Stored]:
        """Communities that may change: all, or those of what was touched with all they are in."""
        damaged = set(changes.damaged)
        if whole:
            return await self.rows.stored(scope, await self.rows.every(scope), damaged)
        wanted = await self.rows.leaves_of(scope, changes.touched) | damaged
        found: dict[str, Stored] = {}
        while wanted:
            level = await self.rows.stored(scope, wanted, damaged)
            found |= level
            wanted = {one.parent for one in level.values() if one.parent} - found.keys()
        return found

    async def _network(
        self, scope: str, changes: Changes, old: Mapping[str, Stored], at: datetime, *, whole: bool
    ) -> Network:
        """The edges among what is grouped; both ends of every edge that is new were touched."""
        if whole:
            links = await self.rows.links(scope, at)
        else:
            inner = (one.inner for one in old.values() if not one.level)
            roots = changes.touched.union(*inner)
            links = await self.rows.links_of(scope, sorted(roots), at)
        return await asyncio.to_thread(network, links.items())

    async def _plan(
        self, turn: Turn, old: Mapping[str, Stored], graph: Network, *, whole: bool
    ) -> Plan:
        found = await leiden(self.graph, turn, graph)
        groups = await asyncio.to_thread(nested, found)
        if whole:
            return await asyncio.to_thread(replanned, turn.scope, old, groups)
        return replaced(turn.scope, old, [group.members for group in finest(groups)])


class _Marks:
    """Seconds of the steps of a pass."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def mark(self, name: str) -> None:
        moment = time.perf_counter()
        self.seconds[name] = round(moment - self._last, 3)
        self._last = moment


def _wants_whole(cursor: Cursor, entities: int, touched: int) -> bool:
    """Few entities, none grouped so far, or so many that moved that what is local has drifted."""
    if cursor.whole_at is None or entities < WHOLE_BELOW:
        return True
    return cursor.moved + touched > DRIFT * max(entities, cursor.entities)


def _moved(old: Mapping[str, Stored], plan: Plan) -> int:
    """How many entities are in another finest community than before."""
    before = {entity: i for i, one in old.items() if not one.level for entity in one.inner}
    now_in = {entity: i for i, members in plan.leaves.items() for entity in members}
    return sum(before.get(entity) != i for entity, i in now_in.items())


def _state(cursor: Cursor, done: Pass, start: datetime, moved: int) -> dict[str, object]:
    return {
        "reached_at": start,
        "whole_at": start if done.whole else cursor.whole_at,
        "entities": done.entities,
        "moved": 0 if done.whole else cursor.moved + moved,
        "error": None,
    }
