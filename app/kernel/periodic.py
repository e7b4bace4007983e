"""A buffer that is written every few seconds, and once more at the end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import structlog

from app.errors import LociError

log = structlog.get_logger()


class Periodic:
    """Calls `flush` every `seconds` from `start` to `stop`; an error of ours waits for the next
    call."""

    def __init__(self, name: str, seconds: float, flush: Callable[[], Awaitable[object]]) -> None:
        self._name = name
        self._seconds = seconds
        self._flush = flush
        self._runner: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Flush every few seconds from now on; needs a running loop."""
        self._runner = asyncio.create_task(self._run(), name=self._name)

    async def stop(self) -> None:
        """Flush once more and stop; a graph that is away costs what waits."""
        if self._runner is None:
            return
        self._runner.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._runner
        self._runner = None
        await self._tried()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._seconds)
            await self._tried()

    async def _tried(self) -> None:
        try:
            await self._flush()
        except LociError as error:
            log.warning("periodic.unwritten", buffer=self._name, code=error.code)
