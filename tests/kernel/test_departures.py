"""A client that goes away ends what was only read for it, and not what changes something."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio
import uvicorn
from litestar import Litestar, get, post
from litestar.params import JSONBody

from app.kernel.departures import READS, DepartureMiddleware
from app.kernel.graph import Graph
from app.telemetry.requests import RequestMiddleware
from app.wiring import Parts
from tests.conftest import Principal

# What takes minutes, and is told from others of its kind by a number.
done = asyncio.Event()
SLOW = "UNWIND range(1, 100000) AS n UNWIND range(1, 100000) AS m WITH n + m AS s RETURN sum(s) + "


async def running(graph: Graph, mark: str) -> int:
    shown = await graph.raw(
        "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery STARTS WITH $slow "
        "AND currentQuery ENDS WITH $mark RETURN count(*) AS running",
        slow=SLOW,
        mark=mark,
    )
    return int(shown[0]["running"])


async def until(graph: Graph, mark: str, count: int) -> None:
    for _ in range(150):
        if await running(graph, mark) == count:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"{mark} is not running {count} times")


@pytest_asyncio.fixture(loop_scope="session")
async def port(opened: Parts) -> AsyncIterator[int]:
    """A port behind which queries take as long as these tests."""

    @get("/read")
    async def read() -> list[dict[str, Any]]:
        return await opened.graph.raw(f"{SLOW}1")

    @post("/ask", opt={READS: True})
    async def ask(data: JSONBody[dict[str, Any]]) -> list[dict[str, Any]]:
        return await opened.graph.raw(f"{SLOW}2")

    @post("/change")
    async def change(data: JSONBody[dict[str, Any]]) -> dict[str, Any]:
        await asyncio.sleep(1)
        done.set()
        return data

    app = Litestar([read, ask, change], middleware=[RequestMiddleware(), DepartureMiddleware()])
    door = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        app, lifespan="off", ws="none", log_config=None, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[door]))
    yield door.getsockname()[1]
    server.should_exit = True
    await serving


async def asked(port: int, method: str, path: str) -> asyncio.StreamWriter:
    """One request whose answer nobody has read."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"{method} {path} HTTP/1.1\r\nhost: loci\r\ncontent-type: application/json\r\n"
    writer.write(f"{head}content-length: 2\r\n\r\n{{}}".encode())
    await writer.drain()
    return writer


async def test_what_is_read_ends_with_its_client(port: int, opened: Parts) -> None:
    for method, path, mark in (("GET", "/read", "1"), ("POST", "/ask", "2")):
        writer = await asked(port, method, path)
        await until(opened.graph, mark, 1)
        writer.close()
        await until(opened.graph, mark, 0)


async def test_what_changes_something_is_done_without_its_client(port: int) -> None:
    writer = await asked(port, "POST", "/change")
    await asyncio.sleep(0.2)
    writer.close()
    await asyncio.wait_for(done.wait(), 10)


async def test_a_body_in_parts_and_an_answer_pass(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = "POST /change HTTP/1.1\r\nhost: loci\r\ncontent-type: application/json\r\n"
    writer.write(f"{head}content-length: 9\r\nconnection: close\r\n\r\n".encode())
    for part in (b'{"a"', b": ", b"[]}"):
        await writer.drain()
        writer.write(part)
        await asyncio.sleep(0.05)
    answer = await reader.read()
    assert b" 201 " in answer.splitlines()[0]
    assert answer.endswith(b'{"a":[]}')
    writer.close()


async def test_searches_and_lists_answer_as_before(writer: Principal) -> None:
    made = await writer.http.post("/v1/episodes", json={"content": "Ada.", "session": "s"})
    assert made.is_success
    assert (await writer.http.get("/v1/episodes")).json()["items"]
    found = await writer.http.post("/v1/search", json={"query": "Ada"})
    assert found.json()["count"] == 1
