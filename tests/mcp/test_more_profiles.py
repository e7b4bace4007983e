"""Tools of contexts, conversations, working memory, goals, escalations and observations."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from app.kernel.caller import Role
from app.mcp.service import PROFILES, TOOLS
from app.search.bundle import CLOSE, OPEN
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.mcp.conftest import Speak


async def test_a_context_is_filled_searched_and_changed(
    speak: Speak, writer: Principal, opened: Parts
) -> None:
    address = "/mcp?tools=contexts"
    listed, (made,) = await speak(writer, address, ("context_create", {"name": "Quay <9>"}))
    assert listed == TOOLS.keys() | PROFILES["contexts"].keys()
    there = {"context": made.structured_content["id"]}
    one = {**there, "key": "crane"}
    _, (added, taken, other, read) = await speak(
        writer, address,
        ("context_add", {**one, "content": {"text": "The crane lifts 40 tonnes."}}),
        ("context_add", {**one, "content": "another"}),
        ("context_update", {**one, "content": {"text": "The crane lifts <50> tonnes."}}),
        ("context_read", one),
    )  # fmt: skip
    await opened.indexing.drain()
    _, (found, archived, gone, left, contexts) = await speak(
        writer, address,
        ("context_search", {**there, "query": "The crane lifts <50> tonnes."}),
        ("context_archive", one),
        ("context_read", one),
        ("context_entries", there),
        ("context_list", {}),
    )  # fmt: skip
    assert added.structured_content["version"] == 1
    assert taken.structured_content["code"] == "AlreadyExists"
    assert other.structured_content["version"] == 2
    text = read.content[0].text
    assert "&lt;50&gt;" in text[text.index(OPEN) : text.index(CLOSE)]
    assert "50" in str(found.structured_content), found
    assert archived.structured_content["status"] == "archived"
    assert gone.structured_content["errors"][0]["field"] == "key"
    assert left.structured_content["items"] == []
    assert there["context"] in contexts.content[0].text
    _, (kept, recalled, faded, reflected) = await speak(
        writer, address,
        ("own_remember", {"key": "tide", "content": "High tide is at six."}),
        ("own_recall", {"query": "high tide"}),
        ("own_forget", {"key": "tide"}),
        ("own_reflect", {}),
    )  # fmt: skip
    assert "High tide is at six." in recalled.content[0].text
    assert kept.structured_content["importance"] is None
    assert faded.structured_content["importance"] == 0.05
    assert not reflected.is_error


async def test_a_conversation_is_kept_read_and_cleared(
    speak: Speak, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    address, talk = "/mcp?tools=conversations", {"conversation": "quay"}
    said = [{"content": f"Ship {number} is <in>."} for number in range(12)]
    listed, (appended, buffer, window, stats, cleared, empty) = await speak(
        writer, address,
        ("conversation_append", {**talk, "messages": said}),
        ("conversation_buffer", talk),
        ("conversation_window", {**talk, "limit": 11}),
        ("conversation_stats", talk),
        ("conversation_clear", talk),
        ("conversation_buffer", talk),
    )  # fmt: skip
    assert listed == TOOLS.keys() | PROFILES["conversations"].keys()
    assert len(appended.structured_content["left"]) == 2
    contents = [m["untrusted"]["content"] for m in buffer.structured_content["messages"]]
    assert contents == [f"Ship {number} is <in>." for number in range(2, 12)]
    assert "&lt;in&gt;" in buffer.content[0].text
    assert len(window.structured_content["messages"]) == 11
    assert stats.structured_content["mid_term"] == 2
    assert cleared.structured_content["moved"] == 10
    assert empty.structured_content["messages"] == []
    other = await principal(f"{tenant}/dev", name="other")
    _, (nothing,) = await speak(other, address, ("conversation_buffer", talk))
    assert nothing.structured_content["messages"] == []


async def test_what_is_at_hand_is_kept_and_handed_over(
    speak: Speak, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    address, task = "/mcp?tools=working", {"task": "unload"}
    other = await principal(f"{tenant}/dev", name="pilot")
    one = {**task, "key": "berth"}
    listed, results = await speak(
        writer, address,
        ("working_store", {**one, "value": {"number": "<4>"}}),
        ("working_retrieve", one),
        ("working_store", {**task, "part": "state", "value": 1}),
        ("working_store", {**task, "value": 1}),
        ("working_append", {**task, "part": "scratch-pad", "value": "a"}),
        ("working_append", {**task, "part": "scratch-pad", "value": "b"}),
        ("working_retrieve", {**task, "part": "scratch-pad"}),
        ("working_keys", task),
        ("working_persist", task),
        ("working_remove", one),
        ("working_retrieve", one),
        ("working_load", task),
        ("working_clear", task),
        ("working_share", {"agent": other.caller.principal, "key": "berth", "value": 4}),
    )  # fmt: skip
    assert listed == TOOLS.keys() | PROFILES["working"].keys()
    _, held, _, unnamed, _, _, pad, keys, copied, _, gone, loaded, cleared, _ = results
    assert held.structured_content["untrusted"]["value"] == {"number": "<4>"}
    assert "&lt;4&gt;" in held.content[0].text
    assert unnamed.is_error
    assert pad.structured_content["untrusted"]["value"] == "a\nb"
    assert len(keys.structured_content["items"]) == copied.structured_content["values"] == 3
    assert gone.structured_content["code"] == "NotFound"
    assert loaded.structured_content == {"loaded": 1, "kept": 2}
    assert cleared.structured_content["removed"] == 3
    given = ("working_retrieve_shared", {"agent": writer.caller.principal, "key": "berth"})
    _, (handed,) = await speak(other, address, given)
    assert handed.structured_content["untrusted"]["value"] == 4
    _, (own,) = await speak(writer, address, given)
    assert own.structured_content["code"] == "NotFound"


async def test_goals_escalations_and_observations(
    speak: Speak, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    address = "/mcp?tools=goals,escalations,observations"
    listed, (made, asked, told) = await speak(
        writer, address,
        ("goal_create", {"title": "Empty the <yard>"}),
        (
            "escalation_create",
            {"title": "May we?", "due_at": (datetime.now(UTC) + timedelta(days=1)).isoformat()},
        ),
        ("observation_push", {"items": [{"sensor": "gauge", "key": "k", "payload": {"m": 3}}]}),
    )  # fmt: skip
    further = PROFILES["goals"].keys() | PROFILES["escalations"].keys()
    assert listed == TOOLS.keys() | further | PROFILES["observations"].keys()
    goal = {"goal": made.structured_content["id"]}
    waits = {"escalation": asked.structured_content["id"]}
    seen = told.structured_content["items"][0]["observation"]["id"]
    _, results = await speak(
        writer, address,
        ("goal_update", {**goal, "progress": 40}),
        ("goal_update", {**goal, "title": None}),
        ("goal_advance", {**goal, "to": "completed"}),
        ("goal_advance", {**goal, "to": "abandoned"}),
        ("goal_read", goal),
        ("goal_list", {"state": "completed"}),
        ("escalation_list", {"state": "open"}),
        ("escalation_resolve", {**waits, "resolution": "Yes."}),
        ("observation_process", {"ids": [seen]}),
        ("observation_list", {"processed": True, "sensor": "gauge"}),
    )  # fmt: skip
    changed, emptied, done, again, read, goals, waiting, resolved, processed, observed = results
    assert changed.structured_content["progress"] == 40
    assert emptied.is_error
    assert done.structured_content["state"] == "completed"
    assert again.structured_content["code"] == "StateRefused"
    assert "&lt;yard&gt;" in read.content[0].text
    assert [each["id"] for each in goals.structured_content["items"]] == [goal["goal"]]
    assert len(waiting.structured_content["items"]) == 1
    assert resolved.structured_content["state"] == "resolved"
    assert processed.structured_content["items"][0]["processed_at"]
    assert [each["id"] for each in observed.structured_content["items"]] == [seen]
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="guest")
    listed, (refused,) = await speak(reader, address, ("goal_update", {**goal, "progress": 1}))
    assert refused.structured_content["code"] == "Forbidden"
    assert "goal_update" not in listed
    far = await principal("elsewhere-goals", name="far")
    _, (lost,) = await speak(far, address, ("goal_read", goal))
    assert lost.structured_content["code"] == "NotFound"
