"""The worker's part: a document is fetched, read apart, sanitised, cut and written.

Everything slow happens before the one transaction that writes; a job that is killed anywhere runs
again and ends the same, since chunks are told by their words and the document keeps which job it
waits for.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import PurePath
from typing import Any

import orjson

from app.documents.bases import chunking_of
from app.documents.chunking import cut
from app.documents.cleaning import Clean, clean
from app.documents.fetch import Fetcher
from app.documents.media import Media
from app.documents.model import (
    Chunking,
    DocumentState,
    Parsed,
    Piece,
    Strategy,
    Work,
    document_move,
    shown,
)
from app.documents.parsing import Limits
from app.documents.record import Difference, Text, chunk_rows, rebuilt
from app.documents.repository import DocumentRepository, begin_base, lock_document, settle_base
from app.documents.sandbox import parse_apart
from app.documents.semantic import cut_by_meaning
from app.documents.service import cut_by
from app.documents.writing import ChunkWriter, Target
from app.embeddings.model import Embedder, Role
from app.errors import FileBroken, LociError, NotFound
from app.jobs.model import Job, Outcome, Report
from app.jobs.spool import Spool
from app.kernel import audit
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.sanitize.step import SANITIZER_VERSION
from app.scopes.service import ScopeService

FETCHED = "fetched"
REASON_MOST = 500  # characters


class _Superseded(Exception):
    """Another job has the document by now."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What reading works with; `batch` is how many sentences are embedded at once."""

    graph: Graph
    scopes: ScopeService
    chunks: ChunkWriter
    embedder: Embedder
    fetcher: Fetcher
    spool: Spool
    limits: Limits
    batch: int
    tries: int


@dataclass(frozen=True, slots=True)
class Source:
    """What was read, and what is known of where it came from."""

    parsed: Parsed
    known: Row


