"""Upkeep of short-term memory."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from app.jobs.model import Job, Outcome, Report, is_dry
from app.kernel.clock import now
from app.kernel.cypher import Q

WAITING = "waiting"  # of a promotion: it is looked at again
GIVEN_UP = timedelta(days=7)  # after which an entry goes that could not be promoted
EXPIRE_ENTRIES = "shortterm.expire"


async def expire_entries(parts: Any, job: Job, report: Report) -> Outcome:
    """Remove entries that have run out, once those that were read often are promoted; no reading
    shows them before that."""
    dry = is_dry(job)
    receipt = await parts.tier_promotion.run_out(dry_run=dry)
    at, promotion = now(), dict(receipt.counts)
    query = Q.shortterm.expired if dry else Q.shortterm.expire
    removed = (await parts.graph.rows(query, at=at, given_up=at - GIVEN_UP))[0]["removed"]
    # What a dry run would have looked at goes as well, once it is in long-term memory.
    more = sum(n for fate, n in promotion.items() if fate != WAITING) if dry else 0
    return Outcome({"entries": removed + more, "promotion": promotion, "dry_run": dry})
