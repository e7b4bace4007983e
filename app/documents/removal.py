"""Deleting documents and bases, with what rests on them alone: each document one transaction, and
a receipt of all of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import orjson

from app.documents.model import BaseState
from app.documents.repository import (
    DocumentRepository,
    leaving_key,
    lock_document,
    settle_base,
    show_document,
)
from app.documents.writing import ChunkWriter, Receipt, Target
from app.errors import Conflict, NotFound
from app.jobs.model import Job, Outcome, Report
from app.kernel import audit
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx

TURNS = 5  # in which a base that is brought back meanwhile is emptied again
Finish = Callable[[str], Awaitable[Row]]  # clears what quotes what a receipt names


class _Restored(Exception):
    """Somebody wants the document after all."""


class DocumentRemover:
    """Runs what `DocumentService.delete` and `drop_base` ask for; running it again is harmless.

    A receipt says what went, one a job; `finish` closes it.
    """

    def __init__(self, graph: Graph, chunks: ChunkWriter, finish: Finish) -> None:
        self._graph = graph
        self._chunks = chunks
        self._finish = finish
        self._rows = DocumentRepository(graph)

    async def delete(self, job: Job) -> Outcome:
        """Delete one document, unless it was restored since that was asked for."""
        if not job.args:
            return Outcome(job.result or {})  # done; the process ended before it could say so
        document = job.args["document"]
        row = _receipt(job, "document", document)
        try:
            gone = await self._drop(job, document, row, leaving_key(document))
        except _Restored:
            return Outcome({"document": document, "state": "restored"})
        receipt = await self._closed(row["id"])
        await self._graph.rows(Q.lifecycle.blank_job, id=job.id)
        return Outcome({"receipt": receipt["id"] if receipt else None, "chunks": gone})

    async def drop_base(self, job: Job, report: Report) -> Outcome:
        """Delete a base with every document in it, those included that come meanwhile.

        It is archived first, so that it takes no more; raises Conflict where others bring it back
        again and again.
        """
        base, done = job.args["base"], 0
        row = _receipt(job, "knowledge_base", base)
        for _ in range(TURNS):
            found = await self._put_away(base, job.scope)
            for place, document in enumerate(found, 1):
                await self._drop(job, document["id"], row)
                await report({"documents": done + place, "of": done + len(found)})
            done += len(found)
            if await self._dropped(job, base):
                return Outcome({"base": base, "state": "deleted", **await self._told(row["id"])})
        raise Conflict("others bring the knowledge base back while it is deleted; try again")

    async def _put_away(self, base: str, scope: str) -> list[Row]:
        """The documents of a base that takes no more of them, none of which is found any more."""
        properties = {"status": str(BaseState.ARCHIVED), "updated_at": now()}
        await self._graph.rows(Q.documents.set_base, id=base, properties=properties)
        found = await self._rows.documents_of(base, [scope])
        for document in found:
            await self._graph.write(
                "documents.show", partial(show_document, document=document["id"])
            )
        return found

    async def _dropped(self, job: Job, base: str) -> bool:
        """Delete a base unless there is a document in it; whether it is gone."""
        event = _event(job, "knowledge_base.delete", base=base)

        async def work(tx: Tx) -> bool:
            if await tx.optional(Q.documents.lock_base, id=base, at=now()) is None:
                return True
            return await tx.optional(Q.documents.drop_base, id=base, audit=event) is not None

        return await self._graph.write("documents.drop_base", work)

    async def _told(self, receipt: str) -> Row:
        """What went, by the receipt: those of a run that was broken off count as well."""
        row = await self._closed(receipt)
        counts = orjson.loads(row["counts"]) if row else {}
        return {
            "documents": counts.get("documents", 0),
            "chunks": counts.get("episodes", 0),
            "receipt": row["id"] if row else None,
        }

    async def _drop(self, job: Job, document: str, receipt: Row, key: str | None = None) -> int:
        """Take a document out, with a `key` only while it has that; how many chunks went."""
        event = _event(job, "document.delete", document=document)

        async def also(tx: Tx) -> None:
            row = await lock_document(tx, document)
            if row is None:
                return
            if key is not None and row["key"] != key:
                raise _Restored
            await tx.rows(Q.documents.drop_document, id=document, audit=event)
            await settle_base(tx, row["base"])

        target = Target(document, job.scope, Receipt(receipt, document, event))
        try:
            made = await self._chunks.replace(target, [], also)
        except NotFound:
            return 0
        return len(made.dropped)

    async def _closed(self, receipt: str) -> Row | None:
        """The receipt, closed; None where nothing went, so that there is none."""
        try:
            return await self._finish(receipt)
        except NotFound:
            return None


def _receipt(job: Job, kind: str, target: str) -> Row:
    """The receipt of a job: run again, it goes on with it."""
    caller = job.args["caller"]
    return {
        "id": f"{job.id}~receipt",  # in the order of their making, as of other receipts
        "tenant": caller["tenant"],
        "scope": job.scope,
        "kind": kind,
        "target": target,
        "by": caller["principal"],
    }


def _event(job: Job, kind: str, **payload: Any) -> Row:
    caller = job.args["caller"]
    return audit.record(
        kind,
        tenant=caller["tenant"],
        scope=job.scope,
        actor=caller["principal"],
        request=caller["request"],
        payload=payload,
    )
