"""Goals: over HTTP, against a plain model in any order, and under their check."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

from app.goals.upkeep import check_stale
from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.ids import new_id
from app.wiring import Parts
from tests.autonomy.conftest import listed, make, read, refused, told
from tests.conftest import MakePrincipal, Principal

URL = "/v1/goals"


async def go(who: Principal, goal: str, to: str) -> int:
    answer = await who.http.post(f"{URL}/{goal}/advance", json={"to": to})
    return answer.status_code


async def idle(opened: Parts, goal: str, days: float) -> None:
    """Have a goal be without progress since some days ago."""
    moment = now() - timedelta(days=days)
    await opened.graph.raw(
        "MATCH (n:Goal {id: $id}) SET n.progress_at = $at, n.idle_since = $at", id=goal, at=moment
    )


async def events(opened: Parts, target: str) -> list[tuple[str, str]]:
    rows = await opened.graph.raw(
        "MATCH (a:AuditEvent {target: $id}) RETURN a.kind AS kind, a.actor AS by ORDER BY a.id",
        id=target,
    )
    return [(row["kind"], row["by"]) for row in rows]


async def test_a_goal_is_made_changed_read_and_listed(writer: Principal, tenant: str) -> None:
    top = await make(
        writer, "goals", title="Open in Graz", criteria="The door is open.", priority="high"
    )
    low = await make(writer, "goals", title="Find rooms", parent_id=top["id"], owner="mover")
    assert top["untrusted"] == {
        "title": "Open in Graz", "description": None, "criteria": "The door is open."
    }  # fmt: skip
    assert (top["state"], top["next"], top["progress"], top["version"]) == (
        "active", ["completed", "abandoned"], 0, 1
    )  # fmt: skip
    assert (top["owner"], low["owner"]) == (writer.caller.principal, f"agent:{tenant}:mover")
    began, ends = (datetime.fromisoformat(top[name]) for name in ("progress_at", "stale_at"))
    assert ends - began == timedelta(days=14)
    answer = await writer.http.patch(
        f"{URL}/{low['id']}", json={"progress": 40, "description": "By the river."},
        headers={"If-Match": "1"},
    )  # fmt: skip
    moved = await told(answer)
    assert (moved["progress"], moved["version"]) == (40, 2)
    assert moved["progress_at"] > low["progress_at"]
    same = await told(await writer.http.patch(f"{URL}/{low['id']}", json={"progress": 40}))
    assert same == moved, "the same number is no progress"
    for query, titles in (
        ({}, ["Open in Graz", "Find rooms"]),
        ({"state": "active", "owner": "mover"}, ["Find rooms"]),
        ({"parent_id": top["id"]}, ["Find rooms"]),
        ({"priority": "high"}, ["Open in Graz"]),
        ({"stale": True}, []),
        ({"state": "completed"}, []),
    ):
        found = [goal["untrusted"]["title"] for goal in await listed(writer, "goals", **query)]
        assert found == titles, query
    page = await told(await writer.http.get(URL, params={"limit": 1}))
    assert page["next"] == top["id"]
    rest = await listed(writer, "goals", cursor=page["next"])
    assert [goal["id"] for goal in rest] == [low["id"]]


async def test_what_is_wrong_is_refused_by_name_and_changes_nothing(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    made = await make(writer, "goals", title="Stay")
    for body, name in (
        ({}, "title"),
        ({"title": ""}, "title"),
        ({"title": "x", "progress": 101}, "progress"),
        ({"title": "x", "priority": "huge"}, "priority"),
        ({"title": "x", "owner": "agent:other:x"}, "owner"),
        ({"title": "x", "color": 1}, "color"),
    ):
        answer = await writer.http.post(URL, json=body)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, name)
    await refused(
        await writer.http.post(URL, json={"title": "x", "parent_id": "none"}),
        404, "NotFound", "parent_id",
    )  # fmt: skip
    await refused(
        await writer.http.post(f"{URL}/{made['id']}/advance", json={"to": "active"}),
        409, "StateRefused", "to",
    )  # fmt: skip
    await refused(
        await writer.http.patch(
            f"{URL}/{made['id']}", json={"progress": 1}, headers={"If-Match": "9"}
        ),
        412, "VersionMismatch", "If-Match",
    )  # fmt: skip
    answer = await writer.http.patch(f"{URL}/{made['id']}", json={"title": None})
    assert answer.status_code == 422
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="looker")
    assert await go(reader, made["id"], "completed") == 403
    stranger = await principal(f"{tenant}/far", name="far")
    assert (await stranger.http.get(f"{URL}/{made['id']}")).status_code == 404
    assert await go(stranger, made["id"], "completed") == 404
    assert await listed(stranger, "goals") == []
    assert (await read(writer, "goals", made["id"]))["goal"] == made


async def test_a_goal_is_linked_to_work_and_memories(writer: Principal, tenant: str) -> None:
    made = await make(writer, "goals", title="Open")
    item = (await make(writer, "work-items", title="Paint"))["id"]
    note = (await make(writer, "notes", content="The paint is blue."))["id"]
    for memory, kind in ((item, "work_item"), (note, "note"), (note, "note")):
        link = await make(writer, f"goals/{made['id']}/links", memory=memory)
        assert (link["memory"], link["kind"], link["scope"]) == (memory, kind, f"{tenant}/dev")
    links = (await read(writer, "goals", made["id"]))["links"]
    assert [link["memory"] for link in links] == [item, note]
    await told(await writer.http.delete(f"{URL}/{made['id']}/links/{item}"), 204)
    answer = await writer.http.delete(f"{URL}/{made['id']}/links/{item}")
    await refused(answer, 404, "NotFound", "memory")
    answer = await writer.http.post(f"{URL}/{made['id']}/links", json={"memory": "none"})
    await refused(answer, 404, "NotFound", "memory")


async def test_the_link_of_a_goal_goes_with_the_work(opened: Parts, writer: Principal) -> None:
    goal = (await make(writer, "goals", title="Open"))["id"]
    item = (await make(writer, "work-items", title="Paint"))["id"]
    await make(writer, f"goals/{goal}/links", memory=item)
    await told(await writer.http.delete(f"/v1/work-items/{item}"), 204)
    assert (await read(writer, "goals", goal))["links"] == []
    rows = await opened.graph.raw("MATCH (n:Declared {refers: $id}) RETURN n.id", id=item)
    assert rows == []


# --- the check --------------------------------------------------------------------------------


async def abandoning(admin: Principal, scope: str, on: bool | None = True) -> None:
    """Let the check abandon the stale goals of a scope, or tell of them as by default."""
    path = f"/v1/scopes/settings?scope={scope}"
    answer = await admin.http.patch(path, json={"goals": {"abandon_stale": on}})
    assert answer.status_code == 200, answer.text


async def test_the_check_tells_of_what_is_stale_once_and_ends_nothing(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    old, young, done = [
        (await make(writer, "goals", title=title))["id"] for title in ("old", "young", "done")
    ]
    for goal, days in ((old, 14.01), (young, 13.99), (done, 99)):
        await idle(opened, goal, days)
    await go(writer, done, "completed")
    dry = await make(admin, "goals/check", status=200, scope=f"{tenant}/dev")
    assert (dry["dry_run"], dry["ids"], dry["counts"]) == (True, [old], {f"{tenant}/dev": 1})
    wet = await make(admin, "goals/check", status=200, dry_run=False)
    assert wet["ids"] == [old]
    for dry_run in (True, False):
        assert (await make(admin, "goals/check", status=200, dry_run=dry_run))["ids"] == []
    left = await read(writer, "goals", old)
    assert (left["goal"]["state"], left["goal"]["version"], left["history"]) == ("active", 1, [])
    assert [g["id"] for g in await listed(writer, "goals", stale=True)] == [old]
    told_of = [("goal.create", writer.caller.principal), ("goal.stale", "loci")]
    assert await events(opened, old) == told_of
    await told(await writer.http.patch(f"{URL}/{old}", json={"progress": 7}))
    assert (await make(admin, "goals/check", status=200, dry_run=False))["ids"] == []
    await idle(opened, old, 15)
    assert (await make(admin, "goals/check", status=200, dry_run=False))["ids"] == [old], "anew"
    assert await events(opened, old) == [
        *told_of, ("goal.update", writer.caller.principal), ("goal.stale", "loci")
    ]  # fmt: skip


async def test_the_check_abandons_once_where_the_scope_says_so(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    old, young = [(await make(writer, "goals", title=title))["id"] for title in ("old", "young")]
    for goal, days in ((old, 14.01), (young, 13.99)):
        await idle(opened, goal, days)
    assert (await make(admin, "goals/check", status=200, dry_run=False))["ids"] == [old], "told of"
    await abandoning(admin, f"{tenant}/dev")
    dry = await make(admin, "goals/check", status=200, scope=f"{tenant}/dev")
    assert (dry["dry_run"], dry["ids"], dry["counts"]) == (True, [old], {f"{tenant}/dev": 1})
    assert (await read(writer, "goals", old))["goal"]["state"] == "active"
    wet = await make(admin, "goals/check", status=200, dry_run=False)
    assert wet["ids"] == [old]
    assert (await make(admin, "goals/check", status=200, dry_run=False))["ids"] == []
    left = await read(writer, "goals", old)
    assert (left["goal"]["state"], left["goal"]["stale_at"]) == ("abandoned", None)
    assert [(s["before"], s["to"], s["by"]) for s in left["history"]] == [
        ("active", "abandoned", "loci")
    ]
    assert (await read(writer, "goals", young))["goal"]["state"] == "active"
    await refused(
        await writer.http.post(f"{URL}/check", json={"scope": f"{tenant}/dev"}), 403, "Forbidden"
    )


async def test_an_abandoned_goal_is_taken_up_again(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    made = (await make(writer, "goals", title="Sail to Bornholm"))["id"]
    await idle(opened, made, 30)
    await abandoning(admin, f"{tenant}/dev")
    await make(admin, "goals/check", status=200, dry_run=False)
    gone = (await read(writer, "goals", made))["goal"]
    assert (gone["state"], gone["next"]) == ("abandoned", ["active"])
    assert await go(writer, made, "completed") == 409
    assert [await go(writer, made, "active") for _ in range(2)] == [200, 409]
    back = await read(writer, "goals", made)
    assert (back["goal"]["state"], back["goal"]["version"]) == ("active", 3)
    assert [step["to"] for step in back["history"]] == ["abandoned", "active"]
    assert (await events(opened, made))[-1] == ("goal.advance", writer.caller.principal)
    again = await make(admin, "goals/check", status=200, dry_run=False)
    assert again["ids"] == [], "its time without progress begins anew"
    assert await go(writer, made, "completed") == 200
    assert await go(writer, made, "active") == 409, "what is completed stays so"


async def test_checks_at_once_and_after_a_jump_of_the_clock_act_once(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    scopes = [f"{tenant}/dev"]
    ids = [(await make(writer, "goals", title=f"goal {n}"))["id"] for n in range(5)]
    ahead = now() + timedelta(days=400)

    async def check(moment: datetime) -> list[str]:
        receipt = await check_stale(opened.goals, scopes, dry_run=False, moment=moment)
        return receipt.ids

    for abandon, steps in ((False, 0), (True, 1)):
        await abandoning(admin, scopes[0], abandon)
        assert await check(now() - timedelta(days=400)) == []
        runs = await asyncio.gather(*(check(ahead) for _ in range(3)))
        assert sorted(goal for run in runs for goal in run) == ids, "each by one run"
        assert await check(now()) == []
        for goal in ids:
            assert len((await read(writer, "goals", goal))["history"]) == steps


async def test_progress_meets_the_check(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    """Whoever is first decides: a goal that moved is not abandoned, an abandoned one stays so."""
    await abandoning(admin, f"{tenant}/dev")
    ids = [(await make(writer, "goals", title=f"goal {n}"))["id"] for n in range(6)]
    for goal in ids:
        await idle(opened, goal, 20)

    async def move(goal: str) -> int:
        return (await writer.http.patch(f"{URL}/{goal}", json={"progress": 7})).status_code

    check = asyncio.create_task(check_stale(opened.goals, [f"{tenant}/dev"], dry_run=False))
    moved = await asyncio.gather(*map(move, ids))
    receipt = await check
    for goal, status in zip(ids, moved, strict=True):
        state = (await read(writer, "goals", goal))["goal"]["state"]
        assert (status, state, goal in receipt.ids) in (
            (200, "active", False), (409, "abandoned", True)
        )  # fmt: skip


async def test_the_schedule_checks_goals(opened: Parts, writer: Principal) -> None:
    made = (await make(writer, "goals", title="old"))["id"]
    await idle(opened, made, 15)
    for number in range(2):
        where = {"tenant": "_system", "scope": "_system", "args": {}}
        job = await opened.runner.submit("goals.check", job_id=new_id(), **where)
        assert await opened.runner.run(opened, job.id) == "done", number
    told_of = [kind for kind, _ in await events(opened, made)]
    assert told_of == ["goal.create", "goal.stale"]


# --- any order --------------------------------------------------------------------------------


STEPS = {("active", "completed"), ("active", "abandoned"), ("abandoned", "active")}


@dataclass
class Model:
    """What the model knows of a goal."""

    title: str
    progress: int = 0
    state: str = "active"
    version: int = 1
    idle: float = 0.0
    history: list[tuple[str, str, str]] = field(default_factory=list)


async def perform(
    opened: Parts, who: Principal, models: dict[str, Model], dice: random.Random
) -> None:
    """Carry out one operation that the dice choose, and the model's own of it."""
    name = dice.choice(["create", "progress", "progress", "title", "advance", "wait", "check"])
    if name == "create" or not models:
        word = dice.choice(["plan", "build"])
        models[(await make(who, "goals", title=word))["id"]] = Model(word)
        return
    goal = dice.choice(list(models))
    held = models[goal]
    if name in ("progress", "title"):
        value: Any = dice.choice([10, 20]) if name == "progress" else dice.choice(["plan", "ship"])
        answer = await who.http.patch(f"{URL}/{goal}", json={name: value})
        changes = getattr(held, name) != value
        assert answer.status_code == (409 if changes and held.state != "active" else 200)
        if changes and held.state == "active":
            setattr(held, name, value)
            held.version += 1
            held.idle = 0.0 if name == "progress" else held.idle
    elif name == "advance":
        to = dice.choice(["completed", "abandoned", "active"])
        allowed = (held.state, to) in STEPS
        assert await go(who, goal, to) == (200 if allowed else 409)
        if allowed:
            held.history.append((held.state, to, who.caller.principal))
            held.state, held.version = to, held.version + 1
            held.idle = 0.0 if to == "active" else held.idle
    elif name == "wait" and held.state == "active":
        held.idle = dice.choice([5.0, 13.5, 14.5, 40.0])
        await idle(opened, goal, held.idle)
    elif name == "check":
        await check_stale(opened.goals, [who.caller.home], dry_run=False)
        for each in models.values():
            if each.state == "active" and each.idle >= 14:
                each.history.append(("active", "abandoned", "loci"))
                each.state, each.version = "abandoned", each.version + 1


