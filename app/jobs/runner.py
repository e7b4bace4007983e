"""Running jobs: claimed in the graph, retried with back-off, dead letters kept.

A job may run twice: its lease can run out while it still works. Tasks are therefore idempotent.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import nullcontext, suppress
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import orjson
import structlog
from cronsim import CronSim

from app.errors import LociError
from app.jobs.lanes import Due
from app.jobs.model import (
    DRY_RUN,
    Cancelled,
    Job,
    Outcome,
    Report,
    Schedule,
    Superseded,
    TaskFunction,
    Turn,
)
from app.jobs.queue import Queue
from app.jobs.repository import SYSTEM, JobRepository
from app.kernel.clock import now
from app.kernel.graph import in_bulk

log = structlog.get_logger()
RUN = "jobs.run"
BACKOFF = 5.0  # seconds before the second attempt; doubles with each
BACKOFF_MOST = 600.0  # seconds
RENEWALS = 4  # within one lease, so that a missed one or two do not lose it
LIGHT = 1 << 20  # bytes that a job takes in without being heavy


# Raises where who asked for a job in a scope, by its arguments, may not have it done any more.
Rights = Callable[[str, Mapping[str, Any]], Awaitable[None]]


class Runner:
    """Knows the tasks by name and brings each job to an end; `still_may` is asked before each."""

    def __init__(
        self,
        jobs: JobRepository,
        queue: Queue,
        tasks: Mapping[str, TaskFunction],
        max_tries: int,
        heavy: Collection[str] = (),
        still_may: Rights | None = None,
    ) -> None:
        self.jobs = jobs
        self.queue = queue
        self._tasks = tasks
        self._max_tries = max_tries
        self._heavy = heavy
        self._still_may = still_may

    async def submit(self, task: str, **where: Any) -> Job:
        """Record a job and put it on the queue; `where` as for JobRepository.create."""
        job = await self.jobs.create(task, **where)
        await self.push(job.turn)
        return job

    async def push(self, turn: Turn, defer: float = 0.0) -> None:
        """Put a job on the queue; the name is the same for the same turn, so it is there once."""
        await self.queue.enqueue(RUN, turn.name, defer=defer, job=turn.id)

    async def run(self, context: Any, job_id: str) -> str:
        """Run one job if it is this worker's to run; returns its state, or `elsewhere`."""
        job = await self.jobs.claim(job_id)
        if job is None:
            return "elsewhere"
        start = time.perf_counter()
        keeper = asyncio.create_task(self._keep(job), name=f"lease {job.id}")
        try:
            state = await self._attempt(context, job)
        except Superseded:
            state = "elsewhere"
        except asyncio.CancelledError:
            # The worker stops. Its successor goes on at once, not when the lease runs out.
            with suppress(LociError):
                await self.jobs.hand_back(job)
            raise
        finally:
            keeper.cancel()
        log.info(
            "job",
            task=job.task,
            job=job.id,
            scope=job.scope,
            attempt=job.attempts,
            outcome=state,
            ms=round((time.perf_counter() - start) * 1000, 1),
        )
        return state

    async def _keep(self, job: Job) -> None:
        """Renew the lease while the worker lives, however long a step of its task takes."""
        while True:
            await asyncio.sleep(self.jobs.lease.total_seconds() / RENEWALS)
            with suppress(LociError):
                await self.jobs.renew(job)

    async def _attempt(self, context: Any, job: Job) -> str:
        task = self._tasks.get(job.task)
        if task is None:
            return await self._dead(job, f"there is no task {job.task}")
        if job.attempts > self._max_tries:
            return await self._dead(job, "each worker that ran it was lost")
        try:
            if self._still_may is not None:
                await self._still_may(job.scope, job.args)
            with in_bulk() if self._is_heavy(job) else nullcontext():
                outcome = await task(context, job, self._report(job))
        except Cancelled:
            await self.jobs.finish(job, "cancelled")
            return "cancelled"
        except Superseded:
            raise
        except Exception as error:  # noqa: BLE001 - a process edge: a job must not end the worker
            return await self._failed(job, error)
        await self._done(job, outcome)
        return "done"

    async def _done(self, job: Job, outcome: Outcome) -> None:
        result = orjson.dumps(outcome.result, default=str).decode()
        await self.jobs.finish(job, "done", result=result, items=outcome.dump_items())
        if outcome.tidy is not None:
            await asyncio.to_thread(outcome.tidy)
        await self._note_schedule(job, "done")

    async def _dead(self, job: Job, reason: str) -> str:
        await self.jobs.finish(job, "dead", error=reason)
        await self._note_schedule(job, "dead")
        return "dead"

    async def _note_schedule(self, job: Job, outcome: str) -> None:
        if "schedule" in job.args:
            await self.jobs.schedule_ran(job.args["schedule"], outcome)

    async def _failed(self, job: Job, error: Exception) -> str:
        # The text of an unforeseen error may quote what was stored: only its kind is kept.
        known = error if isinstance(error, LociError) else None
        reason = f"{type(error).__name__}: {known.told}" if known else type(error).__name__
        said = known.detail if known else reason
        log.error("job.failed", task=job.task, job=job.id, error=said, exc_info=known is None)
        final = job.attempts >= self._max_tries or (known is not None and known.status < 500)
        if final:
            return await self._dead(job, reason)
        wait = min(BACKOFF * 2 ** (job.attempts - 1), BACKOFF_MOST)
        later = now() + timedelta(seconds=wait)
        await self.jobs.finish(job, "queued", error=reason, not_before=later)
        await self.push(Turn(job.id, job.attempts, later), defer=wait)
        return "queued"

    def _report(self, job: Job) -> Report:
        async def report(progress: dict[str, Any]) -> None:
            await self.jobs.progress(job, progress)

        return report

    async def due(self) -> list[Due]:
        """Jobs that should run, as the graph says: no queue's loss loses one."""
        return [self._due(job) for job in await self.jobs.due()]

    def _due(self, job: Job) -> Due:
        # A task of those that may take long is known to be light by the size of what it is given.
        return Due(job.id, job.tenant, self._is_heavy(job))

    def _is_heavy(self, job: Job) -> bool:
        return job.task in self._heavy and job.args.get("bytes", LIGHT + 1) > LIGHT


