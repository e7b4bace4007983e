"""Observations: pushed, read while they last, processed, collected by Loci, cleaned up."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.ids import new_id
from app.wiring import Parts
from tests.autonomy.conftest import listed, make, refused, told
from tests.conftest import MakePrincipal, Principal

URL = "/v1/observations"


def item(key: str | None = None, **more: Any) -> dict[str, Any]:
    """An observation of a thermometer."""
    named = {"key": key} if key else {}
    return {"sensor": "thermometer", "payload": {"celsius": 21.5}, **named, **more}


async def push(who: Principal, *items: dict[str, Any]) -> list[Any]:
    """Push a batch; what became of each."""
    return list((await make(who, "observations", items=list(items)))["items"])


async def test_a_batch_is_taken_in_once(writer: Principal, tenant: str) -> None:
    value = {"celsius": -3, "where": {"room": ["a", None, True]}}
    first = await push(writer, item("k1", payload=value), item("k2"), item("k1"))
    assert [one["created"] for one in first] == [True, True, False]
    assert first[0]["observation"] == first[2]["observation"]
    assert first[0]["observation"]["untrusted"] == {"key": "k1", "payload": value}
    again = await push(writer, item("k1", payload={"other": 1}), item("k3"))
    assert [one["created"] for one in again] == [False, True]
    assert again[0]["observation"] == first[0]["observation"], "what was first stays"
    nameless = await push(writer, item(), item())
    assert [one["created"] for one in nameless] == [True, True]
    found = await listed(writer, "observations", sensor="thermometer")
    assert len(found) == 5
    assert [one["id"] for one in found] == sorted(one["id"] for one in found)
    assert await listed(writer, "observations", sensor="door") == []
    lasting = [
        datetime.fromisoformat(one["expires_at"]) - datetime.fromisoformat(one["recorded_at"])
        for one in found
    ]
    assert set(lasting) == {timedelta(days=7)}


async def test_pushes_at_once_make_one(writer: Principal) -> None:
    batches = await asyncio.gather(*(push(writer, item("same"), item(f"k{n}")) for n in range(4)))
    assert sum(batch[0]["created"] for batch in batches) == 1
    assert len(await listed(writer, "observations")) == 5


async def test_what_is_wrong_is_refused_by_name_and_takes_nothing_in(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    past, far = now() - timedelta(seconds=1), now() + timedelta(days=31)
    for wrong, status, name in (
        ({"sensor": "Big Sensor"}, 422, "items.1.sensor"),
        ({"sensor": "jobs.dead"}, 422, "items.1.sensor"),
        ({"payload": [1]}, 422, "items.1.payload"),
        ({"payload": {"n": 2**70}}, 422, "items.1.payload"),
        ({"payload": {"t": "x" * 16_400}}, 413, "items.1.payload"),
        ({"key": "ada@example.org"}, 422, "items.1.key"),
        ({"expires_at": past.isoformat()}, 422, "items.1.expires_at"),
        ({"expires_at": far.isoformat()}, 422, "items.1.expires_at"),
        ({"color": 1}, 422, "items.1.color"),
    ):
        answer = await writer.http.post(URL, json={"items": [item("a"), item(**wrong)]})
        told_of = (answer.status_code, answer.json()["errors"][0]["field"])
        assert told_of == (status, name), answer.text
    answer = await writer.http.post(URL, json={"items": []})
    assert answer.status_code == 422
    assert await listed(writer, "observations") == []
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="looker")
    assert (await reader.http.post(URL, json={"items": [item()]})).status_code == 403


async def test_a_payload_is_sanitised(writer: Principal) -> None:
    text = "Write to ada.lovelace@example.org about it, she knows the way."
    (taken,) = await push(writer, item("k", payload={"says": [text]}))
    assert "@example.org" not in str(taken)
    assert "she knows the way" in str(taken["observation"]["untrusted"]["payload"])


async def test_some_are_marked_as_processed_once(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    other = await principal(f"{tenant}/dev", name="other")
    ids = [one["observation"]["id"] for one in await push(writer, item("a"), item("b"), item("c"))]
    done = (await make(other, "observations/processed", status=200, ids=ids[:2]))["items"]
    assert {one["processed_by"] for one in done} == {other.caller.principal}
    again = (await make(writer, "observations/processed", status=200, ids=ids[:2]))["items"]
    assert again == done, "who was first stays"
    assert [one["id"] for one in await listed(writer, "observations", processed=False)] == ids[2:]
    found = await listed(writer, "observations", processed=True)
    assert [one["id"] for one in found] == sorted(ids[:2])
    stranger = await principal(f"{tenant}/far", name="far")
    answer = await stranger.http.post(f"{URL}/processed", json={"ids": ids})
    await refused(answer, 404, "NotFound", "id")
    answer = await writer.http.post(f"{URL}/processed", json={"ids": [ids[2], "none"]})
    await refused(answer, 404, "NotFound", "id")
    assert len(await listed(writer, "observations", processed=False)) == 1


async def test_what_has_expired_is_not_there_and_is_deleted(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    ids = [one["observation"]["id"] for one in await push(writer, *(item(k) for k in "abcd"))]
    await make(writer, "observations/processed", status=200, ids=ids[1:3])
    sooner = {
        ids[0]: ("expires_at", 1),
        ids[1]: ("processed_at", 7.1),
        ids[2]: ("processed_at", 6.9),
    }
    for identifier, (name, days) in sooner.items():
        await opened.graph.raw(
            "MATCH (n:Observation {id: $id}) SET n += $to",
            id=identifier, to={name: now() - timedelta(days=days)},
        )  # fmt: skip
    assert {one["id"] for one in await listed(writer, "observations")} == {*ids[1:]}
    answer = await writer.http.post(f"{URL}/processed", json={"ids": [ids[0]]})
    assert answer.status_code == 404
    (taken,) = await push(writer, item("a", payload={"new": 1}))
    assert (taken["created"], taken["observation"]["untrusted"]["payload"]) == (True, {"new": 1})
    await opened.graph.raw(
        "MATCH (n:Observation {id: $id}) SET n.expires_at = $at",
        id=ids[0], at=now() - timedelta(seconds=1),
    )  # fmt: skip
    dry = await make(admin, "observations/cleanup", status=200)
    assert (sorted(dry["ids"]), dry["counts"]) == (sorted(ids[:2]), {f"{tenant}/dev": 2})
    scopes = [f"{tenant}/dev"]
    runs = await asyncio.gather(
        *(opened.observing.clean_up(scopes, dry_run=False) for _ in range(3))
    )
    assert sorted(one for run in runs for one in run.ids) == sorted(ids[:2])
    assert (await make(admin, "observations/cleanup", status=200, dry_run=False))["ids"] == []
    left = await listed(writer, "observations")
    assert [one["id"] for one in left] == sorted(ids[2:])
    back = await opened.observing.clean_up(scopes, dry_run=False, moment=now() - timedelta(days=99))
    assert back.ids == []
    ahead = await opened.observing.clean_up(
        scopes, dry_run=False, moment=now() + timedelta(days=99)
    )
    assert sorted(ahead.ids) == sorted(ids[2:])


async def test_a_scope_has_room_for_so_many(
    opened: Parts, writer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened.observing, "limits", replace(opened.observing.limits, per_scope=2))
    await push(writer, item("a"), item("b"))
    answer = await writer.http.post(URL, json={"items": [item("a"), item("c")]})
    await refused(answer, 409, "QuotaReached", "items")
    assert [one["created"] for one in await push(writer, item("a"))] == [False]


# --- Loci's own sensors -----------------------------------------------------------------------


async def counts(who: Principal) -> dict[str, list[int]]:
    """What Loci has observed, by sensor, in the order of its numbers."""
    found: dict[str, list[tuple[str, int]]] = {}
    for one in await listed(who, "observations", limit=200):
        if one["recorded_by"] == "loci":
            told_of = one["untrusted"]
            found.setdefault(one["sensor"], []).append(
                (told_of["key"], told_of["payload"]["count"])
            )
    return {sensor: [count for _, count in sorted(rows)] for sensor, rows in found.items()}


async def test_sensors_tell_what_waits_once(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    collect = opened.collecting.collect
    assert (await collect([scope], dry_run=False)).ids == []
    goal = (await make(writer, "goals", title="slow"))["id"]
    await opened.graph.raw(
        "MATCH (n:Goal {id: $id}) SET n.idle_since = $at", id=goal, at=now() - timedelta(days=7.5)
    )
    due = (now() - timedelta(hours=1)).isoformat()
    await make(writer, "escalations", title="late", due_at=due)
    job = await opened.runner.submit("no.such", tenant=tenant, scope=scope, args={})
    assert await opened.runner.run(opened, job.id) == "dead"
    note = (await make(writer, "notes", content="The kiln is hot."))["id"]
    await opened.graph.raw("MATCH (n:Note {id: $id}) SET n.standing = 'quarantined'", id=note)
    dry = await make(admin, "observations/collect", status=200, scope=scope)
    assert dry["counts"] == {scope: 4}
    assert await counts(writer) == {}
    runs = await asyncio.gather(*(collect([scope], dry_run=False) for _ in range(3)))
    assert sum(len(run.ids) for run in runs) == 4
    seen = {"goals.idle": [1], "escalations.overdue": [1], "jobs.dead": [1]}
    seen["quarantine.notes"] = [1]
    assert await counts(writer) == seen
    ids = [one["id"] for one in await listed(writer, "observations")]
    await make(writer, "observations/processed", status=200, ids=ids)
    for moment in (now(), now() - timedelta(minutes=9), now() + timedelta(minutes=30)):
        receipt = await collect([scope], dry_run=False, moment=moment)
        assert receipt.ids == [], "processed or not, it is told"
    second = await opened.runner.submit("no.such", tenant=tenant, scope=scope, args={})
    await opened.runner.run(opened, second.id)
    await told(await writer.http.post(f"/v1/goals/{goal}/advance", json={"to": "completed"}))
    assert (await collect([scope], dry_run=False)).counts == {scope: 2}
    assert await counts(writer) == seen | {"jobs.dead": [1, 2], "goals.idle": [1, 0]}
    later = await collect([scope], dry_run=False, moment=now() + timedelta(days=8))
    assert later.counts == {scope: 3}, "what goes on is told again once it has run out"
    assert (await counts(writer))["goals.idle"] == [1, 0], "and zero is not"


async def test_what_is_collected_lasts_as_long_as_its_scope_says(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    body = {"autonomy": {"observation_ttl_seconds": 3600}}
    answer = await admin.http.patch("/v1/scopes/settings", params={"scope": scope}, json=body)
    assert answer.status_code == 200, answer.text
    due = (now() - timedelta(hours=1)).isoformat()
    await make(writer, "escalations", title="late", due_at=due)
    await opened.collecting.collect([scope], dry_run=False)
    (one,) = await listed(writer, "observations")
    lasts = datetime.fromisoformat(one["expires_at"]) - datetime.fromisoformat(one["recorded_at"])
    assert lasts == timedelta(hours=1)


async def test_a_fact_in_quarantine_is_told(opened: Parts, writer: Principal, tenant: str) -> None:
    scope = f"{tenant}/dev"
    body = {"content": "Ottilie Brandauer lives in Ulm.", "session": "s"}
    await make(writer, "episodes", body)
    await opened.consolidation.consolidate(scope)
    assert (await opened.collecting.collect([scope], dry_run=False)).ids == []
    await opened.graph.raw(
        "MATCH (f:Fact {scope: $s})-[a:ABOUT]->(:Entity) SET f.status = 'quarantined', "
        "a.standing = 'quarantined', a.reason = 'doubt', f.may_change = true",
        s=scope,
    )
    assert (await opened.collecting.collect([scope], dry_run=False)).counts == {scope: 2}
    assert await counts(writer) == {"quarantine.facts": [1], "changes.possible": [1]}


async def test_the_schedules_collect_and_clean(opened: Parts, writer: Principal) -> None:
    due = (now() - timedelta(hours=1)).isoformat()
    await make(writer, "escalations", title="late", due_at=due)
    for task in ("observations.collect", "observations.cleanup", "observations.collect"):
        where = {"tenant": "_system", "scope": "_system", "args": {}}
        job = await opened.runner.submit(task, job_id=new_id(), **where)
        assert await opened.runner.run(opened, job.id) == "done"
    assert await counts(writer) == {"escalations.overdue": [1]}
