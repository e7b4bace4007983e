"""The worker process: `python -m app.worker`.

arq runs `jobs.run` for one recorded job, `indexing.drain` for what waits for its vectors,
`consolidation.drain` and `consolidation.model` for what waits to be read by rules and by a model,
and each few seconds a sweep that finds whatever a crash or a lost queue left behind.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, cast
from zoneinfo import ZoneInfo

import structlog
from arq import cron, func
from arq.worker import Worker
from redis.asyncio.lock import Lock
from redis.exceptions import LockError, RedisError

from app.jobs.queue import deserialize, redis_settings, serialize
from app.jobs.runner import RUN, tick
from app.sanitize.proof import stop_unless_proved
from app.settings import Settings, read_settings
from app.tasks import SCHEDULES
from app.telemetry.logging import configure_logging
from app.telemetry.tracing import configure_tracing
from app.wiring import (
    CONDENSING_TASK,
    CONSOLIDATION_TASK,
    INDEX_TASK,
    LINK_TASK,
    MODEL_TASK,
    Parts,
    parts,
)

log = structlog.get_logger()
JOB_SECONDS = 6 * 3600  # then a job that hangs is broken off and goes on from where it was
INDEX_LOCK = "loci:indexing"
CONSOLIDATION_LOCK = "loci:consolidation"
MODEL_LOCK = "loci:model"
CONDENSING_LOCK = "loci:condensing"
LINK_LOCK = "loci:linking"
LOCK_SECONDS = 30  # a worker that was killed holds up indexing for so long at most


async def run_job(context: dict[str, Any], job: str) -> str:
    """Run one job by its id."""
    assembled: Parts = context["parts"]
    return await assembled.runner.run(assembled, job)


async def drain_index(context: dict[str, Any]) -> int:
    """Index what waits; one process at a time, since neighbours are indexed together."""
    assembled: Parts = context["parts"]

    async def work() -> int:
        await assembled.due_pages.sweep()  # what an import or a crash left to be linked and cut
        return await assembled.indexing.drain()

    done = await _alone(assembled, INDEX_LOCK, work)
    if await assembled.linking.due():
        await assembled.queue.enqueue(LINK_TASK)
    return done


async def drain_links(context: dict[str, Any]) -> int:
    """Write the names of what waits into the retrieval graph, and which of them read alike, one
    process at a time."""
    assembled: Parts = context["parts"]

    async def work() -> int:
        return await assembled.linking.drain() + await assembled.synonyms.drain()

    return await _alone(assembled, LINK_LOCK, work)


async def drain_consolidation(context: dict[str, Any]) -> int:
    """Consolidate what waits, one process at a time; then index the facts that are new."""
    assembled: Parts = context["parts"]

    async def work() -> int:
        tally = await assembled.consolidation.drain()
        if tally.episodes:
            log.info("consolidation", episodes=tally.episodes, facts=tally.facts)
        return tally.episodes

    done = await _alone(assembled, CONSOLIDATION_LOCK, work)
    if done:
        await assembled.queue.enqueue(CONDENSING_TASK)
        await drain_index(context)
        if assembled.model_reader.model:
            await assembled.queue.enqueue(MODEL_TASK)
    return done


async def drain_model(context: dict[str, Any]) -> int:
    """Let the model read what is due, one process at a time; what it adds is consolidated."""
    assembled: Parts = context["parts"]

    async def work() -> int:
        tally = await assembled.model_reader.drain()
        if tally.taken:
            log.info("model", read=tally.read, failed=tally.failed, accepted=tally.accepted)
        return tally.merged

    done = await _alone(assembled, MODEL_LOCK, work)
    if done:
        await assembled.queue.enqueue(CONSOLIDATION_TASK)
    return done


async def drain_condensing(context: dict[str, Any]) -> int:
    """Condense what was consolidated, one process at a time; then index the notes that are new."""
    assembled: Parts = context["parts"]
    done = await _alone(assembled, CONDENSING_LOCK, assembled.condensing.drain)
    if done:
        log.info("condensing", notes=done)
        await drain_index(context)
    return done


async def _alone(assembled: Parts, name: str, work: Callable[[], Awaitable[int]]) -> int:
    """Do `work` unless another process does it; returns what it did."""
    lock = Lock(await assembled.queue.pool(), name, timeout=LOCK_SECONDS, blocking=False)
    if not await lock.acquire():
        # Whoever holds the lock looks again before it ends; the sweep finds what that misses.
        return 0
    keeper = asyncio.create_task(_keep(lock))
    try:
        return await work()
    finally:
        keeper.cancel()
        with contextlib.suppress(LockError, RedisError):
            await lock.release()


async def _keep(lock: Lock) -> None:
    while True:
        await asyncio.sleep(LOCK_SECONDS / 4)
        with contextlib.suppress(LockError, RedisError):
            await lock.reacquire()


async def sweep(context: dict[str, Any]) -> None:
    """Find lost work: jobs that should be queued, episodes without vectors, schedules due."""
    assembled: Parts = context["parts"]
    found = await assembled.runner.sweep()
    zone = ZoneInfo(assembled.settings.worker.timezone)
    started = await tick(assembled.runner, SCHEDULES, zone)
    if found or started:
        log.info("sweep", jobs=found, schedules=started)
    backlog = await assembled.index_rows.backlog()
    if backlog["pending"] or await assembled.due_pages.waiting():
        await drain_index(context)
    if await assembled.consolidation_rows.due_scopes(limit=1):
        await assembled.queue.enqueue(CONSOLIDATION_TASK)
    reader = assembled.model_reader
    if reader.model and await reader.rows.due_scopes(limit=1):
        await assembled.queue.enqueue(MODEL_TASK)
    if await assembled.condensing.due(limit=1):
        await assembled.queue.enqueue(CONDENSING_TASK)
    if await assembled.linking.due() or await assembled.synonyms.due():
        await assembled.queue.enqueue(LINK_TASK)


async def startup(context: dict[str, Any]) -> None:
    """Open the parts; arq keeps them in the context of every job."""
    context["opened"] = parts(context["settings"])
    context["parts"] = await context["opened"].__aenter__()
    log.info("worker.started")


async def shutdown(context: dict[str, Any]) -> None:
    """Close what startup opened, once."""
    context.pop("parts")
    await context["opened"].__aexit__(None, None, None)


class BrokenOff(Worker):
    """An arq worker that, when it ends, breaks off what runs: a successor goes on with it.

    arq's own waits for running jobs when it has lost Valkey, which may take hours, in which it
    takes on nothing else and nobody starts another.
    """

    async def close(self) -> None:
        """Close everything; a Valkey that is away is no reason not to."""
        for task in self.tasks.values():
            task.cancel()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)
        self.tasks.clear()
        if "parts" in self.ctx:
            await shutdown(self.ctx)
        with contextlib.suppress(RedisError, OSError):
            await super().close()


def _arq(function: Callable[..., Awaitable[Any]]) -> Any:
    # arq's protocols ask for parameter names and a first parameter of type dict[Any, Any].
    return cast(Any, function)


def build_worker(settings: Settings, *, burst: bool = False) -> Worker:
    """An arq worker over our functions; `burst` ends it when the queue is empty."""
    step = settings.worker.sweep_seconds
    seconds = set(range(0, 60, step)) if step < 60 else {0}
    return BrokenOff(
        functions=[
            func(_arq(run_job), name=RUN, keep_result=0, timeout=JOB_SECONDS, max_tries=1_000_000),
            func(
                _arq(drain_index), name=INDEX_TASK, keep_result=0, timeout=JOB_SECONDS, max_tries=1
            ),
            func(
                _arq(drain_model), name=MODEL_TASK, keep_result=0, timeout=JOB_SECONDS, max_tries=1
            ),
            func(
                _arq(drain_consolidation),
                name=CONSOLIDATION_TASK,
                keep_result=0,
                timeout=JOB_SECONDS,
                max_tries=1,
            ),
            func(
                _arq(drain_links), name=LINK_TASK, keep_result=0, timeout=JOB_SECONDS, max_tries=1
            ),
            func(
                _arq(drain_condensing),
                name=CONDENSING_TASK,
                keep_result=0,
                timeout=JOB_SECONDS,
                max_tries=1,
            ),
        ],
        cron_jobs=[
            cron(
                _arq(sweep),
                second=seconds,
                run_at_startup=True,
                unique=True,
                keep_result=0,
                timeout=JOB_SECONDS,
                max_tries=1,
            )
        ],
        redis_settings=redis_settings(settings.redis.url),
        queue_name=settings.redis.queue,
        job_serializer=serialize,
        job_deserializer=deserialize,
        on_startup=_arq(startup),
        max_jobs=settings.worker.concurrency,
        poll_delay=0.05,
        burst=burst,
        ctx={"settings": settings},
        handle_signals=True,
        retry_jobs=True,
        health_check_interval=15,
    )


def main() -> None:
    """Run until told to stop."""
    settings = read_settings()
    stop_unless_proved()
    configure_logging(settings.telemetry)
    spans = configure_tracing(settings.telemetry, "loci-worker")
    try:
        build_worker(settings).run()
    finally:
        if spans is not None:
            spans.shutdown()


if __name__ == "__main__":
    main()
