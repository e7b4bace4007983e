"""Streams of events at a rate: whether every listener has each event of its scope, once.

Events are written into the graph as jobs write theirs, and read over HTTP by many clients, half of
them with keys of one scope and half with keys of another. A client that loses its stream comes back
with the id of the last event that it has read whole; so processes may be killed meanwhile.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from statistics import quantiles
from typing import Any

import httpx
import orjson

from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.feed import told
from app.kernel.graph import Graph

BEAT = 0.05  # seconds between two writes
AGAIN = 0.2  # seconds until a client comes back
KIND = "job.eval"

Halfway = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many events come at which rate to how many listeners; `patience` is how many seconds the
    last one may take once all are written."""

    events: int = 60_000
    rate: float = 1000.0
    listeners: int = 50
    patience: float = 120.0


@dataclass
class Listener:
    """One client: what it has read, and how often it came back."""

    scope: str
    key: str
    last: str | None = None
    numbers: list[int] = field(default_factory=list)
    foreign: int = 0
    late: list[float] = field(default_factory=list)
    returns: int = -1

    async def follow(self, url: str) -> None:
        """Read until cancelled, and come back whenever the stream ends."""
        async with httpx.AsyncClient(base_url=url, timeout=30) as client:
            while True:
                self.returns += 1
                try:
                    await self._stream(client)
                except (httpx.HTTPError, OSError):
                    await asyncio.sleep(AGAIN)

    async def _stream(self, client: httpx.AsyncClient) -> None:
        headers = {"Authorization": f"Bearer {self.key}"}
        if self.last is not None:
            headers["Last-Event-ID"] = self.last
        asked = {"kinds": "job"}
        async with client.stream("GET", "/v1/events", params=asked, headers=headers) as answer:
            answer.raise_for_status()
            found: dict[str, str] = {}
            async for line in answer.aiter_lines():
                name, _, value = line.partition(": ")
                if line:
                    found[name] = value
                    continue
                if "data" in found:
                    self._took(found)
                found = {}

    def _took(self, found: dict[str, str]) -> None:
        """Note an event that came whole: after its empty line."""
        self.last = found.get("id", self.last)
        event = orjson.loads(found["data"])
        if event.get("kind") != KIND:
            return
        self.foreign += event["scope"] != self.scope
        self.numbers.append(int(event["target"]))
        at = datetime.fromisoformat(event["at"])
        self.late.append((now() - at).total_seconds())


async def measure(
    url: str,
    graph: Graph,
    keys: dict[str, str],
    bounds: Bounds,
    halfway: Halfway | None = None,
) -> dict[str, Any]:
    """Send events to two scopes, whose keys are given; what each listener made of it, in sums.

    `halfway` is called once when half of the events are written.
    """
    scopes = sorted(keys)
    listeners = [
        Listener(scope, keys[scope])
        for scope, _ in zip(scopes * bounds.listeners, range(bounds.listeners), strict=False)
    ]
    running = [asyncio.create_task(one.follow(url)) for one in listeners]
    try:
        await _ready(graph, listeners, scopes)
        start = time.perf_counter()
        await _write(graph, scopes, bounds, halfway)
        taken = time.perf_counter() - start
        await _all_read(listeners, scopes, bounds)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    return _summary(listeners, scopes, bounds, taken)


async def _ready(graph: Graph, listeners: list[Listener], scopes: list[str]) -> None:
    """Until every listener has read a first event: those before it are not counted."""
    async with asyncio.timeout(120):
        while not all(one.numbers for one in listeners):
            rows = [told(KIND, scope, "-1", now()) for scope in scopes]
            await graph.rows(Q.events.put, rows=rows)
            await asyncio.sleep(0.5)


async def _write(graph: Graph, scopes: list[str], bounds: Bounds, halfway: Halfway | None) -> None:
    """Write events to the scopes in turn, as fast as the rate says."""
    clock = asyncio.get_running_loop().time
    start, done, pending = clock(), 0, halfway
    while done < bounds.events:
        due = min(bounds.events, int((clock() - start) * bounds.rate) + 1)
        moment = now()
        rows = [told(KIND, scopes[n % len(scopes)], str(n), moment) for n in range(done, due)]
        if rows:
            await graph.rows(Q.events.put, rows=rows)
        done = due
        if pending is not None and done >= bounds.events / 2:
            await pending()
            pending = None
        await asyncio.sleep(BEAT)


async def _all_read(listeners: list[Listener], scopes: list[str], bounds: Bounds) -> None:
    """Until everybody has read what it should, or patience ends."""
    clock = asyncio.get_running_loop().time
    end = clock() + bounds.patience
    while clock() < end and any(  # noqa: ASYNC110 - other processes send them
        _wanted(one, scopes, bounds) - {*one.numbers} for one in listeners
    ):
        await asyncio.sleep(0.2)


def _wanted(listener: Listener, scopes: list[str], bounds: Bounds) -> set[int]:
    return set(range(scopes.index(listener.scope), bounds.events, len(scopes)))


def _summary(
    listeners: list[Listener], scopes: list[str], bounds: Bounds, taken: float
) -> dict[str, Any]:
    read = [[n for n in one.numbers if n >= 0] for one in listeners]
    late = sorted(second for one in listeners for second in one.late)
    cuts = quantiles(late, n=100) if len(late) > 1 else [0.0] * 99
    wanted = [_wanted(one, scopes, bounds) for one in listeners]
    return {
        "events": bounds.events,
        "listeners": len(listeners),
        "events_per_second": round(bounds.events / taken, 1),
        "delivered": sum(map(len, read)),
        "lost": sum(len(w - {*r}) for w, r in zip(wanted, read, strict=True)),
        "doubled": sum(len(r) - len({*r}) for r in read),
        "foreign": sum(one.foreign for one in listeners),
        "returns": sum(one.returns for one in listeners),
        "p50_s": round(cuts[49], 3),
        "p95_s": round(cuts[94], 3),
    }
