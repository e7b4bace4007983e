"""The check of goals as a task of a worker."""

from __future__ import annotations

from typing import Any

from app.goals.upkeep import check_stale
from app.jobs.model import Job, Outcome, Report, is_dry

STALE_GOALS = "goals.check"


async def check_goals(parts: Any, job: Job, report: Report) -> Outcome:
    """Tell of goals without progress for too long, or abandon them."""
    return Outcome((await check_stale(parts.goals, None, dry_run=is_dry(job))).told())
