"""Collecting observations and deleting those that are over, as tasks of a worker."""

from __future__ import annotations

from typing import Any

from app.jobs.model import Job, Outcome, Report, is_dry

COLLECT = "observations.collect"
CLEAN = "observations.cleanup"


async def collect_observations(parts: Any, job: Job, report: Report) -> Outcome:
    """Ask Loci's own sensors about every scope."""
    return Outcome((await parts.collecting.collect(None, dry_run=is_dry(job))).told())


async def clean_observations(parts: Any, job: Job, report: Report) -> Outcome:
    """Delete observations that have expired or were processed long ago."""
    return Outcome((await parts.observing.clean_up(None, dry_run=is_dry(job))).told())
