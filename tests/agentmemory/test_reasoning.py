"""The demands of the protocol on traces, steps and tool calls, over the bridge."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from app.wiring import Parts
from tests.agentmemory.conftest import Bridge

STATUSES = ("pending", "success", "failure", "error", "timeout", "cancelled")
TASK = "Find out what Ilka Brandmeier does at Brunnholm Works"


async def begin(bridge: Bridge, task: str = TASK, session: str = "s") -> str:
    told = await bridge("start_trace", session_id=session, task=task)
    identifier: str = told["id"]
    return identifier


async def test_a_trace_begins_and_ends(bridge: Bridge) -> None:
    """SPEC-4.1.1 SPEC-4.1.2 SPEC-4.4.1 SPEC-4.4.2 SPEC-4.5.3"""
    told = await bridge("start_trace", session_id="s", task=TASK)
    assert (told["session_id"], told["task"], told["steps"]) == ("s", TASK, [])
    assert [told[name] for name in ("completed_at", "outcome", "success")] == [None] * 3
    assert told["started_at"]
    other = await begin(bridge, "Another task")
    assert str(UUID(told["id"])) != str(UUID(other))
    done = await bridge("complete_trace", trace_id=told["id"], outcome="Found", success=True)
    assert (done["outcome"], done["success"]) == ("Found", True)
    assert done["completed_at"] >= done["started_at"]
    lost = await bridge("complete_trace", trace_id=other, outcome="Nothing", success=False)
    assert (lost["outcome"], lost["success"]) == ("Nothing", False)
    assert await bridge("get_trace_with_steps", trace_id=str(uuid4())) is None


async def test_steps_are_numbered(bridge: Bridge) -> None:
    """SPEC-4.2.1 SPEC-4.2.2 SPEC-4.2.3 SPEC-4.2.4 SPEC-4.2.5 SPEC-4.2.6 SPEC-4.5.1"""
    trace = await begin(bridge)
    given: list[dict[str, str]] = [
        {"thought": "Think about it", "action": "look", "observation": "Seen"},
        {"thought": "Just thinking"},
        {"action": "Just acting"},
        {"observation": "I see something"},
        *({"thought": f"Step {n}"} for n in range(8)),
    ]
    made = [await bridge("add_step", trace_id=trace, **step) for step in given]
    assert [step["step_number"] for step in made] == list(range(1, len(given) + 1))
    for step, told in zip(given, made, strict=True):
        every = dict.fromkeys(("thought", "action", "observation")) | step
        assert {**every, "trace_id": trace, "tool_calls": []}.items() <= told.items()
    whole = await bridge("get_trace_with_steps", trace_id=trace)
    assert whole["steps"] == made


async def test_tool_calls_have_every_status(bridge: Bridge) -> None:
    """SPEC-4.3.1 SPEC-4.3.2 SPEC-4.3.3 SPEC-4.3.4 SPEC-4.3.5 SPEC-4.3.6 SPEC-4.3.7 SPEC-4.3.8
    SPEC-4.5.2 SPEC-4.7.1 SPEC-4.7.2 SPEC-4.7.3 SPEC-4.7.4"""
    assert await bridge("get_tool_stats") == []
    step = await bridge("add_step", trace_id=await begin(bridge), action="use tools")
    call = {"step_id": step["id"], "tool_name": "look_up", "arguments": {"name": "Ilka", "n": 5}}
    plain = await bridge("record_tool_call", **call)
    assert (plain["status"], plain["arguments"]) == ("success", call["arguments"])
    rich = {"result": {"found": True}, "duration_ms": 150}
    told = await bridge("record_tool_call", **call, **rich)
    assert rich.items() <= told.items()
    for status in STATUSES:
        made = await bridge(
            "record_tool_call", step_id=step["id"], tool_name="other", status=status, error="so"
        )
        assert (made["status"], made["error"], made["arguments"]) == (status, "so", {})
    whole = await bridge("get_trace_with_steps", trace_id=step["trace_id"])
    assert len(whole["steps"][0]["tool_calls"]) == 8
    assert whole["steps"][0]["tool_calls"][:2] == [plain, told]
    figures = {one["name"]: one for one in await bridge("get_tool_stats")}
    assert figures["look_up"] == {
        "name": "look_up", "total_calls": 2, "successful_calls": 2, "failed_calls": 0,
        "success_rate": 1.0, "avg_duration_ms": 150.0,
    }  # fmt: skip
    (other,) = await bridge("get_tool_stats", tool_name="other")
    assert (other["total_calls"], other["successful_calls"], other["failed_calls"]) == (6, 1, 3)
    assert other["success_rate"] == 1 / 6


async def test_traces_are_listed_by_session(bridge: Bridge) -> None:
    """SPEC-4.6.1 SPEC-4.6.2 SPEC-4.6.3 SPEC-4.6.4 SPEC-5.1.6 SPEC-5.5.2"""
    assert await bridge("list_traces") == []
    made = [await begin(bridge, f"Task {n}", "ab"[n % 2]) for n in range(4)]
    await bridge.said("a", "What does Ilka do?")
    assert [one["id"] for one in await bridge("list_traces")] == made[::-1]
    assert [one["id"] for one in await bridge("list_traces", session_id="a")] == [made[2], made[0]]
    assert [one["id"] for one in await bridge("list_traces", limit=1)] == [made[3]]
    assert await bridge.texts("a") == ["What does Ilka do?"]


async def test_traces_of_tasks_alike_are_found(bridge: Bridge, opened: Parts) -> None:
    """SPEC-5.4.1 SPEC-5.4.2 SPEC-5.4.3"""
    assert await bridge("get_similar_traces", task="anything") == []
    for number, success in enumerate((True, False, True)):
        trace = await begin(bridge, "Repair the turbine of the northern dam")
        await bridge("complete_trace", trace_id=trace, outcome=f"Done {number}", success=success)
    await opened.indexing.drain()
    asked = {"task": "Repair the turbine of the northern dam"}
    found = await bridge("get_similar_traces", **asked)
    assert {one["outcome"] for one in found} == {"Done 0", "Done 2"}
    assert len(await bridge("get_similar_traces", **asked, limit=1)) == 1
    every = await bridge("get_similar_traces", **asked, success_only=False)
    assert len(every) == 3


async def test_memories_go_together(bridge: Bridge) -> None:
    """SPEC-5.1.1 SPEC-5.1.2 SPEC-5.5.3"""
    await bridge.said("talk", "Tell me about Ilka Brandmeier at Brunnholm Works")
    await bridge.said("talk", "I will look that up.", role="assistant")
    await bridge.said("elsewhere", "Somebody else speaks")
    things: dict[str, Any] = {}
    for name, kind in (("Ilka Brandmeier", "PERSON"), ("Brunnholm Works", "ORGANIZATION")):
        things[name] = await bridge("add_entity", name=name, entity_type=kind)
    ids = [things["Ilka Brandmeier"]["id"], things["Brunnholm Works"]["id"]]
    call = {"source_id": ids[0], "target_id": ids[1], "relationship_type": "WORKS_AT"}
    await bridge("add_relationship", **call)
    trace = await begin(bridge, session="talk")
    step = await bridge("add_step", trace_id=trace, action="look up")
    found = {"entity_id": ids[0]}
    await bridge("record_tool_call", step_id=step["id"], tool_name="look_up", result=found)
    whole = await bridge("complete_trace", trace_id=trace, outcome="She works there", success=True)
    assert whole["steps"][0]["tool_calls"][0]["result"] == found
    assert len(await bridge.texts("talk")) == 2
    assert await bridge.texts("elsewhere") == ["Somebody else speaks"]
    related = await bridge("get_related_entities", entity_id=ids[0])
    assert [one["id"] for one in related] == [ids[1]]
    assert (await bridge("get_entity_by_name", name="Ilka Brandmeier"))["id"] == ids[0]
