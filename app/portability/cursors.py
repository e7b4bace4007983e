"""Cursors of consolidation in a package: they say that the derived graph comes along."""

from __future__ import annotations

from collections.abc import AsyncIterator

from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope
from app.portability.derived import HELD_FOR
from app.portability.derived_records import CursorRecord
from app.portability.kind import At, Batch, Kind, Record, Selection, Written, cleaned


def prepare(record: CursorRecord, at: At) -> Row:
    """How far a scope is."""
    scope = at.scope(record.scope)
    own = record.model_dump(exclude={"scope"}, exclude_none=True)
    named = {"scope": scope, "tenant": parse_scope(scope).tenant, "touched_at": at.moment}
    return {
        "line": at.line,
        "scope": scope,
        "subject": scope,
        "scopes": [scope],
        "properties": {**own, **named},
    }


async def write(tx: Tx, batch: Batch) -> Written:
    """Take the scopes that have no derived graph of their own; the others keep theirs."""
    unique = {row["subject"]: row for row in reversed(batch.rows)}
    rows = [unique[scope] for scope in sorted(unique)]
    answers = await tx.rows(
        Q.restoring.hold_cursors, rows=rows, run=batch.rules.run, until=now() + HELD_FOR
    )
    mine = sum(row["mine"] for row in answers)
    return Written(accepted=mine, duplicates=len(batch.rows) - mine)


async def export(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every cursor, by scope."""
    for row in await graph.rows(Q.restoring.export_cursors, scopes=chosen.scopes):
        yield cleaned(row["cursor"])


CURSOR = Kind(
    "cursor", "cursors.jsonl", CursorRecord, prepare, write, export, derived=True, serial=True
)
