"""What the writers of the small kinds share: only new rows are written, each tied to its event."""

from __future__ import annotations

from app.kernel import audit
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.kernel.ids import digest
from app.kernel.scope import parse_scope
from app.portability.kind import Batch, Rules

PACKAGE_ACTOR = "operator"


def importer_of(rules: Rules, scope: str) -> str:
    """Id of the principal that imports into a scope: the caller, or the operator of its tenant."""
    return rules.importer or f"user:{parse_scope(scope).tenant}:{PACKAGE_ACTOR}"


def event_of(rules: Rules, scope: str, kind: str, subjects: list[str]) -> Row:
    """One audit event about a batch in one scope; the digest covers what was written."""
    return audit.record(
        "import",
        tenant=parse_scope(scope).tenant,
        scope=scope,
        actor=importer_of(rules, scope),
        request=rules.run,
        payload={
            "kind": kind,
            "records": len(subjects),
            "digest": digest(*subjects),
            **({"vouched": True} if rules.importer and rules.vouched else {}),
        },
    )


async def write_events(tx: Tx, batch: Batch, kind: str, rows: list[Row]) -> None:
    """One event a scope about `rows`, whose `event` becomes its id; none where audit is restored.

    A row names its subject by `subject`.
    """
    by_scope: dict[str, list[Row]] = {}
    for row in rows:
        row["event"] = None
        by_scope.setdefault(row["scope"], []).append(row)
    if batch.rules.restores:
        return
    events = []
    for scope, group in sorted(by_scope.items()):
        made = event_of(batch.rules, scope, kind, [row["subject"] for row in group])
        events.append(made)
        for row in group:
            row["event"] = made["id"]
    await tx.rows(Q.portability.events, rows=events)