@pytest.mark.parametrize("seed", range(3))
async def test_any_order_is_what_the_model_says(
    opened: Parts,
    admin: Principal,
    writer: Principal,
    principal: MakePrincipal,
    tenant: str,
    seed: int,
) -> None:
    await abandoning(admin, f"{tenant}/dev")
    dice = random.Random(seed)  # order, not secrets
    other = await principal(f"{tenant}/dev", name="other")
    models: dict[str, Model] = {}
    for _ in range(50):
        await perform(opened, dice.choice([writer, other]), models, dice)
    for goal, held in models.items():
        found = await read(other, "goals", goal)
        assert (found["goal"]["untrusted"]["title"], found["goal"]["progress"]) == (
            held.title, held.progress
        )  # fmt: skip
        assert (found["goal"]["state"], found["goal"]["version"]) == (held.state, held.version)
        assert [(s["before"], s["to"], s["by"]) for s in found["history"]] == held.history
    for state in ("active", "completed", "abandoned"):
        ids = [each["id"] for each in await listed(writer, "goals", state=state, limit=200)]
        assert ids == [goal for goal, held in models.items() if held.state == state]


async def test_two_who_end_a_goal_end_it_once(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    other = await principal(f"{tenant}/dev", name="other")
    made = (await make(writer, "goals", title="race"))["id"]
    won = await asyncio.gather(
        go(writer, made, "completed"), go(other, made, "abandoned"), go(writer, made, "completed")
    )
    assert sorted(won) == [200, 409, 409]
    assert len((await read(writer, "goals", made))["history"]) == 1
