"""Streams of events: one tail a tenant reads the graph, and every listener has what he sees of it.

A listener who comes back with the id of the last event that he has seen reads on from there in the
graph, and then joins the tail. One that does not keep up is sent away, and comes back so.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from dataclasses import dataclass, replace

import structlog

from app.access.keys import KeyRing
from app.errors import LociError
from app.events.earlier import Earlier
from app.events.model import Event, Place, Wanted
from app.events.repository import EventRepository
from app.kernel.caller import Caller

log = structlog.get_logger()
EVERY = 0.3  # seconds between two looks of a tail
BEHIND = 5_000  # events that a listener may lag behind
HEARTBEAT = 10.0  # seconds after which a silent stream says that it lives, and looks at its key
MOST = 200  # listeners of one process
GAP = b"event: gap\ndata: {}\n\n"


class Listener:
    """Where a tail leaves events for one stream; closed where None is taken out."""

    def __init__(self) -> None:
        self.inbox: asyncio.Queue[Event | None] = asyncio.Queue(BEHIND)

    def give(self, events: list[Event]) -> bool:
        """Take events in; False where the listener lags too far behind."""
        if self.inbox.qsize() + len(events) >= BEHIND:
            return False
        for event in events:
            self.inbox.put_nowait(event)
        return True

    def close(self) -> None:
        """Have the stream end once it has sent what it has, or at once where it lags."""
        with contextlib.suppress(asyncio.QueueFull):
            self.inbox.put_nowait(None)

    async def next(self, seconds: float) -> list[Event | None]:
        """Return what has come, waiting so long for the first; nothing where none comes."""
        try:
            async with asyncio.timeout(seconds):
                found = [await self.inbox.get()]
        except TimeoutError:
            return []
        while not self.inbox.empty():
            found.append(self.inbox.get_nowait())
        return found


class Tail:
    """Reads the events of one tenant as they come, while anybody listens."""

    def __init__(self, rows: EventRepository, tenant: str) -> None:
        self._rows = rows
        self._tenant = tenant
        self._listeners: set[Listener] = set()
        self._task: asyncio.Task[None] | None = None
        self._started = asyncio.Lock()
        self.place = Place()

    async def join(self) -> tuple[Listener, Place]:
        """Listen from now on; the place after which the listener has everything."""
        async with self._started:
            if self._task is None or self._task.done():
                await self._rows.settle(self._tenant)
                self.place, _ = await self._rows.end(self._tenant)
                self._task = asyncio.create_task(self._run(), name=f"events of {self._tenant}")
            listener = Listener()
            self._listeners.add(listener)
            return listener, self.place

    def leave(self, listener: Listener) -> None:
        """Listen no longer; the tail of nobody ends."""
        self._listeners.discard(listener)
        if not self._listeners and self._task is not None:
            self._task.cancel()
            self._task = None

    def close(self) -> None:
        """End every stream."""
        for listener in list(self._listeners):
            listener.close()
            self.leave(listener)

    async def _run(self) -> None:
        while True:
            try:
                await self._step()
            except LociError as error:  # the graph is away: the next look finds what was missed
                log.warning("events.away", tenant=self._tenant, error=str(error))
            except Exception as error:  # whoever listens would be told nothing more, and not that
                log.exception("events.failed", tenant=self._tenant, exc_info=error)
            await asyncio.sleep(EVERY)

    async def _step(self) -> None:
        await self._rows.settle(self._tenant)
        while events := await self._rows.after(self._tenant, self.place):
            self.place = events[-1].place
            for listener in [one for one in self._listeners if not one.give(events)]:
                listener.close()
                self._listeners.discard(listener)


@dataclass(slots=True)
class Following:
    """One stream: whose it is, what he asks for, and how far he has been told."""

    key: str
    caller: Caller
    wanted: Wanted
    place: Place

    def take(self, events: list[Event]) -> list[Event]:
        """Return those of the next events that the caller sees, wants and does not know yet."""
        visible = frozenset(self.caller.visible)
        return [
            event for event in self._fresh(events) if self.wanted.takes(event, self.caller, visible)
        ]

    def _fresh(self, events: list[Event]) -> Iterator[Event]:
        """Yield what is not known yet, and go on to its place. A page that others read too may
        begin before what this client knows: his place never goes back."""
        for event in events:
            if self.place.covers(event):
                continue
            self.place = self.place.joined(event.place)
            yield event if event.place == self.place else replace(event, place=self.place)


def wire(events: list[Event]) -> bytes:
    """Return events as a stream sends them; a sign of life where there are none."""
    return b"".join(event.wire for event in events) or b": alive\n\n"


class EventService:
    """Streams of one process, each of `longest` seconds at most; its client comes back then."""

    def __init__(self, rows: EventRepository, keys: KeyRing, longest: float) -> None:
        self.rows = rows
        self._earlier = Earlier(rows)
        self._keys = keys
        self.longest = longest
        self._tails: dict[str, Tail] = {}
        self.listening = 0

    async def follow(
        self, key: str, caller: Caller, wanted: Wanted, after: Place | None
    ) -> AsyncIterator[bytes]:
        """Yield what the stream sends: from the place after which the client has seen nothing, or
        from now on. It ends when the key does."""
        async with self._joined(caller.tenant) as (listener, start):
            stream = Following(key, caller, wanted, start if after is None else after)
            yield b"retry: 1000\n\n"
            async for part in self._missed(stream, start):
                yield part
            async for events in self._live(stream, listener):
                yield wire(events)

    async def watch(
        self, key: str, caller: Caller, wanted: Wanted
    ) -> AsyncGenerator[tuple[Caller, list[Event]], None]:
        """Yield whose the key is by now, and what has changed: nothing at first, which tells that
        no later change is missed, and as a sign of life. It ends as `follow` does."""
        async with self._joined(caller.tenant) as (listener, start):
            stream = Following(key, caller, wanted, start)
            yield caller, []
            async for events in self._live(stream, listener):
                yield stream.caller, events

    @contextlib.asynccontextmanager
    async def _joined(self, tenant: str) -> AsyncIterator[tuple[Listener, Place]]:
        tail = self._tails.setdefault(tenant, Tail(self.rows, tenant))
        listener, start = await tail.join()
        self.listening += 1
        try:
            yield listener, start
        finally:
            self.listening -= 1
            tail.leave(listener)

    async def _missed(self, stream: Following, until: Place) -> AsyncIterator[bytes]:
        """Yield what came since the client went, up to where the tail goes on."""
        _, least = await self.rows.end(stream.caller.tenant)
        if stream.place.numbered + 1 < least:
            yield GAP
        while not stream.place.reaches(until):
            before = stream.place
            events = stream.take(await self._earlier.after(stream.caller.tenant, before))
            if stream.place == before:
                return
            yield b"".join(event.wire for event in events)

    async def _live(self, stream: Following, listener: Listener) -> AsyncIterator[list[Event]]:
        """Yield what comes from now on, and nothing as a sign of life where nothing does."""
        clock = asyncio.get_running_loop().time
        looked = clock()
        end = looked + self.longest
        while (left := end - clock()) > 0:
            found = await listener.next(min(HEARTBEAT, left))
            if not found or clock() - looked >= HEARTBEAT:
                # Unauthenticated ends the stream.
                stream.caller = await self._keys.resolve(stream.key)
                looked = clock()
            events = stream.take([event for event in found if event is not None])
            if events or not found:
                yield events
            if None in found:
                return

    def close(self) -> None:
        """End every stream of the process."""
        for tail in self._tails.values():
            tail.close()
