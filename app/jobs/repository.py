"""Jobs and schedules in the graph."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import orjson

from app.jobs.model import Job
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.ids import new_id

LEASE = timedelta(seconds=120)  # a running job renews it by reporting progress


class JobRepository:
    """One method a query."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def create(
        self, task: str, *, tenant: str, scope: str, args: dict[str, Any], job_id: str | None = None
    ) -> Job:
        """Record a job; with an id that is taken, the job that is there."""
        moment = now()
        row = {
            "id": job_id or new_id(),
            "task": task,
            "tenant": tenant,
            "scope": scope,
            "state": "queued",
            "args": orjson.dumps(args, default=str).decode(),
            "attempts": 0,
            "created_at": moment,
            "not_before": moment,
        }
        return Job.of((await self.graph.one(Q.jobs.create, job=row))["job"])

    async def claim(self, job_id: str) -> Job | None:
        moment = now()
        row = await self.graph.optional(Q.jobs.claim, id=job_id, at=moment, lease=moment + LEASE)
        return Job.of(row["job"]) if row else None

    async def progress(self, job_id: str, progress: dict[str, Any]) -> bool:
        """Whether the job was asked to stop."""
        moment = now()
        row = await self.graph.optional(
            Q.jobs.progress,
            id=job_id,
            at=moment,
            lease=moment + LEASE,
            progress=orjson.dumps(progress, default=str).decode(),
        )
        return row is None or bool(row["cancelled"])

    async def finish(self, job_id: str, state: str, **given: Any) -> None:
        moment = now()
        fields = {"not_before": moment, "result": None, "items": None, "error": None, **given}
        await self.graph.optional(Q.jobs.finish, id=job_id, state=state, at=moment, **fields)

    async def request_cancel(self, job_id: str, **who: Any) -> Job | None:
        row = await self.graph.optional(Q.jobs.request_cancel, id=job_id, at=now(), **who)
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

    async def due(self, limit: int = 500) -> list[Row]:
        return await self.graph.rows(Q.jobs.due, at=now(), limit=limit)

    async def count_by_state(self) -> dict[str, int]:
        rows = await self.graph.rows(Q.jobs.count_by_state)
        return {row["state"]: row["jobs"] for row in rows}

    async def open_schedule(self, name: str, due: datetime) -> bool:
        row = await self.graph.one(Q.jobs.open_schedule, name=name, due=due, at=now())
        return bool(row["open"])

    async def close_schedule(self, name: str, due: datetime) -> None:
        await self.graph.rows(Q.jobs.close_schedule, name=name, due=due)

    async def purge(self, before: datetime) -> int:
        return int((await self.graph.one(Q.jobs.purge, before=before))["removed"])

    async def schedule_ran(self, name: str, outcome: str) -> None:
        await self.graph.rows(Q.jobs.schedule_ran, name=name, at=now(), outcome=outcome)

    async def list_schedules(self) -> dict[str, Row]:
        rows = await self.graph.rows(Q.jobs.list_schedules)
        return {row["name"]: row for row in rows}