class DocumentReader:
    """Brings one document to the text that its job names."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._rows = DocumentRepository(parts.graph)

    async def run(self, job: Job, report: Report) -> Outcome:
        """Take one document in; what cannot be read is `failed` with its reason, and no error."""
        tidy = partial(self._parts.spool.drop, job.id)
        document = await self._begin(job)
        if document is None:
            return Outcome({"state": "superseded"}, tidy=tidy)
        if document["status"] != DocumentState.PROCESSING:
            return Outcome(_told(document), tidy=tidy)
        try:
            done = await self._taken(job, document, report)
        except _Superseded:
            return Outcome({"state": "superseded"}, tidy=tidy)
        except LociError as error:
            ours = error.status >= 500
            if ours and job.attempts < self._parts.tries:
                raise
            reason = f"{error.code}: {error.detail}"
            await self.fail(document["id"], job.id, reason, ours=ours)
            result = {"document": document["id"], "state": "failed", "reason": reason}
            return Outcome(result, [result], tidy=tidy)
        return Outcome(done, tidy=tidy)

    async def fail(self, document: str, job: str, reason: str, *, ours: bool) -> None:
        """Note why a document cannot be taken in; the text that it had stays."""

        async def work(tx: Tx) -> None:
            row = await lock_document(tx, document)
            if row is None or row["job"] != job:
                return
            state = document_move(row["status"], DocumentState.FAILED)
            changed = {"status": str(state), "error": reason[:REASON_MOST], "updated_at": now()}
            await tx.rows(Q.documents.set_document, id=document, properties=changed)
            await settle_base(tx, row["base"], reason[:REASON_MOST] if ours else None)

        await self._parts.graph.write("documents.fail", work)

    async def settle_left(self) -> int:
        """Fail documents whose job was stopped or lost; returns how many."""
        rows = await self._parts.graph.rows(Q.documents.left, limit=500)
        for row in rows:
            reason = f"the job {row['job']} is {row['state']}: {row['error'] or 'it was stopped'}"
            await self.fail(row["id"], row["job"], reason, ours=row["state"] == "dead")
        return len(rows)

    async def _begin(self, job: Job) -> Row | None:
        """The document, being processed; as it stands where it has been put away or is read, and
        None where another job has it.

        A job that was stopped or lost failed its document; run again, it reads it all the same.
        """

        async def work(tx: Tx) -> Row | None:
            row = await lock_document(tx, job.args["document"])
            if row is None or row["job"] != job.id:
                return None
            if row["status"] == DocumentState.FAILED:
                waiting = document_move(row["status"], DocumentState.PENDING)
                row |= {"status": str(waiting), "error": None}
                await begin_base(tx, row["base"])
            if row["status"] == DocumentState.PENDING:
                state = document_move(row["status"], DocumentState.PROCESSING)
                changed = {"status": str(state), "error": None}
                await tx.rows(Q.documents.set_document, id=row["id"], properties=changed)
                row |= changed
            return row

        return await self._parts.graph.write("documents.begin", work)

    async def _taken(self, job: Job, document: Row, report: Report) -> dict[str, Any]:
        base = await self._rows.base(document["base"], [document["scope"]])
        policy = await self._parts.scopes.policy(document["scope"])
        await report({"step": "read"})
        source = await self._source(job, document)
        await report({"step": "clean", "characters": len(source.parsed.text)})
        cleaned = await asyncio.to_thread(clean, source.parsed, policy)
        chunking = chunking_of(base)
        await report({"step": "cut", "characters": len(cleaned.text.text)})
        pieces = await self._cut(cleaned, chunking)
        work = _work(job, document, base, cleaned)
        text = Text(cleaned.text.text, pieces, cleaned.headings)
        rows = await asyncio.to_thread(
            chunk_rows, work, text, now(), dated=bool(job.args["told"]["dated"])
        )
        await report({"step": "write", "chunks": len(rows)})
        changed = _changed(job, work, (source, cleaned), chunking, rows)
        return await self._written(job, document, (rows, changed))

    async def _written(
        self, job: Job, document: Row, given: tuple[list[Row], Row]
    ) -> dict[str, Any]:
        rows, changed = given
        target = Target(document["id"], document["scope"])
        live = all(row["chunk"]["live"] for row in rows)

        async def also(tx: Tx) -> None:
            row = await lock_document(tx, document["id"])
            if row is None or row["job"] != job.id:
                raise _Superseded
            fresh = row.get("content_hash") != changed["content_hash"]
            properties = {**changed, "version": row["version"] + fresh}
            await tx.rows(Q.documents.set_document, id=row["id"], properties=properties)
            await tx.rows(Q.documents.tell_document, id=row["id"], audit=_event(job, row, changed))
            now_live = shown(await settle_base(tx, row["base"]), changed["status"])
            if now_live != live:  # the base was put away, or brought back, while this was cut
                await tx.rows(Q.chunks.show, work=row["id"], live=now_live)

        try:
            made: Difference = await self._parts.chunks.replace(target, rows, also)
        except NotFound:
            raise _Superseded from None
        return {**_told({**document, **changed}), **made.counts()}

    async def _source(self, job: Job, document: Row) -> Source:
        args = job.args
        if args.get("url"):
            return await self._fetched(job)
        if args.get("again"):
            return await self._stored(document)
        path = self._parts.spool.place(job.id) / args["file"]
        if not await asyncio.to_thread(path.is_file):
            raise FileBroken("the file is no longer there: hand it in again")
        parsed = await parse_apart(path, Media(args["media"]), self._parts.limits)
        known = {"media": args["media"], "size": args["size"], "checksum": args["sha256"]}
        return Source(parsed, {**known, "source_url": None})

    async def _fetched(self, job: Job) -> Source:
        path = self._parts.spool.place(job.id) / FETCHED
        found = await self._parts.fetcher.fetch(job.args["url"], path)
        parsed = await parse_apart(path, found.media, self._parts.limits)
        known = {"media": found.media.value, "size": found.size, "checksum": found.sha256}
        return Source(parsed, {**known, "source_url": job.args["url"]})

    async def _stored(self, document: Row) -> Source:
        """The text as it was stored: sanitising it once more changes nothing."""
        body, headings = rebuilt(await self._rows.texts(document["id"], [document["scope"]]))
        if not body:
            raise FileBroken("nothing is stored of this document: hand its file in again")
        pages = [document.get(name) or 0 for name in ("pages", "pages_without_text")]
        return Source(Parsed(body, tuple(headings), document["title"], *pages), {})

    async def _cut(self, cleaned: Clean, chunking: Chunking) -> list[Piece]:
        text = cleaned.text.text
        if chunking.strategy is Strategy.SEMANTIC:
            return await cut_by_meaning(text, cleaned.headings, chunking, self._embed)
        return await asyncio.to_thread(cut, text, cleaned.headings, chunking)

    async def _embed(self, sentences: Sequence[str]) -> list[list[float]]:
        embedder, batch = self._parts.embedder, self._parts.batch
        short = [_first_window(embedder, sentence) for sentence in sentences]
        vectors: list[list[float]] = []
        for start in range(0, len(short), batch):
            vectors += await embedder.embed(short[start : start + batch], Role.DOCUMENT)
        return vectors


def _first_window(embedder: Embedder, sentence: str) -> str:
    span = embedder.windows(sentence)[0]
    return sentence[span.start : span.end]


def _work(job: Job, document: Row, base: Row, cleaned: Clean) -> Work:
    told = job.args["told"]
    return Work(
        id=document["id"],
        scope=document["scope"],
        tenant=document["tenant"],
        author=told["author"],
        title=job.args["title"] or cleaned.title or PurePath(document["name"]).stem,
        captured_at=datetime.fromisoformat(job.args["captured_at"]).astimezone(UTC),
        group=base["id"],
        role=told["role"],
        speaker=told["speaker"] or "",
        tags=tuple(told["tags"] or ()),
        pii=tuple(sorted(cleaned.text.tags)),
        marker_ids=cleaned.text.marker_ids,
        live=shown(base["status"], DocumentState.INDEXED),
    )


def _changed(
    job: Job, work: Work, read: tuple[Source, Clean], chunking: Chunking, rows: Sequence[Row]
) -> Row:
    """What the document itself keeps of its new text."""
    source, cleaned = read
    return {
        **source.known,
        "title": work.title,
        "tags": list(work.tags),
        "role": work.role,
        "speaker": work.speaker or None,
        "author": work.author,
        "captured_at": work.captured_at,
        "dated": bool(job.args["told"]["dated"]),
        "status": str(DocumentState.INDEXED),
        "error": None,
        "pages": source.parsed.pages,
        "pages_without_text": source.parsed.pages_without_text,
        "characters": len(cleaned.text.text),
        "tokens": sum(_own_tokens(row["chunk"]) for row in rows),
        "chunks": len(rows),
        "cut_by": cut_by(chunking),
        "pii": list(work.pii),
        "marker_ids": list(work.marker_ids),
        "redactions": orjson.dumps(dict(cleaned.text.pii), option=orjson.OPT_SORT_KEYS).decode(),
        "sanitizer": SANITIZER_VERSION,
        "content_hash": hashlib.sha256(cleaned.text.text.encode()).hexdigest(),
        "updated_at": now(),
    }


def _own_tokens(chunk: Row) -> int:
    """The tokens of a chunk without those that it repeats, by their share of its letters."""
    length, own = int(chunk["end"] - chunk["start"]), int(chunk["end"] - chunk["own"])
    return round(int(chunk["tokens"]) * own / max(length, 1))


def _event(job: Job, row: Row, changed: Row) -> Row:
    caller = job.args["caller"]
    payload = {
        "document": row["id"],
        "job": job.id,
        "chunks": changed["chunks"],
        "content_hash": changed["content_hash"],
    }
    return audit.record(
        "document.index",
        tenant=row["tenant"],
        scope=row["scope"],
        actor=caller["principal"],
        request=caller["request"],
        payload=payload,
    )


def _told(document: Row) -> dict[str, Any]:
    return {
        "document": document["id"],
        "state": document["status"],
        "chunks": document["chunks"],
        "characters": document["characters"],
    }
