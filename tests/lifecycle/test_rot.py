"""The formulas of the nightly profile as tables, and what its jobs do and leave alone."""

from __future__ import annotations

import json
import math
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contexts.staleness import Verdict, staleness
from app.jobs.model import Job
from app.kernel.clock import now
from app.lifecycle.rot import idle_trust, learning_is_spent, learning_left
from app.lifecycle.tasks import archive_learnings, detect_rot, fade_trust
from app.tasks import SCHEDULES, TASKS
from app.wiring import Parts
from tests.conftest import Command, MakePrincipal, Principal
from tests.lifecycle.conftest import Switch

DAY = timedelta(days=1)
UPKEEP = Job("j", "t", "_system", "_system", "running", {}, 1, now(), now())


@pytest.mark.parametrize(
    ("age", "idle", "importance", "score", "verdict"),
    [
        (30, None, 0.5, 0.59, Verdict.KEEP),
        (60, None, 0.2, 0.78, Verdict.REVIEW),
        (90, 90, 0.1, 0.92, Verdict.ARCHIVE),
        (30, None, None, 0.59, Verdict.KEEP),
        (30, None, math.nan, 0.59, Verdict.KEEP),
        (0, 0, 1.0, 0.0, Verdict.KEEP),
        (-5, -5, 2.0, 0.0, Verdict.KEEP),
    ],
)
def test_staleness(
    age: float, idle: float | None, importance: float | None, score: float, verdict: Verdict
) -> None:
    found = staleness(age * DAY, None if idle is None else idle * DAY, importance)
    assert found.score == pytest.approx(score, abs=5e-3)
    assert found.verdict is verdict


@given(st.floats(0, 10_000), st.none() | st.floats(0, 10_000), st.floats(0.5, 1))
def test_what_is_of_some_importance_is_never_archived(
    age: float, idle: float | None, importance: float
) -> None:
    found = staleness(age * DAY, None if idle is None else idle * DAY, importance)
    assert found.score <= 0.85 + 1e-6
    assert found.verdict is not Verdict.ARCHIVE


def test_what_was_never_read_is_archived_only_where_it_hardly_matters() -> None:
    assert staleness(10_000 * DAY, None, 0.14).verdict is Verdict.REVIEW
    assert staleness(10_000 * DAY, None, 0.13).verdict is Verdict.ARCHIVE


def test_learnings_fade_by_whole_days_after_a_week() -> None:
    assert learning_left(0.5, 6.9 * DAY) == 0.5
    assert learning_left(0.5, 7.9 * DAY) == pytest.approx(0.5 * 0.997**7)
    assert learning_left(0.5, 5000 * DAY) == 0.05
    assert learning_left(0.02, 5000 * DAY) == 0.02
    assert learning_is_spent(0.5, 600 * DAY, 600 * DAY)
    assert not learning_is_spent(0.5, 300 * DAY, 600 * DAY)
    assert not learning_is_spent(0.05, 29 * DAY, 30 * DAY)


@pytest.mark.parametrize(
    ("trust", "idle", "left"),
    [
        (0.9, 0, 0.9),
        (0.9, 7, 0.9),
        (0.9, 14, 0.892),
        (0.9, 7 + 15 * 7, 0.78),
        (0.9, 5000, 0.78),
        (0.1, 5000, 0.22),
        (0.5, 5000, 0.5),
    ],
)
def test_an_idle_agent_loses_trust(trust: float, idle: float, left: float) -> None:
    assert idle_trust(trust, idle * DAY) == pytest.approx(left)


def test_the_jobs_are_due_at_their_times() -> None:
    due = {schedule.name: schedule.cron for schedule in SCHEDULES}
    assert due["lifecycle.trust"] == "0 2 * * *"
    assert due["lifecycle.learnings"] == "45 3 * * *"
    assert due["lifecycle.rot"] == due["lifecycle.sweep"] == "0 4 * * *"
    assert all(schedule.task in TASKS for schedule in SCHEDULES)


async def nothing(progress: dict[str, Any]) -> None: ...


async def write(who: Principal, opened: Parts, content: str, **stored: Any) -> str:
    more = {"namespace": stored.pop("namespace")} if "namespace" in stored else {}
    answer = await who.http.post("/v1/notes", json={"content": content, **more})
    assert answer.status_code == 201, answer.text
    note: str = answer.json()["id"]
    await opened.graph.raw("MATCH (n:Note {id: $id}) SET n += $set", id=note, set=stored)
    return note


async def shown(who: Principal, note: str) -> bool:
    return (await who.http.get(f"/v1/notes/{note}")).status_code == 200


