"""What the tests of events share: a stream that is read over a real connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import orjson
import pytest
import pytest_asyncio
from litestar import Litestar

from app.wiring import Parts
from tests.clients.conftest import serving
from tests.conftest import Principal

WAIT = 60.0  # seconds in which an event comes, on a machine that has other work


class Reader:
    """One stream as a client reads it; `last` is the id that it would come back with."""

    def __init__(self, lines: AsyncIterator[str]) -> None:
        self._lines = lines
        self.last = ""

    async def next(self) -> dict[str, Any]:
        """Return the next event, whose word stands in `event`."""
        found: dict[str, str] = {}
        async with asyncio.timeout(WAIT):
            async for line in self._lines:
                if not line and "data" in found:
                    break
                name, _, value = line.partition(": ")
                found[name] = value
        self.last = found.get("id", self.last)
        return {"event": found["event"], **orjson.loads(found["data"])}

    async def until(self, kind: str) -> dict[str, Any]:
        """Return the next event of a kind."""
        while True:
            event = await self.next()
            if event["event"] == kind:
                return event


@asynccontextmanager
async def stream(
    address: str, who: Principal, last: str | None = None, **query: Any
) -> AsyncIterator[Reader]:
    """The events of a key, read as they come."""
    headers = {"Authorization": f"Bearer {who.key}"}
    if last is not None:
        headers["Last-Event-ID"] = last
    async with (
        httpx.AsyncClient(timeout=WAIT) as client,
        client.stream("GET", f"{address}/v1/events", params=query, headers=headers) as answer,
    ):
        assert answer.status_code == 200, await answer.aread()
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.aiter_lines()
        assert (await anext(lines)).startswith("retry:")
        yield Reader(lines)


@pytest_asyncio.fixture(loop_scope="session")
async def address(
    opened: Parts, app: Litestar, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[str]:
    """Where streams last longer than in other tests."""
    monkeypatch.setattr(opened.events, "longest", 600.0)
    async with serving(app) as address:
        yield address
