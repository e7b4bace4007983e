"""The client of OpenAI's Agents SDK over a socket: what it lists, and what a model gets back.

No model takes part: a script asks for the tools.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

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


def serving(port: int, world: World) -> Any:
    """The client of one key, to be entered and left in one task."""
    headers = {"Authorization": f"Bearer {world.writer.key}"}
    params = {"url": f"http://127.0.0.1:{port}/mcp", "headers": headers, "timeout": 60}
    return MCPServerStreamableHttp(params, client_session_timeout_seconds=60)


async def test_the_agents_sdk_lists_calls_reads_and_prompts(port: int, world: World) -> None:
    async with serving(port, world) as server:
        listed = {tool.name for tool in await server.list_tools()}
        found = await server.call_tool("search", DOOR)
        wrong = await server.call_tool("search", {"query": "x", "qery": "x"})
        page = await server.read_resource(f"loci://page/{world.page}")
        prompt = await server.get_prompt("recall", {"question": DOOR["query"]})
    assert listed == TOOLS.keys()
    (text,) = found.content
    assert text.text.index(OPEN) < text.text.index("green") < text.text.index(CLOSE)
    assert "qery" in wrong.content[0].text
    assert "crane of the harbour" in page.contents[0].text
    assert "green" in prompt.messages[0].content.text


async def test_an_agent_of_the_sdk_hands_on_what_a_tool_says(port: int, world: World) -> None:
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

    async with serving(port, world) as server:
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
