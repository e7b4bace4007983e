"""An agent that has nothing but the protocol: ten turns, with changes, and five questions, over
HTTP in both revisions. By the program `loci mcp` beside a real worker it is a story of
`tests/scenarios`."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from openai import AsyncOpenAI

from app.wiring import Parts
from tests.conftest import Principal
from tests.embeddings.scripted_server import ScriptedServer
from tests.mcp.conftest import REVISIONS, Connect
from tests.mcp.talking import NOTED, TURNS, Talk, converse, speaking


@pytest_asyncio.fixture(loop_scope="session")
async def model() -> AsyncIterator[tuple[AsyncOpenAI, ScriptedServer]]:
    async with speaking() as made:
        yield made


@pytest.mark.parametrize(
    ("mode", "talk"),
    [*((mode, Talk(TURNS)) for mode in REVISIONS), ("auto", Talk(NOTED, "memory"))],
    ids=[*REVISIONS, "memory"],
)
async def test_ten_turns_by_the_protocol_alone(
    mode: str,
    talk: Talk,
    connect: Connect,
    model: tuple[AsyncOpenAI, ScriptedServer],
    opened: Parts,
    writer: Principal,
) -> None:
    async def settle() -> None:
        await opened.consolidation.consolidate(writer.caller.home)  # as the worker does
        await opened.indexing.drain()

    async with connect(writer, mode, talk.tools) as memory:
        await converse(talk, memory, model, settle)
