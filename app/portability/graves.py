"""What an erasure leaves and what was learnt, for whole round trips: the operator's only.

A tombstone that comes along keeps what was erased from coming back out of an older package.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from app.kernel.clock import FOREVER, open_end
from app.kernel.cypher import Q, Query
from app.kernel.graph import Graph, Row, Tx
from app.portability.grave_records import LearningRecord, ReceiptRecord, TombstoneRecord
from app.portability.kind import At, Batch, Kind, Record, Selection, Written, cleaned

PAGE = 1000


def prepare_receipt(record: ReceiptRecord, at: At) -> Row:
    """One receipt, word for word."""
    own = record.model_dump(exclude_none=True)
    lists = {name: list(own[name]) for name in ("ids", "hashes", "quoted", "survivors", "scopes")}
    return _row(own | lists | {"touched_at": record.at}, at.scope(record.scope), at)


def prepare_tombstone(record: TombstoneRecord, at: At) -> Row:
    """One hash."""
    return _row(record.model_dump(), at.scope(record.tenant, "tenant"), at)


def prepare_learning(record: LearningRecord, at: At) -> Row:
    """One entry of the learning log."""
    own = record.model_dump(exclude_none=True)
    return _row({"retracted_at": FOREVER, **own}, at.scope(record.scope), at)


def _row(properties: Row, scope: str, at: At) -> Row:
    named = {"line": at.line, "scope": scope, "scopes": []}
    return {**named, "id": properties["id"], "properties": properties}


async def write_receipt(tx: Tx, batch: Batch) -> Written:
    """Receipts that are new, by id."""
    return await _new(tx, batch, query=Q.restoring.receipts)


async def write_tombstone(tx: Tx, batch: Batch) -> Written:
    """Tombstones that are new, by id."""
    return await _new(tx, batch, query=Q.restoring.tombstones)


async def write_learning(tx: Tx, batch: Batch) -> Written:
    """Entries that are new, by id."""
    return await _new(tx, batch, query=Q.restoring.learning)


async def _new(tx: Tx, batch: Batch, query: Query) -> Written:
    unique = {row["id"]: row for row in reversed(batch.rows)}
    rows = [unique[identifier] for identifier in sorted(unique)]
    made = await tx.rows(query, rows=rows)
    return Written(accepted=len(made), duplicates=len(batch.rows) - len(made))


async def export_receipt(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """The receipts of whole tenants, by id."""
    async for node in _nodes(graph, chosen.tenants, query=Q.restoring.export_receipts):
        yield cleaned(node)


async def export_tombstone(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """The tombstones of whole tenants, by id."""
    async for node in _nodes(graph, chosen.tenants, query=Q.restoring.export_tombstones):
        yield cleaned(node)


async def export_learning(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """The learning log of whole tenants, by id."""
    async for node in _nodes(graph, chosen.tenants, query=Q.restoring.export_learning):
        yield cleaned(node | {"retracted_at": open_end(node["retracted_at"])})


async def _nodes(graph: Graph, tenants: list[str], *, query: Query) -> AsyncIterator[Row]:
    after = ""
    while tenants and (page := await graph.rows(query, tenants=tenants, after=after, limit=PAGE)):
        for row in page:
            yield row["node"]
        after = page[-1]["node"]["id"]


RECEIPT = Kind(
    "receipt",
    "receipts.jsonl",
    ReceiptRecord,
    prepare_receipt,
    write_receipt,
    export_receipt,
    trusted=True,
)
TOMBSTONE = Kind(
    "tombstone",
    "tombstones.jsonl",
    TombstoneRecord,
    prepare_tombstone,
    write_tombstone,
    export_tombstone,
    trusted=True,
)
LEARNING = Kind(
    "learning",
    "learning.jsonl",
    LearningRecord,
    prepare_learning,
    write_learning,
    export_learning,
    trusted=True,
)
