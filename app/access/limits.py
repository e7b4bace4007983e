"""Requests a key may send in a minute, counted on Valkey so that all API processes share it."""

from __future__ import annotations

import asyncio

import structlog
from redis.exceptions import RedisError

from app.errors import QueueUnavailable, RateLimited
from app.jobs.queue import Queue
from app.kernel.caller import Caller

log = structlog.get_logger()
WINDOW = 60  # seconds
SHARES = 100  # parts of a limit: a process takes one at a time, not a request at a time
PAUSE = 5.0  # seconds without counting after Valkey did not answer


class RateLimiter:
    """A fixed window a key. Without Valkey nothing is refused: a lost counter stops no work.

    No key gets more than its limit. With several processes it may get less, by the hundredth that
    each of them holds; a limit below 200 is counted request by request.
    """

    def __init__(self, queue: Queue, default: int) -> None:
        self._queue = queue
        self._default = default
        self._resume_at = 0.0
        self._window = 0
        self._taking = asyncio.Lock()
        self._held: dict[str, int] = {}  # requests of this window that a key has in hand here

    async def count(self, caller: Caller, moment: float) -> None:
        """Count one request at `moment` (seconds since 1970); RateLimited beyond the limit."""
        if moment < self._resume_at:
            return
        window = int(moment // WINDOW)
        if window != self._window:
            self._window = window
            self._held.clear()
        if self._spend(caller.key):
            return
        # One at a time, so that a burst does not take a share for each of its requests.
        async with self._taking:
            if self._spend(caller.key) or await self._take(caller, moment):
                return
        limit = caller.rate_per_minute or self._default
        raise RateLimited(
            f"this key may send {limit} requests a minute",
            retry_after=(window + 1) * WINDOW - moment,
        )

    def _spend(self, key: str) -> bool:
        """Use up one request that is in hand; False where none is."""
        left = self._held.get(key, 0)
        if left > 0:
            self._held[key] = left - 1
        return left > 0

    async def _take(self, caller: Caller, moment: float) -> bool:
        """Take a share of the key's limit and spend one of it; False where nothing is left."""
        limit = caller.rate_per_minute or self._default
        share = max(1, limit // SHARES)
        window = int(moment // WINDOW)
        name = f"loci:rate:{caller.key}:{window}"
        try:
            pool = await self._queue.pool()
            async with pool.pipeline(transaction=False) as pipe:
                pipe.incrby(name, share)
                pipe.expire(name, 2 * WINDOW)
                used = int((await pipe.execute())[0])
        except (RedisError, OSError, QueueUnavailable) as error:
            self._resume_at = moment + PAUSE
            log.warning("rate_limit.unavailable", reason=type(error).__name__)
            return True
        got = min(share, limit - (used - share))
        if got > 1 and window == self._window:
            self._held[caller.key] = got - 1
        return got > 0
