"""Entities in a package: names, company, and the ledger of merges."""

from __future__ import annotations

from collections.abc import AsyncIterator

import orjson

from app.entities.model import alias_id
from app.entities.names import name_keys
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope
from app.portability.derived import PAGE, clean, closed, opened, rest, unrest, write_restored
from app.portability.derived_records import CompanyRecord, EntityRecord, MergeRecord
from app.portability.kind import At, Batch, Kind, Record, Selection, Written, cleaned

KINDS_OF_ENTITY = ("Concept", "Decision", "Incident", "Lesson", "Source")
PLAIN = (
    "id", "scope", "root", "canonical_name", "canonical_key", "type", "aliases", "keys", "marks",
    "curated", "mention_count", "ingested_at", "expired_at",
)  # fmt: skip
UNSAID = ("tenant", "attributes", "touched_at", "embedding", "embed_hash")
LEDGER = (
    "id", "scope", "left", "right", "status", "evidence", "changes", "proposed_at", "proposed_by",
    "decided_at", "decided_by", "rule", "left_count", "right_count",
)  # fmt: skip


def prepare(record: EntityRecord, at: At) -> Row:
    """An entity with its names; a name that is not fit to be stored changes its keys as well."""
    scope = at.scope(record.scope)
    own = record.model_dump(
        exclude={"names", "labels", "stats", "attributes", "aliases"}, exclude_none=True
    )
    aliases = [clean(alias, "aliases", scope, at) for alias in record.aliases]
    keys, names = list(record.keys), list(record.names)
    if aliases != list(record.aliases):
        keys = sorted({key for alias in aliases for key in name_keys(alias, record.type)})
        names = keys
    attributes = orjson.dumps(_cleaned(record, scope, at), option=orjson.OPT_SORT_KEYS).decode()
    return {
        "line": at.line,
        "scope": scope,
        "subject": record.id,
        "scopes": [scope],
        "id": record.id,
        "said": record.ingested_at,
        "labels": list(record.labels),
        "names": [{"id": alias_id(scope, key), "key": key} for key in names],
        "properties": {
            **unrest(record.stats, (*PLAIN, *UNSAID)),
            **closed(own, "expired_at"),
            "scope": scope,
            "tenant": parse_scope(scope).tenant,
            "canonical_name": clean(record.canonical_name, "canonical_name", scope, at),
            "aliases": aliases,
            "keys": keys,
            "marks": list(record.marks),
            "curated": list(record.curated),
            "attributes": attributes,
            "touched_at": at.moment,
        },
    }


def _cleaned(record: EntityRecord, scope: str, at: At) -> Record:
    return {
        name: clean(value, "attributes", scope, at)
        if isinstance(value, str) and value.strip()
        else value
        for name, value in (record.attributes or {}).items()
    }


async def write(tx: Tx, batch: Batch) -> Written:
    """Entities that are new, by id."""
    return await write_restored(tx, batch, "entity", query=Q.restoring.entities)


async def pages(graph: Graph, scope: str) -> AsyncIterator[list[Row]]:
    """The entities of one scope by id."""
    after = ""
    while page := await graph.rows(
        Q.restoring.export_entities, scope=scope, after=after, limit=PAGE
    ):
        yield page
        after = page[-1]["entity"]["id"]


async def export(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every entity, by scope and id."""
    for scope in chosen.scopes:
        async for page in pages(graph, scope):
            for row in page:
                yield _record(row)


def _record(row: Row) -> Record:
    entity = row["entity"]
    attributes = entity.get("attributes")
    return cleaned(
        {
            **opened({name: entity.get(name) for name in PLAIN}),
            "names": row["names"],
            "attributes": orjson.loads(attributes) if attributes else None,
            "labels": sorted(set(row["labels"]) & set(KINDS_OF_ENTITY)),
            "stats": rest(entity, (*PLAIN, *UNSAID)),
        }
    )


def prepare_company(record: CompanyRecord, at: At) -> Row:
    """One pair."""
    scope = at.scope(record.scope)
    own = record.model_dump()
    subject = f"{record.one} {record.other}"
    return {**own, "line": at.line, "scope": scope, "subject": subject, "scopes": [scope]}


async def write_company(tx: Tx, batch: Batch) -> Written:
    """Nothing: older packages counted what passages mention together; it follows from them."""
    return Written(duplicates=len(batch.rows))


async def export_company(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Nothing: see `write_company`."""
    nothing: tuple[Record, ...] = ()
    for record in nothing:
        yield record


def prepare_merge(record: MergeRecord, at: At) -> Row:
    """One line of the ledger with its edge."""
    scope = at.scope(record.scope)
    own = record.model_dump(exclude={"edge"}, exclude_none=True)
    named = {"scope": scope, "tenant": parse_scope(scope).tenant, "touched_at": at.moment}
    return {
        "line": at.line,
        "scope": scope,
        "subject": record.id,
        "scopes": [scope],
        "id": record.id,
        "left": record.left,
        "right": record.right,
        "edge": unrest(record.edge),
        "properties": {**own, **named},
    }


async def write_merge(tx: Tx, batch: Batch) -> Written:
    """Lines that are new, by id."""
    return await write_restored(tx, batch, "merge", query=Q.restoring.merges)


async def export_merge(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """The ledger, by scope and id."""
    for scope in chosen.scopes:
        after = ""
        while page := await graph.rows(
            Q.restoring.export_merges, scope=scope, after=after, limit=PAGE
        ):
            for row in page:
                own = {name: row["record"].get(name) for name in LEDGER}
                yield cleaned({**own, "edge": rest(row["edge"] or {}, ())})
            after = page[-1]["record"]["id"]


ENTITY = Kind(
    "entity", "entities.jsonl", EntityRecord, prepare, write, export, derived=True, serial=True
)
COMPANY = Kind(
    "company",
    "company.jsonl",
    CompanyRecord,
    prepare_company,
    write_company,
    export_company,
    derived=True,
    serial=True,
)
MERGE = Kind(
    "merge",
    "merges.jsonl",
    MergeRecord,
    prepare_merge,
    write_merge,
    export_merge,
    derived=True,
    serial=True,
)
