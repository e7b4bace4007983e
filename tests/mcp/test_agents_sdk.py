"""The client of OpenAI's Agents SDK over a socket: what it lists, and what a model gets back.

No model takes part: a script asks for the tools.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from app.mcp.service import TOOLS
from app.search.bundle import CLOSE, OPEN
from tests.mcp.conftest import World

agents = pytest.importorskip("agents")

from agents.mcp import MCPServerStreamableHttp  # noqa: E402
from agents.models.interface import Model  # noqa: E402
from openai.types.responses import (  # noqa: E402
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

DOOR = {"query": "What colour is the greenhouse door?"}


@pytest_asyncio.fixture(loop_scope="session")
async def server(port: int, world: World) -> AsyncIterator[Any]:
    headers = {"Authorization": f"Bearer {world.writer.key}"}
    params = {"url": f"http://127.0.0.1:{port}/mcp", "headers": headers, "timeout": 60}
    async with MCPServerStreamableHttp(params, client_session_timeout_seconds=60) as opened:
        yield opened


async def test_the_agents_sdk_lists_calls_reads_and_prompts(server: Any, world: World) -> None:
    assert {tool.name for tool in await server.list_tools()} == TOOLS.keys()
    found = await server.call_tool("search", DOOR)
    (text,) = found.content
    assert text.text.index(OPEN) < text.text.index("green") < text.text.index(CLOSE)
    wrong = await server.call_tool("search", {"qery": "x"})
    assert "qery" in wrong.content[0].text
    page = await server.read_resource(f"loci://page/{world.page}")
    assert "crane of the harbour" in page.contents[0].text
    prompt = await server.get_prompt("recall", {"question": DOOR["query"]})
    assert "green" in prompt.messages[0].content.text


async def test_an_agent_of_the_sdk_hands_on_what_a_tool_says(server: Any) -> None:
    heard: list[Any] = []
    calls = [("search", DOOR), ("search", {"query": ""})]

    class Scripted(Model):  # type: ignore[misc]
        async def get_response(self, **given: Any) -> Any:
            heard.append(given)
            if len(heard) <= len(calls):
                name, asked = calls[len(heard) - 1]
                said: Any = ResponseFunctionToolCall(
                    call_id=f"c{len(heard)}", name=name, arguments=json.dumps(asked),
                    type="function_call",
                )  # fmt: skip
            else:
                text = ResponseOutputText(text="It is green.", type="output_text", annotations=[])
                said = ResponseOutputMessage(
                    id="m", content=[text], role="assistant", status="completed", type="message"
                )
            return agents.ModelResponse(output=[said], usage=agents.Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    agent = agents.Agent(name="a", model=Scripted(), mcp_servers=[server])
    result = await agents.Runner.run(agent, DOOR["query"])
    assert result.final_output == "It is green."
    assert {tool.name for tool in heard[0]["tools"]} == TOOLS.keys()
    told = [one for one in heard[-1]["input"] if one.get("type") == "function_call_output"]
    first, second = (json.dumps(one["output"]) for one in told)
    assert OPEN in first
    assert "painted green" in first
    assert first.count("painted green") == 1, "a text comes once to a model"
    assert "query" in second
    assert "painted green" not in second
