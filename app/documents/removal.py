"""Deleting documents and bases, with what rests on them alone: each document one transaction."""

from __future__ import annotations

from typing import Any

from app.documents.repository import DocumentRepository, lock_document, settle_base
from app.documents.writing import ChunkWriter, Target
from app.errors import NotFound
from app.jobs.model import Job, Outcome, Report
from app.kernel import audit
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx


class DocumentRemover:
    """Runs what `DocumentService.delete` and `drop_base` ask for; running it again is harmless."""

    def __init__(self, graph: Graph, chunks: ChunkWriter) -> None:
        self._graph = graph
        self._chunks = chunks
        self._rows = DocumentRepository(graph)

    async def delete(self, job: Job) -> Outcome:
        """Delete one document."""
        gone = await self._drop(job, job.args["document"])
        return Outcome({"document": job.args["document"], "chunks": gone})

    async def drop_base(self, job: Job, report: Report) -> Outcome:
        """Delete a base with every document in it."""
        base, scopes = job.args["base"], [job.scope]
        found = await self._rows.documents_of(base, scopes)
        chunks = 0
        for done, document in enumerate(found, 1):
            chunks += await self._drop(job, document["id"])
            await report({"documents": done, "of": len(found)})
        event = _event(job, "knowledge_base.delete", base=base, documents=len(found))
        await self._graph.rows(Q.documents.drop_base, id=base, audit=event)
        return Outcome({"base": base, "documents": len(found), "chunks": chunks})

    async def _drop(self, job: Job, document: str) -> int:
        event = _event(job, "document.delete", document=document)

        async def also(tx: Tx) -> None:
            row = await lock_document(tx, document)
            if row is None:
                return
            await tx.rows(Q.documents.drop_document, id=document, audit=event)
            await settle_base(tx, row["base"])

        try:
            made = await self._chunks.replace(Target(document, job.scope), [], also)
        except NotFound:
            return 0
        return len(made.dropped)


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
