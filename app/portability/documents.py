"""Knowledge bases, documents and their chunks in a package.

Chunks without vectors get them where they are imported.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import orjson

from app.documents.model import Work, shown
from app.documents.record import hidden, indexed
from app.documents.repository import base_key, document_key, leaving_key
from app.embeddings.tokens import count_tokens
from app.episodes.record import content_hash, tag_rows
from app.indexing.entry import LIVE, time_key
from app.kernel.clock import FOREVER, open_end
from app.kernel.cypher import Q, Query
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope
from app.portability import triples
from app.portability.derived import (
    PAGE,
    buried,
    clean,
    clean_tags_of,
    held,
    write_events,
    write_new,
)
from app.portability.document_records import ChunkRecord, DocumentRecord, KnowledgeBaseRecord
from app.portability.episodes import DERIVED, STATS, author_of
from app.portability.kind import At, Batch, Kind, Record, Reject, Selection, Written, cleaned
from app.portability.vectors import counted, given_vectors, judged, packed_vector, stored_vectors
from app.sanitize.step import SANITIZER_VERSION

BASE_PLAIN = tuple(KnowledgeBaseRecord.model_fields)
DOCUMENT_PLAIN = tuple(
    name for name in DocumentRecord.model_fields if name not in ("markers", "leaving")
)
CHUNK_PLAIN = (
    "id", "scope", "number", "start", "own", "end", "content", "title", "heading_path", "tags",
    "role", "speaker", "author", "captured_at", "ingested_at", "pii",
)  # fmt: skip
ENDED = {"indexing": "active"}  # as a base is told of whose documents were on their way
UNREAD = {"pending": "failed", "processing": "failed"}


def _row(at: At, scope: str, identifier: str, **more: Any) -> Row:
    common = {"line": at.line, "scope": scope, "scopes": [scope], "subject": identifier}
    return {**common, "id": identifier, **more}


def prepare_base(record: KnowledgeBaseRecord, at: At) -> Row:
    """A base under the name that it has in its scope."""
    scope = at.scope(record.scope)
    identifier = at.identifier(record.id, scope)
    name = clean(record.name, "name", scope, at)
    stored = record.model_dump(exclude={"embedding_model"}, exclude_none=True)
    made = record.created_at or at.moment
    properties = {
        **stored,
        "id": identifier,
        "key": base_key(scope, name),
        "scope": scope,
        "tenant": parse_scope(scope).tenant,
        "name": name,
        "description": clean(record.description, "description", scope, at)
        if record.description
        else "",
        "created_by": author_of(record.created_by, scope, at),
        "created_at": made,
        "updated_at": record.updated_at or made,
    }
    return _row(at, scope, identifier, properties=properties)


def prepare_document(record: DocumentRecord, at: At) -> Row:
    """A document without its text, which its chunks hold."""
    scope = at.scope(record.scope)
    record = record.model_copy(update={"tags": clean_tags_of(record.tags, scope, at)})
    identifier, base = at.identifier(record.id, scope), at.identifier(record.base, scope)
    name = clean(record.name, "name", scope, at)
    archived = record.status == "archived"
    leaving = record.leaving and archived
    taken = (record.ingested_at if at.rules.keeps else None) or at.moment
    properties = {
        **record.model_dump(exclude={"markers", "leaving"}, exclude_none=True),
        "id": identifier,
        "base": base,
        "key": leaving_key(identifier) if leaving else document_key(base, name),
        "scope": scope,
        "tenant": parse_scope(scope).tenant,
        "name": name,
        "title": clean(record.title, "title", scope, at) if record.title else name,
        "tags": list(record.tags),
        "author": author_of(record.author, scope, at),
        "pii": list(record.pii),
        "marker_ids": list(record.markers),
        "ingested_at": taken,
        "updated_at": record.updated_at or taken,
    }
    graves = [identifier, record.id]
    states = {"leaving": leaving, "is_archived": archived}
    return _row(at, scope, identifier, graves=graves, base=base, properties=properties, **states)


def prepare_chunk(record: ChunkRecord, at: At) -> Row:
    """A chunk with its index entry. Its text is sanitised; what that changes moves no offset."""
    scope = at.scope(record.scope)
    record = record.model_copy(update={"tags": clean_tags_of(record.tags, scope, at)})
    identifier = at.identifier(record.id, scope)
    work = _work(record, scope, at)
    text = clean(record.content, "content", scope, at)
    hashed = content_hash(text)
    taken = (record.ingested_at if at.rules.keeps else None) or at.moment
    expired = record.expired_at or FOREVER
    own = {"id": identifier, "content": text, "content_hash": hashed}
    inside = [[h.start, h.level, clean(h.title, "headings", scope, at)] for h in record.headings]
    placed = {
        **record.model_dump(include={"number", "start", "own", "end"}),
        "heading_path": [clean(h, "heading_path", scope, at) for h in record.heading_path],
        "headings": orjson.dumps(inside).decode(),
    }
    made = indexed(work, own, placed, taken)
    if expired < FOREVER:
        made = {**hidden(made), "expired_at": expired, "expired_key": time_key(expired)}
    chunk = {
        **made,
        **own,
        **placed,
        "work": work.id,
        "tenant": work.tenant,
        "author": work.author,
        "dedup_key": identifier,
        "title": work.title,
        "origin": work.origin,
        "tags": list(work.tags),
        "tokens": count_tokens(text),
        "pii": list(work.pii),
        "marker_ids": list(work.marker_ids),
        "sanitizer": SANITIZER_VERSION,
        "windows": 1,
        **(record.stats.model_dump(exclude_none=True) if record.stats else {}),
        **({"speaker": work.speaker} if work.speaker else {}),
        **triples.packed(record.triples, scope, at),
    }
    vector, windows = given_vectors(record, at, identifier)
    chunk |= vector | judged(vector, windows, chunk["content"], at)
    tags = tag_rows(scope, record.tags)
    graves = [identifier, work.id, record.document]
    row = _row(at, scope, identifier, document=work.id, chunk=chunk, tags=tags, windows=windows)
    return {**row, "graves": graves, "is_held": expired >= FOREVER}


def _work(record: ChunkRecord, scope: str, at: At) -> Work:
    return Work(
        id=at.identifier(record.document, scope),
        scope=scope,
        tenant=parse_scope(scope).tenant,
        author=author_of(record.author, scope, at),
        title=clean(record.title, "title", scope, at) if record.title else "",
        captured_at=record.captured_at,
        group=at.identifier(record.base, scope),
        role=record.role,
        speaker=clean(record.speaker, "speaker", scope, at) if record.speaker else "",
        tags=record.tags,
        pii=record.pii,
        marker_ids=record.markers,
        live=record.live,
    )


async def write_base(tx: Tx, batch: Batch) -> Written:
    """Bases that are new, by id and by name."""
    return await write_new(tx, batch, "knowledge_base", query=Q.restoring.knowledge_bases)


async def write_document(tx: Tx, batch: Batch) -> Written:
    """Documents that are new, by id and by name, and were not erased here.

    A document goes into the base that has the name of its own. Refused are those without a base,
    and those whose name another text has.
    """
    kept = await _unburied(tx, batch)
    bases = await _bases(tx, kept)
    placed, rejects = [], []
    for row in kept:
        base = bases.get((row["scope"], row["base"]))
        if base is None:
            rejects.append(
                _missing(batch, row, "base", f"there is no knowledge base {row['base']}")
            )
        else:
            placed.append(_placed(row, base))
    unique = {row["subject"]: row for row in reversed(placed)}
    # A name goes to one that is in use: older packages do not tell which of two was to be deleted.
    rows = sorted(unique.values(), key=lambda row: (row["is_archived"], row["subject"]))
    told = {row["line"]: row for row in await tx.rows(Q.restoring.documents, rows=rows)}
    batch.new = [row for row in rows if row["line"] in told and told[row["line"]]["is_new"]]
    for row in rows:
        found = told.get(row["line"])
        if found is not None and not found["is_new"] and not found["is_same"]:
            detail = "another document of its knowledge base has its name"
            rejects.append(
                Reject(batch.file, row["line"], "AlreadyExists", detail, "name", row["scope"])
            )
    return await _written(tx, batch, "document", rejects)


async def write_chunk(tx: Tx, batch: Batch) -> Written:
    """Chunks of documents that are here, and were not erased here; refused are those without one.

    How far they were read counts only where what was made of them comes along.
    """
    restored = await held(tx, batch)
    kept = await _unburied(tx, batch)
    wanted = {(row["scope"], row["document"]) for row in kept}
    asked = [{"scope": scope, "id": document} for scope, document in sorted(wanted)]
    found = await tx.rows(Q.restoring.documents_here, rows=asked)
    documents = {(row["scope"], row["id"]): row for row in found}
    twice = await _twice(tx, wanted - documents.keys())
    rows, rejects = [], []
    for row in kept:
        document = documents.get((row["scope"], row["document"]))
        if document is not None:
            rows.append(_of_document(row, document, derived=row["scope"] in restored))
        elif (row["scope"], row["document"]) not in twice:
            detail = f"there is no document {row['document']}"
            rejects.append(_missing(batch, row, "document", detail))
    unique = {row["subject"]: row for row in reversed(rows)}
    rows = [unique[subject] for subject in sorted(unique)]
    made = {row["line"] for row in await tx.rows(Q.restoring.chunks, rows=rows)}
    batch.new = [row for row in rows if row["line"] in made]
    windows = [window for row in batch.new for window in row["windows"]]
    if windows:
        await tx.rows(Q.indexing.store_windows, rows=windows)
    return await _written(tx, batch, "chunk", rejects)


async def _unburied(tx: Tx, batch: Batch) -> list[Row]:
    gone = await buried(tx, batch.rules, batch.rows)
    return [row for row in batch.rows if row["line"] not in gone]


async def _bases(tx: Tx, rows: list[Row]) -> dict[tuple[str, str], str]:
    """By scope and by id as rows have it, the id of the base that is here."""
    scopes = sorted({row["scope"] for row in rows})
    ids = sorted({row["base"] for row in rows})
    found = await tx.rows(Q.restoring.bases_here, scopes=scopes, ids=ids)
    return {(row["scope"], row["given"]): row["id"] for row in found}


async def _twice(tx: Tx, missing: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those of some documents, by scope and id, whose text is here under another id."""
    if not missing:
        return set()
    scopes, ids = sorted({scope for scope, _ in missing}), sorted({one for _, one in missing})
    found = await tx.rows(Q.restoring.documents_twice, scopes=scopes, ids=ids)
    return {(row["scope"], row["id"]) for row in found}


