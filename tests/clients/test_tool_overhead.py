"""The measure of what a tool costs beyond its route: both give the same, and the bar is a bar."""

from __future__ import annotations

import asyncio

import pytest

from bench import tool_calls
from bench.commands.tool_calls import prepare
from bench.speed import Wire
from tests.conftest import Principal


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_calls, "WARM_UP", 1)


async def test_a_tool_is_measured_beside_its_route(address: str, writer: Principal) -> None:
    def told() -> list[tool_calls.Overhead]:
        prepare(address, writer.key, "pump")
        rest, mcp = Wire(address, writer.key), Wire(address, writer.key, tool_calls.HEADERS)
        found = []
        for call in tool_calls.calls("pump", writer.caller.home):
            value = tool_calls.by_protocol(mcp, call)[1]
            route = rest.ask(call.method, call.path, call.body)[1]
            assert value.keys() == route.keys()
            found.append(tool_calls.measure(rest, mcp, call, 3, 1e6))
            assert tool_calls.measure(rest, mcp, call, 1, -1e6).holds is False
        rest.close()
        mcp.close()
        return found

    cheap, search = await asyncio.to_thread(told)
    assert (cheap.tool, search.tool) == ("working_retrieve", "search")
    assert (cheap.mcp.count, cheap.rest.count, cheap.holds) == (3, 3, True)
    assert search.p95 != 0
