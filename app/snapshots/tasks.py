"""Snapshots as a task of a worker."""

from __future__ import annotations

from typing import Any

from app.jobs.model import Job, Outcome, Report, is_dry

SNAPSHOTS = "snapshots.take"
DAYS = "snapshots.days"
DUE_DAYS = "snapshots.due_days"


async def take_snapshots(parts: Any, job: Job, report: Report) -> Outcome:
    """Take a snapshot of every scope; what has not changed stays as it is."""
    return Outcome(await parts.snapshots.take_all(dry_run=is_dry(job)))


async def make_days(parts: Any, job: Job, report: Report) -> Outcome:
    """Make the pages of the last days of every scope; what has not changed stays as it is."""
    return Outcome(await parts.diary.make_all(dry_run=is_dry(job)))


async def make_due_days(parts: Any, job: Job, report: Report) -> Outcome:
    """Make the pages of days anew of which a text was forgotten or erased, however old."""
    return Outcome(await parts.diary.make_due(dry_run=is_dry(job)))
