"""What was read in each episode: what it mentions, and what it claims."""

from __future__ import annotations

from collections.abc import AsyncIterator

from app.entities.lone import lone_row, unpack
from app.entities.names import name_keys
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.portability import documents, episodes
from app.portability.derived import clean, held, missing, write_events
from app.portability.derived_records import LoneRecord, ReadingRecord
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
        "lone": lone_row(scope, record.episode, [_name(n, scope, at) for n in record.names]),
        "claims": [
            {
                "id": c.id,
                "fact": c.fact,
                "properties": {
                    **c.model_dump(exclude={"fact"}, exclude_none=True),
                    **({"rest": clean(c.rest, "claims", scope, at)} if c.rest else {}),
                },
            }
            for c in record.claims
        ],
    }


def _name(record: LoneRecord, scope: str, at: At) -> Row:
    """A name that waits; its keys are made anew where a spelling is not fit to be stored."""
    aliases = [clean(alias, "names", scope, at) for alias in record.aliases]
    places = [(start, end, clean(name, "names", scope, at)) for start, end, name in record.at]
    keys = list(record.keys)
    if aliases != list(record.aliases):
        keys = sorted({key for alias in aliases for key in name_keys(alias, record.type)})
    own = {"key": record.key if record.key in keys else keys[0], "keys": keys}
    return {**record.model_dump(), **own, "aliases": aliases, "at": places}


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
                if row["mentions"] or row["lone"] or row["claims"]:
                    yield _record(row)


async def _passages(graph: Graph, scope: str) -> AsyncIterator[list[str]]:
    async for ids in episodes.pages(graph, scope):
        yield ids
    async for ids in documents.ids(graph, scope):
        yield ids


def _record(row: Row) -> Record:
    claims = [cleaned(claim) for claim in row["claims"]]
    own = {name: row[name] for name in ("scope", "episode", "mentions")}
    return cleaned({**own, "names": unpack(row["lone"]) or None, "claims": claims})


READING = Kind(
    "reading", "readings.jsonl", ReadingRecord, prepare, write, export, derived=True, serial=True
)
