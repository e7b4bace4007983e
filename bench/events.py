"""Streams of events at a rate: whether every listener has each event of its scope, once.

Events are written into the graph as jobs write theirs, or come of captures, through the API and the
audit trail. They are read over HTTP by many clients, half of them with keys of one scope and half
with keys of another. A client that loses its stream comes back with the id of the last event that
it has read whole; so processes may be killed meanwhile.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from datetime import datetime
from statistics import quantiles
from typing import Any

import httpx
import orjson

from app.kernel.clock import now
from bench.event_sources import Bounds, Halfway, Source

AGAIN = 0.2  # seconds until a client comes back


@dataclass
class Listener:
    """One client: what it has read, and how often it came back."""

    scope: str
    key: str
    kind: str
    last: str | None = None
    targets: list[str] = field(default_factory=list)
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
        asked = {"kinds": self.kind}
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
        if event.get("kind") != self.kind:
            return
        self.foreign += event["scope"] != self.scope
        self.targets.append(event["target"])
        at = datetime.fromisoformat(event["at"])
        self.late.append((now() - at).total_seconds())


async def measure(
    url: str, source: Source, keys: dict[str, str], bounds: Bounds, halfway: Halfway | None = None
) -> dict[str, Any]:
    """Send events to two scopes, whose keys are given; what each listener made of it, in sums.

    `halfway` is called once when half of the events are written.
    """
    scopes = sorted(keys)
    listeners = [
        Listener(scope, keys[scope], source.kind)
        for scope, _ in zip(scopes * bounds.listeners, range(bounds.listeners), strict=False)
    ]
    running = [asyncio.create_task(one.follow(url)) for one in listeners]
    try:
        await _ready(source, listeners, scopes)
        start = time.perf_counter()
        await source.send(scopes, bounds, halfway)
        taken = time.perf_counter() - start
        await _all_read(listeners, source, bounds)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    return _summary(listeners, source, bounds, taken)


async def _ready(source: Source, listeners: list[Listener], scopes: list[str]) -> None:
    """Until every listener has read a first event: those before it are not counted."""
    async with asyncio.timeout(120):
        while not all(one.targets for one in listeners):
            await source.first(scopes)
            await asyncio.sleep(0.5)
    for one in listeners:
        one.late.clear()


async def _all_read(listeners: list[Listener], source: Source, bounds: Bounds) -> None:
    """Until everybody has read what it should, or patience ends."""
    clock = asyncio.get_running_loop().time
    end = clock() + bounds.patience
    while clock() < end and any(  # noqa: ASYNC110 - other processes send them
        source.sent[one.scope] - {*one.targets} for one in listeners
    ):
        await asyncio.sleep(0.2)


def _summary(
    listeners: list[Listener], source: Source, bounds: Bounds, taken: float
) -> dict[str, Any]:
    sent = [source.sent[one.scope] for one in listeners]
    read = [[t for t in one.targets if t not in source.early] for one in listeners]
    late = sorted(second for one in listeners for second in one.late)
    cuts = quantiles(late, n=100) if len(late) > 1 else [0.0] * 99
    return {
        "events": bounds.events,
        "listeners": len(listeners),
        "events_per_second": round(bounds.events / taken, 1),
        "delivered": sum(map(len, read)),
        "lost": sum(len(s - {*r}) for s, r in zip(sent, read, strict=True)),
        "doubled": sum(len(r) - len({*r}) for r in read),
        "foreign": sum(one.foreign for one in listeners),
        "returns": sum(one.returns for one in listeners),
        "p50_s": round(cuts[49], 3),
        "p95_s": round(cuts[94], 3),
    }