async def test_rot_is_told_and_hidden_only_where_it_is_switched_on(
    admin: Principal, opened: Parts, tenant: str, switch: Switch
) -> None:
    old = {"ingested_at": now() - 400 * DAY, "last_access": now() - 200 * DAY}
    stale = await write(admin, opened, "The wombat sleeps in hangar nine.", importance=0.05, **old)
    kept = await write(admin, opened, "Rain fell on Tuesday in Ulm.", importance=0.05, **old)
    doubtful = await write(admin, opened, "Ada Berger plays chess.", importance=0.4, **old)
    fresh = await write(admin, opened, "Heron ships on Friday.", importance=0.05)
    assert (await admin.http.post(f"/v1/memories/{kept}/pin")).status_code == 200
    report = (await admin.http.get("/v1/rot", params={"scope": tenant})).json()
    assert (report["total"], report["stale"], report["review"], report["archive"]) == (4, 2, 1, 1)
    assert [entry["memory"] for entry in report["entries"]] == [stale, doubtful]
    first = report["entries"][0]
    parts = 0.4 * first["age"] + 0.3 * first["access"] + 0.3 * first["unimportance"]
    assert first["score"] == pytest.approx(parts, abs=1e-3)
    await switch(tenant, decay=True, forgetting=True)
    await detect_rot(opened, UPKEEP, nothing)
    assert await shown(admin, stale)  # the profile is off
    await switch(tenant, maintenance="nightly")
    dry = (await admin.http.post("/v1/sweeps", json={"scope": tenant})).json()
    assert dry["archived"] == [stale]
    assert await shown(admin, stale)
    done = await detect_rot(opened, UPKEEP, nothing)
    assert done.result["scopes"][tenant] == 1
    assert [await shown(admin, n) for n in (stale, kept, doubtful, fresh)] == [
        False,
        True,
        True,
        True,
    ]
    again = await detect_rot(opened, UPKEEP, nothing)
    assert tenant not in again.result["scopes"]
    assert (await admin.http.post(f"/v1/memories/{stale}/unforget")).json()["changed"]
    assert await shown(admin, stale)


async def test_a_reader_is_not_told_of_rot(principal: MakePrincipal, tenant: str) -> None:
    writer = await principal(f"{tenant}/dev")
    assert (await writer.http.get("/v1/rot")).status_code == 403


async def test_learnings_that_faded_are_hidden_and_other_notes_stay(
    admin: Principal, opened: Parts, tenant: str, switch: Switch
) -> None:
    long_ago = now() - 700 * DAY
    old = {"ingested_at": long_ago, "updated_at": long_ago, "importance": 0.4}
    spent = await write(
        admin, opened, "Cold starts take two seconds.", namespace="learnings", **old
    )
    other = await write(admin, opened, "The depot is in Kiel.", **old)
    await archive_learnings(opened, UPKEEP, nothing)
    assert await shown(admin, spent)
    await switch(tenant, maintenance="nightly")
    done = await archive_learnings(opened, UPKEEP, nothing)
    assert done.result["scopes"] == {tenant: 1}
    assert [await shown(admin, spent), await shown(admin, other)] == [False, True]


async def test_an_idle_agent_is_trusted_less_where_its_home_says_so(
    admin: Principal,
    principal: MakePrincipal,
    opened: Parts,
    tenant: str,
    switch: Switch,
    command: Command,
) -> None:
    home = f"{tenant}/dev"
    idle = await principal(home, name="idle")
    busy = await principal(home, name="busy")
    await opened.graph.raw(
        "MATCH (k:ApiKey)-[:KEY_OF]->(p:Principal {id: $id}) SET k.last_used_at = $at, "
        "p.created_at = $at",
        id=idle.caller.principal,
        at=now() - 400 * DAY,
    )
    # Each stands for something that a curator rejected: a record of (1 + 0) / (2 + 1).
    for agent in (idle, busy):
        told = {
            "statement": {
                "subject": {"name": f"Heron {agent.caller.name}", "type": "project"},
                "predicate": "status",
                "object": {"value": "active"},
            },
            "scope": home,
        }
        fact = (await agent.http.post("/v1/facts:remember", json=told)).json()["facts"][0]["id"]
        assert (await agent.http.post(f"/v1/facts/{fact}/attest")).status_code == 200
        rejected = await admin.http.post(f"/v1/quarantine/{fact}/reject", json={})
        assert rejected.status_code == 200, rejected.text
    await opened.graph.raw(
        "MATCH (k:ApiKey)-[:KEY_OF]->(p:Principal {id: $id}) SET k.last_used_at = $at",
        id=idle.caller.principal,
        at=now() - 400 * DAY,
    )
    await fade_trust(opened, UPKEEP, nothing)
    assert await trust_in(opened, idle) is None
    await switch(home, maintenance="nightly")
    for _ in range(2):  # a second run does not fade it further
        done = await fade_trust(opened, UPKEEP, nothing)
        assert done.result["scopes"][home] == 2
        assert await trust_in(opened, busy) == pytest.approx(1 / 3, abs=1e-5)
        assert await trust_in(opened, idle) == pytest.approx(1 / 3 + 0.3 / 6, abs=1e-5)
    # The trust is shown wherever agents are, and to nobody who does not see their home.
    held = {busy.caller.principal: 1 / 3, idle.caller.principal: 1 / 3 + 0.3 / 6}
    text = "{ agents { nodes { id trust trustAt } } }"
    asked = await admin.http.post("/graphql", json={"query": text})
    by_agent = {
        "rest": {row["id"]: row for row in (await admin.http.get("/v1/agents")).json()["items"]},
        "principals": {
            row["id"]: row for row in (await admin.http.get("/v1/principals")).json()["items"]
        },
        "graphql": {row["id"]: row for row in asked.json()["data"]["agents"]["nodes"]},
        "cli": {
            row["id"]: row for row in json.loads((await command("agents", tenant, "--json")).stdout)
        },
    }
    for where, rows in by_agent.items():
        shown = {agent: rows[agent]["trust"] for agent in held}
        assert shown == pytest.approx(held, abs=1e-4), where
        assert all(rows[a].get("trust_at") or rows[a].get("trustAt") for a in held), where
    assert by_agent["principals"][admin.caller.principal]["trust"] is None
    table = await command("agents", tenant)
    assert "0.33" in table.stdout


async def trust_in(opened: Parts, agent: Principal) -> float | None:
    (row,) = await opened.graph.raw(
        "MATCH (p:Principal {id: $id}) RETURN p.trust AS trust", id=agent.caller.principal
    )
    trust: float | None = row["trust"]
    return trust
