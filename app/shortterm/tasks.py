"""Upkeep of short-term memory."""

from __future__ import annotations

from typing import Any

from app.jobs.model import Job, Outcome, Report
from app.kernel.clock import now
from app.kernel.cypher import Q

EXPIRE_ENTRIES = "shortterm.expire"


async def expire_entries(parts: Any, job: Job, report: Report) -> Outcome:
    """Remove entries that have run out; no reading shows them before that."""
    rows = await parts.graph.rows(Q.shortterm.expire, at=now())
    return Outcome({"entries": rows[0]["removed"]})
