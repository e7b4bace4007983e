"""The check of escalations as a task of a worker."""

from __future__ import annotations

from typing import Any

from app.jobs.model import Job, Outcome, Report, is_dry

ESCALATE = "escalations.check"


async def check_escalations(parts: Any, job: Job, report: Report) -> Outcome:
    """Raise escalations that are past their due moment."""
    return Outcome((await parts.escalations.raise_due(None, dry_run=is_dry(job))).told())
