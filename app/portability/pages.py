"""Pages in a package: their texts, from which links and passages follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime

from app.documents.record import chunk_rows
from app.indexing.entry import LIVE, time_key
from app.kernel.clock import FOREVER
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope
from app.pages import record as rows_of
from app.pages.linking import Moved, relink, take_names
from app.pages.naming import slug
from app.pages.passages import text_of, work_of
from app.portability.derived import buried, clean, held, opened, write_events
from app.portability.episodes import DERIVED, STATS, author_of
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
from app.portability.page_records import PageRecord, PageVersionRecord, PassageRecord
from app.portability.reader import Reader
from app.sanitize.step import sanitize

PAGE_OF = 200  # pages that an export reads at once: their texts are long
BATCH = 50
PLAIN = (
    "id", "scope", "kind", "title", "content", "aliases", "formers", "tags", "path", "version",
    "author", "updated_by", "ingested_at", "updated_at", "expired_at", "pii",
)  # fmt: skip
FORMER = (
    "version", "title", "content", "aliases", "tags", "author", "recorded_at", "retracted_at",
)  # fmt: skip


def prepare(record: PageRecord, at: At) -> Row:
    """A page with its former texts; what follows from its text is made anew."""
    scope = at.scope(record.scope)
    identifier = at.identifier(record.id, scope)
    taken = (record.ingested_at if at.rules.keeps else None) or at.moment
    expired = record.expired_at or FOREVER
    title = clean(record.title, "title", scope, at)
    found = sanitize(record.content, at.policy(scope))
    page = {
        **rows_of.text_properties(found),
        "id": identifier,
        "scope": scope,
        "tenant": parse_scope(scope).tenant,
        "kind": record.kind,
        "title": title,
        "slug": _slug(record, title, at) or slug(title, identifier),
        "aliases": [clean(alias, "aliases", scope, at) for alias in record.aliases],
        "formers": [clean(former, "formers", scope, at) for former in record.formers],
        "tags": [clean(tag, "tags", scope, at) for tag in record.tags],
        "path": rows_of.checked_path(record.path and clean(record.path, "path", scope, at)),
        "crlf": record.crlf,
        "bom": record.bom,
        "pii": sorted({*record.pii, *found.tags}),
        "marker_ids": sorted({*record.markers, *found.marker_ids}),
        "version": record.version,
        "author": author_of(record.author, scope, at),
        "updated_by": author_of(record.updated_by or record.author, scope, at),
        "ingested_at": taken,
        "updated_at": record.updated_at or taken,
        "touched_at": at.moment,
        "expired_at": expired,
        "live": expired >= FOREVER,
        "pending": [],
        "passage_state": "due",
    }
    versions = [_former(former, identifier, scope, at) for former in record.versions]
    return {
        "line": at.line,
        "scope": scope,
        "scopes": [scope],
        "subject": identifier,
        "id": identifier,
        "graves": [identifier, record.id],
        "moved": not at.rules.keeps,
        "page": page,
        "slug": page["slug"],
        "versions": versions,
        "passages": _passages(page, record, at) if at.rules.keeps else [],
    }


def _slug(record: PageRecord, title: str, at: At) -> str | None:
    """The slug that links know a page by; None where the page has no other than its title's, gets
    an id of its own, or a title that is fit to be stored."""
    return record.slug if at.rules.keeps and title == record.title else None


def _passages(page: Row, record: PageRecord, at: At) -> list[Row]:
    """The passages of a page as they were; none where they do not follow from its text, so that it
    is cut anew."""
    by_voice: dict[tuple[str, str, datetime], dict[str, Row]] = {}
    rows = []
    for passage in record.passages if page["live"] else ():
        author = author_of(passage.author, page["scope"], at)
        voice = (passage.role, author, passage.captured_at)
        if voice not in by_voice:
            by_voice[voice] = {row["chunk"]["id"]: row for row in _cut(page, voice)}
        row = by_voice[voice].get(passage.id)
        if row is None:
            return []
        rows.append({**row, "chunk": row["chunk"] | _own(row["chunk"], passage)})
    return rows


def _cut(page: Row, voice: tuple[str, str, datetime]) -> list[Row]:
    role, author, said_at = voice
    work = replace(work_of(page), role=role, author=author, captured_at=said_at)
    return chunk_rows(work, text_of(page), said_at, dated=False)


def _own(chunk: Row, passage: PassageRecord) -> Row:
    """What a passage has of its own: when it came, whether it is held, how far it was read."""
    own: Row = {
        "ingested_at": passage.ingested_at,
        "ingested_key": time_key(passage.ingested_at),
        **(passage.stats.model_dump(exclude_none=True) if passage.stats else {}),
    }
    if passage.expired_at is not None and passage.expired_at < FOREVER:
        expired = {"expired_at": passage.expired_at, "expired_key": time_key(passage.expired_at)}
        facets = [token for token in chunk["facets"] if token != LIVE]
        own |= {**expired, "live": False, "facets": facets}
    return own


def _former(former: PageVersionRecord, page: str, scope: str, at: At) -> Row:
    return {
        "id": rows_of.version_id(page, former.version),
        "page": page,
        "scope": scope,
        "version": former.version,
        "title": clean(former.title, "versions", scope, at),
        "content": clean(former.content, "versions", scope, at),
        "aliases": [clean(alias, "versions", scope, at) for alias in former.aliases],
        "tags": list(former.tags),
        "author": author_of(former.author, scope, at),
        "recorded_at": former.recorded_at,
        "retracted_at": former.retracted_at,
    }


async def known(reader: Reader, rows: Sequence[Row], rules: Rules) -> dict[int, State]:
    """Which pages are here by their ids. One to which a later folder of another program gives a
    text that it never had here has changed, and stays: its links are the house's to keep."""
    asked = [
        {"line": row["line"], "id": row["id"], "content": row["page"]["content"]} for row in rows
    ]
    found = await reader.rows(Q.pages.known, rows=asked)
    return {row["line"]: "changed" if rules.revises and row["is_new"] else "same" for row in found}


