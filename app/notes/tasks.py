"""The joining of notes as a task of a worker."""

from __future__ import annotations

from typing import Any

from app.jobs.model import Job, Outcome, Report, is_dry

JOIN = "notes.join"


async def join_notes(parts: Any, job: Job, report: Report) -> Outcome:
    """Join what says the same among the notes of agents that are idle."""
    return Outcome((await parts.joining.run(None, dry_run=is_dry(job))).told())
