"""The jobs of documents, as the worker knows them."""

from __future__ import annotations

from typing import Any

from app.jobs.model import Job, Outcome, Report

SETTLE = "documents.settle"


async def take_document(parts: Any, job: Job, report: Report) -> Outcome:
    """Read one document; run again after a crash, it ends the same."""
    outcome: Outcome = await parts.document_reader.run(job, report)
    return outcome


async def delete_document(parts: Any, job: Job, report: Report) -> Outcome:
    """Delete one document with all that rests on it alone."""
    outcome: Outcome = await parts.document_remover.delete(job)
    return outcome


async def drop_base(parts: Any, job: Job, report: Report) -> Outcome:
    """Delete a knowledge base with its documents."""
    outcome: Outcome = await parts.document_remover.drop_base(job, report)
    return outcome


async def settle_documents(parts: Any, job: Job, report: Report) -> Outcome:
    """Fail documents whose job was stopped, or lost every worker that ran it."""
    return Outcome({"failed": await parts.document_reader.settle_left()})
