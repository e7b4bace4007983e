"""Who may go on now: equal shares among the parties that ask.

Two cores answer everybody. Without turns a party with many requests under way has nearly all of
them, and another's one request waits behind each of the first one's.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

LINGER = 1.0  # seconds for which a party counts after it asked last
SHORT = 0.05  # seconds of a turn that is followed by no rest
LONGEST = 1.0  # seconds of one rest


@dataclass(slots=True)
class _Party:
    running: int = 0
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)
    seen: float = 0.0


class Shares:
    """So many at once, shared equally by who asked within the last moment; each has one at least.

    A party that is alone has them all, or so many as are given for that. Whoever waits is served in
    order among its own. Beside others, a turn that took long is free again only after a rest of
    `rest` times as long: the answer goes out at once, and the party's next turn waits. Where rests
    are for the `queued`, only a party of which more wait has one.
    """

    def __init__(
        self, most: int, alone: int | None = None, rest: float = 0.0, queued: bool = False
    ) -> None:
        self._most = most
        self._alone = alone or most
        self._rest = rest
        self._queued = queued
        self._parties: dict[str, _Party] = {}

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncIterator[None]:
        """Wait for a turn of a party, and have it."""
        party = self._parties.setdefault(name, _Party())
        party.seen = time.monotonic()
        if party.waiting or party.running >= self._share():
            await self._wait(party)
        else:
            party.running += 1
        start = time.monotonic()
        try:
            yield
        finally:
            self._end(party, time.monotonic() - start)

    async def give_way(self, seconds: float) -> None:
        """Rest for so many seconds, `LONGEST` at most, where others would notice the work."""
        if self._others():
            await asyncio.sleep(min(seconds, LONGEST))

    def _end(self, party: _Party, seconds: float) -> None:
        """Free a turn that took so many seconds, after a rest where others would notice it."""
        rest = min(self._rest * (seconds - SHORT), LONGEST)
        if self._queued and not party.waiting:
            rest = 0.0
        if rest > 0 and self._others():
            asyncio.get_running_loop().call_later(rest, self._free, party)
        else:
            self._free(party)

    def _free(self, party: _Party) -> None:
        party.running -= 1
        self._next(party)

    def _others(self) -> bool:
        """Return whether more than one party asked within the last moment."""
        self._share()
        return len(self._parties) > 1

    def _share(self) -> int:
        """How many at once each party may have now."""
        since = time.monotonic() - LINGER
        gone = [
            name
            for name, party in self._parties.items()
            if party.seen < since and not party.running and not party.waiting
        ]
        for name in gone:
            del self._parties[name]
        if len(self._parties) <= 1:
            return self._alone
        return max(1, self._most // len(self._parties))

    async def _wait(self, party: _Party) -> None:
        turn = asyncio.get_running_loop().create_future()
        party.waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was given a turn at that very moment
                party.running -= 1
                self._next(party)
            raise

    def _next(self, party: _Party) -> None:
        """Give free turns of a party to those of it that wait."""
        share = self._share()
        while party.waiting and party.running < share:
            turn = party.waiting.popleft()
            if not turn.done():
                party.running += 1
                turn.set_result(None)
