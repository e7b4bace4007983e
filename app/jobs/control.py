"""What a caller may do about a job: stop it, and have it run again."""

from __future__ import annotations

from typing import Any

from app.errors import NotFound
from app.jobs.access import shown_to, stopped_by
from app.jobs.model import Job
from app.jobs.runner import Runner
from app.kernel import audit
from app.kernel.caller import Caller


async def cancel(runner: Runner, who: Caller, job_id: str) -> Job:
    """Stop a job: at once if it waits, else at its next step; what it has done stays.

    NotFound for one that has ended, and for one that the caller does not see, or could not have
    started.
    """
    event = audit.event(who, "job.cancel", who.home, job=job_id)
    job = await runner.jobs.request_cancel(job_id, **_rights(who), audit=event)
    if job is None:
        raise NotFound(f"there is no job {job_id} that could be stopped")
    return job


async def rerun(runner: Runner, who: Caller, job_id: str) -> Job:
    """Queue a dead or cancelled job again; NotFound for any other, and as for stopping it."""
    event = audit.event(who, "job.rerun", who.home, job=job_id)
    job = await runner.jobs.rerun(job_id, **_rights(who), audit=event)
    if job is None:
        raise NotFound(f"there is no job {job_id} that could run again")
    await runner.push(job.turn)
    return job


def _rights(who: Caller) -> dict[str, Any]:
    return {"tenant": who.tenant, "scopes": shown_to(who), "stops": stopped_by(who)}
