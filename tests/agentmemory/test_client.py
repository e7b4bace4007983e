"""The protocol's own client, unchanged, and the agent of the guide."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
import uvicorn
from litestar import Litestar
from neo4j_agent_memory.config.settings import NamsConfig
from neo4j_agent_memory.core.exceptions import AuthenticationError, NotSupportedError
from neo4j_agent_memory.nams.client import NamsBackend

from app.kernel.caller import Role
from tests.agentmemory.conftest import Bridge
from tests.clients.conftest import serving
from tests.conftest import MakePrincipal, Principal
from tests.contract.test_docs import blocks, text

GUIDE = "docs/guides/agent-memory-protocol.md"
WAIT = 60.0  # seconds for anything to come, on a machine that has other work


@pytest_asyncio.fixture(loop_scope="session")
async def address(app: Litestar) -> AsyncIterator[str]:
    """The application behind a port of this machine."""
    door = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        app, lifespan="off", ws="none", log_config=None, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[door]))
    yield f"http://127.0.0.1:{door.getsockname()[1]}"
    server.should_exit = True
    await serving


def client(address: str, key: str) -> NamsBackend:
    """The client over REST."""
    given = {"endpoint": f"{address}/agent-memory/v1", "api_key": key, "max_retries": 0}
    return NamsBackend.from_config(NamsConfig.model_validate(given))


async def test_the_client_keeps_conversations(address: str, writer: Principal) -> None:
    async with client(address, writer.key) as memory:
        await memory.probe()
        short = memory.short_term
        talk = str((await short.create_conversation("x", user_identifier="una")).id)
        given = [f"Message {n} of the ferry" for n in range(60)]
        for message in given[:3]:
            told = await short.add_message(talk, "user", message)
            assert (told.role.value, told.content) == ("user", message)
        batch = [{"role": "assistant", "content": message} for message in given[3:]]
        assert len(await short.bulk_add_messages(talk, batch)) == 57
        read = await short.get_conversation(talk)
        assert [message.content for message in read.messages] == given
        last = await short.get_conversation(talk, limit=2)
        assert [message.content for message in last.messages] == given[-2:]
        found = await short.search_messages("ferry", session_id=talk, limit=3)
        assert len(found) == 3
        assert given[-1] in await short.get_context("anything", session_id=talk)
        assert [str(one.id) for one in await short.list_conversations()] == [talk]
        assert await short.list_conversations(user_identifier="nobody") == []
        status = await short.get_extraction_status(talk)
        assert (len(status.messages), status.is_complete) == (60, False)
        await short.clear_session(talk)
        assert (await short.get_conversation(talk)).messages == []


async def test_the_client_keeps_entities_and_reasoning(
    address: str, principal: MakePrincipal, tenant: str
) -> None:
    who = await principal(f"{tenant}/dev", role=Role.CURATOR)
    async with client(address, who.key) as memory:
        long = memory.long_term
        una = await long.add_entity("Una Fjelstrand", "PERSON", description="Pilot of the ferry")
        assert (una.name, una.type, una.description) == (
            "Una Fjelstrand", "PERSON", "Pilot of the ferry",
        )  # fmt: skip
        again = await long.get_entity_by_name("Una Fjelstrand")
        assert again is not None
        assert again.id == una.id
        assert (await long.get_entity_by_name("Nobody at all")) is None
        await long.set_entity_feedback(una.id, "positive")
        assert await long.get_entity_history(una.id) == []
        assert await long.get_related_entities(una.id) == []
        trace = await memory.reasoning.start_trace("ferry", "Find the pilot")
        step = await memory.reasoning.add_step(trace.id, thought="Who is it?", action="look")
        result = {"entity": str(una.id)}
        call = await memory.reasoning.record_tool_call(step.id, "look", {"q": 1}, result=result)
        assert (call.arguments, call.result) == ({"q": 1}, result)
        whole = await memory.reasoning.get_trace_with_steps(trace.id)
        assert whole is not None
        assert [each.id for each in whole.steps[0].tool_calls] == [call.id]
        found = await long.get_entity_provenance(una.id)
        assert [each["id"] for each in found["steps"]] == [str(step.id)]
        with pytest.raises(NotSupportedError):
            await memory.query.cypher("MATCH (n) RETURN count(n) AS total")
    async with client(address, "none") as memory:
        with pytest.raises(AuthenticationError):
            await memory.probe()


def programs() -> list[str]:
    """The Python of the guide: an agent, and a door for the kit."""
    return [body for language, body in blocks(text(GUIDE)) if language == "python"]


async def test_the_agent_of_the_guide_answers(
    address: str, writer: Principal, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    agent, _ = programs()
    lines = [line for line in agent.splitlines() if line.strip()]
    assert len(lines) <= 40
    monkeypatch.setenv("LOCI_API_URL", address)
    monkeypatch.setenv("LOCI_API_KEY", writer.key)
    await asyncio.to_thread(exec, compile(agent, GUIDE, "exec"), {"__name__": "agent"})
    assert "Mara Feldkirch repairs the clock tower" in capsys.readouterr().out
    assert re.search(r"async def answer", agent)


async def test_the_door_of_the_guide_adds_a_key_for_the_kit(
    bridge: Bridge, bridged: Litestar, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, program = programs()
    async with serving(bridged) as address:
        monkeypatch.setenv("LOCI_API_URL", address)
        monkeypatch.setenv("LOCI_API_KEY", bridge.who.key)
        made: dict[str, Any] = {"__name__": "door"}
        exec(compile(program, GUIDE, "exec"), made)
        door = made["door"]
        assert door.server_address[0] == "127.0.0.1"
        async with asyncio.timeout(WAIT):
            opened = asyncio.create_task(asyncio.to_thread(door.serve_forever))
            url = f"http://127.0.0.1:{door.server_port}"
            async with httpx.AsyncClient(base_url=url, timeout=WAIT) as kit:
                message = {"session_id": "kit", "role": "user", "content": "Over the door."}
                said = await kit.post("/add_message", json=message)
                assert (said.status_code, said.json()["content"]) == (200, "Over the door.")
                cleared = await kit.post("/clear_session", json={"session_id": "never"})
                assert (cleared.status_code, cleared.content) == (204, b"")
                wrong = await kit.post("/add_message", json={"role": "user"})
                assert (wrong.status_code, list(wrong.json())) == (400, ["error"])
                page = {"Origin": "http://elsewhere.example"}
                refused = await kit.post("/clear_all_data", json={}, headers=page)
                assert refused.status_code == 403
            door.shutdown()
            door.server_close()
            await opened
    assert await bridge.texts("kit") == ["Over the door."]
