"""Requests a key may send in a minute, counted on Valkey so that all API processes share it."""

from __future__ import annotations

import structlog
from redis.exceptions import RedisError

from app.errors import QueueUnavailable, RateLimited
from app.jobs.queue import Queue
from app.kernel.caller import Caller

log = structlog.get_logger()
WINDOW = 60  # seconds
PAUSE = 5.0  # seconds without counting after Valkey did not answer


class RateLimiter:
    """A fixed window a key. Without Valkey nothing is refused: a lost counter stops no work."""

    def __init__(self, queue: Queue, default: int) -> None:
        self._queue = queue
        self._default = default
        self._resume_at = 0.0

    async def count(self, caller: Caller, moment: float) -> None:
        """Count one request at `moment` (seconds since 1970); RateLimited beyond the limit."""
        if moment < self._resume_at:
            return
        limit = caller.rate_per_minute or self._default
        window = int(moment // WINDOW)
        name = f"loci:rate:{caller.key}:{window}"
        try:
            pool = await self._queue.pool()
            async with pool.pipeline(transaction=False) as pipe:
                pipe.incr(name)
                pipe.expire(name, 2 * WINDOW)
                used = (await pipe.execute())[0]
        except (RedisError, OSError, QueueUnavailable) as error:
            self._resume_at = moment + PAUSE
            log.warning("rate_limit.unavailable", reason=type(error).__name__)
            return
        if used > limit:
            raise RateLimited(
                f"this key may send {limit} requests a minute",
                retry_after=(window + 1) * WINDOW - moment,
            )
