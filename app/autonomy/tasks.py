"""The checks of goals, escalations and observations, and the suggestions, as tasks of a worker."""

from __future__ import annotations

from typing import Any

from app.autonomy.goals.upkeep import abandon_stale
from app.jobs.model import Job, Outcome, Report

STALE_GOALS = "goals.check"
ESCALATE = "escalations.check"
COLLECT = "observations.collect"
CLEAN = "observations.cleanup"
SUGGEST = "interventions.suggest"


async def check_goals(parts: Any, job: Job, report: Report) -> Outcome:
    """Abandon goals without progress for too long."""
    return Outcome((await abandon_stale(parts.goals, None, dry_run=False)).told())


async def check_escalations(parts: Any, job: Job, report: Report) -> Outcome:
    """Raise escalations that are past their due moment."""
    return Outcome((await parts.escalations.raise_due(None, dry_run=False)).told())


async def collect_observations(parts: Any, job: Job, report: Report) -> Outcome:
    """Ask Loci's own sensors about every scope."""
    return Outcome((await parts.collecting.collect(None, dry_run=False)).told())


async def clean_observations(parts: Any, job: Job, report: Report) -> Outcome:
    """Delete observations that have expired or were processed long ago."""
    return Outcome((await parts.observing.clean_up(None, dry_run=False)).told())


async def suggest_policies(parts: Any, job: Job, report: Report) -> Outcome:
    """Suggest policies out of how reviews were decided; nothing is applied."""
    return Outcome((await parts.intervening.suggest(None, dry_run=False)).told())
