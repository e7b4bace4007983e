"""The hosted operations over the bridge: they say what their REST says, in small letters."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID, uuid4

from litestar.handlers import HTTPRouteHandler

from app.agentmemory import hosted
from app.wiring import Parts
from tests.agentmemory.conftest import REST, Bridge, MakeBridge

TORBEN = "Torben Askvik tunes the harpsichord of Lysehall with Klangverk AS."


def small(told: Any) -> Any:
    """An answer of the REST with the names that its fields have over the bridge."""
    if isinstance(told, list):
        return [small(one) for one in told]
    if isinstance(told, dict):
        return {re.sub("[A-Z]", lambda m: f"_{m[0].lower()}", k): small(v) for k, v in told.items()}
    return told


async def rest(bridge: Bridge, path: str) -> Any:
    answer = await bridge.http.get(REST + path)
    assert answer.status_code == 200, (path, answer.text)
    return small(answer.json())


async def begun(bridge: Bridge, **more: Any) -> str:
    identifier: str = (await bridge("create_conversation", user_id="torben", **more))["id"]
    return identifier


async def test_conversations_over_the_bridge(bridge: Bridge, opened: Parts) -> None:
    """V-5.1.1 V-5.1.2 V-5.1.3 V-5.1.4 V-5.2.1 V-5.2.2"""
    made = await bridge("create_conversation", user_id="torben", metadata={"desk": {"no": 4}})
    talk = made["id"]
    assert (UUID(talk), made["user_id"], made["metadata"]) == (
        UUID(talk), "torben", {"desk": {"no": 4}},
    )  # fmt: skip
    given = [{"role": "user", "content": TORBEN}] + [
        {"role": "assistant", "content": f"Noted {n}", "metadata": {"n": n}} for n in range(3)
    ]
    kept = await bridge("bulk_add_messages", conversation_id=talk, messages=given)
    assert [(one["role"], one["content"]) for one in kept] == [
        (one["role"], one["content"]) for one in given
    ]
    assert kept[2]["metadata"] == {"n": 1}
    await bridge("add_message", session_id=talk, role="user", content="By name or by id.")
    await opened.consolidation.consolidate(bridge.who.caller.home)
    at = f"/conversations/{talk}"
    assert await bridge("get_conversation_metadata", conversation_id=talk) == await rest(bridge, at)
    listed = await bridge("list_conversations", limit=10)
    assert listed == (await rest(bridge, "/conversations"))["conversations"]
    context = await bridge("get_context", conversation_id=talk)
    assert context == await rest(bridge, f"{at}/context")
    assert [one["content"] for one in context["recent_messages"]][-1] == "By name or by id."
    observed = await bridge("get_observations", conversation_id=talk, limit=5)
    assert observed == (await rest(bridge, f"{at}/observations?limit=5"))["observations"]
    assert any("Torben Askvik" in one["content"] for one in observed)
    reflected = await bridge("get_reflections", conversation_id=talk)
    assert reflected == (await rest(bridge, f"{at}/reflections"))["reflections"]
    for _ in range(2):
        await bridge("delete_conversation", conversation_id=talk)
    assert await bridge.texts(talk) == []
    assert talk not in {one["id"] for one in await bridge("list_conversations")}


async def test_entities_and_reasoning_over_the_bridge(bridge: Bridge, opened: Parts) -> None:
    """V-5.3.1 V-5.3.2 V-5.3.3 V-5.3.4 V-5.4.1 V-5.4.2 V-5.4.3 V-5.4.4"""
    torben = await bridge("add_entity", name="Torben Askvik", entity_type="person")
    other = await bridge("add_entity", name="The Lyse Tuner", entity_type="person")
    mine = torben["id"]
    talk = await begun(bridge)
    await bridge.said(talk, TORBEN)
    await opened.consolidation.consolidate(bridge.who.caller.home)
    assert await bridge("get_entity", entity_id=mine) == torben
    assert torben in await bridge("list_entities", type="person")
    judged = await bridge("set_entity_feedback", entity_id=mine, user_score=0.9, confirmed=True)
    assert judged == {"id": mine, "updated": True}
    told = await bridge("update_entity", entity_id=mine, description="Tunes what has strings")
    assert told["description"] == "Tunes what has strings"
    history = await bridge("get_entity_history", entity_id=mine)
    assert history == await rest(bridge, f"/entities/{mine}/history")
    assert [one["conversation_id"] for one in history["mentions"]] == [talk]
    graph = await bridge("get_entity_graph")
    assert graph == await rest(bridge, "/entities/graph")
    assert "Torben Askvik" in {node["name"] for node in graph["nodes"]}
    step = await bridge(
        "record_step", conversation_id=talk, reasoning="Who tunes it?", action_taken="ask"
    )
    assert (step["conversation_id"], step["reasoning"]) == (talk, "Who tunes it?")
    call = await bridge(
        "record_tool_call", step_id=step["id"], tool_name="look", arguments={"id": mine}
    )
    assert await bridge("list_steps", conversation_id=talk) == [step]
    trace = await bridge("get_trace_by_conversation", conversation_id=talk)
    assert trace == {"conversation_id": talk, "steps": [step], "tool_calls": [call]}
    why = await bridge("explain_step", step_id=step["id"])
    assert (why["tool_calls"], [one["id"] for one in why["influenced_entities"]]) == (
        [call],
        [mine],
    )
    assert {name: why[name] for name in step} == step
    found = await bridge("get_entity_provenance", entity_id=mine)
    assert found == {"entity_id": mine, "steps": [step]}
    merged = await bridge("merge_entities", source_id=other["id"], target_id=mine)
    assert merged == {"source_id": other["id"], "target_id": mine, "status": "merged"}
    assert (await bridge("get_entity", entity_id=other["id"]))["id"] == mine
    await bridge("delete_entity", entity_id=mine)


async def test_the_hosted_operations_refuse_what_their_rest_refuses(
    bridge: Bridge, connect: MakeBridge, tenant: str
) -> None:
    """V-5.5.1"""
    refused = await bridge.send("cypher_query", cypher="MATCH (n) RETURN n", params={})
    assert (refused.status_code, list(refused.json())) == (501, ["error"])
    talk = await begun(bridge)
    many = [{"role": "user", "content": "x"}] * 101
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("bulk_add_messages", {"conversation_id": talk, "messages": many}, "messages"),
        ("create_conversation", {"userid": "x"}, "userid"),
        ("set_entity_feedback", {"entity_id": talk, "user_score": 2}, "user_score"),
        ("get_entity", {"entity_id": str(uuid4())}, ""),
        ("explain_step", {"step_id": str(uuid4())}, ""),
    ]
    for method, given, field in wrong:
        answer = await bridge.send(method, **given)
        assert answer.status_code == 400, (method, answer.text)
        assert field in answer.json()["error"]
    stranger = await connect(f"{tenant}2/dev")
    await bridge.said(talk, TORBEN)
    for method in ("get_conversation_metadata", "get_context", "get_trace_by_conversation"):
        seen = await stranger(method, conversation_id=talk)
        assert TORBEN not in str(seen), method
    assert await stranger("list_conversations") == []


async def test_the_hosted_operations_answer_only_where_the_bridge_is_on(writer: Any) -> None:
    routes = vars(hosted.HostedBridgeController).items()
    methods = [name for name, route in routes if isinstance(route, HTTPRouteHandler)]
    assert len(methods) > 20
    for method in methods:
        answer = await writer.http.post(f"/agent-memory/bridge/{method}", json={})
        assert answer.status_code == 404, method
