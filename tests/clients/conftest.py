"""The API behind a port, and a door before it that loses requests and answers."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest_asyncio
import uvicorn
from litestar import Litestar

BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n"
    b"Connection: close\r\n\r\n"
)


@asynccontextmanager
async def serving(app: Litestar) -> AsyncIterator[str]:
    """The address of the application behind a port of this machine."""
    door = socket.create_server(("127.0.0.1", 0))  # who connects before it is served waits
    config = uvicorn.Config(
        app, lifespan="off", ws="none", log_config=None, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve(sockets=[door]))
    try:
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running


@pytest_asyncio.fixture(loop_scope="session")
async def address(app: Litestar) -> AsyncIterator[str]:
    async with serving(app) as address:
        yield address


@dataclass
class Door:
    """A way to the API on which each connection meets the next of `fates`, and passes after them.

    `cut` ends it before the API hears of it, `lost` after the API has answered and before the
    client has that answer, `busy` answers 503 itself. `heard` are the requests as they came.
    """

    behind: int
    fates: list[str] = field(default_factory=list)
    heard: list[bytes] = field(default_factory=list)
    url: str = ""

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await _message(reader)
        if request:
            self.heard.append(request)
            fate = self.fates.pop(0) if self.fates else "pass"
            if fate == "busy":
                writer.write(BUSY)
            elif fate != "cut":
                answer = await self._answer(request)
                if fate == "pass":
                    writer.write(answer)
            await writer.drain()
        writer.close()

    async def _answer(self, request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.behind)
        writer.write(re.sub(rb"(?i)connection: keep-alive", b"connection: close", request))
        answer = await reader.read()
        writer.close()
        return answer

    @property
    def keys(self) -> list[str]:
        """The idempotency keys that were heard, in order."""
        lines = [line for request in self.heard for line in request.split(b"\r\n")]
        named = [line.partition(b": ") for line in lines if b": " in line]
        return [value.decode() for name, _, value in named if name.lower() == b"idempotency-key"]


async def _message(reader: asyncio.StreamReader) -> bytes:
    """One message of HTTP whose length is told, or nothing."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.partition(b":")[2])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length:")
        )
        return head + await reader.readexactly(length)
    except (asyncio.IncompleteReadError, StopIteration):
        return b""


@pytest_asyncio.fixture(loop_scope="session")
async def door(address: str) -> AsyncIterator[Door]:
    """A door before the API."""
    made = Door(int(address.rpartition(":")[2]))
    server = await asyncio.start_server(made.meet, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield made
