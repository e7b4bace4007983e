"""Turns side by side: what is due is worked on in a few lanes, in turns that are fair by tenant.

A lane is a place for one turn; what has more to do than a turn holds is due again after it. So
whoever comes with little waits for one turn at most, however much others have. Nobody's failure
ends the turns of the others.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from app.errors import LociError

log = structlog.get_logger()
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds until what failed, or was another's, has a turn


@dataclass(frozen=True, slots=True)
class Due:
    """One piece of work by its name; a heavy one holds its lane until it is done."""

    key: str
    tenant: str
    heavy: bool = False


def choose(
    due: Sequence[Due], running: Collection[Due], served: Mapping[str, int], width: int
) -> Due | None:
    """Which of what is due, oldest first, has the next of `width` lanes; None where none may.

    The tenant that has the fewest lanes comes first, then the one whose last turn is longest ago,
    so too its scopes or jobs. One lane stays free of each tenant, and of all that is heavy, and
    a tenant has one heavy turn at a time. `served` has the number of the last turn of tenants
    and keys.
    """
    if len(running) >= width:
        return None
    busy = {one.key for one in running}
    lanes = Counter(one.tenant for one in running)
    heavy = {one.tenant for one in running if one.heavy}
    most = max(1, width - 1)
    free = [
        one
        for one in due
        if one.key not in busy
        and lanes[one.tenant] < most
        and not (one.heavy and (one.tenant in heavy or len(heavy) >= most))
    ]
    return min(
        free,
        key=lambda one: (
            lanes[one.tenant],
            served.get(one.tenant, 0),
            one.heavy,
            served.get(one.key, 0),
        ),
        default=None,
    )


class Lanes:
    """Serves what `find` says is due by `turn`, which tells whether it got anywhere."""

    def __init__(
        self,
        name: str,
        width: int,
        find: Callable[[], Awaitable[Sequence[Due]]],
        turn: Callable[[Due], Coroutine[Any, Any, bool]],
    ) -> None:
        self._name, self._width, self._find, self._turn = name, width, find, turn
        self._woken = asyncio.Event()
        self._running: dict[asyncio.Task[bool], Due] = {}
        self._served: dict[str, int] = {}
        self._waits: dict[str, tuple[float, float]] = {}  # by key: until when, and how long

    def wake(self) -> None:
        """There may be something to do. Returns at once."""
        self._woken.set()

    async def run(self) -> None:
        """Serve whenever woken, until cancelled; then the turns that run are broken off."""
        while True:
            await self._woken.wait()
            (error,) = await asyncio.gather(self.serve(), return_exceptions=True)
            if error is not None:
                reason, unforeseen = told(error)
                log.warning("pass.failed", of=self._name, reason=reason, exc_info=unforeseen)

    async def serve(self) -> None:
        """Serve until nothing is due; raises what finding it raises."""
        try:
            while True:
                self._woken.clear()
                later = self._start(await self._find())
                if not self._running and later is None and not self._woken.is_set():
                    return
                await self._something_ends(later)
        finally:
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
            self._running.clear()
            self._served.clear()

    def _start(self, due: Sequence[Due]) -> float | None:
        """Fill the lanes; seconds until something due that was put off has its turn again."""
        moment = asyncio.get_running_loop().time()
        # What is due no longer was done by another: new work there has its turn at once.
        names = {one.key for one in (*due, *self._running.values())}
        self._waits = {key: held for key, held in self._waits.items() if key in names}
        put_off = {one.key: self._waits.get(one.key, (0.0, 0.0))[0] - moment for one in due}
        ready = [one for one in due if put_off[one.key] <= 0]
        while one := choose(ready, self._running.values(), self._served, self._width):
            number = max(self._served.values(), default=0) + 1
            self._served[one.tenant] = self._served[one.key] = number
            task = asyncio.create_task(self._turn(one), name=f"{self._name} {one.key}")
            self._running[task] = one
        return min((seconds for seconds in put_off.values() if seconds > 0), default=None)

    async def _something_ends(self, most: float | None) -> None:
        """Wait until a turn ends, somebody wakes, or `most` seconds are over; what a turn raises
        is told, and no more."""
        woken = asyncio.create_task(self._woken.wait())
        ends = {*self._running, woken}
        try:
            await asyncio.wait(ends, timeout=most, return_when=asyncio.FIRST_COMPLETED)
        finally:
            woken.cancel()
        for task in [task for task in self._running if task.done()]:
            self._ended(task, self._running.pop(task))

    def _ended(self, task: asyncio.Task[bool], one: Due) -> None:
        error = None if task.cancelled() else task.exception()
        if error is None and not task.cancelled() and task.result():
            self._waits.pop(one.key, None)
            return
        wait = min(2 * self._waits.get(one.key, (0.0, FIRST_WAIT / 2))[1], LONGEST_WAIT)
        self._waits[one.key] = (asyncio.get_running_loop().time() + wait, wait)
        if error is not None:
            reason, unforeseen = told(error)
            log.warning(
                "turn.failed",
                lanes=self._name,
                of=one.key,
                reason=reason,
                wait=wait,
                exc_info=unforeseen,
            )


def told(error: BaseException) -> tuple[str, BaseException | None]:
    """A reason for the log, and the error where nobody foresaw it: its own text is not told, as it
    may quote what was stored."""
    if isinstance(error, LociError):
        return f"{type(error).__name__}: {error}", None
    return type(error).__name__, error
