"""Deleting documents and bases, with what rests on them alone: each document one transaction, and
a receipt of all of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from app.documents.repository import DocumentRepository, lock_document, settle_base
from app.documents.writing import ChunkWriter, Receipt, Target
from app.errors import NotFound
from app.jobs.model import Job, Outcome, Report
from app.kernel import audit
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx

Finish = Callable[[str], Awaitable[Row]]  # clears what quotes what a receipt names


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
        """Delete one document."""
        if not job.args:
            return Outcome(job.result or {})  # done; the process ended before it could say so
        row = _receipt(job, "document", job.args["document"])
        gone = await self._drop(job, job.args["document"], row)
        receipt = await self._closed(row["id"])
        await self._graph.rows(Q.lifecycle.blank_job, id=job.id)
        return Outcome({"receipt": receipt, "chunks": gone})

    async def drop_base(self, job: Job, report: Report) -> Outcome:
        """Delete a base with every document in it."""
        base, scopes = job.args["base"], [job.scope]
        row = _receipt(job, "knowledge_base", base)
        found = await self._rows.documents_of(base, scopes)
        chunks = 0
        for done, document in enumerate(found, 1):
            chunks += await self._drop(job, document["id"], row)
            await report({"documents": done, "of": len(found)})
        event = _event(job, "knowledge_base.delete", base=base, documents=len(found))
        await self._graph.rows(Q.documents.drop_base, id=base, audit=event)
        receipt = await self._closed(row["id"])
        told = {"base": base, "documents": len(found), "chunks": chunks, "receipt": receipt}
        return Outcome(told)

    async def _drop(self, job: Job, document: str, receipt: Row) -> int:
        event = _event(job, "document.delete", document=document)

        async def also(tx: Tx) -> None:
            row = await lock_document(tx, document)
            if row is None:
                return
            await tx.rows(Q.documents.drop_document, id=document, audit=event)
            await settle_base(tx, row["base"])

        target = Target(document, job.scope, Receipt(receipt, document, event))
        try:
            made = await self._chunks.replace(target, [], also)
        except NotFound:
            return 0
        return len(made.dropped)

    async def _closed(self, receipt: str) -> str | None:
        """The receipt, closed; None where nothing went, so that there is none."""
        try:
            return str((await self._finish(receipt))["id"])
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
