"""The pass that keeps mirrors in step with the clock, and the log of what was learnt (seed 004).

A fact whose time has run out is no longer current: nothing was said, only time went by, so a
schedule settles its key anew. A second pass changes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

import orjson

from app.facts.repository import FactRepository, Settled, Terms
from app.kernel.clock import FOREVER, now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest, new_id
from app.kernel.scope import parse_scope

UPDATED = "memory_updated"
PAGE = 500
SCOPES = 10_000

TermsOf = Callable[[str], Awaitable[Terms]]


class LearningService:
    """Expires what has run out, and writes down what a pass changed."""

    def __init__(self, graph: Graph, facts: FactRepository, terms_of: TermsOf) -> None:
        self._graph = graph
        self._facts = facts
        self._terms_of = terms_of

    async def refresh(self, moment: datetime | None = None) -> dict[str, int]:
        """Expire facts, then log what was learnt since the last time; counts."""
        expired, entries = 0, 0
        while rows := await self._graph.rows(Q.lifecycle.due_facts, at=moment or now(), limit=PAGE):
            for scope, of in _by_scope(rows):
                expired += await self._expire(scope, of)
                entries += 1
            if len(rows) < PAGE:
                break
        return {"expired": expired, "entries": entries + await self._log()}

    async def _expire(self, scope: str, rows: list[Row]) -> int:
        terms = await self._terms_of(scope)
        keys = sorted({row["key"] for row in rows})
        locks = sorted({i for row in rows for i in (row["subject"], row["root"]) if i})
        ids = sorted(row["id"] for row in rows)

        async def work(tx: Tx) -> Settled:
            await tx.rows(Q.facts.lock, ids=locks, at=now())
            settled = await self._facts.settle(tx, keys, terms)
            await tx.rows(Q.lifecycle.learn, rows=[_entry(scope, {"expired": ids}, *ids)])
            return settled

        await self._graph.write("lifecycle.expire", work)
        return len(ids)

    async def _log(self) -> int:
        """One entry a scope whose consolidation went on since the last entry."""
        rows = await self._graph.rows(Q.lifecycle.cursors, limit=SCOPES)
        entries = [
            _entry(
                row["scope"],
                {"consolidated": row["consolidated"], "facts": row["facts"]},
                str(row["consolidated"]),
                str(row["facts"]),
            )
            for row in rows
        ]
        made = await self._graph.rows(Q.lifecycle.learn, rows=entries) if entries else []
        return sum(bool(row["made"]) for row in made)


def _by_scope(rows: list[Row]) -> list[tuple[str, list[Row]]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["scope"]].append(row)
    return sorted(groups.items())


def _entry(scope: str, payload: dict[str, Any], *identity: str) -> Row:
    """An entry under an id that the same change has again; ids and counts, no content."""
    at = now()
    return {
        "id": digest("learning", UPDATED, scope, *identity)[:32],
        "place": new_id(),
        "tenant": parse_scope(scope).tenant,
        "scope": scope,
        "kind": UPDATED,
        "payload": orjson.dumps(payload, option=orjson.OPT_SORT_KEYS).decode(),
        "recorded_at": at,
        "retracted_at": FOREVER,
    }
