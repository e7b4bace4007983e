"""Facts in a package: every interval on both clocks, every claim, and what stands against what."""

from __future__ import annotations

from collections.abc import AsyncIterator

from app.indexing.entry import ENTRY, LIVE, entry
from app.indexing.entry import Facts as EntryFacts
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope
from app.portability.derived import PAGE, clean, closed, opened, rest, unrest, write_restored
from app.portability.derived_records import FactRecord, LinkRecord
from app.portability.kind import At, Batch, Kind, Record, Selection, Written, cleaned

PLAIN = (
    "id", "scope", "key", "subject", "subject_text", "predicate", "object_kind", "object_key",
    "object_text", "object_id", "negated", "qualifier", "fits", "statement", "language", "status",
    "live", "valid_from", "valid_to", "confidence", "evidence", "principals", "trust",
    "importance", "is_pinned", "captured_at", "ingested_at", "expired_at",
)  # fmt: skip
# What is made anew: the index entry, and what only says when the node was locked.
MADE = (
    *ENTRY, "tenant", "content", "windows", "touched_at", "claims_due", "weighed", "settled_by",
    "heads", "runs", "newest", "undated", "privacy", "settle_state", "may_change",
)  # fmt: skip
INTERVAL = (
    "id", "valid_from", "valid_to", "from_precision", "to_precision", "recorded_at",
    "retracted_at", "standing", "reason",
)  # fmt: skip
REVIEW = (
    "id", "verdict", "by", "at", "note", "valid_from", "valid_to", "other", "undone_at",
    "undone_by",
)  # fmt: skip
RELATION = ("valid_from", "valid_to", "recorded_at", "live")


def prepare(record: FactRecord, at: At) -> Row:
    """A fact with its index entry, its intervals and what was decided on it."""
    scope = at.scope(record.scope)
    tenant = parse_scope(scope).tenant
    return {
        "line": at.line,
        "scope": scope,
        "subject": record.id,
        "scopes": [scope],
        "id": record.id,
        "said": record.ingested_at,
        "properties": _properties(record, scope, at),
        "intervals": [
            closed(i.model_dump(exclude_none=True), "valid_to", "retracted_at")
            for i in record.intervals
        ],
        "reviews": [
            {**_review(r.model_dump(exclude_none=True), scope, at), "scope": scope,
             "tenant": tenant, "fact": record.id}
            for r in record.reviews
        ],
        "relations": _relations(record),
    }  # fmt: skip


def _properties(record: FactRecord, scope: str, at: At) -> Row:
    own = record.model_dump(
        exclude={"intervals", "reviews", "relation", "stats", "claims"}, exclude_none=True
    )
    statement = clean(record.statement, "statement", scope, at)
    told = EntryFacts(
        memory_id=record.id,
        scope=scope,
        kind="fact",
        captured_at=record.captured_at,
        ingested_at=record.ingested_at,
    )
    made = entry(told, statement, record.language)
    facets = [token for token in made["facets"] if token != LIVE] + [LIVE] * record.live
    return {
        **made,
        **unrest(record.stats, (*PLAIN, *MADE)),
        **closed(own, "valid_to", "expired_at"),
        "scope": scope,
        "tenant": parse_scope(scope).tenant,
        "facets": facets,
        "statement": statement,
        "content": statement,
        "subject_text": clean(record.subject_text, "subject_text", scope, at),
        "object_text": clean(record.object_text, "object_text", scope, at),
        "windows": 1,
        "claims_due": record.claims,
        "settle_state": "due",
    }


def _review(review: Row, scope: str, at: At) -> Row:
    note = review.get("note")
    return {**review, "note": clean(note, "reviews", scope, at)} if note else review


def _relations(record: FactRecord) -> list[Row]:
    if record.relation is None:
        return []
    edge = closed(record.relation.model_dump(exclude_none=True), "valid_to")
    return [{**edge, "fact": record.id, "predicate": record.predicate}]


async def write(tx: Tx, batch: Batch) -> Written:
    """Facts that are new, by id."""
    return await write_restored(tx, batch, "fact", query=Q.restoring.facts)


async def export(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every fact, by scope and id."""
    for scope in chosen.scopes:
        after = ""
        while page := await graph.rows(
            Q.restoring.export_facts, scope=scope, after=after, limit=PAGE
        ):
            for row in page:
                yield _record(row)
            after = page[-1]["fact"]["id"]


def _record(row: Row) -> Record:
    fact, relation = row["fact"], row["relation"]
    return cleaned(
        {
            **opened({name: fact.get(name) for name in PLAIN}),
            "claims": row["claims"],
            "intervals": [_named(edge, INTERVAL) for edge in row["intervals"]],
            "reviews": [_named(review, REVIEW) for review in row["reviews"]],
            "relation": _named(relation, RELATION) if relation else None,
            "stats": rest(fact, (*PLAIN, *MADE)),
        }
    )


def _named(row: Row, names: tuple[str, ...]) -> Record:
    return cleaned(opened({name: row.get(name) for name in names}))


def prepare_link(record: LinkRecord, at: At) -> Row:
    """One edge between facts."""
    scope = at.scope(record.scope)
    named = record.model_dump(include={"id", "reason", "recorded_at", "retracted_at"})
    own = {name: value for name, value in named.items() if value is not None}
    return {
        "line": at.line,
        "scope": scope,
        "subject": record.id,
        "scopes": [scope],
        "id": record.id,
        "type": record.type,
        "fact": record.fact,
        "other": record.other,
        "properties": closed(own, "retracted_at"),
    }


async def write_link(tx: Tx, batch: Batch) -> Written:
    """Edges that are new, by id."""
    return await write_restored(tx, batch, "link", query=Q.restoring.links)


async def export_link(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every edge between facts, by scope, the fact that it begins at, and id."""
    for scope in chosen.scopes:
        after = ""
        while page := await graph.rows(
            Q.restoring.export_links, scope=scope, after=after, limit=PAGE
        ):
            for row in page:
                for link in row["links"]:
                    yield cleaned(opened({**link, "fact": row["fact"], "scope": row["scope"]}))
            after = page[-1]["fact"]


FACT = Kind("fact", "facts.jsonl", FactRecord, prepare, write, export, derived=True, serial=True)
LINK = Kind(
    "link",
    "links.jsonl",
    LinkRecord,
    prepare_link,
    write_link,
    export_link,
    derived=True,
    serial=True,
)
