"""What time makes of entries: fading, the archive, rot; by night and by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from app.contexts.staleness import LEAST_AGE
from app.contexts.tasks import fade_contexts, rot_contexts
from app.jobs.model import Job
from app.kernel.clock import now
from app.tasks import SCHEDULES, TASKS
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.contexts.conftest import URL, Make, add, held, listed, posted, refused

DAY = timedelta(days=1)
UPKEEP = Job("j", "t", "_system", "_system", "running", {}, 1, now(), now())


async def aged(
    opened: Parts, entry: str, age: timedelta, weighed: timedelta | None = None, **more: Any
) -> None:
    """Let an entry have been made, and weighed, so long ago."""
    at = now()
    await opened.graph.raw(
        "MATCH (e:ContextEntry {id: $id}) "
        "SET e.created_at = $made, e.based_at = $based, e += $more",
        id=entry, made=at - age, based=at - (age if weighed is None else weighed), more=more,
    )  # fmt: skip


async def test_what_cannot_fade_or_rot_is_not_taken_in(
    opened: Parts, writer: Principal, make: Make
) -> None:
    context = await filled(opened, writer, make)
    held = await opened.contexts.get(writer.caller, context)
    keys = {each.key for each in await opened.context_entries.active(held)}
    fading = await opened.context_entries.upkept(held, now(), facts=False)
    assert {each.key for each in fading} == keys - {"fact"}
    old = await opened.context_entries.upkept(held, now() - LEAST_AGE, facts=True)
    assert {each.key for each in old} >= {"fact", "spent", "lesson"}
    assert {each.key for each in old}.isdisjoint({"fresh", "week", "unset", "quick", "still"})
    assert await opened.context_entries.counted(held) == len(keys)


async def weights(who: Principal, context: str) -> dict[str, float]:
    """The importance of each entry in use, to six digits."""
    return {e["untrusted"]["key"]: round(e["importance"], 6) for e in await listed(who, context)}


async def archived(who: Principal, context: str) -> dict[str, str]:
    """Why each archived entry is."""
    found = await listed(who, context, status="archived")
    return {e["untrusted"]["key"]: e["reason"] for e in found}


async def filled(opened: Parts, writer: Principal, make: Make) -> str:
    """A context with entries of every sort and age."""
    context = await make("old")
    lived = {"memory_type": "experiential"}
    for key, age, more in (
        ("fresh", 0, {"importance": 0.8}),
        ("week", 7, {"importance": 0.8}),
        ("unset", 7, {}),
        ("quick", 7, {"importance": 0.8, "decay_rate": 0.5}),
        ("still", 7, {"importance": 0.8, "decay_rate": 0.0}),
        ("fact", 400, {"importance": 0.05, "memory_type": "factual"}),
        ("spent", 31, {"importance": 0.12}),
        ("young", 29, {"importance": 0.12}),
        ("lesson", 91, {"importance": 0.4, **lived}),
        ("dear", 91, {"importance": 0.9, **lived}),
    ):
        made = await add(writer, context, key, key, **more)
        await aged(opened, made["id"], age * DAY)
    return context


LEFT = {
    "fresh": 0.8, "week": 0.745652, "unset": 0.466033, "quick": 0.00625, "still": 0.8, "fact": 0.05,
    "young": 0.089661, "dear": 0.360616,
}  # fmt: skip


async def test_entries_fade_by_day_and_twice_a_day_changes_nothing(
    admin: Principal, opened: Parts, writer: Principal, make: Make
) -> None:
    context = await filled(opened, writer, make)
    before = await listed(writer, context)
    path = f"{URL}/upkeep"
    dry = await posted(admin, path)
    assert (dry["dry_run"], dry["contexts"]) == (True, 1)
    assert dry["counts"] == {"faded": 5, "decayed": 1, "stale": 1}
    assert await listed(writer, context) == before
    done = await posted(admin, path, {"dry_run": False})
    assert done["counts"] == dry["counts"]
    assert {row["reason"] for row in done["archived"]} == {"decayed", "stale"}
    assert await weights(writer, context) == LEFT
    assert await archived(writer, context) == {"spent": "decayed", "lesson": "stale"}
    again = await posted(admin, path, {"dry_run": False})
    assert (again["counts"], again["archived"]) == ({}, [])
    assert await weights(writer, context) == LEFT
    rows = await opened.graph.raw(
        "MATCH (a:AuditEvent {kind: 'context.upkeep'}) WHERE a.target = $id "
        "RETURN a.request AS request, a.payload AS payload",
        id=context,
    )
    assert [row["request"] for row in rows] == [done["receipt"]]


async def test_nights_in_a_row_are_one_long_one(
    opened: Parts, writer: Principal, make: Make
) -> None:
    context = await make("nights")
    made = await add(writer, context, "k", "v", importance=0.9)
    start = datetime.fromisoformat(made["created_at"])
    scopes = [writer.caller.home]
    for night in (1, 2, 2, 5, 4, 9):
        moment = start + night * DAY + timedelta(hours=1)
        await opened.context_upkeep.run(scopes, dry_run=False, moment=moment)
    assert await weights(writer, context) == {"k": round(0.9 * 0.99**9, 6)}
    await posted(writer, f"{URL}/{context}/entries/{made['id']}/boost")
    boosted = round(0.9 * 0.99**9 + 0.1, 6)
    assert await weights(writer, context) == {"k": boosted}
    await opened.context_upkeep.run(scopes, dry_run=False, moment=now())
    assert await weights(writer, context) == {"k": boosted}, "it fades from what was stored then"
    for night in range(1, 400, 57):
        await opened.context_upkeep.run(scopes, dry_run=False, moment=now() + night * DAY)
    assert await archived(writer, context) == {"k": "decayed"}
    assert await held(writer, context) == {}


async def test_upkeep_by_hand_is_for_admins_of_the_scope(
    admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str, make: Make,
    opened: Parts,
) -> None:  # fmt: skip
    context = await filled(opened, writer, make)
    ops = await principal(f"{tenant}/ops", role=writer.caller.roles[writer.caller.home], name="ops")
    for path in (f"{URL}/upkeep", f"{URL}/rot"):
        assert (await refused(writer, "POST", path, json={}))[0] == 403
        assert (await refused(ops, "POST", path, json={}))[0] == 403
        body = {"scope": f"{tenant}/none"}
        assert (await refused(admin, "POST", path, json=body))[0] == 404
    elsewhere = await posted(admin, f"{URL}/upkeep", {"scope": f"{tenant}/ops", "dry_run": False})
    assert (elsewhere["contexts"], elsewhere["counts"]) == (0, {})
    assert len(await held(writer, context)) == 10


async def test_rot_is_told_with_its_factors_and_archived_from_the_top(
    admin: Principal, opened: Parts, writer: Principal, make: Make
) -> None:
    context = await make("rot")
    ids = {}
    for key, age, idle, importance in (
        ("kept", 30, None, 0.5),
        ("review", 60, None, 0.2),
        ("rotten", 90, 90, 0.1),
        ("dear", 900, 900, 0.5),
    ):
        made = await add(writer, context, key, key, importance=importance)
        more = {} if idle is None else {"last_accessed_at": now() - idle * DAY}
        await aged(opened, made["id"], age * DAY, timedelta(0), **more)
        ids[key] = made["id"]
    path = f"{URL}/rot"
    dry = await posted(admin, path, {"scope": writer.caller.home})
    assert (dry["total"], dry["stale"], dry["review"], dry["archive"]) == (4, 3, 2, 1)
    told = [(e["entry"], e["verdict"], round(e["score"], 2)) for e in dry["entries"]]
    assert told == [
        (ids["rotten"], "archive", 0.92), (ids["dear"], "review", 0.85),
        (ids["review"], "review", 0.78),
    ]  # fmt: skip
    stale = dry["entries"][2]
    factors = [round(stale[name], 2) for name in ("age", "access", "unimportance")]
    assert factors == [0.75, 0.8, 0.8]
    assert len(await held(writer, context)) == 4
    done = await posted(admin, path, {"dry_run": False})
    assert (done["archive"], await archived(writer, context)) == (1, {"rotten": "rotten"})
    assert (await posted(admin, path, {"dry_run": False}))["archive"] == 0


async def test_beyond_the_limit_the_least_important_experiences_go(
    opened: Parts, admin: Principal, writer: Principal, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = await make("many")
    lived = {"memory_type": "experiential"}
    for number in range(6):
        text = f"lesson {number} of {'abcdef'[number] * 9}"
        await add(writer, context, f"k{number}", text, importance=0.2 + number / 10, **lived)
    await add(writer, context, "other", "no experience", importance=0.05)
    monkeypatch.setattr(opened.contexts, "limits", replace(opened.contexts.limits, experiences=4))
    dry = await posted(admin, f"{URL}/upkeep")
    assert dry["counts"] == {"surplus": 2}
    done = await posted(admin, f"{URL}/upkeep", {"dry_run": False})
    assert done["counts"] == {"surplus": 2}
    assert await archived(writer, context) == {"k0": "surplus", "k1": "surplus"}
    again = await posted(admin, f"{URL}/upkeep", {"dry_run": False})
    assert again["counts"] == {}


async def test_beyond_the_limit_what_says_the_same_is_merged_first(
    opened: Parts, admin: Principal, writer: Principal, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = await make("twins")
    lived = {"memory_type": "experiential"}
    for key, text in (("a", "restart the gateway"), ("b", "restart the gateway"), ("c", "oil")):
        await add(writer, context, key, text, **lived)
    await opened.indexing.drain()
    assert (await posted(admin, f"{URL}/upkeep"))["counts"] == {}, "there is room for all"
    monkeypatch.setattr(opened.contexts, "limits", replace(opened.contexts.limits, experiences=2))
    done = await posted(admin, f"{URL}/upkeep", {"dry_run": False})
    assert done["counts"] == {"merged": 1}
    assert await archived(writer, context) == {"b": "merged"}


async def test_the_tasks_run_by_schedule_and_twice(
    opened: Parts, writer: Principal, make: Make
) -> None:
    context = await filled(opened, writer, make)

    async def untold(progress: Any) -> None:
        """Tells nobody."""

    first = await fade_contexts(opened, UPKEEP, untold)
    assert first.result["faded"] >= 5
    assert await weights(writer, context) == LEFT
    await fade_contexts(opened, UPKEEP, untold)
    assert await weights(writer, context) == LEFT
    rotten = await rot_contexts(opened, UPKEEP, untold)
    assert {"entries", "review", "archive"} <= rotten.result.keys()
    named = {s.task for s in SCHEDULES}
    assert {"contexts.fade", "contexts.rot"} <= named & TASKS.keys()


GATE = "the gateway of hall four was down until the valve was shut " * 3
SET = {"text": "the port of the relay is set"}
NIGHTLY = "Log of the relay, as every night. " * 400


@pytest.mark.parametrize(
    ("one", "other", "more"),
    [
        (GATE + "it helped", GATE + "it helped not", {}),
        ({**SET, "port": 41}, {**SET, "port": 42}, {}),
        ("drain the relay, then start it", "drain the relay, then start it", {"failed": True}),
        (NIGHTLY + "It held.", NIGHTLY + "The fuse blew.", {}),
    ],
    ids=["denial", "what stands beside the text", "how it went", "the end of a long text"],
)
async def test_what_differs_in_anything_is_never_merged(
    opened: Parts, writer: Principal, make: Make, one: Any, other: Any, more: dict[str, Any]
) -> None:
    context = await make("apart")
    lived = {"memory_type": "experiential"}
    await add(writer, context, "one", one, importance=0.9, **lived)
    await add(writer, context, "other", other, importance=0.8, **lived, **more)
    await add(writer, context, "same", one, importance=0.7, **lived)
    await opened.indexing.drain()
    told = await posted(writer, f"{URL}/{context}/merge", {"dry_run": False})
    assert [len(group) for group in told["groups"]] == [2]
    assert set(await held(writer, context)) == {"one", "other"}
