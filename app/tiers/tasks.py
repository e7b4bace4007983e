"""Promotion as a task of a worker."""

from __future__ import annotations

from typing import Any

from app.jobs.model import Job, Outcome, Report, is_dry
from app.tiers.receipt import Wanted

PROMOTE_OFTEN_READ = "tiers.promote"


async def promote_often_read(parts: Any, job: Job, report: Report) -> Outcome:
    """Let what was read often go from short-term into long-term memory."""
    receipt = await parts.tier_promotion.run(Wanted(), dry_run=is_dry(job))
    return Outcome({"receipt": receipt.id, **receipt.counts})
