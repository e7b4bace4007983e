"""The worker process: `python -m app.worker`.

What is to do can be read from the graph. The queue holds no work, but word that there is some:
each entry wakes what finds it there, and each few seconds a sweep wakes everything, for what a
crash or a lost queue left behind. What has work is served in lanes, in turns that are fair by
tenant; vectors alone are one pass over the whole graph, whose batches are shared out by tenant.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any, cast
from zoneinfo import ZoneInfo

import structlog
import uvloop
from arq import cron, func
from arq.worker import Worker
from redis.asyncio.lock import Lock
from redis.exceptions import LockError, RedisError

from app.embeddings.tokens import load_tokens
from app.jobs.lanes import Due, Lanes, told
from app.jobs.queue import deserialize, redis_settings, serialize
from app.jobs.runner import RUN, tick
from app.kernel.pauses import keep_for_good
from app.kernel.rests import Rests
from app.sanitize.proof import stop_unless_proved
from app.settings import Settings, read_settings
from app.tasks import schedules
from app.telemetry.logging import configure_logging
from app.telemetry.tracing import configure_tracing
from app.wiring import (
    COMPARE_TASK,
    CONDENSING_TASK,
    CONSOLIDATION_TASK,
    INDEX_TASK,
    LINK_TASK,
    MODEL_TASK,
    PAGES_TASK,
    WEBHOOK_TASK,
    Parts,
    parts,
)

log = structlog.get_logger()
JOB_SECONDS = 6 * 3600  # then a job that hangs is broken off and goes on from where it was
INDEX_LOCK = "loci:indexing"
LOCK_SECONDS = 30  # a worker that was killed holds up indexing for so long at most
# Seconds after which a thread that computes lets the loop go on: with the 5 ms that are usual, each
# of the dozens of round trips of a turn waits so long while a text is read.
SWITCH = 0.0005
ENTRIES = 32  # of the queue that are taken up at once; each only wakes what does the work
# What an entry of the queue wakes: a new text is indexed and read, a job has a lane.
WAKES = {RUN: (RUN,), INDEX_TASK: (PAGES_TASK, INDEX_TASK, CONSOLIDATION_TASK)}


class Pass:
    """One pass over the whole graph at a time, again for who woke it meanwhile."""

    def __init__(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        self._name, self._work = name, work
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """There may be something to do. Returns at once."""
        self._woken.set()

    async def run(self) -> None:
        """Do the work whenever woken, until cancelled."""
        while True:
            await self._woken.wait()
            self._woken.clear()
            (error,) = await asyncio.gather(self._work(), return_exceptions=True)
            if error is not None:  # the next sweep wakes it again
                reason, unforeseen = told(error)
                log.warning("pass.failed", of=self._name, reason=reason, exc_info=unforeseen)


class Desk:
    """What the worker does, each thing by the name that wakes it."""

    def __init__(self, assembled: Parts) -> None:
        self._parts = assembled
        width = assembled.settings.worker.concurrency
        self.does: dict[str, Lanes | Pass] = {
            RUN: Lanes("job", width, assembled.runner.due, self._job),
            CONSOLIDATION_TASK: Lanes(
                "consolidation", width, assembled.consolidation.due, self._consolidated
            ),
            PAGES_TASK: Lanes("pages", 1, assembled.due_pages.due, self._pages),
            INDEX_TASK: Pass(INDEX_TASK, self._index),
            MODEL_TASK: Lanes("model", width, assembled.model_reader.due, self._model),
            CONDENSING_TASK: Lanes("condensing", 1, assembled.condensing.due, self._condense),
            LINK_TASK: Lanes("linking", 1, assembled.linking.due, self._link),
            COMPARE_TASK: Lanes("comparing", 1, assembled.synonyms.due, self._compare),
            WEBHOOK_TASK: Lanes(
                "webhook",
                assembled.settings.webhooks.lanes,
                assembled.sender.due,
                assembled.sender.turn,
            ),
        }
        self._running = [
            asyncio.create_task(one.run(), name=name) for name, one in self.does.items()
        ]
        self._running.append(asyncio.create_task(self._look(), name="looks for events"))

    def wake(self, *names: str) -> None:
        """Wake some of it, by default everything."""
        for name in names or self.does:
            self.does[name].wake()

    async def close(self) -> None:
        """Break off what runs; a successor goes on with it."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _look(self) -> None:
        """Wake webhooks as often as the settings say: nobody rings for an event."""
        while True:
            await asyncio.sleep(self._parts.settings.webhooks.look_seconds)
            self.wake(WEBHOOK_TASK)

    async def _job(self, due: Due) -> bool:
        async with asyncio.timeout(JOB_SECONDS):
            return await self._parts.runner.run(self._parts, due.key) != "elsewhere"

    async def _consolidated(self, due: Due) -> bool:
        done = await self._parts.consolidation.turn(due)
        if done:
            self.wake(INDEX_TASK, CONDENSING_TASK)
            if self._parts.model_reader.model:
                self.wake(MODEL_TASK)
        return done

    async def _pages(self, due: Due) -> bool:
        done = await self._one(due, PAGES_TASK, self._parts.due_pages.turn)
        if done:
            self.wake(INDEX_TASK, CONSOLIDATION_TASK)
        return done > 0

    async def _index(self) -> None:
        await _alone(self._parts, INDEX_LOCK, self._parts.indexing.drain)
        self.wake(LINK_TASK, COMPARE_TASK)

    async def _link(self, due: Due) -> bool:
        done = await self._one(due, LINK_TASK, self._parts.linking.turn)
        if done:
            self.wake(COMPARE_TASK)
        return done > 0

    async def _compare(self, due: Due) -> bool:
        # A lane of its own: names wait for the model here, and no name is written through one.
        return await self._one(due, COMPARE_TASK, self._parts.synonyms.turn) > 0

    async def _model(self, due: Due) -> bool:
        tally = await self._parts.model_reader.turn(due)
        if tally.merged:
            self.wake(CONSOLIDATION_TASK)
        return tally.taken > 0

    async def _condense(self, due: Due) -> bool:
        done = await self._one(due, CONDENSING_TASK, self._parts.condensing.turn)
        if done:
            log.info("condensing", scope=due.key, notes=done)
            self.wake(INDEX_TASK)
        return done > 0

    async def _one(self, due: Due, task: str, turn: Callable[[Due], Awaitable[int]]) -> int:
        """What a turn did; none where another process works on the same."""
        return await _alone(self._parts, f"loci:{task}:{due.key}", lambda: turn(due))


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


