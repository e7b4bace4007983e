"""`loci mcp`: the same over standard input and output, in a process of its own."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest
from litestar import Litestar
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.subscriptions import ResourceUpdated
from mcp.types import ResourceUpdatedNotification

from app.kernel.caller import Role
from app.mcp.asking import asked
from app.mcp.bridge import HEADERS
from app.mcp.listening import MOST_RESOURCES
from app.mcp.service import PROFILES, TOOLS
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.mcp.conftest import REVISIONS, World, answering, text_of
from tests.mcp.test_listening import OLDER, SECONDS

COMMAND = ("-m", "app.cli.main", "mcp")


def program(port: int, key: str, *options: str) -> StdioServerParameters:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(sys.path),
        "LOCI_API_KEY": key,
        "LOCI_API_URL": f"http://127.0.0.1:{port}",
    }
    return StdioServerParameters(command=sys.executable, args=[*COMMAND, *options], env=environment)


@pytest.mark.parametrize("mode", REVISIONS)
async def test_a_program_speaks_for_one_key(port: int, world: World, mode: str) -> None:
    async with Client(program(port, world.reader.key), mode=mode) as client:
        assert client.protocol_version == REVISIONS[mode]
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert listed == {name for name, tool in TOOLS.items() if tool.reads}
        found = await client.call_tool("search", {"query": "greenhouse door"})
        assert found.structured_content["hits"][0]["id"] == world.episode
        wrong = await client.call_tool("search", {"qery": "x"})
        assert wrong.is_error
        assert "query" in text_of(wrong)
        assert len((await client.list_resource_templates()).resource_templates) == 4
        read = await client.read_resource(f"loci://page/{world.page}")
        assert "crane" in read.contents[0].text  # type: ignore[union-attr]
        assert len((await client.list_prompts()).prompts) == 3
        with pytest.raises(MCPError, match="there is no memory"):
            await client.read_resource("loci://memory/none")


@pytest.mark.parametrize("mode", REVISIONS)
async def test_a_writer_has_the_tools_of_its_profiles(
    port: int, writer: Principal, mode: str
) -> None:
    table = {"name": "tolls", "columns": [{"name": "ship"}, {"name": "paid", "type": "integer"}]}
    async with Client(program(port, writer.key, "--tools", "data,episodes"), mode=mode) as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert listed == TOOLS.keys() | PROFILES["data"].keys() | PROFILES["episodes"].keys()
        results = [
            await client.call_tool(name, given)
            for name, given in (
                ("data_store_create", table),
                ("data_store_insert", {"table": "tolls", "rows": [{"ship": "Elbe", "paid": 9}]}),
                ("data_store_query", {"table": "tolls"}),
                ("batch_capture", {"episodes": [{"content": "Elbe paid.", "session": "tolls"}]}),
                ("data_store_insert", {"rows": [{"ship": "Elbe"}]}),
            )
        ]
        assert [result.is_error for result in results] == [False] * 4 + [True]
        (row,) = results[2].structured_content["items"]
        assert row["untrusted"]["cells"] == {"ship": "Elbe", "paid": 9}
        assert results[3].structured_content["accepted"] == 1
        assert results[4].structured_content["errors"][0]["field"] == "table"
        with pytest.raises(MCPError, match="tools=data,episodes,goals"):
            await client.call_tool("goal_list", {})


async def test_a_profile_that_stands_alone_is_a_program_s_too(port: int, world: World) -> None:
    async with Client(program(port, world.reader.key, "--tools", "chatgpt"), mode="auto") as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {"search", "fetch"}
        assert "`fetch`" in (client.instructions or "")
        found = await client.call_tool("search", {"query": "greenhouse door"})
        assert found.structured_content["results"][0]["id"] == world.episode


async def page_of(writer: Principal, title: str) -> str:
    body = {"title": title, "content": f"# {title}\n\nOld."}
    answer = await writer.http.post("/v1/pages", json=body)
    assert answer.is_success, answer.text
    identifier: str = answer.json()["id"]
    return identifier


async def change(writer: Principal, page: str, word: str) -> None:
    answer = await writer.http.patch(f"/v1/pages/{page}", json={"content": f"# {word}\n\n{word}."})
    assert answer.is_success, answer.text


async def opens(opened: Parts, before: int) -> None:
    """Wait until one more stream is open."""
    for _ in range(int(SECONDS / 0.05)):
        if opened.events.listening > before:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"no stream was opened in {SECONDS:.0f} s")


async def test_a_program_hands_a_stream_of_notifications_on(
    port: int, opened: Parts, principal: MakePrincipal, tenant: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(opened.events, "longest", 10 * SECONDS)
    writer = await principal(f"{tenant}/dev", name="lockhand")
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="watchman")
    page = await page_of(writer, "Sluice")
    uri, many = f"loci://page/{page}", [f"loci://page/{n}" for n in range(MOST_RESOURCES + 1)]
    before = opened.events.listening
    async with Client(program(port, reader.key), mode="auto") as client:
        able = client.server_capabilities.resources
        assert able is not None
        assert able.subscribe
        async with client.listen(
            resource_subscriptions=[uri, "x"], tools_list_changed=True
        ) as told:
            assert told.honored.resource_subscriptions == [uri]
            await opens(opened, before)
            await change(writer, page, "New")
            async with asyncio.timeout(SECONDS):
                assert await anext(told) == ResourceUpdated(uri)
        with pytest.raises(MCPError, match="at most 256 resources"):
            async with client.listen(resource_subscriptions=many):
                pass
        assert (await client.list_tools()).tools


@OLDER
async def test_a_program_subscribes_for_a_client_of_the_older_revision(
    app: Litestar, opened: Parts, principal: MakePrincipal, tenant: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(opened.events, "longest", 10 * SECONDS)
    writer = await principal(f"{tenant}/dev", name="lockhand")
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="watchman")
    pages = [await page_of(writer, title) for title in ("Upper gate", "Lower gate")]
    uris = [f"loci://page/{page}" for page in pages]
    told: asyncio.Queue[str] = asyncio.Queue()

    async def hear(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            told.put_nowait(str(message.params.uri))

    before, taken = opened.events.listening, socket.create_server(("127.0.0.1", 0))
    port = taken.getsockname()[1]
    async with AsyncExitStack() as stack:
        async with answering(app, taken):
            started = Client(program(port, reader.key), mode="legacy", message_handler=hear)
            client = await stack.enter_async_context(started)
            for uri in uris:
                await client.subscribe_resource(uri)
            await client.unsubscribe_resource(uris[0])
            with pytest.raises(MCPError, match="loci://KIND/ID"):
                await client.subscribe_resource("http://example.org/x")
            await opens(opened, before)
            for page in pages:
                await change(writer, page, "New")
            async with asyncio.timeout(SECONDS):
                assert await told.get() == uris[1]
        # The API goes away and comes back: what was subscribed to is told of as before, once the
        # stream is open again.
        while not told.empty():
            told.get_nowait()
        async with answering(app, socket.create_server(("127.0.0.1", port))):
            async with asyncio.timeout(SECONDS):
                number = 0
                while told.empty():
                    await change(writer, pages[1], f"Newer {(number := number + 1)}")
                    await asyncio.sleep(0.5)
            assert told.get_nowait() == uris[1]


async def test_a_key_that_is_no_longer_one_is_told(app: Litestar) -> None:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://loci", headers=HEADERS
    ) as http:
        with pytest.raises(MCPError, match="send the API key") as told:
            await asked(http, "tools/list", {})
    assert told.value.data == {"code": "Unauthenticated"}


async def test_an_api_that_is_away_is_told() -> None:
    async with httpx.AsyncClient(base_url="http://127.0.0.1:1") as http:
        with pytest.raises(MCPError, match="no Loci answers at"):
            await asked(http, "tools/list", {})


@pytest.mark.parametrize(
    ("key", "url", "said"),
    [
        ("loci_0123456789ab_" + "x" * 43, "http://127.0.0.1:1", "nothing answers"),
        ("schlüssel", "http://127.0.0.1:1", "this is no key"),
    ],
)
def test_what_cannot_begin_is_a_sentence(key: str, url: str, said: str) -> None:
    done = subprocess.run(
        [sys.executable, *COMMAND],
        env={**os.environ, "LOCI_API_KEY": key, "LOCI_API_URL": url},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert said in done.stderr
