"""Agents and users in a package, with their grants and without their keys."""

from __future__ import annotations

from collections.abc import AsyncIterator

from app.access.service import principal_id
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope
from app.portability.derived import clean
from app.portability.kind import At, Batch, Kind, Record, Selection, Written, cleaned
from app.portability.records import AgentRecord
from app.portability.writing import write_events

PAGE = 500


def prepare(record: AgentRecord, at: At) -> Row:
    """A principal with home and grants; its id follows from kind, tenant and name."""
    home = at.scope(record.home, "home")
    tenant = parse_scope(home).tenant
    identifier, family = principal_id(record.kind, tenant, record.name), record.model_family
    stored = {
        "id": identifier,
        "tenant": tenant,
        "kind": record.kind,
        "name": record.name,
        "model_family": family and clean(family, "model_family", home, at),
        "public_key": record.public_key,
        "created_at": record.created_at or at.moment,
        "retired_at": record.retired_at,
    }
    grants = [
        {"path": at.scope(grant.scope, "grants"), "role": grant.role, "subtree": grant.subtree}
        for grant in record.grants
    ]
    return {
        "line": at.line,
        "scope": home,
        "subject": identifier,
        "scopes": sorted({home, *(grant["path"] for grant in grants)}),
        "principal": {k: v for k, v in stored.items() if v is not None},
        "home": {"path": home, "role": record.role, "subtree": record.subtree},
        "grants": grants,
    }


async def write(tx: Tx, batch: Batch) -> Written:
    """New principals, in the order of their ids."""
    unique = {row["subject"]: row for row in reversed(batch.rows)}
    found = await tx.rows(Q.portability.known_principals, ids=list(unique))
    known = {row["id"] for row in found}
    new = [unique[i] for i in sorted(unique) if i not in known]
    await write_events(tx, batch, "agent", new)
    if new:
        await tx.rows(Q.portability.save_principals, rows=new)
    return Written(accepted=len(new), duplicates=len(batch.rows) - len(new))


async def export(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every principal at home in a scope that the audience may administer, by id."""
    after = ""
    while page := await graph.rows(
        Q.portability.export_principals, scopes=chosen.audited, after=after, limit=PAGE
    ):
        for row in page:
            own = row["principal"]
            named = ("kind", "name", "model_family", "public_key", "created_at", "retired_at")
            record = {name: own.get(name) for name in named}
            shown = ("home", "role", "subtree", "grants")
            yield cleaned({**record, **{name: row[name] for name in shown}})
        after = page[-1]["principal"]["id"]


AGENT = Kind("agent", "agents.jsonl", AgentRecord, prepare, write, export)
