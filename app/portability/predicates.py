"""Edits of the registry of predicates in a package."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import orjson

from app.extraction.predicates import standard
from app.kernel.cypher import Q
from app.kernel.fields import Path
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest
from app.kernel.scope import parse_scope
from app.kernel.wire import ShortText, WireModel
from app.portability.derived import write_new
from app.portability.kind import At, Batch, Kind, Record, Selection, Written, cleaned


class PredicateRecord(WireModel):
    """What a workspace changed in the registry of predicates."""

    scope: Path
    name: ShortText
    definition: dict[str, Any]


def prepare(record: PredicateRecord, at: At) -> Row:
    """One edit; InvalidPredicate names the field that is wrong."""
    scope = at.scope(record.scope)
    standard().with_overrides({record.name: record.definition})
    identifier = digest("predicate", scope, record.name)[:32]
    definition = orjson.dumps(record.definition, option=orjson.OPT_SORT_KEYS).decode()
    return {
        "line": at.line,
        "scope": scope,
        "subject": identifier,
        "scopes": [scope],
        "id": identifier,
        "properties": {
            "id": identifier,
            "scope": scope,
            "tenant": parse_scope(scope).tenant,
            "name": record.name,
            "definition": definition,
            "touched_at": at.moment,
        },
    }


async def write(tx: Tx, batch: Batch) -> Written:
    """Edits that are new, by id."""
    return await write_new(tx, batch, "predicate", query=Q.restoring.predicates)


async def export(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every edit, by scope and name."""
    for row in await graph.rows(Q.restoring.export_predicates, scopes=chosen.scopes):
        edit = row["predicate"]
        yield cleaned({**edit, "definition": orjson.loads(edit["definition"])})


PREDICATE = Kind("predicate", "predicates.jsonl", PredicateRecord, prepare, write, export)
