"""Notifications: what a key may see, told to a stream of the newer revision over a real socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from litestar import Litestar
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import (
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    Subscription,
    ToolsListChanged,
)
from mcp.types import ResourceUpdatedNotification

from app.kernel.caller import Role
from app.mcp.listening import MOST_RESOURCES
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.mcp.conftest import World

SECONDS = 60.0
OLDER = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
Listen = Callable[..., AbstractAsyncContextManager[Subscription]]


@pytest_asyncio.fixture(loop_scope="session")
async def listen(port: int, opened: Parts, monkeypatch: pytest.MonkeyPatch) -> Listen:
    """Opens a stream with a key: `async with listen(reader, resources_list_changed=True) as s`."""
    monkeypatch.setattr(opened.events, "longest", 10 * SECONDS)

    @asynccontextmanager
    async def opening(who: Principal, **wanted: Any) -> AsyncIterator[Subscription]:
        headers = {"Authorization": f"Bearer {who.key}"}
        async with httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http:
            door = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)
            async with Client(door, mode="auto") as client, client.listen(**wanted) as stream:
                yield stream

    return opening


async def until(stream: Subscription, wanted: ServerEvent) -> set[ServerEvent]:
    """What came before a notification; TimeoutError after a minute without it."""
    before: set[ServerEvent] = set()
    async with asyncio.timeout(SECONDS):
        async for event in stream:
            if event == wanted:
                return before
            before.add(event)
    raise AssertionError(f"the stream ended after {before}")


async def post(who: Principal, path: str, **body: Any) -> dict[str, Any]:
    answer = await who.http.post(path, json=body)
    assert answer.is_success, answer.text
    told: dict[str, Any] = answer.json()
    return told


def lives_in(name: str, place: str) -> dict[str, Any]:
    return {
        "subject": {"name": name, "type": "person"},
        "predicate": "lives_in",
        "object": {"name": place, "type": "place"},
    }


async def test_a_resource_is_told_of_when_it_changes(
    listen: Listen, principal: MakePrincipal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    writer = await principal(scope, name="keeper")
    reader = await principal(scope, role=Role.READER, name="listener")
    known = await post(writer, "/v1/facts:remember", statement=lives_in("Isolde Querfurt", "Ulm"))
    page = await post(writer, "/v1/pages", content="# Lock\n\nIt is closed.", title="Lock")
    note = await post(writer, "/v1/notes", content="The lock is closed on Sundays.")
    entity = known["facts"][0]["subject"]
    skill = await post(
        writer, "/v1/skills", name="Open the lock", category="operations", body="Turn the wheel.",
        description="Open the lock for a barge.",
    )  # fmt: skip
    things = (
        ("entity", entity),
        ("page", page["id"]),
        ("memory", note["id"]),
        ("skill", skill["id"]),
    )
    uris = [f"loci://{kind}/{id}" for kind, id in things]
    async with listen(reader, resource_subscriptions=[*uris, "http://example.org/x"]) as stream:
        assert stream.honored.resource_subscriptions == uris
        assert stream.honored.resources_list_changed is None
        body = {"content": "# Lock\n\nIt is open."}
        answer = await writer.http.patch(f"/v1/pages/{page['id']}", json=body)
        assert answer.is_success, answer.text
        assert await until(stream, ResourceUpdated(uris[1])) == set()
        await post(writer, "/v1/facts:remember", statement=lives_in("Isolde Querfurt", "Trier"))
        assert await until(stream, ResourceUpdated(uris[0])) <= {ResourceUpdated(uris[1])}
        await post(writer, f"/v1/memories/{note['id']}/forget")
        assert await until(stream, ResourceUpdated(uris[2])) <= {ResourceUpdated(uris[0])}
        changed = {"description": "Open the lock for a barge, by hand."}
        answer = await writer.http.patch(f"/v1/skills/{skill['id']}", json=changed)
        assert answer.is_success, answer.text
        assert await until(stream, ResourceUpdated(uris[3])) <= {ResourceUpdated(uris[2])}


async def test_nothing_is_told_of_what_a_key_does_not_see(
    listen: Listen, principal: MakePrincipal, tenant: str
) -> None:
    writer = await principal(f"{tenant}/dev", name="keeper")
    page = await post(writer, "/v1/pages", content="# Weir\n\nIt is low.", title="Weir")
    uri = f"loci://page/{page['id']}"
    for where in (f"{tenant}/other", f"{tenant}x/dev"):
        stranger = await principal(where, name="stranger")
        async with listen(
            stranger, resource_subscriptions=[uri], resources_list_changed=True
        ) as stream:
            assert stream.honored.resource_subscriptions == [uri]  # as if it were not there
            body = {"content": f"# Weir\n\nIt is high in {where}."}
            answer = await writer.http.patch(f"/v1/pages/{page['id']}", json=body)
            assert answer.is_success, answer.text
            for word in ("Mine", "Ours"):
                await post(stranger, "/v1/notes", content=f"{word} alone, of the weir.")
                assert await until(stream, ResourcesListChanged()) == set()


async def test_tools_change_with_the_key_and_a_revoked_one_ends_the_stream(
    listen: Listen, principal: MakePrincipal, tenant: str, monkeypatch: Any
) -> None:
    monkeypatch.setattr("app.events.service.HEARTBEAT", 0.2)
    admin = await principal(tenant, role=Role.ADMIN, name="chief", kind="user")
    agent = await principal(f"{tenant}/dev", name="novice")
    body = {"kind": "agent", "name": "novice", "home": f"{tenant}/dev", "role": "reader"}
    async with listen(agent, tools_list_changed=True, prompts_list_changed=True) as stream:
        followed = (stream.honored.tools_list_changed, stream.honored.prompts_list_changed)
        assert followed == (True, None)
        await post(admin, "/v1/principals", **body)
        assert await until(stream, ToolsListChanged()) == set()
        answer = await admin.http.delete(f"/v1/keys/{agent.key.split('_')[1]}")
        assert answer.is_success, answer.text
        async with asyncio.timeout(SECONDS):
            assert [event async for event in stream] == []


async def test_a_stream_follows_so_many_resources(
    listen: Listen, principal: MakePrincipal, tenant: str
) -> None:
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="greedy")
    uris = [f"loci://page/{n}" for n in range(MOST_RESOURCES + 1)]
    with pytest.raises(BaseExceptionGroup) as raised:
        async with listen(reader, resource_subscriptions=uris):
            pass
    assert raised.value.subgroup(
        lambda e: isinstance(e, MCPError) and "at most 256 resources" in str(e)
    )


@OLDER
async def test_the_older_revision_subscribes_by_session(
    app: Litestar, opened: Parts, port: int, principal: MakePrincipal, tenant: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(opened.events, "longest", 10 * SECONDS)
    writer = await principal(f"{tenant}/dev", name="keeper")
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="elder")
    pages = [await post(writer, "/v1/pages", content=f"# {n}\n\nOld.", title=n) for n in "AB"]
    uris = [f"loci://page/{page['id']}" for page in pages]
    told: asyncio.Queue[str] = asyncio.Queue()

    async def hear(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            told.put_nowait(str(message.params.uri))

    listening = opened.events.listening
    address = f"http://127.0.0.1:{port}/mcp?notifications=true"
    headers = {"Authorization": f"Bearer {reader.key}"}
    async with httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http:
        door = streamable_http_client(address, http_client=http)
        async with Client(door, mode="legacy", message_handler=hear) as client:
            able = client.server_capabilities.resources
            assert able is not None
            assert able.subscribe
            for _ in range(int(SECONDS / 0.05)):
                if opened.events.listening > listening:
                    break
                await asyncio.sleep(0.05)
            assert opened.events.listening > listening, "no stream was opened in a minute"
            for uri in uris:
                await client.subscribe_resource(uri)
            await client.unsubscribe_resource(uris[0])
            with pytest.raises(MCPError, match="loci://KIND/ID"):
                await client.subscribe_resource("http://example.org/x")
            for page in pages:
                body = {"content": "# New\n\nNew."}
                answer = await writer.http.patch(f"/v1/pages/{page['id']}", json=body)
                assert answer.is_success, answer.text
            async with asyncio.timeout(SECONDS):
                assert await told.get() == uris[1]
    for method in ("GET", "DELETE"):
        answer = await reader.http.request(method, "/mcp", headers={"Mcp-Session-Id": "s"})
        assert answer.status_code == 405


@OLDER
async def test_only_an_address_that_asks_for_them_has_sessions(port: int, world: World) -> None:
    headers = {"Authorization": f"Bearer {world.reader.key}"}
    async with httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http:
        door = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)
        async with Client(door, mode="legacy") as client:
            able = client.server_capabilities.resources
            assert able is not None
            assert not able.subscribe
            with pytest.raises(MCPError):
                await client.subscribe_resource(f"loci://page/{world.page}")
