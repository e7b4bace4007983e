"""What happens where a tool breaks, and where its client goes away."""

from __future__ import annotations

import asyncio

import msgspec
import orjson
import pytest
from mcp import MCPError

from app.kernel.caller import Caller, Role
from app.mcp.schemas import StatusIn
from app.mcp.service import TOOLS
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.wiring import Parts
from tests.conftest import Principal
from tests.kernel.test_departures import SLOW, until
from tests.mcp.conftest import REVISIONS, Connect

WORDS = "a library quotes secret 4711"


class Nothing(msgspec.Struct):
    """What these tools would give."""


async def breaks(services: Services, caller: Caller, _: StatusIn) -> Told:
    raise ValueError(WORDS)


def tool(name: str, run: object, requires: Role = Role.READER) -> Tool:
    return Tool(name, name, name, StatusIn, Nothing, run, requires)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", REVISIONS)
async def test_what_nobody_foresaw_is_told_in_one_sentence(
    connect: Connect, writer: Principal, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setitem(TOOLS, "breaks", tool("breaks", breaks))
    async with connect(writer, mode) as client:
        with pytest.raises(MCPError, match="Something failed; it is in the log") as told:
            await client.call_tool("breaks", {})
    assert WORDS not in repr(told.value.error)


async def asked(port: int, key: str, name: str) -> asyncio.StreamWriter:
    """One call of a tool whose answer nobody has read."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    params = {"name": name, "arguments": {}}
    body = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    head = (
        "POST /mcp HTTP/1.1",
        "host: loci",
        f"authorization: Bearer {key}",
        "content-type: application/json",
        "accept: application/json, text/event-stream",
        f"content-length: {len(body)}",
    )
    writer.write("\r\n".join([*head, "", ""]).encode() + body)
    await writer.drain()
    return writer


async def test_a_tool_that_only_reads_ends_with_its_client(
    opened: Parts, port: int, writer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(services: Services, caller: Caller, _: StatusIn) -> Told:
        await opened.graph.raw(f"{SLOW}4")
        return Told(Nothing(), "")

    monkeypatch.setitem(TOOLS, "slow", tool("slow", slow))
    client = await asked(port, writer.key, "slow")
    await until(opened.graph, "4", 1)
    client.close()
    await until(opened.graph, "4", 0)


async def test_a_tool_that_changes_something_goes_on(
    port: int, writer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, done = asyncio.Event(), asyncio.Event()

    async def change(services: Services, caller: Caller, _: StatusIn) -> Told:
        begun.set()
        await asyncio.sleep(1)
        done.set()
        return Told(Nothing(), "")

    monkeypatch.setitem(TOOLS, "change", tool("change", change, Role.WRITER))
    client = await asked(port, writer.key, "change")
    await asyncio.wait_for(begun.wait(), 10)
    client.close()
    await asyncio.wait_for(done.wait(), 10)
