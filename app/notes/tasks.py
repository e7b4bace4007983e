"""The check of core blocks' baselines and the joining of notes as tasks of a worker."""

from __future__ import annotations

from typing import Any

from app.jobs.model import Job, Outcome, Report, is_dry

DRIFT = "blocks.drift"
JOIN = "notes.join"


async def check_drift(parts: Any, job: Job, report: Report) -> Outcome:
    """Tell of what has drifted away from a core block, once until it has gone back."""
    return Outcome(await parts.drifting.check(dry_run=is_dry(job)))


async def join_notes(parts: Any, job: Job, report: Report) -> Outcome:
    """Join what says the same among the notes of agents that are idle."""
    return Outcome((await parts.joining.run(None, dry_run=is_dry(job))).told())