async def write(tx: Tx, batch: Batch) -> Written:
    """Pages that are new and were not erased here, by id, with their links."""
    if batch.rules.revises:
        states = await known(tx, batch.rows, batch.rules)
        batch.changed = [line for line, state in states.items() if state == "changed"]
    gone = await buried(tx, batch.rules, batch.rows)
    unique = {row["id"]: row for row in reversed(batch.rows) if row["line"] not in gone}
    rows = [unique[identifier] for identifier in sorted(unique)]
    by_tenant: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_tenant[row["page"]["tenant"]].append(row)
    accepted = 0
    for tenant, some in sorted(by_tenant.items()):
        accepted += await _written(tx, tenant, some, batch)
    told = batch.told(batch.rows)
    duplicates = len(batch.rows) - accepted - len(told)
    return Written(accepted=accepted, duplicates=duplicates, changed=told)


async def _written(tx: Tx, tenant: str, rows: Sequence[Row], batch: Batch) -> int:
    moment = batch.rules.moment
    await take_names(tx, tenant, [Moved(None, row["page"]) for row in rows], moment)
    made = {row["line"] for row in await tx.rows(Q.pages.restore, rows=list(rows))}
    new = [row for row in rows if row["line"] in made]
    if new:
        await relink(tx, tenant, [Moved(None, row["page"]) for row in new], moment)
        await _write_passages(tx, new, batch)
    await write_events(tx, batch.rules, "page", new)
    return len(new)


async def _write_passages(tx: Tx, rows: Sequence[Row], batch: Batch) -> None:
    """Passages that came along; how far they were read counts only where what was made of them
    comes along, too. A page whose passages did not come is due."""
    restored = await held(tx, batch)
    for row in rows:
        passages = row["passages"]
        if row["scope"] not in restored:
            passages = [{**p, "chunk": _unread(p["chunk"])} for p in passages]
        if passages:
            page = row["page"]
            await tx.rows(Q.chunks.add, rows=passages)
            stamp = {name: page[name] for name in ("id", "version", "live")}
            done = [{**stamp, "chunks": len(passages)}]
            await tx.rows(Q.pages.passages_done, rows=done, scopes=[page["scope"]])


def _unread(chunk: Row) -> Row:
    kept = {name: value for name, value in chunk.items() if name not in DERIVED}
    return {**kept, "consolidation_state": "raw"}


async def export(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every page, deleted ones too, by scope and id."""
    for scope in chosen.scopes:
        after = ""
        while found := await graph.rows(
            Q.pages.export_pages, scopes=[scope], after=after, limit=PAGE_OF
        ):
            for row in found:
                yield _record(row)
            after = found[-1]["page"]["id"]


def _record(row: Row) -> Record:
    page = row["page"]
    versions = [cleaned({name: v.get(name) for name in FORMER}) for v in row["versions"]]
    return cleaned(
        {
            **opened({name: page.get(name) for name in PLAIN}),
            "slug": page["slug"] if page["slug"] != slug(page["title"], page["id"]) else None,
            "crlf": page["crlf"] or None,
            "bom": page["bom"] or None,
            "markers": page.get("marker_ids"),
            "versions": versions,
            "passages": [_passage_record(passage) for passage in row["passages"]],
        }
    )


def _passage_record(chunk: Row) -> Record:
    stats = {name: chunk[name] for name in STATS if chunk.get(name) is not None}
    if stats.get("consolidation_state") == "in_progress":
        stats["consolidation_state"] = "raw"
    named = ("id", "role", "author", "captured_at", "ingested_at", "expired_at")
    return cleaned({**opened({name: chunk[name] for name in named}), "stats": stats})


PAGE = Kind(
    "page", "pages.jsonl", PageRecord, prepare, write, export, serial=True, batch=BATCH,
    known=known,
)  # fmt: skip
