"""Who gets in, in which revision, and what the key lets one see and do."""

from __future__ import annotations

import asyncio
import re

import httpx
import pytest
from litestar import Litestar
from mcp import MCPError

from app.mcp.service import TOOLS
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.mcp.conftest import REVISIONS, Connect, World, text_of

PING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream"}
MOST = 12


@pytest.mark.parametrize("mode", REVISIONS)
async def test_both_revisions_are_spoken(connect: Connect, world: World, mode: str) -> None:
    async with connect(world.writer, mode) as client:
        assert client.protocol_version == REVISIONS[mode]
        assert client.server_info is not None
        assert client.server_info.name == "loci"
        assert "recalled-memory-context" in (client.instructions or "")
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert listed.keys() == TOOLS.keys()
        found = await client.call_tool("search", {"query": "What colour is the greenhouse door?"})
        assert not found.is_error
        assert found.structured_content["hits"][0]["id"] == world.episode


def test_an_agent_can_hold_the_tools_in_mind() -> None:
    assert len(TOOLS) <= MOST
    for tool in TOOLS.values():
        listed = tool.listed()
        assert len(listed.description or "") <= 240, tool.name
        assert listed.annotations is not None
        assert listed.annotations.title == tool.title
        assert listed.annotations.read_only_hint == tool.reads
        assert listed.input_schema["type"] == "object", tool.name
        assert (listed.output_schema or {})["type"] == "object", tool.name


async def test_what_reminds_an_agent_names_its_tools_and_nothing_stored(
    connect: Connect, world: World, principal: MakePrincipal, tenant: str
) -> None:
    told = []
    stranger = await principal(f"{tenant}-other/dev", name="stranger")
    for who in (world.writer, stranger):
        async with connect(who, "auto") as client:
            told.append(client.instructions or "")
            listed = {tool.name for tool in (await client.list_tools()).tools}
            named = set(re.findall(r"`([^`]+)`", told[-1]))
            assert {"search", "capture"} <= named <= listed
    assert told[0] == told[1], "what one key has stored would make them differ"


@pytest.mark.parametrize("key", ["", "nonsense"])
async def test_without_a_key_it_is_401(app: Litestar, key: str) -> None:
    headers = ACCEPT | ({"Authorization": f"Bearer {key}"} if key else {})
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://loci", headers=headers
    ) as http:
        answer = await http.post("/mcp", json=PING)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["code"] == "Unauthenticated"


async def test_there_is_no_stream_to_hold_open(writer: Principal) -> None:
    for method in ("GET", "DELETE"):
        assert (await writer.http.request(method, "/mcp", headers=ACCEPT)).status_code == 405


async def test_what_is_too_large_is_refused(world: World) -> None:
    body = PING | {"params": {"cursor": "x" * 1_100_000}}
    answer = await world.writer.http.post("/mcp", json=body, headers=ACCEPT)
    assert answer.status_code == 413


@pytest.mark.parametrize("mode", REVISIONS)
async def test_a_reader_may_not_write(
    opened: Parts, connect: Connect, world: World, mode: str
) -> None:
    async with connect(world.reader, mode) as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert listed == {name for name, tool in TOOLS.items() if tool.reads}
        refused = await client.call_tool("capture", {"content": "Let me in.", "session": "s"})
    assert refused.is_error
    assert refused.structured_content["code"] == "Forbidden"
    assert "role writer" in text_of(refused)
    audited = await opened.graph.raw(
        "MATCH (a:AuditEvent {actor: $who}) RETURN a {.*} AS event",
        who=world.reader.caller.principal,
    )
    assert any("/mcp/capture" in str(row["event"]) for row in audited)


async def test_two_tenants_do_not_see_each_other(
    connect: Connect, world: World, principal: MakePrincipal
) -> None:
    stranger = await principal(f"{world.writer.caller.tenant}x/dev")
    async with connect(stranger) as client:
        found = await client.call_tool("search", {"query": "greenhouse door"})
        assert found.structured_content["hits"] == []
        scope = world.writer.caller.home
        for name, given in (
            ("read", {"id": world.episode}),
            ("entity", {"id": world.entity}),
            ("entity", {"name": "Mirabel Quay"}),
            ("facts", {"about": world.entity}),
            ("facts", {"scopes": [scope]}),
            ("forget", {"id": world.episode}),
            ("correct", {"fact": world.fact, "how": "ended"}),
            ("read", {"page": "Harbour"}),
            ("capture", {"content": "Mine.", "session": "s", "scope": scope}),
        ):
            refused = await client.call_tool(name, given)
            assert refused.is_error, name
            assert refused.structured_content["code"] == "NotFound", name
        for kind, identifier in (("memory", world.fact), ("page", world.page)):
            with pytest.raises(MCPError):
                await client.read_resource(f"loci://{kind}/{identifier}")


async def test_requests_are_counted_like_all_others(
    admin: Principal, writer: Principal, app: Litestar
) -> None:
    made = await admin.http.post(
        "/v1/keys", json={"principal": writer.caller.principal, "rate_per_minute": 3}
    )
    headers = ACCEPT | {"Authorization": f"Bearer {made.json()['key']}"}
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://loci", headers=headers
    ) as http:
        codes = [(await http.post("/mcp", json=PING)).status_code for _ in range(8)]
    assert codes[:3] == [200] * 3
    assert 429 in codes


async def test_many_at_once_get_their_own_answers(connect: Connect, world: World) -> None:
    async with connect(world.writer) as client:
        await client.list_tools()
        told = await asyncio.gather(
            *(
                client.call_tool("facts", {"about": name})
                for name in ("Hamburg", "Mirabel Quay") * 6
            )
        )
    mine = [one.structured_content["items"] for one in told[1::2]]
    assert all(items and items[0]["id"] == world.fact for items in mine)
    assert all(one.structured_content["items"] != mine[0] for one in told[::2])


async def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(
    connect: Connect, world: World
) -> None:
    async with connect(world.writer) as client:
        with pytest.raises(MCPError, match="there is no tool erase_everything"):
            await client.call_tool("erase_everything", {})
