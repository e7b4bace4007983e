"""Upkeep of short-term memory."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from app.jobs.model import Job, Outcome, Report
from app.kernel.clock import now
from app.kernel.cypher import Q

GIVEN_UP = timedelta(days=7)  # after which an entry goes that could not be promoted
EXPIRE_ENTRIES = "shortterm.expire"


async def expire_entries(parts: Any, job: Job, report: Report) -> Outcome:
    """Remove entries that have run out, once those that were read often are promoted; no reading
    shows them before that."""
    await parts.tier_promotion.run_out()
    at = now()
    rows = await parts.graph.rows(Q.shortterm.expire, at=at, given_up=at - GIVEN_UP)
    return Outcome({"entries": rows[0]["removed"]})
