"""Knowledge bases, documents and their chunks in a package.

Chunks without vectors get them where they are imported.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import orjson

from app.documents.model import Work
from app.documents.record import hidden, indexed
from app.documents.repository import base_key, document_key
from app.embeddings.tokens import count_tokens
from app.episodes.record import content_hash, tag_rows
from app.indexing.entry import time_key
from app.kernel.clock import FOREVER, open_end
from app.kernel.cypher import Q, Query
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope
from app.portability import triples
from app.portability.derived import PAGE, clean, clean_tags_of, held, write_new, write_unburied
from app.portability.document_records import ChunkRecord, DocumentRecord, KnowledgeBaseRecord
from app.portability.episodes import DERIVED, STATS, author_of
from app.portability.kind import At, Batch, Kind, Record, Selection, Written, cleaned
from app.portability.vectors import counted, given_vectors, judged, packed_vector, stored_vectors
from app.sanitize.step import SANITIZER_VERSION

BASE_PLAIN = tuple(KnowledgeBaseRecord.model_fields)
DOCUMENT_PLAIN = tuple(name for name in DocumentRecord.model_fields if name != "markers")
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
    taken = (record.ingested_at if at.rules.keeps else None) or at.moment
    properties = {
        **record.model_dump(exclude={"markers"}, exclude_none=True),
        "id": identifier,
        "base": base,
        "key": document_key(base, name),
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
    return _row(at, scope, identifier, graves=graves, base=base, properties=properties)


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
    return _row(at, scope, identifier, document=work.id, chunk=chunk, tags=tags, windows=windows)


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
    """Documents that are new, by id and by name, and were not erased here."""
    return await write_unburied(tx, batch, "document", query=Q.restoring.documents)


async def write_chunk(tx: Tx, batch: Batch) -> Written:
    """Chunks of documents that came from the package, and were not erased here.

    How far they were read counts only where what was made of them comes along.
    """
    restored = await held(tx, batch)
    for row in batch.rows:
        if row["scope"] not in restored:
            kept = {k: v for k, v in row["chunk"].items() if k not in DERIVED}
            row["chunk"] = {**kept, "consolidation_state": "raw"}
    done = await write_unburied(tx, batch, "chunk", query=Q.restoring.chunks)
    windows = [window for row in batch.new for window in row["windows"]]
    if windows:
        await tx.rows(Q.indexing.store_windows, rows=windows)
    return done


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
    return cleaned({**record, "markers": document.get("marker_ids")})


async def export_chunk(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every chunk of a document, by scope and id, with its vector where vectors are wanted."""
    async for page in _pages(graph, chosen, query=Q.restoring.export_chunks):
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
    while page := await graph.rows(Q.restoring.chunk_ids, scopes=[scope], after=after, limit=PAGE):
        yield [row["id"] for row in page]
        after = page[-1]["id"]


async def _paged(graph: Graph, chosen: Selection, query: Query) -> AsyncIterator[Row]:
    async for page in _pages(graph, chosen, query=query):
        for row in page:
            yield row


async def _pages(graph: Graph, chosen: Selection, query: Query) -> AsyncIterator[list[Row]]:
    for scope in chosen.scopes:
        after = ""
        while page := await graph.rows(query, scopes=[scope], after=after, limit=PAGE):
            yield page
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
