"""Jobs and schedules over HTTP."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from litestar import Controller, get, post
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_202_ACCEPTED

from app.errors import NotFound
from app.jobs import control
from app.jobs.access import shown_to
from app.jobs.model import Schedule
from app.jobs.repository import JobRepository
from app.jobs.runner import Runner
from app.jobs.schemas import JobOut, JobsOut, ScheduleOut, SchedulesOut
from app.kernel.caller import Caller, Role

JobState = Literal["queued", "running", "done", "dead", "cancelled"]


class JobController(Controller):
    """Work that goes on after the answer."""

    path = "/v1/jobs"
    tags = ("Jobs",)

    @get("/{job_id:str}", operation_id="getJob", opt={"requires": Role.READER})
    async def read(
        self,
        job_id: FromPath[str],
        caller: NamedDependency[Caller],
        jobs: NamedDependency[JobRepository],
    ) -> JobOut:
        """A job with the outcome of its items."""
        job = await jobs.get(job_id, shown_to(caller))
        if job is None:
            raise NotFound(f"there is no job {job_id}")
        return JobOut.of(job)

    @get("/", operation_id="listJobs", opt={"requires": Role.READER})
    async def list_jobs(
        self,
        caller: NamedDependency[Caller],
        jobs: NamedDependency[JobRepository],
        status: FromQuery[JobState | None] = None,
        cursor: FromQuery[str | None] = None,
        limit: Annotated[int, QueryParameter(ge=1, le=500)] = 50,
    ) -> JobsOut:
        """Jobs of the scopes that this key sees, newest first; `dead` lists the dead letters."""
        found = await jobs.page(shown_to(caller), status, cursor or "~", limit + 1)
        shown = found[:limit]
        more = len(found) > limit
        return JobsOut([JobOut.of(job) for job in shown], shown[-1].id if more else None)

    @post(
        "/{job_id:str}/cancel",
        operation_id="cancelJob",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def cancel(
        self,
        job_id: FromPath[str],
        caller: NamedDependency[Caller],
        runner: NamedDependency[Runner],
    ) -> JobOut:
        """Stop a job: at once if it waits, else at its next step. What it has done stays."""
        return JobOut.of(await control.cancel(runner, caller, job_id))

    @post(
        "/{job_id:str}/rerun",
        operation_id="rerunJob",
        opt={"requires": Role.WRITER},
        status_code=HTTP_202_ACCEPTED,
    )
    async def rerun(
        self,
        job_id: FromPath[str],
        caller: NamedDependency[Caller],
        runner: NamedDependency[Runner],
    ) -> JobOut:
        """Run a dead or cancelled job again."""
        return JobOut.of(await control.rerun(runner, caller, job_id))


class ScheduleController(Controller):
    """What runs by itself; by hand the operator runs it (`loci schedules run`)."""

    path = "/v1/schedules"
    tags = ("Jobs",)

    @get("/", operation_id="listSchedules", opt={"requires": Role.CURATOR})
    async def list_schedules(
        self, jobs: NamedDependency[JobRepository], state: State
    ) -> SchedulesOut:
        """Every schedule with its last run."""
        known = await jobs.list_schedules()
        zone = state.settings.worker.timezone
        return SchedulesOut([_schedule(s, zone, known.get(s.name, {})) for s in state.schedules])


def _schedule(schedule: Schedule, zone: str, row: dict[str, Any]) -> ScheduleOut:
    return ScheduleOut(
        name=schedule.name,
        cron=schedule.cron,
        timezone=zone,
        doc=schedule.doc,
        last_due_at=row.get("last_due_at"),
        last_run_at=row.get("last_run_at"),
        last_outcome=row.get("last_outcome"),
    )