async def wake(context: dict[str, Any], *names: str) -> None:
    """Tell what finds its work in the graph that there may be some."""
    context["desk"].wake(*names)


async def sweep(context: dict[str, Any]) -> None:
    """Submit the schedules that are due, and have everybody look for work.

    Does nothing while the last sweep goes on: where the database is slow, they would pile up.
    """
    sweeps: asyncio.Lock = context.setdefault("sweeps", asyncio.Lock())
    if sweeps.locked():
        return
    async with sweeps:
        assembled: Parts = context["parts"]
        zone = ZoneInfo(assembled.settings.worker.timezone)
        started = await tick(assembled.runner, schedules(assembled.settings), zone)
        if started:
            log.info("sweep", schedules=started)
        await wake(context)


async def startup(context: dict[str, Any]) -> None:
    """Open the parts; arq keeps them in its context."""
    await load_tokens()
    context["opened"] = parts(context["settings"])
    context["parts"] = await context["opened"].__aenter__()
    _stand_back(context["parts"])
    context["desk"] = Desk(context["parts"])
    log.info("worker.started", kept=keep_for_good())


def _stand_back(assembled: Parts) -> None:
    """Leave the database to who is answered by an API."""
    foreground, settings = assembled.foreground, assembled.settings.worker
    foreground.looking.start()
    rests = Rests(settings.rest, lambda: foreground.answering)
    assembled.graph.limit(settings.transactions, rests)


async def shutdown(context: dict[str, Any]) -> None:
    """Close what startup opened, once."""
    await context.pop("desk").close()
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


def _waker(name: str) -> Any:
    names = WAKES.get(name, (name,))

    async def woken(context: dict[str, Any], job: str | None = None) -> None:
        await wake(context, *names)

    return func(_arq(woken), name=name, keep_result=0, max_tries=1)


def build_worker(settings: Settings) -> Worker:
    """An arq worker over our functions."""
    step = settings.worker.sweep_seconds
    seconds = set(range(0, 60, step)) if step < 60 else {0}
    names = (
        RUN,
        PAGES_TASK,
        INDEX_TASK,
        MODEL_TASK,
        CONSOLIDATION_TASK,
        LINK_TASK,
        COMPARE_TASK,
        CONDENSING_TASK,
    )
    return BrokenOff(
        functions=[_waker(name) for name in names],
        cron_jobs=[
            cron(
                _arq(sweep),
                second=seconds,
                run_at_startup=True,
                unique=True,
                keep_result=0,
                max_tries=1,
            )
        ],
        redis_settings=redis_settings(settings.redis.url),
        queue_name=settings.redis.queue,
        job_serializer=serialize,
        job_deserializer=deserialize,
        on_startup=_arq(startup),
        max_jobs=ENTRIES,
        poll_delay=0.05,
        ctx={"settings": settings},
        handle_signals=True,
        retry_jobs=True,
        health_check_interval=15,
    )


def main() -> None:
    """Run until told to stop."""
    settings = read_settings()
    os.nice(settings.worker.nice)  # its threads and children take it over
    sys.setswitchinterval(SWITCH)
    stop_unless_proved()
    configure_logging(settings.telemetry)
    spans = configure_tracing(settings.telemetry, "loci-worker")
    asyncio.set_event_loop(uvloop.new_event_loop())  # as uvicorn does for the API
    try:
        build_worker(settings).run()
    finally:
        if spans is not None:
            spans.shutdown()


if __name__ == "__main__":
    main()
