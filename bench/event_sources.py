"""Where measured events come from: the graph, as jobs write theirs, or captures through the API."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol

import httpx

from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.feed import told
from app.kernel.graph import Graph

BEAT = 0.05  # seconds between two writes
SENDERS, BATCH = 4, 50  # requests at a time, and captures of each
AGAIN = 0.5  # seconds until a capture is tried again
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


class Source(Protocol):
    """What sends events of one `kind` to scopes in turn. `sent` has what each is about, by scope;
    `early` what those before the first counted one are about."""

    kind: str
    sent: dict[str, set[str]]
    early: set[str]

    async def first(self, scopes: list[str]) -> None:
        """Send an event to each scope that is not counted."""

    async def send(self, scopes: list[str], bounds: Bounds, halfway: Halfway | None) -> None:
        """Send all that are counted."""


@dataclass
class Written:
    """Events that are written into the graph at a rate, as jobs write theirs."""

    graph: Graph
    kind: str = KIND
    sent: dict[str, set[str]] = field(default_factory=dict)
    early: set[str] = field(default_factory=lambda: {"-1"})

    async def first(self, scopes: list[str]) -> None:
        """Write one event to each scope."""
        rows = [told(KIND, scope, "-1", now()) for scope in scopes]
        await self.graph.rows(Q.events.put, rows=rows)

    async def send(self, scopes: list[str], bounds: Bounds, halfway: Halfway | None) -> None:
        """Write events to the scopes in turn, as fast as the rate says."""
        clock = asyncio.get_running_loop().time
        self.sent = {
            scope: {str(n) for n in range(place, bounds.events, len(scopes))}
            for place, scope in enumerate(scopes)
        }
        start, done, pending = clock(), 0, halfway
        while done < bounds.events:
            due = min(bounds.events, int((clock() - start) * bounds.rate) + 1)
            moment = now()
            rows = [told(KIND, scopes[n % len(scopes)], str(n), moment) for n in range(done, due)]
            if rows:
                await self.graph.rows(Q.events.put, rows=rows)
            done = due
            if pending is not None and done >= bounds.events / 2:
                await pending()
                pending = None
            await asyncio.sleep(BEAT)


@dataclass
class Captured:
    """Episodes that are captured through the API, as fast as it takes them and no faster than the
    rate: their events come with the audit trail."""

    url: str
    keys: dict[str, str]
    kind: str = "capture"
    sent: dict[str, set[str]] = field(default_factory=dict)
    early: set[str] = field(default_factory=set)

    async def first(self, scopes: list[str]) -> None:
        """Capture one episode in each scope."""
        async with httpx.AsyncClient(base_url=self.url, timeout=60) as client:
            for scope in scopes:
                self.early |= await self._capture(client, scope, f"At {now()}", 1)

    async def send(self, scopes: list[str], bounds: Bounds, halfway: Halfway | None) -> None:
        """Capture in the scopes in turn; a request that fails is sent again as it was."""
        self.sent = {scope: set() for scope in scopes}
        numbers = iter(range(0, bounds.events, BATCH))
        clock = asyncio.get_running_loop().time
        start, turns = clock(), count()
        middle = None if halfway is None else asyncio.Event()

        async def sender(client: httpx.AsyncClient) -> None:
            for first in numbers:
                await asyncio.sleep(max(0.0, start + first / bounds.rate - clock()))
                scope, size = scopes[next(turns) % len(scopes)], min(BATCH, bounds.events - first)
                self.sent[scope] |= await self._capture(client, scope, f"In batch {first}", size)
                if middle is not None and first >= bounds.events / 2:
                    middle.set()

        async with (
            httpx.AsyncClient(base_url=self.url, timeout=60) as client,
            asyncio.TaskGroup() as group,
        ):
            for _ in range(SENDERS):
                group.create_task(sender(client))
            if middle is not None and halfway is not None:
                await middle.wait()
                await halfway()

    async def _capture(
        self, client: httpx.AsyncClient, scope: str, says: str, size: int
    ) -> set[str]:
        """The ids of so many episodes; sent again, they are the same ones."""
        texts = [f"{says} the gauge of pump {n} read {n % 7} bar." for n in range(size)]
        body = {"episodes": [{"content": text, "session": "gauges"} for text in texts]}
        headers = {"Authorization": f"Bearer {self.keys[scope]}"}
        while True:
            try:
                answer = await client.post("/v1/episodes:batch", json=body, headers=headers)
            except httpx.TransportError:
                await asyncio.sleep(AGAIN)
                continue
            if answer.status_code not in (429, 502, 503, 504):
                break
            await asyncio.sleep(float(answer.headers.get("Retry-After", AGAIN)))
        answer.raise_for_status()
        receipts: list[dict[str, Any]] = answer.json()["receipts"]
        return {receipt["id"] for receipt in receipts}
