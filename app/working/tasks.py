"""Upkeep of working memory."""

from __future__ import annotations

from typing import Any

from app.jobs.model import Job, Outcome, Report, is_dry
from app.kernel.clock import now
from app.kernel.cypher import Q

EXPIRE_COPIES = "working.expire"


async def expire_copies(parts: Any, job: Job, report: Report) -> Outcome:
    """Remove copies of working memory that are a day old; no reading shows them before that."""
    query = Q.working.expired if is_dry(job) else Q.working.expire
    rows = await parts.graph.rows(query, at=now())
    return Outcome({"copies": rows[0]["removed"], "dry_run": is_dry(job)})