def _missing(batch: Batch, row: Row, field: str, detail: str) -> Reject:
    return Reject(batch.file, row["line"], "NotFound", detail, field, row["scope"])


def _placed(row: Row, base: str) -> Row:
    """A document's row in the base that is here."""
    if row["base"] == base:
        return row
    own = row["properties"]
    key = own["key"] if row["leaving"] else document_key(base, own["name"])
    return {**row, "base": base, "properties": {**own, "base": base, "key": key}}


def _of_document(row: Row, document: Row, *, derived: bool) -> Row:
    """A chunk's row with the base that its document has here: searches name a base by its id, and
    whether it is put away decides what they find."""
    chunk = row["chunk"]
    if not derived:
        kept = {name: value for name, value in chunk.items() if name not in DERIVED}
        chunk = {**kept, "consolidation_state": "raw"}
    base = document["base"]
    if chunk["session"] != base:
        live = row["is_held"] and shown(document["base_status"], document["status"])
        named = {f"m={chunk['session']}": f"m={base}"}
        facets = [named.get(token, token) for token in chunk["facets"] if token != LIVE]
        facets += [LIVE] if live else []
        chunk = {**chunk, "session": base, "live": live, "facets": facets}
    return {**row, "chunk": chunk}


async def _written(tx: Tx, batch: Batch, kind: str, rejects: list[Reject]) -> Written:
    """What became of a batch whose new rows are written."""
    await write_events(tx, batch.rules, kind, batch.new)
    accepted = len(batch.new)
    return Written(accepted, len(batch.rows) - accepted - len(rejects), rejects)


