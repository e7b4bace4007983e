"""The check of core blocks' baselines as a task of a worker."""

from __future__ import annotations

from typing import Any

from app.jobs.model import Job, Outcome, Report, is_dry

DRIFT = "blocks.drift"


async def check_drift(parts: Any, job: Job, report: Report) -> Outcome:
    """Tell of what has drifted away from a core block, once until it has gone back."""
    return Outcome(await parts.drifting.check(dry_run=is_dry(job)))
