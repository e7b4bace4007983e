"""Jobs and schedules in the graph."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import orjson

from app.jobs.access import ANYBODY, Access, shown_to
from app.jobs.model import Cancelled, Job, Superseded
from app.kernel import feed
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.ids import new_id

SYSTEM = "_system"  # tenant and scope of the installation's own jobs: no path can be spelled so
ENDED = ("done", "dead", "cancelled")


def new_row(
    task: str,
    *,
    tenant: str,
    scope: str,
    args: dict[str, Any],
    job_id: str | None = None,
    access: Access = ANYBODY,
) -> Row:
    """Properties of a job to be recorded, together with what makes it necessary or alone."""
    moment = now()
    return {
        "id": job_id or new_id(),
        "task": task,
        "tenant": tenant,
        "scope": scope,
        "state": "queued",
        "args": orjson.dumps(args, default=str).decode(),
        **access.row(scope),
        "attempts": 0,
        "created_at": moment,
        "not_before": moment,
    }


def _told(job: Job, state: str, at: datetime) -> Row | None:
    """An event for who follows events: a tenant's job has ended."""
    if state not in ENDED or job.scope == SYSTEM:
        return None
    return feed.told(f"job.{state}", job.scope, job.id, at, task=job.task)


class JobRepository:
    """One method a query. `lease` is how long a worker that says nothing still has its job.

    Who runs a job names it with the attempt it claimed: where the lease ran out and another worker
    has claimed the next attempt, nothing that the first one says is written.
    """

    def __init__(self, graph: Graph, lease: timedelta) -> None:
        self.graph = graph
        self.lease = lease

    async def create(self, task: str, **given: Any) -> Job:
        """Record a job, given as to `new_row`; with an id that is taken, the job that is there."""
        row = new_row(task, **given)
        return Job.of((await self.graph.one(Q.jobs.create, job=row))["job"])

    async def claim(self, job_id: str) -> Job | None:
        moment = now()
        row = await self.graph.optional(
            Q.jobs.claim, id=job_id, at=moment, lease=moment + self.lease
        )
        return Job.of(row["job"]) if row else None

    async def renew(self, job: Job) -> None:
        """Tell that its worker lives."""
        moment = now()
        await self.graph.optional(
            Q.jobs.renew,
            id=job.id,
            attempt=job.attempts,
            at=moment,
            lease=moment + self.lease,
        )

    async def progress(self, job: Job, progress: dict[str, Any]) -> None:
        """Note progress; raises Cancelled and Superseded."""
        moment = now()
        row = await self.graph.optional(
            Q.jobs.progress,
            id=job.id,
            attempt=job.attempts,
            at=moment,
            lease=moment + self.lease,
            progress=orjson.dumps(progress, default=str).decode(),
        )
        if row is None:
            raise Superseded(job.id)
        if row["cancelled"]:
            raise Cancelled(job.id)

    async def finish(self, job: Job, state: str, **given: Any) -> None:
        """End an attempt; raises Superseded."""
        moment = now()
        fields = {"not_before": moment, "result": None, "items": None, "error": None, **given}
        row = await self.graph.optional(
            Q.jobs.finish,
            id=job.id,
            attempt=job.attempts,
            state=state,
            at=moment,
            told=_told(job, state, moment),
            **fields,
        )
        if row is None:
            raise Superseded(job.id)

    async def hand_back(self, job: Job) -> None:
        """Let another worker go on at once: an attempt that was broken off does not count."""
        await self.graph.optional(Q.jobs.hand_back, id=job.id, attempt=job.attempts, at=now())

    async def request_cancel(self, job_id: str, tenant: str, **who: Any) -> Job | None:
        moment = now()
        # Its scope and its task are known where it is found.
        told = None if tenant == SYSTEM else feed.told("job.cancelled", tenant, job_id, moment)
        row = await self.graph.optional(
            Q.jobs.request_cancel, id=job_id, tenant=tenant, at=moment, told=told, **who
        )
        return Job.of(row["job"]) if row else None

    async def rerun(self, job_id: str, **who: Any) -> Job | None:
        row = await self.graph.optional(Q.jobs.rerun, id=job_id, at=now(), **who)
        return Job.of(row["job"]) if row else None

    async def get(self, job_id: str, scopes: list[str]) -> Job | None:
        row = await self.graph.optional(Q.jobs.get, id=job_id, scopes=scopes)
        return Job.of(row["job"]) if row else None

    async def page(self, scopes: list[str], state: str | None, after: str, limit: int) -> list[Job]:
        rows = await self.graph.rows(
            Q.jobs.list_jobs, scopes=scopes, state=state, after=after, limit=limit
        )
        return [Job.of(row["job"]) for row in rows]

    async def due(self, each: int = 100) -> list[Job]:
        """What should run: at most `each` of a tenant, those that wait longest, these first."""
        rows = await self.graph.rows(Q.jobs.due, at=now(), each=each)
        return [Job.of(row["job"]) for row in rows]

    async def unfinished(self, task: str) -> list[str]:
        """Ids of the jobs of a task that have yet to end."""
        rows = await self.graph.rows(Q.jobs.unfinished, task=task)
        return [row["id"] for row in rows]

    async def count_by_state(self, caller: Caller | None = None) -> dict[str, int]:
        """Jobs that wait, run or are dead: those that are shown to a caller, or all there are."""
        scopes = shown_to(caller) if caller else None
        rows = await self.graph.rows(Q.jobs.count_by_state, scopes=scopes)
        return {row["state"]: row["jobs"] for row in rows}

    async def open_schedules(self, due: Mapping[str, datetime]) -> None:
        rows = [{"name": name, "due": moment} for name, moment in due.items()]
        await self.graph.rows(Q.jobs.open_schedules, rows=rows, at=now())

    async def close_schedule(self, name: str, due: datetime) -> None:
        await self.graph.rows(Q.jobs.close_schedule, name=name, due=due)

    async def purge(self, before: datetime) -> int:
        return int((await self.graph.one(Q.jobs.purge, before=before))["removed"])

    async def schedule_ran(self, name: str, outcome: str) -> None:
        await self.graph.rows(Q.jobs.schedule_ran, name=name, at=now(), outcome=outcome)

    async def list_schedules(self) -> dict[str, Row]:
        rows = await self.graph.rows(Q.jobs.list_schedules)
        return {row["name"]: row for row in rows}
