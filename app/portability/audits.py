"""Audit events and the heads of their chains, for whole round trips: the operator's only."""

from __future__ import annotations

from collections.abc import AsyncIterator

from app.kernel.clock import START, now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.portability.kind import At, Batch, Kind, Record, Selection, Written, cleaned
from app.portability.records import AuditRecord, ChainRecord

PAGE = 500
RESTORE = "import.restore"  # what a restore says of itself: no part of what was restored
CLEAR = "scope.clear"  # what the emptying of a scope says of itself: no part of what was there


def prepare_chain(record: ChainRecord, at: At) -> Row:
    """The head of one chain."""
    tenant = at.scope(record.tenant, "tenant")
    own = {"tenant": tenant, "seq": record.seq, "hash": record.hash}
    return {"line": at.line, "scope": tenant, "scopes": [], **own}


async def write_chain(tx: Tx, batch: Batch) -> Written:
    """Heads of tenants without one; a tenant with a chain of its own keeps it, and the head of the
    package is left out."""
    states = {
        row["tenant"]: row["same"]
        for row in await tx.rows(Q.portability.chain_states, rows=batch.rows)
    }
    new = [row for row in batch.rows if row["tenant"] not in states]
    if new:
        await tx.rows(Q.portability.save_chains, rows=new)
    own = sum(states.get(row["tenant"]) is False for row in batch.rows)
    return Written(len(new), len(batch.rows) - len(new) - own, left=own)


async def export_chain(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """The heads of the tenants, by name."""
    for row in await graph.rows(Q.portability.export_chains, tenants=chosen.tenants):
        yield dict(row)


def prepare_event(record: AuditRecord, at: At) -> Row:
    """One event and what it is about."""
    own = record.model_dump(exclude={"targets"}, exclude_none=True)
    if record.seq is None and record.origin_seq is None:
        own["unsealed"] = True
    targets = [{"label": t.label, "id": t.id} for t in record.targets]
    return {
        "line": at.line,
        "scope": at.scope(record.scope),
        "scopes": [],
        "event": own,
        "targets": targets,
    }


async def write_event(tx: Tx, batch: Batch) -> Written:
    """Events that are not there yet, tied to what is there of their targets; one that is there is
    tied again to what it lost when that was taken out. Those whose place is another's in the chain
    of the tenant, or beyond its head, are kept beside the chain with the place of their origin."""
    unique = {row["event"]["id"]: row for row in reversed(batch.rows)}
    rows = [{"line": r["line"], "event": r["event"]} for r in unique.values()]
    tenants = sorted({row["event"]["tenant"] for row in rows})
    await tx.rows(Q.portability.lock_chains, tenants=tenants, at=now())
    answers = await tx.rows(Q.portability.save_audit, rows=rows)
    there = {row["line"] for row in answers if row["there"]}
    new = [r for r in unique.values() if r["line"] not in there]
    await _tie(tx, new)
    await _tie_again(tx, [r for r in unique.values() if r["line"] in there])
    return Written(len(new), len(batch.rows) - len(new))


async def _tie_again(tx: Tx, rows: list[Row]) -> None:
    known = [
        {"event": row["event"]["id"], "targets": [target["id"] for target in row["targets"]]}
        for row in rows
    ]
    lost = {row["id"] for row in await tx.rows(Q.portability.audit_without, rows=known)}
    await _tie(tx, [row for row in rows if row["event"]["id"] in lost])
    await tx.rows(Q.portability.tied_again, ids=sorted(lost))


async def _tie(tx: Tx, rows: list[Row]) -> None:
    for label in sorted({t["label"] for row in rows for t in row["targets"]}):
        tied = [
            {"event": row["event"]["id"], "id": target["id"]}
            for row in rows
            for target in row["targets"]
            if target["label"] == label
        ]
        await tx.rows(Q.portability.tie_audit, label=label, rows=tied)


async def export_event(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every event of the scopes that the audience may audit, by tenant, moment and id; its place
    in the chain is that of its origin where the tenant's chain does not come along."""
    for tenant in sorted({scope.partition("/")[0] for scope in chosen.audited}):
        after_at, after_id = START, ""
        while page := await graph.rows(
            Q.portability.export_audit,
            tenant=tenant,
            tenants=chosen.tenants,
            scopes=chosen.audited,
            after_at=after_at,
            after_id=after_id,
            limit=PAGE,
        ):
            for row in page:
                event = row["event"] if tenant in chosen.tenants else _without_chain(row["event"])
                yield cleaned({**event, "targets": row["targets"]})
            after_at, after_id = page[-1]["event"]["at"], page[-1]["event"]["id"]


def _without_chain(event: Row) -> Row:
    if event["seq"] is None:
        return event
    origin = {"origin_seq": event["seq"], "origin_hash": event["hash"]}
    return {**event, "seq": None, "hash": None, **origin}


def counted(record: Record) -> Record:
    """Everything but what a restore or an emptying said of itself, which is dropped as empty."""
    return {} if record["kind"] in (RESTORE, CLEAR) else record


CHAIN = Kind(
    "chain",
    "chains.jsonl",
    ChainRecord,
    prepare_chain,
    write_chain,
    export_chain,
    trusted=True,
    trail=True,
)
AUDIT = Kind(
    "audit",
    "audit.jsonl",
    AuditRecord,
    prepare_event,
    write_event,
    export_event,
    counted,
    trusted=True,
    trail=True,
)
