"""Rests of a process that works in the background, while others are answered.

Two cores serve everybody. A long transaction keeps one of them and the log, and whoever commits
beside it waits; where one follows on another, that wait is in every answer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

SHORT = 0.03  # seconds of a transaction that is followed by no rest: a turn of one text has such
LONGEST = 2.0  # seconds of one rest


class Rests:
    """After a long transaction, rests `factor` times as long as it took beyond `SHORT`.

    All long transactions of the process share the rests: two that end at once are followed by one
    after the other, so that what runs side by side is no way around them. Short ones never wait.
    """

    def __init__(self, factor: float, wanted: Callable[[], bool]) -> None:
        self._factor = factor
        self._wanted = wanted
        self._until = 0.0

    async def after(self, seconds: float) -> None:
        """Rest after a transaction of so many seconds, unless nobody would notice."""
        if seconds <= SHORT or not self._factor or not self._wanted():
            return
        moment = time.monotonic()
        self._until = max(self._until, moment) + self._factor * (seconds - SHORT)
        self._until = min(self._until, moment + LONGEST)
        await asyncio.sleep(self._until - moment)
