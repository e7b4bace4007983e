"""Segments, intents and the log over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from app.kernel.caller import Role
from app.kernel.clock import now
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.learning.conftest import begin, end, log_of, roll_back, run, solved, told

Drain = Callable[[], Awaitable[int]]
TASKS = ("renew the tls certificate", "renew the tls certificate now", "renew the tls certificate")


async def test_a_task_is_begun_told_of_and_scored_once(writer: Principal, tenant: str) -> None:
    made = await begin(writer, "Repair the login page, ask ada@example.org")
    assert (made["state"], made["label"], made["agent"]) == ("open", None, writer.caller.principal)
    assert "@example.org" not in made["untrusted"]["task"]
    url = f"/v1/segments/{made['id']}"
    more = {"tools": [True, False], "turn_count": 4}
    held = await told(await writer.http.post(f"{url}/evidence", json=more))
    assert held["evidence"]["tools"] == [True, False]
    done = await end(writer, made["id"], tools=[True], reply="Thanks!", answer="Fixed it.")
    assert done["evidence"]["tools"] == [True, False, True]
    assert (done["evidence"]["continuation"], done["evidence"]["assessment"]) == ("thanks", "done")
    # (.7 × .2 + .85 × .25 + .7 × .15) / .6
    assert (done["score"], done["label"], done["confidence"]) == (0.7625, "resolved", 0.7625)
    assert await end(writer, made["id"], cancelled=True) == done, "a second end changes nothing"
    answer = await writer.http.post(f"{url}/evidence", json={"turn_count": 9})
    assert (answer.status_code, answer.json()["code"]) == (409, "StateRefused")
    (entry,) = await log_of(writer, about=made["id"])
    assert entry["type"] == "resolution_scored"
    assert entry["figures"]["signals"] == {
        "tool": 0.7, "continuation": 0.85, "self_assessment": 0.7
    }  # fmt: skip
    told_of = await told(await writer.http.get("/v1/learned/changes"))
    rows = [(row["version"], row["operation"], row["target_kind"]) for row in told_of["items"]]
    assert rows == [
        (1, "create", "task_segment"), (2, "update", "task_segment"),
        (3, "create", "learned_entry"), (4, "update", "task_segment"),
    ]  # fmt: skip
    rest = await writer.http.get("/v1/learned/changes", params={"after": 2, "limit": 1})
    assert (await told(rest))["next"] == 3


async def test_what_is_wrong_is_refused_and_changes_nothing(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    other = await principal(f"{tenant}/dev", name="other")
    stranger = await principal(f"{tenant}x/dev", name="stranger")
    made = await begin(writer, "Count the sheep")
    url = f"/v1/segments/{made['id']}"
    bodies: tuple[tuple[Any, Any], ...] = (
        ({"task": "a", "trace": "none"}, "trace"), ({"task": ""}, "task"),
        ({"task": "a", "surprise": 1}, "surprise"), ({"task": "a", "scope": "nowhere/x"}, "scope"),
    )  # fmt: skip
    for body, field in bodies:
        answer = await writer.http.post("/v1/segments", json=body)
        assert answer.status_code in (404, 422), answer.text
        assert answer.json()["errors"][0]["field"] == field
    bodies = (
        ({"used": [{"memory": "none"}]}, 404),
        ({"checks": [{"kind": "luck", "passed": True}]}, 422),
        ({"turn_count": -1}, 422), ({"tools": ["maybe"]}, 422),
    )  # fmt: skip
    for body, status in bodies:
        answer = await writer.http.post(f"{url}/evidence", json=body)
        assert answer.status_code == status, answer.text
    assert (await other.http.post(f"{url}/end", json={})).status_code == 403
    assert (await stranger.http.post(f"{url}/end", json={})).status_code == 404
    assert (await stranger.http.get(url)).status_code == 404
    assert await log_of(stranger) == []
    assert (await told(await writer.http.get(url)))["segment"] == made
    listed = await told(await other.http.get("/v1/segments", params={"state": "open"}))
    assert [one["id"] for one in listed["items"]] == [made["id"]]
    assert (await other.http.get("/v1/segments", params={"label": "odd"})).status_code == 422
    assert (await writer.http.post("/v1/segments/end-idle", json={})).status_code == 403


async def test_a_trace_and_a_conversation_are_read_where_nothing_was_told(
    writer: Principal, tenant: str
) -> None:
    trace = (await writer.http.post("/v1/traces", json={"task": "Find the leak"})).json()["id"]
    calls = [{"tool": "look", "status": state} for state in ("error", "success", "success")]
    answer = await writer.http.post(f"/v1/traces/{trace}/tool-calls", json={"tool_calls": calls})
    assert answer.status_code == 201, answer.text
    made = await begin(writer, "Find the leak", trace=trace, session="pipes")
    for role, content in (
        ("user", "Find the leak"), ("assistant", "Erledigt, es war das Ventil."),
        ("user", "Nein, es tropft immer noch, das stimmt so nicht."),
    ):  # fmt: skip
        body = {"content": content, "session": "pipes", "role": role}
        assert (await writer.http.post("/v1/episodes", json=body)).status_code == 201
    done = await end(writer, made["id"])
    assert done["evidence"]["tools"] == [False, True, True]
    seen = (done["evidence"]["continuation"], done["evidence"]["assessment"])
    assert seen == ("correction", "done")
    assert (done["score"], done["label"]) == (0.4708, "unknown")
    assert done["trace"] == trace


async def test_a_silent_task_is_ended_once(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    made = await begin(writer, "Water the plants")
    assert (await run(admin, "segments/end-idle", scope))["ids"] == [], "it is not silent yet"
    later = now() + timedelta(minutes=31)
    dry = await opened.segments.end_idle([scope], dry_run=True, moment=later)
    assert dry.ids == [made["id"]]
    first = await opened.segments.end_idle([scope], dry_run=False, moment=later)
    assert first.ids == [made["id"]]
    again = await opened.segments.end_idle([scope], dry_run=False, moment=later)
    assert again.ids == []
    read = (await told(await writer.http.get(f"/v1/segments/{made['id']}")))["segment"]
    assert (read["state"], read["score"], read["label"]) == ("ended", 0.4, "unknown")
    (entry,) = await log_of(writer, about=made["id"])
    assert (entry["batch"], entry["actor"]) == (first.id, "loci")


async def test_tasks_like_no_other_keep_none_from_their_intent(
    opened: Parts,
    admin: Principal,
    writer: Principal,
    tenant: str,
    drain: Drain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scope = f"{tenant}/dev"
    lone = ["paint a garden fence", "order seven tyres", "translate Latin psalms",
            "weigh elephants", "tune grandma's piano", "sharpen blunt scissors"]  # fmt: skip
    for task in lone:
        await solved(writer, task)
    done = [await solved(writer, task) for task in TASKS]
    await drain()
    monkeypatch.setattr(opened.intents, "rule", replace(opened.intents.rule, batch=4))
    receipt = await run(admin, "intents/find", scope)
    assert set(receipt["ids"]) == {one["id"] for one in done}, "the third was not among the four"
    turns = [await opened.intents._waiting(scope, now() + timedelta(days=n)) for n in range(6)]
    assert {one.task for turn in turns for one in turn} == set(lone), "each has its day"
    assert {len(turn) for turn in turns} <= {2, 3, 4}


async def test_intents_are_found_confirmed_and_rolled_back(
    admin: Principal, writer: Principal, tenant: str, drain: Drain
) -> None:
    scope = f"{tenant}/dev"
    done = [await solved(writer, task) for task in TASKS]
    await solved(writer, "paint the garden fence green")
    await drain()
    dry = await run(admin, "intents/find", scope, dry_run=True)
    receipt = await run(admin, "intents/find", scope)
    ids = {one["id"] for one in done}
    assert set(dry["ids"]) == set(receipt["ids"]) == ids
    assert (await run(admin, "intents/find", scope))["ids"] == [], "a second run finds no more"
    (intent,) = (await told(await writer.http.get("/v1/intents")))["items"]
    assert (intent["state"], intent["segments"], intent["resolved"]) == ("found", 3, 3)
    assert intent["untrusted"]["name"] == TASKS[0]
    url = f"/v1/intents/{intent['id']}/confirm"
    assert (await writer.http.post(url)).status_code == 403
    assert (await told(await admin.http.post(url)))["state"] == "confirmed"
    assert (await told(await admin.http.post(url)))["state"] == "confirmed"
    await solved(writer, "renew the tls certificate")
    await drain()
    assert len((await run(admin, "intents/find", scope))["ids"]) == 1
    of = await told(await writer.http.get("/v1/segments", params={"intent": intent["id"]}))
    assert len(of["items"]) == 4
    kinds = [entry["type"] for entry in await log_of(writer) if "intent" in entry["type"]]
    assert sorted(kinds) == [*["intent_classified"] * 4, "intent_confirmed", "intent_discovered"]

    before = now()
    assert (await writer.http.post(
        f"/v1/learned/batches/{receipt['receipt']}/roll-back", json={}
    )).status_code == 403  # fmt: skip
    dry = await roll_back(admin, receipt["receipt"], dry_run=True)
    back = await roll_back(admin, receipt["receipt"])
    assert set(dry["ids"]) == set(back["ids"])
    assert len(back["ids"]) == 5, "what was classified to it later goes along"
    assert (await roll_back(admin, receipt["receipt"]))["ids"] == []
    (intent,) = (await told(await writer.http.get("/v1/intents")))["items"]
    assert (intent["state"], intent["segments"]) == ("withdrawn", 0)
    assert (await admin.http.post(url)).status_code == 409
    held = await log_of(writer, as_of=now().isoformat())
    assert {entry["type"] for entry in held} == {"resolution_scored", "intent_confirmed"}
    known = await log_of(writer, as_of=now().isoformat(), known_at=before.isoformat())
    assert len([entry for entry in known if "intent" in entry["type"]]) == 6, "it was known so"
    assert len((await run(admin, "intents/find", scope))["ids"]) == 4, "they are found anew"


async def test_a_score_is_rolled_back_from_a_moment_on(
    admin: Principal, writer: Principal, tenant: str
) -> None:
    done = await solved(writer, "Sort the mail")
    (entry,) = await log_of(writer, about=done["id"])
    future = (now() + timedelta(hours=1)).isoformat()
    await roll_back(admin, entry["batch"], 422, at=future)
    await roll_back(admin, "none", 404)
    await roll_back(admin, entry["batch"])
    read = (await told(await writer.http.get(f"/v1/segments/{done['id']}")))["segment"]
    assert (read["score"], read["label"], read["state"]) == (None, None, "ended")
    (entry,) = await log_of(writer, about=done["id"])
    assert entry["recorded_at"] < entry["valid_to"] <= entry["closed_at"]
    assert await log_of(writer, as_of=now().isoformat()) == []
    assert len(await log_of(writer, as_of=entry["recorded_at"])) == 1, "it held then"


async def test_the_log_tells_of_skills_and_of_consolidation(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    skill = {"name": "Mend a tyre", "description": "How tyres are mended.", "body": "Glue it.",
             "category": "debugging"}  # fmt: skip
    made = await told(await writer.http.post("/v1/skills", json=skill), 201)
    for body, kind in (("Glue it well.", "minor"), ("Sew it.", "experimental")):
        change = {"body": body, "change_type": kind}
        answer = await writer.http.patch(f"/v1/skills/{made['id']}", json=change)
        assert answer.status_code == 200, answer.text
    said = {"content": "The tyre shop is in Ulm.", "session": "s"}
    assert (await writer.http.post("/v1/episodes", json=said)).status_code == 201
    await opened.consolidation.consolidate(scope)
    await opened.learning.refresh()
    dry = await run(admin, "learned/collect", scope, dry_run=True)
    assert await log_of(writer) == []
    receipt = await run(admin, "learned/collect", scope)
    assert sorted(dry["ids"]) == sorted(receipt["ids"])
    entries = {entry["type"]: entry for entry in await log_of(writer)}
    assert entries.keys() == {"skill_created", "skill_improved", "memory_updated"}
    versions = {entry["figures"].get("version") for entry in await log_of(writer)}
    assert versions == {"1.0.0", "1.1.0", "1.1.1-exp.1", None}
    assert entries["skill_created"]["about"] == made["id"]
    assert entries["memory_updated"]["figures"]["episodes"] == 1
    assert (await run(admin, "learned/collect", scope))["ids"] == []


async def test_ends_at_once_are_counted_without_a_gap(writer: Principal, tenant: str) -> None:
    begun = await asyncio.gather(*(begin(writer, f"task {n}") for n in range(6)))
    await asyncio.gather(*(end(writer, one["id"], tools=[True]) for one in begun * 2))
    assert len(await log_of(writer, type="resolution_scored")) == 6, "each once"
    rows = (await told(await writer.http.get("/v1/learned/changes")))["items"]
    assert [row["version"] for row in rows] == list(range(1, 6 + 6 * 2 + 1))


async def test_what_was_used_is_linked_once_and_seen_by_scope(
    admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    note = (await writer.http.post("/v1/notes", json={"content": "Use glue."})).json()["id"]
    made = await begin(writer, "Mend the chair")
    url = f"/v1/segments/{made['id']}"
    for _ in range(2):
        await told(await writer.http.post(
            f"{url}/evidence", json={"used": [{"memory": note, "rank": 2}]}
        ))  # fmt: skip
    (use,) = (await told(await writer.http.get(url)))["used"]
    assert (use["memory"], use["kind"], use["rank"]) == (note, "note", 2)
    reader = await principal(tenant, role=Role.READER, name="reader", subtree=False)
    assert (await reader.http.get(url)).status_code == 404
