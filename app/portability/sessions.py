"""Sessions in a package."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import orjson

from app.kernel.clock import FOREVER, open_end
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope
from app.portability.kind import (
    At,
    Batch,
    Kind,
    Record,
    Rules,
    Selection,
    State,
    Written,
    cleaned,
)  # fmt: skip
from app.portability.reader import Reader
from app.portability.records import SessionRecord
from app.portability.writing import write_events
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import sanitize
from app.scopes.sessions import session_id

PAGE = 200


def prepare(record: SessionRecord, at: At) -> Row:
    """A session's row; texts of its metadata pass the sanitising step."""
    scope = at.scope(record.scope)
    identifier = session_id(scope, record.key)
    taken = (record.ingested_at if at.rules.keeps else None) or at.moment
    metadata = _clean(record.metadata, at.policy(scope))
    return {
        "line": at.line,
        "scope": scope,
        "subject": identifier,
        "scopes": [scope],
        "session": {
            "id": identifier,
            "key": record.key,
            "scope": scope,
            "tenant": parse_scope(scope).tenant,
            "started_at": record.started_at or taken,
            "ingested_at": taken,
            "expired_at": record.expired_at or FOREVER,
            "metadata": orjson.dumps(metadata, option=orjson.OPT_SORT_KEYS).decode(),
        },
    }


def _clean(metadata: dict[str, Any], policy: SanitizePolicy) -> dict[str, Any]:
    return {
        name: sanitize(value, policy).text if isinstance(value, str) and value.strip() else value
        for name, value in metadata.items()
    }


async def write(tx: Tx, batch: Batch) -> Written:
    """New sessions, in the order of their ids."""
    unique = {row["subject"]: row for row in reversed(batch.rows)}
    known = {row["id"] for row in await tx.rows(Q.portability.known_sessions, ids=list(unique))}
    new = [unique[i] for i in sorted(unique) if i not in known]
    await write_events(tx, batch, "session", new)
    if new:
        await tx.rows(Q.portability.save_sessions, rows=new)
    return Written(accepted=len(new), duplicates=len(batch.rows) - len(new))


async def pages(graph: Graph, scope: str) -> AsyncIterator[list[Row]]:
    """The sessions of one scope with the number of their episodes, by key."""
    after = ""
    while page := await graph.rows(
        Q.portability.export_sessions, scopes=[scope], after=after, limit=PAGE
    ):
        yield page
        after = page[-1]["session"]["key"]


async def export(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every session, by scope and key."""
    for scope in chosen.scopes:
        async for page in pages(graph, scope):
            for row in page:
                yield _record(row["session"])


def _record(session: Row) -> Record:
    record = {name: session[name] for name in ("scope", "key", "started_at", "ingested_at")}
    record["expired_at"] = open_end(session["expired_at"])
    record["metadata"] = orjson.loads(session.get("metadata") or "{}")
    return cleaned(record)


async def known(reader: Reader, rows: Sequence[Row], rules: Rules) -> dict[int, State]:
    """Which sessions are here; they stay as they are."""
    ids = [row["subject"] for row in rows]
    found = {row["id"] for row in await reader.rows(Q.portability.known_sessions, ids=ids)}
    return {row["line"]: "same" for row in rows if row["subject"] in found}


SESSION = Kind("session", "sessions.jsonl", SessionRecord, prepare, write, export, known=known)
