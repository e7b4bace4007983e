"""Clients of the protocol, of both revisions, over the real application."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
import pytest_asyncio
import uvicorn
from litestar import Litestar
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

from app.kernel.caller import Role
from app.search.bundle import CLOSE, OPEN
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal

SHORT = 8  # characters of a recalled text that may stand in a sentence of ours by chance
REVISIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
Connect = Callable[..., AbstractAsyncContextManager[Client]]
ToolCall = tuple[str, dict[str, Any]]
Spoken = tuple[set[str], list[Any]]
Speak = Callable[..., Awaitable[Spoken]]


@pytest.fixture
def connect(app: Litestar) -> Connect:
    """Opens a client with a key: `async with connect(writer, "legacy") as client`."""

    @asynccontextmanager
    async def opening(who: Principal, mode: str = "auto", tools: str = "") -> AsyncIterator[Client]:
        async with httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app), headers={"Authorization": f"Bearer {who.key}"}
        ) as http:
            door = streamable_http_client(f"http://loci/mcp?tools={tools}", http_client=http)
            async with Client(door, mode=mode) as client:
                yield client

    return opening


@pytest.fixture(params=REVISIONS)
def speak(connect: Connect, request: pytest.FixtureRequest) -> Speak:
    """Speaks each revision: the names of the tools of an address, and what calls of them give."""

    async def speaking(who: Principal, address: str, *calls: ToolCall) -> Spoken:
        _, _, tools = address.partition("?tools=")
        async with connect(who, request.param, tools) as client:
            listed = {tool.name for tool in (await client.list_tools()).tools}
            done = [await client.call_tool(name, given) for name, given in calls]
        for (name, _), result in zip(calls, done, strict=True):
            assert told_outside(result) == [], name
        return listed, done

    return speaking


@dataclass(frozen=True)
class World:
    """A tenant with something to remember, its writer and its reader."""

    writer: Principal
    reader: Principal
    episode: str
    fact: str
    entity: str
    page: str


@pytest_asyncio.fixture(loop_scope="session")
async def world(opened: Parts, principal: MakePrincipal, tenant: str) -> World:
    """What one writer has said, written and learnt."""
    scope = f"{tenant}/dev"
    writer = await principal(scope, name="author", kind="user")
    reader = await principal(scope, role=Role.READER, name="guest")

    async def post(path: str, **body: Any) -> dict[str, Any]:
        answer = await writer.http.post(path, json=body)
        assert answer.is_success, answer.text
        told: dict[str, Any] = answer.json()
        return told

    known = await post(
        "/v1/facts:remember",
        statement={
            "subject": {"name": "Mirabel Quay", "type": "person"},
            "predicate": "lives_in",
            "object": {"name": "Hamburg", "type": "place"},
        },
    )
    page = await post(
        "/v1/pages", content="# Harbour\n\nThe crane of the harbour is blue.", title="Harbour"
    )
    await post(
        "/v1/skills", name="Run the tests", category="testing", body="pytest",
        description="Run every test and read what failed.",
    )  # fmt: skip
    said = await post("/v1/episodes", content="The greenhouse door is painted green.", session="s")
    await opened.page_passages.bring(page["id"], scope)
    await opened.indexing.drain()
    fact = known["facts"][0]
    return World(writer, reader, said["id"], fact["id"], fact["subject"], page["id"])


@pytest_asyncio.fixture(loop_scope="session")
async def port(app: Litestar) -> AsyncIterator[int]:
    """A port of this machine behind which the application answers."""
    door = socket.create_server(("127.0.0.1", 0))
    async with answering(app, door):
        yield door.getsockname()[1]


@asynccontextmanager
async def answering(app: Litestar, door: socket.socket) -> AsyncIterator[None]:
    """The application behind a socket."""
    config = uvicorn.Config(
        app, lifespan="off", ws="none", log_config=None, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[door]))
    try:
        yield
    finally:
        server.should_exit = True
        await serving
        door.close()


Call = Callable[..., Awaitable[CallToolResult]]


def told_outside(result: CallToolResult) -> list[str]:
    """Recalled texts that stand outside the untrusted zone of a result, of which there is one."""
    text = text_of(result)
    assert text.count(OPEN) == text.count(CLOSE) <= 1, text
    outside = text.partition(OPEN)[0] + text.partition(CLOSE)[2]
    return [said for said in recalled_in(result.structured_content) if said in outside]


def recalled_in(value: Any, untrusted: bool = False) -> Iterator[str]:
    """The texts below each `untrusted` of a value that are long enough to be told apart."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from recalled_in(inner, untrusted or name == "untrusted")
    elif isinstance(value, list):
        for inner in value:
            yield from recalled_in(inner, untrusted)
    elif untrusted and isinstance(value, str) and len(value) > SHORT:
        yield value


def text_of(result: CallToolResult) -> str:
    """The one text of a result."""
    (content,) = result.content
    assert content.type == "text"
    return content.text
