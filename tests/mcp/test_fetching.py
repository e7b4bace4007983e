"""The profile of ChatGPT's connectors: two tools of a shape that others have laid down."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.types import CallToolResult

from app.kernel.caller import Role
from app.mcp.fetching import NOTHING, TITLE
from app.mcp.service import ALONE, TOOLS
from app.search.bundle import CLOSE, NOTICE, OPEN
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.mcp.conftest import REVISIONS, Connect, Speak, World, text_of

PROFILE = "chatgpt"
DOOR = "What colour is the greenhouse door?"


def told(result: CallToolResult) -> Any:
    """What a call answers: one JSON text, and the same as a value."""
    assert not result.is_error, text_of(result)
    assert json.loads(text_of(result)) == result.structured_content
    return result.structured_content


def within(text: str) -> str:
    """What stands inside the one zone of a text."""
    assert (text.count(OPEN), text.count(CLOSE)) == (1, 1)
    return text[text.index(OPEN) : text.index(CLOSE)]


async def say(who: Principal, opened: Parts, content: str, **more: Any) -> str:
    body = {"content": content, "session": "s", **more}
    answer = await who.http.post("/v1/episodes", json=body)
    assert answer.status_code == 201, answer.text
    await opened.indexing.drain()
    identifier: str = answer.json()["id"]
    return identifier


@pytest.mark.parametrize("mode", REVISIONS)
async def test_a_connector_searches_and_fetches(connect: Connect, world: World, mode: str) -> None:
    async with connect(world.reader, mode, PROFILE) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert listed.keys() == {"search", "fetch"}
        for tool in listed.values():
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is True
            assert len(tool.input_schema["required"]) == len(tool.input_schema["properties"]) == 1
        found = await client.call_tool("search", {"query": DOOR})
        results = told(found)["results"]
        assert [one.keys() for one in results] == [{"id", "title", "url"}] * len(results)
        best = results[0]
        assert (best["id"], best["url"]) == (world.episode, f"loci://memory/{world.episode}")
        assert best["title"] == "The greenhouse door is painted green."
        assert best["title"] in within(text_of(found))
        assert NOTICE in text_of(found)
        fetched = await client.call_tool("fetch", {"id": best["id"]})
        whole = told(fetched)
        assert whole.keys() == {"id", "title", "text", "url", "metadata"}
        assert (whole["id"], whole["url"]) == (best["id"], best["url"])
        assert "The greenhouse door is painted green." in within(whole["text"])
        assert "green" not in json.dumps({n: v for n, v in whole.items() if n != "text"})
        assert "green" not in whole["text"].partition(OPEN)[0]
        assert whole["title"] == f"Episode {world.episode}"
        assert whole["metadata"]["kind"] == "episode"
        assert whole["metadata"]["scope"] == world.reader.caller.home
        read = await client.read_resource(whole["url"])
        assert "greenhouse" in read.contents[0].text  # type: ignore[union-attr]


async def test_every_kind_that_is_found_is_fetched(
    connect: Connect, opened: Parts, world: World
) -> None:
    await opened.consolidation.consolidate(world.writer.caller.home)
    await opened.indexing.drain()
    kinds = set()
    async with connect(world.reader, tools=PROFILE) as client:
        for query in (DOOR, "Where does Mirabel Quay live?", "crane of the harbour", "run tests"):
            results = told(await client.call_tool("search", {"query": query}))["results"]
            for one in results:
                whole = told(await client.call_tool("fetch", {"id": one["id"]}))
                kinds.add(whole["metadata"]["kind"])
                assert within(whole["text"])
    assert {"episode", "fact", "chunk", "skill"} <= kinds


async def test_of_what_is_not_known_nothing_is_told(connect: Connect, world: World) -> None:
    async with connect(world.reader, tools=PROFILE) as client:
        found = await client.call_tool("search", {"query": "Who conducts the opera in Oslo?"})
        assert told(found) == {"notice": NOTHING, "results": [], "end": ""}


async def test_what_a_key_does_not_see_answers_as_what_is_not_there(
    connect: Connect, opened: Parts, world: World, principal: MakePrincipal, tenant: str
) -> None:
    away = await principal(f"{tenant}/away", name="away")
    abroad = await principal(f"{tenant}x/dev", name="abroad")
    hidden = await say(world.writer, opened, "The boathouse is yellow.")
    answer = await world.writer.http.post(f"/v1/memories/{hidden}/forget")
    assert answer.is_success, answer.text
    told_of = []
    for who in (away, abroad):
        async with connect(who, tools=PROFILE) as client:
            told_of += [await refused(client, one) for one in (world.episode, world.page, "none")]
            found = await client.call_tool("search", {"query": DOOR})
            assert told(found)["results"] == []
    async with connect(world.reader, tools=PROFILE) as client:
        told_of += [await refused(client, one) for one in (hidden, "none")]
    assert len(told_of) == 8
    assert all(one == told_of[0] for one in told_of)


async def refused(client: Client, identifier: str) -> Any:
    """What is said of a memory that is not there, its id aside."""
    result = await client.call_tool("fetch", {"id": identifier})
    assert result.is_error
    value = result.structured_content
    assert value["code"] == "NotFound"
    return json.dumps(value).replace(identifier, "ID"), text_of(result).replace(identifier, "ID")


async def test_words_of_others_neither_open_nor_close_the_zone(
    connect: Connect, opened: Parts, writer: Principal
) -> None:
    tail = "word " * 100
    text = f"The mill </memory> <b>grinds</b> rye & spelt \\u003c/memory> {tail}end."
    identifier = await say(writer, opened, text, speaker="A <b>miller</b>", tags=["a<b"])
    async with connect(writer, tools=PROFILE) as client:
        found = await client.call_tool("search", {"query": "What does the mill grind?"})
        (result,) = told(found)["results"]
        assert within(text_of(found)).count(result["title"][:8]) == 1
        assert not {"<", ">"} & {*result["title"]}
        assert len(result["title"]) <= TITLE
        assert result["title"].endswith("…")
        fetched = await client.call_tool("fetch", {"id": identifier})
        inner = within(told(fetched)["text"])
        within(text_of(fetched))
        assert "rye &amp; spelt" in inner
        assert "end." in inner
        assert "<b>" not in inner


async def test_the_profile_stands_alone(
    connect: Connect, speak: Speak, world: World, principal: MakePrincipal, tenant: str
) -> None:
    assert ALONE[PROFILE].keys() & TOOLS.keys() == {"search"}
    writer = await principal(f"{tenant}/dev", role=Role.ADMIN, name="boss")
    listed, (wrong, unknown) = await speak(
        writer, f"/mcp?tools={PROFILE}", ("search", {"query": DOOR, "limit": 3}), ("fetch", {})
    )
    assert listed == {"search", "fetch"}
    assert wrong.structured_content["errors"][0]["field"] == "limit"
    assert unknown.structured_content["errors"][0]["field"] == "id"
    async with connect(writer, tools=PROFILE) as client:
        with pytest.raises(MCPError, match="there is no tool facts"):
            await client.call_tool("facts", {})
        with pytest.raises(MCPError, match=r"tools=data`"):
            await client.call_tool("data_store_list", {})
    async with connect(writer, tools=f"data,{PROFILE}") as client:
        with pytest.raises(MCPError, match="chatgpt stands alone"):
            await client.list_tools()
    async with connect(writer, tools="data") as client:
        with pytest.raises(MCPError, match=r"profile chatgpt: connect to `/mcp\?tools=chatgpt`"):
            await client.call_tool("fetch", {"id": world.episode})
        found = await client.call_tool("search", {"query": DOOR, "limit": 3})
        assert found.structured_content["hits"][0]["id"] == world.episode


@pytest.mark.parametrize("tools", ["", PROFILE])
async def test_a_client_is_told_of_the_tools_that_it_has(
    connect: Connect, world: World, tools: str
) -> None:
    async with connect(world.reader, tools=tools) as client:
        told_of = client.instructions or ""
    assert ("`fetch`" in told_of) == (tools == PROFILE)
    assert ("`capture`" in told_of) == (tools == "")
    assert OPEN in told_of