async def export_base(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every knowledge base, by scope and id."""
    async for row in _paged(graph, chosen, query=Q.restoring.export_bases):
        base = {name: row["base"].get(name) for name in BASE_PLAIN}
        yield cleaned({**base, "status": ENDED.get(base["status"], base["status"])})


async def export_document(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every document, by scope and id; one that was on its way comes with the text that it had."""
    async for row in _paged(graph, chosen, query=Q.restoring.export_documents):
        yield _document_record(row["document"])


def _document_record(document: Row) -> Record:
    record = {name: document.get(name) for name in DOCUMENT_PLAIN}
    status = record["status"]
    if status in UNREAD:
        record["status"] = "indexed" if document.get("version") else UNREAD[status]
        record["error"] = document.get("error") or (
            None if document.get("version") else "it was not read before it was exported"
        )
    leaving = document["key"] == leaving_key(document["id"]) or None
    return cleaned({**record, "leaving": leaving, "markers": document.get("marker_ids")})


async def export_chunk(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every chunk of a document, by scope and id, with its vector where vectors are wanted."""
    for scope in chosen.scopes:
        after = ""
        while page := await graph.rows(
            Q.restoring.export_chunks, scope=scope, after=after, limit=PAGE
        ):
            after = page[-1]["id"]
            vectors = await stored_vectors(graph, chosen, [row["id"] for row in page])
            for row in page:
                yield _chunk_record(row["chunk"]) | packed_vector(vectors.get(row["id"]))


def _chunk_record(chunk: Mapping[str, Any]) -> Record:
    stats = {name: chunk[name] for name in STATS if chunk.get(name) is not None}
    if stats.get("consolidation_state") == "in_progress":
        stats["consolidation_state"] = "raw"
    names = ("start", "level", "title")
    headings = [dict(zip(names, h, strict=True)) for h in orjson.loads(chunk["headings"])]
    return cleaned(
        {
            **{name: chunk.get(name) for name in CHUNK_PLAIN},
            "document": chunk["work"],
            "base": chunk["session"],
            "headings": headings,
            "expired_at": open_end(chunk["expired_at"]),
            "live": None if chunk["live"] or chunk["expired_at"] < FOREVER else False,
            "markers": chunk.get("marker_ids"),
            "triples": triples.opened(chunk.get("triples")),
            "stats": stats,
        }
    )


async def ids(graph: Graph, scope: str) -> AsyncIterator[list[str]]:
    """Ids of the chunks of a scope's documents and pages, some at a time."""
    after = ""
    while page := await graph.rows(Q.restoring.chunk_ids, scope=scope, after=after, limit=PAGE):
        yield [row["id"] for row in page]
        after = page[-1]["id"]


async def _paged(graph: Graph, chosen: Selection, query: Query) -> AsyncIterator[Row]:
    for scope in chosen.scopes:
        after = ""
        while page := await graph.rows(query, scope=scope, after=after, limit=PAGE):
            for row in page:
                yield row
            after = page[-1]["id"]


KNOWLEDGE_BASE = Kind(
    "knowledge_base",
    "knowledge_bases.jsonl",
    KnowledgeBaseRecord,
    prepare_base,
    write_base,
    export_base,
    serial=True,
)
DOCUMENT = Kind(
    "document",
    "documents.jsonl",
    DocumentRecord,
    prepare_document,
    write_document,
    export_document,
    serial=True,
)
CHUNK = Kind(
    "chunk",
    "chunks.jsonl",
    ChunkRecord,
    prepare_chunk,
    write_chunk,
    export_chunk,
    counted,
    serial=True,
)
