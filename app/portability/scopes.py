"""Scopes in a package."""

from __future__ import annotations

from collections.abc import AsyncIterator

import orjson

from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope
from app.portability.derived import clean
from app.portability.kind import At, Batch, Kind, Record, Selection, Written, cleaned
from app.portability.records import ScopeRecord
from app.portability.writing import write_events


def prepare(record: ScopeRecord, at: At) -> Row:
    """A scope's own row; the steps above it are among `scopes`."""
    path = parse_scope(at.scope(record.path, "path"))
    policy = record.policy
    name = clean(record.name, "name", str(path), at) if record.name else None
    stored = {
        "path": str(path),
        "tenant": path.tenant,
        "kind": path.kind,
        "name": name or str(path).rpartition("/")[2],
        "policy": _dumped(policy.model_dump(mode="json")) if policy else None,
        "rules": _dumped(record.rules.model_dump(mode="json")) if record.rules else None,
        "created_at": record.created_at or at.moment,
    }
    return {
        "line": at.line,
        "scope": str(path),
        "subject": str(path),
        "scopes": [str(path.parent)] if path.parent else [],
        "makes": str(path),
        "own": {k: v for k, v in stored.items() if v is not None},
        "parent": str(path.parent) if path.parent else None,
    }


def _dumped(policy: dict[str, object]) -> str:
    return orjson.dumps(policy, option=orjson.OPT_SORT_KEYS).decode()


async def write(tx: Tx, batch: Batch) -> Written:
    """Widest first, so that a parent is there before what lies in it. Where whole packages are
    restored, a scope that is there, as one of which a part was, takes what it has not."""
    unique = {row["subject"]: row for row in reversed(batch.rows)}
    found = await tx.rows(Q.portability.existing_scopes, paths=list(unique))
    known = {row["path"] for row in found}
    new = sorted((r for p, r in unique.items() if p not in known), key=lambda r: str(r["subject"]))
    await write_events(tx, batch, "scope", new)
    rows = [{"scope": r["own"], "parent": r["parent"], "event": r["event"]} for r in new]
    if rows:
        await tx.rows(Q.portability.save_scopes, rows=rows)
    accepted = len(new)
    if known and batch.rules.restores:
        there = [unique[path]["own"] for path in sorted(known)]
        accepted += len(await tx.rows(Q.portability.fill_scopes, rows=there))
    return Written(accepted, len(batch.rows) - accepted)


async def export(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every scope, by path."""
    for row in await graph.rows(Q.portability.export_scopes, scopes=chosen.scopes):
        scope = row["scope"]
        policy, rules = scope.get("policy"), scope.get("rules")
        own = {"policy": orjson.loads(policy) if policy else None}
        yield cleaned({**scope, **own, "rules": orjson.loads(rules) if rules else None})


SCOPE = Kind("scope", "scopes.jsonl", ScopeRecord, prepare, write, export)
