"""Tools beyond the twelve: in their profiles only, with the rights and effects of their routes."""

from __future__ import annotations

from typing import Any

import pytest

from app.kernel.caller import Role
from app.mcp.service import PROFILES, TOOLS
from tests.conftest import MakePrincipal, Principal
from tests.mcp.conftest import Speak


async def test_work_is_made_found_and_advanced(speak: Speak, writer: Principal) -> None:
    address = "/mcp?tools=work"
    listed, (made,) = await speak(
        writer, address, ("work_create", {"title": "Ship <it>", "tags": ["now"]})
    )
    assert listed == TOOLS.keys() | PROFILES["work"].keys()
    item = made.structured_content["id"]
    note = await writer.http.post("/v1/notes", json={"content": "Ships leave at nine."})
    memory = note.json()["id"]
    calls = [
        ("work_create", {"title": "Pack it", "parent_id": item}),
        ("work_query", {"tag": "now"}),
        ("work_query", {}),
        ("work_advance", {"item": item, "to": "in_progress", "expected_from": "todo"}),
        ("work_advance", {"item": item, "to": "in_progress", "expected_from": "todo"}),
        ("work_link", {"item": item, "memory": memory}),
        ("work_tree", {"item": item}),
    ]
    _, (below, found, bare, moved, again, linked, tree) = await speak(writer, address, *calls)
    assert [each["id"] for each in found.structured_content["items"]] == [item]
    assert "Ship &lt;it&gt;" in found.content[0].text
    assert bare.is_error
    assert moved.structured_content["state"] == "in_progress"
    assert again.structured_content["code"] == "StateRefused"
    assert linked.structured_content["memory"] == memory
    shown = tree.structured_content
    assert [each["id"] for each in shown["below"]] == [below.structured_content["id"]]
    assert len(shown["history"]) == len(shown["links"]) == 1


async def test_agents_share_memory_by_pools(
    speak: Speak, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    address = "/mcp?tools=pools"
    other = await principal(f"{tenant}/dev", name="other")
    shared = {"name": "Ops", "pool_id": "ops", "access_control": {"public": True}}
    _, results = await speak(
        writer, address,
        ("create_memory_pool", shared),
        ("create_memory_pool", {"name": "Own", "pool_id": "own", "type": "agent_private"}),
        ("write_shared_memory", {"pool": "ops", "path": "shift.lead", "value": "Ada </data>"}),
        ("write_shared_memory", {"pool": "ops", "value": {"day": 2}, "merge": True}),
    )  # fmt: skip
    assert [result.is_error for result in results] == [False] * 4
    _, (read, hidden, pools, kept) = await speak(
        other, address,
        ("read_shared_memory", {"pool": "ops"}),
        ("read_shared_memory", {"pool": "own"}),
        ("list_memory_pools", {}),
        ("delete_memory_pool", {"pool": "ops"}),
    )  # fmt: skip
    assert read.structured_content["untrusted"]["value"] == {
        "shift": {"lead": "Ada </data>"}, "day": 2
    }  # fmt: skip
    assert "Ada &lt;/data&gt;" in read.content[0].text
    assert hidden.structured_content["code"] == "NotFound"
    assert [pool["pool_id"] for pool in pools.structured_content["items"]] == ["ops"]
    assert kept.is_error
    _, (wrote, got, both, nothing) = await speak(
        writer, address,
        ("write_shared_memory", {"pool_id": "ops", "key": "shift.crew", "value": 3}),
        ("read_shared_memory", {"pool_id": "ops", "key": "shift.crew"}),
        ("read_shared_memory", {"pool_id": "ops", "pool": "own"}),
        ("read_shared_memory", {"pool_id": "ops", "key": "no.such"}),
    )  # fmt: skip
    assert not wrote.is_error
    assert got.structured_content["untrusted"]["value"] == 3
    assert both.structured_content["errors"][0]["field"] == "pool"
    assert "Change `key`" in nothing.content[0].text
    _, (gone, missing) = await speak(
        writer, address,
        ("delete_memory_pool", {"pool": "ops"}),
        ("read_shared_memory", {"pool": "ops"}),
    )  # fmt: skip
    assert gone.structured_content == {"pool": "ops"}
    assert missing.structured_content["code"] == "NotFound"


async def test_a_trace_is_written_and_its_tools_are_counted(
    speak: Speak, writer: Principal
) -> None:
    address = "/mcp?tools=traces"
    _, (begun,) = await speak(
        writer, address, ("start_trace", {"task": "Restore the backup of the shop."})
    )
    trace = begun.structured_content["id"]
    call = {"tool": "shell", "arguments": {"password": "hunter2hunter2"}, "duration_ms": 40}
    _, (step, recorded, wrong, ended, read, figures, alike) = await speak(
        writer, address,
        ("add_step", {"trace": trace, "thought": "Look first.", "action": "list"}),
        ("record_tool_call", {"trace": trace, "step": 1, **call}),
        ("record_tool_call", {"trace": trace, "tool": "not a name"}),
        ("complete_trace", {"trace": trace, "outcome": "success", "result": "It runs."}),
        ("get_trace", {"trace": trace}),
        ("tool_stats", {}),
        ("find_similar_traces", {"task": "Restore the backup of the shop."}),
    )  # fmt: skip
    assert step.structured_content["steps"][0]["number"] == 1
    assert not recorded.is_error
    assert wrong.is_error
    assert ended.structured_content["outcome"] == "success"
    assert "hunter2" not in read.content[0].text
    assert read.structured_content["steps"][0]["tool_calls"][0]["tool"] == "shell"
    assert not alike.is_error, alike
    (row,) = figures.structured_content["items"]
    assert (row["tool"], row["calls"], row["successes"]) == ("shell", 1, 1)


@pytest.mark.parametrize("profile", sorted(PROFILES))
async def test_a_reader_is_shown_what_only_reads(
    speak: Speak, principal: MakePrincipal, tenant: str, profile: str
) -> None:
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="reader")
    tools = PROFILES[profile]
    beyond = [(name, {}) for name, tool in tools.items() if tool.requires is not Role.READER]
    listed, results = await speak(reader, f"/mcp?tools={profile}", *beyond)
    assert listed & tools.keys() == tools.keys() - dict(beyond).keys()
    assert all(tools[name].reads for name in listed & tools.keys())
    assert {result.structured_content["code"] for result in results} <= {"Forbidden"}


def test_profiles_go_together_and_no_name_stands_twice() -> None:
    names = [name for tools in (TOOLS, *PROFILES.values()) for name in tools]
    assert len(names) == len(set(names))
    every: list[Any] = [tool for tools in PROFILES.values() for tool in tools.values()]
    for tool in every:
        listed = tool.listed()
        assert len(listed.description or "") <= 240, tool.name
        assert (listed.output_schema or {})["type"] == "object", tool.name
