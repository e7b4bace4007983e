"""What was read in each episode: what it mentions, and what it claims."""

from __future__ import annotations

from collections.abc import AsyncIterator

from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.portability import documents, episodes
from app.portability.derived import clean, held, missing, write_events
from app.portability.derived_records import ReadingRecord
from app.portability.kind import At, Batch, Kind, Record, Selection, Written, cleaned


def prepare(record: ReadingRecord, at: At) -> Row:
    """The edges of one episode."""
    scope = at.scope(record.scope)
    return {
        "line": at.line,
        "scope": scope,
        "subject": record.episode,
        "scopes": [scope],
        "episode": record.episode,
        "mentions": [
            {**m.model_dump(), "name": clean(m.name, "mentions", scope, at)}
            for m in record.mentions
        ],
        "claims": [
            {
                "id": c.id,
                "fact": c.fact,
                "properties": c.model_dump(exclude={"fact"}, exclude_none=True),
            }
            for c in record.claims
        ],
    }


async def write(tx: Tx, batch: Batch) -> Written:
    """Readings of episodes that are there and have none, by episode."""
    scopes = await held(tx, batch)
    unique = {r["episode"]: r for r in reversed(batch.rows) if r["scope"] in scopes}
    rows = [unique[episode] for episode in sorted(unique)]
    if not rows:
        return Written(duplicates=len(batch.rows))
    answers = await tx.rows(Q.restoring.readings, rows=rows)
    there = {row["line"] for row in answers}
    fresh = {row["line"] for row in answers if row["fresh"]}
    new = [row for row in rows if row["line"] in fresh]
    absent = [row for row in rows if row["line"] not in there]
    await write_events(tx, batch.rules, "reading", new)
    rejects = [missing(batch, row, "its episode was not taken in") for row in absent]
    return Written(len(new), len(batch.rows) - len(new) - len(rejects), rejects)


async def export(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every passage that something was read in, in the order of episodes, then of chunks."""
    for scope in chosen.scopes:
        async for ids in _passages(graph, scope):
            rows = await graph.rows(Q.restoring.export_readings, scopes=[scope], ids=ids)
            found = {row["episode"]: row for row in rows}
            for identifier in ids:
                row = found[identifier]
                if row["mentions"] or row["claims"]:
                    yield _record(row)


async def _passages(graph: Graph, scope: str) -> AsyncIterator[list[str]]:
    async for ids in episodes.pages(graph, scope):
        yield ids
    async for ids in documents.ids(graph, scope):
        yield ids


def _record(row: Row) -> Record:
    claims = [cleaned(claim) for claim in row["claims"]]
    return cleaned({**row, "claims": claims})


READING = Kind(
    "reading", "readings.jsonl", ReadingRecord, prepare, write, export, derived=True, serial=True
)