async def run_now(runner: Runner, schedule: Schedule, job_id: str, *, dry_run: bool = False) -> Job:
    """Submit a schedule under an id of its own; it works on every tenant, as at its times. With
    `dry_run`, which not every task has, it tells what it would do."""
    args = {"schedule": schedule.name} | ({DRY_RUN: True} if dry_run else {})
    return await runner.submit(schedule.task, tenant=SYSTEM, scope=SYSTEM, args=args, job_id=job_id)


def last_due(cron: str, zone: ZoneInfo, moment: datetime) -> datetime:
    """The latest moment, at or before `moment`, at which a cron expression was due."""
    local = moment.astimezone(zone) + timedelta(seconds=1)
    return next(CronSim(cron, local, reverse=True)).astimezone(moment.tzinfo)


async def tick(runner: Runner, schedules: list[Schedule], zone: ZoneInfo) -> list[str]:
    """Submit every schedule whose latest due time has not run; returns their names.

    Only the latest counts, so that runs missed while nothing was up are caught up once. All are
    read at once: each look of each worker comes by here, and hardly ever is one due.
    """
    moment = now()
    due = {schedule.name: last_due(schedule.cron, zone, moment) for schedule in schedules}
    known = await runner.jobs.list_schedules()
    if new := {name: at for name, at in due.items() if name not in known}:
        await runner.jobs.open_schedules(new)
    started = []
    for schedule in schedules:
        name, at = schedule.name, due[schedule.name]
        if name in known and known[name]["last_due_at"] < at:
            await run_now(runner, schedule, f"{name}:{at:%Y%m%dT%H%M%S}")
            await runner.jobs.close_schedule(name, at)
            started.append(name)
    return started
