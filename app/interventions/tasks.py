"""Suggestions for policies as a task of a worker."""

from __future__ import annotations

from typing import Any

from app.jobs.model import Job, Outcome, Report, is_dry

SUGGEST = "interventions.suggest"


async def suggest_policies(parts: Any, job: Job, report: Report) -> Outcome:
    """Suggest policies out of how reviews were decided; nothing is applied."""
    return Outcome((await parts.intervening.suggest(None, dry_run=is_dry(job))).told())
