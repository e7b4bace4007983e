"""The queue: jobs by name on Valkey, and a wake-up for work that the graph itself lists.

What is to do can always be derived from the graph; the queue only makes it prompt. A lost or
unreachable Valkey therefore delays work and loses none: enqueuing never fails a request.
"""

from __future__ import annotations

import asyncio
import contextlib
from datetime import timedelta
from typing import Any

import orjson
import structlog
from arq.connections import ArqRedis, RedisSettings, create_pool
from redis.exceptions import RedisError

from app.errors import QueueUnavailable

log = structlog.get_logger()
WAKE_EVERY = 0.03  # seconds: wake-ups closer together than this become one


def serialize(value: dict[str, Any]) -> bytes:
    """arq's payloads as JSON; an exception becomes its text."""
    return orjson.dumps(value, default=str)


def deserialize(data: bytes) -> dict[str, Any]:
    """The reverse of `serialize`."""
    value: dict[str, Any] = orjson.loads(data)
    return value


def redis_settings(url: str) -> RedisSettings:
    """arq's settings from a URL, failing fast where nothing answers."""
    settings = RedisSettings.from_dsn(url)
    settings.conn_retries = 1
    settings.conn_timeout = 2
    return settings


class Queue:
    """Enqueues by name; connects when first used and again after a loss."""

    def __init__(self, url: str, name: str) -> None:
        self._url = url
        self.name = name
        self._pool: ArqRedis | None = None
        self._connecting = asyncio.Lock()

    async def pool(self) -> ArqRedis:
        """The connection; QueueUnavailable where Valkey does not answer."""
        if self._pool is None:
            # One of those who ask at once connects: each of the others' pools would be lost open.
            async with self._connecting:
                if self._pool is None:
                    self._pool = await self._connected()
        return self._pool

    async def _connected(self) -> ArqRedis:
        try:
            return await create_pool(
                redis_settings(self._url),
                job_serializer=serialize,
                job_deserializer=deserialize,
                default_queue_name=self.name,
            )
        except (RedisError, OSError) as error:
            raise QueueUnavailable("Valkey does not answer") from error

    async def enqueue(
        self, task: str, job_id: str | None = None, *, defer: float = 0.0, **args: Any
    ) -> bool:
        """Whether the job was put on the queue: not where its id is there, or Valkey is away."""
        try:
            pool = await self.pool()
            job = await pool.enqueue_job(
                task, _job_id=job_id, _defer_by=timedelta(seconds=defer) if defer else None, **args
            )
        except (RedisError, OSError, QueueUnavailable) as error:
            log.warning("queue.unavailable", task=task, reason=type(error).__name__)
            return False
        return job is not None

    async def depth(self) -> int:
        """Jobs that wait; QueueUnavailable where Valkey does not answer."""
        try:
            return int(await (await self.pool()).zcard(self.name))
        except (RedisError, OSError) as error:
            raise QueueUnavailable("Valkey does not answer") from error

    async def close(self) -> None:
        """Close the connections."""
        if self._pool is not None:
            with contextlib.suppress(RedisError, OSError):
                await self._pool.aclose()
            self._pool = None


class Wakeup:
    """Tells the worker, soon and once, that there is new work in the graph."""

    def __init__(self, queue: Queue, task: str) -> None:
        self._queue = queue
        self._task = task
        self._event = asyncio.Event()
        self._runner: asyncio.Task[None] | None = None

    def set(self) -> None:
        """There is new work. Returns at once; safe to call for every write."""
        self._event.set()

    def start(self) -> None:
        """Start passing wake-ups on; needs a running loop."""
        self._runner = asyncio.create_task(self._run(), name=f"wakeup {self._task}")

    async def stop(self) -> None:
        """Stop; what was not passed on is found by the sweep."""
        if self._runner is not None:
            self._runner.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._runner
            self._runner = None

    async def _run(self) -> None:
        while True:
            await self._event.wait()
            self._event.clear()
            await self._queue.enqueue(self._task)
            await asyncio.sleep(WAKE_EVERY)
