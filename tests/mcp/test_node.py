"""The TypeScript client of the protocol, which editors and desktops are built with, over a socket.

It checks each answer against the schema of its tool by code of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.mcp.service import PROFILES, TOOLS
from app.search.bundle import CLOSE, OPEN
from app.wiring import Parts
from tests.mcp.conftest import World

FOLDER = Path(__file__).parent / "node"
SECONDS = 120.0
DOOR = {"query": "What colour is the greenhouse door?"}
SAID = {"content": "The potting bench is oak.", "session": "node", "wait": "indexed"}
CALLS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("search", "search", DOOR),
    ("context", "context", DOOR | {"token_budget": 800}),
    ("ask", "ask", DOOR),
    ("facts", "facts", {"about": "Mirabel Quay"}),
    ("entity", "entity", {"name": "Mirabel Quay"}),
    ("skills", "skills", {"description": "run the tests"}),
    ("status", "status", {}),
    ("waits", "capture", SAID),
    ("found", "search", {"query": "potting bench oak"}),
    ("note", "note", {"content": "The potting bench wants oil."}),
    ("unknown field", "search", DOOR | {"qery": "x"}),
    ("wrong type", "search", DOOR | {"limit": "many"}),
    ("nothing there", "read", {"id": "nowhere"}),
    ("of a profile", "goal_list", {}),
)
Told = dict[str, Any]


def needed() -> str:
    """The program that runs the client; the test is skipped where it, or the client, is missing."""
    node = shutil.which("node")
    if node and (FOLDER / "node_modules/@modelcontextprotocol/sdk/package.json").is_file():
        return node
    reason = "there is no client: `npm ci` in tests/mcp/node installs it"
    if os.environ.get("TESTS_NEED_NODE"):
        pytest.fail(f"{reason}, and TESTS_NEED_NODE is set")
    pytest.skip(reason)


@asynccontextmanager
async def indexing(opened: Parts) -> AsyncIterator[None]:
    """What waits is made findable meanwhile, as a worker does it."""

    async def drain() -> None:
        while True:
            await opened.indexing.drain()
            await asyncio.sleep(0.2)

    draining = asyncio.create_task(drain())
    try:
        yield
    finally:
        draining.cancel()
        await asyncio.gather(draining, return_exceptions=True)


async def followed(opened: Parts, before: int) -> None:
    """Wait until one more stream is open."""
    for _ in range(int(SECONDS / 0.05)):
        if opened.events.listening > before:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"no stream was opened in {SECONDS:.0f} s")


async def spoken(node: str, port: int, world: World, opened: Parts) -> Told:
    """What each step of the conversation told."""
    page = world.page
    given = {
        "calls": [{"step": step, "tool": tool, "args": args} for step, tool, args in CALLS],
        "uri": f"loci://page/{page}",
        "prompt": {"question": DOOR["query"]},
    }
    process = await asyncio.create_subprocess_exec(
        node, str(FOLDER / "converse.mjs"), f"http://127.0.0.1:{port}/mcp",
        env={**os.environ, "KEY": world.writer.key, "GIVEN": json.dumps(given)},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, limit=1 << 24,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    told: Told = {}
    before = opened.events.listening
    try:
        async with asyncio.timeout(SECONDS):
            async for line in process.stdout:
                one = json.loads(line)
                told[one["step"]] = one["value"]
                if one["step"] == "subscribed":
                    await followed(opened, before)
                    body = {"content": "# Harbour\n\nThe crane of the harbour is yellow."}
                    answer = await world.writer.http.patch(f"/v1/pages/{page}", json=body)
                    assert answer.is_success, answer.text
            said = (await process.stderr.read()).decode()
            assert await process.wait() == 0, said
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return told


@pytest_asyncio.fixture(loop_scope="session")
async def told(port: int, world: World, opened: Parts, monkeypatch: pytest.MonkeyPatch) -> Told:
    """One conversation, with streams that last longer than in other tests."""
    node = needed()
    monkeypatch.setattr(opened.events, "longest", 10 * SECONDS)
    async with indexing(opened):
        return await spoken(node, port, world, opened)


def refused(result: Told) -> Told:
    """The problem that a tool answered with."""
    assert result["isError"] is True
    problem: Told = result["structuredContent"]
    return problem


async def test_the_typescript_client_converses(told: Told, world: World) -> None:
    """Lists, calls, reads, prompts, errs, waits, subscribes and ends its session."""
    assert told["server"]["version"]["name"] == "loci"
    assert told["server"]["revision"] == "2025-11-25"
    assert {tool["name"] for tool in told["tools"]} == TOOLS.keys()
    assert set(told["profile"]) == TOOLS.keys() | PROFILES["data"].keys()

    for step in ("search", "context", "ask", "facts", "entity", "skills", "status", "note"):
        assert not told[step].get("isError"), (step, told[step])
        assert "refused" not in told[step], (step, told[step])
    assert told["search"]["structuredContent"]["hits"][0]["id"] == world.episode
    (text,) = told["search"]["content"]
    assert text["text"].index(OPEN) < text["text"].index("green") < text["text"].index(CLOSE)
    assert told["facts"]["structuredContent"]["items"][0]["id"] == world.fact

    waited = told["waits"]["structuredContent"]
    hits = told["found"]["structuredContent"]["hits"]
    assert waited["id"] in {hit["id"] for hit in hits}

    assert refused(told["unknown field"])["errors"][0]["field"] == "qery"
    assert refused(told["wrong type"])["errors"][0]["field"] == "limit"
    assert refused(told["nothing there"])["code"] == "NotFound"
    assert "tools=goals" in told["of a profile"]["says"]

    (page,) = told["resource"]["contents"]
    assert "crane of the harbour is blue" in page["text"]
    assert "refused" in told["no resource"]
    assert len(told["templates"]["resourceTemplates"]) == 4
    assert {one["name"] for one in told["prompts"]["prompts"]} == {"recall", "remember", "review"}
    assert "green" in told["prompt"]["messages"][0]["content"]["text"]
    assert "question is missing" in told["no prompt"]["says"]

    assert told["subscribed"] is True
    assert told["changed"]["uri"] == f"loci://page/{world.page}"
    ended = told["ended"]
    assert (ended["gone"], ended["other"]) == (None, True)
    assert not ended["answer"].get("isError")
