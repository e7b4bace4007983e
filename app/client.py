"""The memory of an agent in five verbs, in this process: for notebooks and tests.

It is the facade of `loci-client`, whose requests go to the application itself and over no network,
so each verb does, refuses and answers what it does over HTTP. Neo4j and Valkey have to run.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass

import httpx
from litestar import Litestar

from app.asgi import create_app, fill_state
from app.cli.keys import mint, revoke
from app.cli.local import local_settings
from app.kernel.caller import Role
from app.kernel.scope import parse_scope
from app.settings import Settings
from app.wiring import Parts, parts
from loci_client import AsyncMemory, Memory

URL = "http://loci"
REST = 0.25  # seconds between two looks at what waits
LONGEST = 120.0  # seconds that one request may take


@dataclass(frozen=True, slots=True)
class Agent:
    """Who remembers: its name, the scope that is its home, and the name of its session."""

    scope: str
    name: str = "notebook"
    session: str | None = None


class InProcess(httpx.ASGITransport):
    """Hands requests to the application, each in a context of its own."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        return await asyncio.create_task(super().handle_async_request(request))


class FromThread(httpx.BaseTransport):
    """The same for a program without an event loop: the application lives in that of a thread."""

    def __init__(
        self, transport: httpx.AsyncBaseTransport, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._transport = transport
        self._loop = loop

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        answering = asyncio.run_coroutine_threadsafe(self._answer(request), self._loop)
        return answering.result(LONGEST)

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        sent = httpx.Request(
            request.method, request.url, headers=request.headers, content=request.read()
        )
        answer = await self._transport.handle_async_request(sent)
        return httpx.Response(
            answer.status_code, headers=answer.headers, content=await answer.aread()
        )


@asynccontextmanager
async def async_memory(
    agent: Agent, settings: Settings | None = None, *, tends: bool = True
) -> AsyncIterator[AsyncMemory]:
    """The memory of an agent; its key is minted here, and revoked at the end.

    With `tends` what waits below its scope is indexed and read here, as a worker would.
    """
    async with _served(agent, settings, tends=tends) as (app, key):
        transport = InProcess(app)  # type: ignore[arg-type]
        async with AsyncMemory(
            agent.scope, session=agent.session, url=URL, key=key, transport=transport
        ) as memory:
            yield memory


@contextmanager
def memory(
    agent: Agent, settings: Settings | None = None, *, tends: bool = True
) -> Iterator[Memory]:
    """The same without an event loop."""
    with _loop() as loop:
        serving = _served(agent, settings, tends=tends)
        app, key = asyncio.run_coroutine_threadsafe(serving.__aenter__(), loop).result()
        try:
            transport = FromThread(InProcess(app), loop)  # type: ignore[arg-type]
            with Memory(
                agent.scope, session=agent.session, url=URL, key=key, transport=transport
            ) as made:
                yield made
        finally:
            asyncio.run_coroutine_threadsafe(serving.__aexit__(None, None, None), loop).result()


@contextmanager
def _loop() -> Iterator[asyncio.AbstractEventLoop]:
    """An event loop that runs in a thread of its own."""
    loop = asyncio.new_event_loop()
    running = threading.Thread(target=loop.run_forever, name="loci", daemon=True)
    running.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        running.join()
        loop.close()


@asynccontextmanager
async def _served(
    agent: Agent, settings: Settings | None, *, tends: bool
) -> AsyncIterator[tuple[Litestar, str]]:
    """The application with all its parts, and a key for the agent."""
    chosen = settings or local_settings()
    async with parts(chosen, wakeups=True) as opened:
        app = create_app(chosen)
        fill_state(app, opened)
        minted = await mint(
            opened, agent.scope, kind="agent", name=agent.name, role=Role.ADMIN, subtree=True
        )
        tending = asyncio.create_task(_tend(opened, agent.scope)) if tends else None
        try:
            yield app, minted.text
        finally:
            if tending is not None:
                tending.cancel()
                with suppress(asyncio.CancelledError):
                    await tending
            await revoke(opened, parse_scope(agent.scope).tenant, minted.id)


async def _tend(opened: Parts, scope: str) -> None:
    """Index and read what waits in a scope and below it, until cancelled."""
    while True:
        await opened.indexing.drain()
        for row in await opened.scope_rows.of_tenant(parse_scope(scope).tenant):
            if row["path"] == scope or row["path"].startswith(f"{scope}/"):
                await opened.consolidation.consolidate(row["path"])
        await asyncio.sleep(REST)
