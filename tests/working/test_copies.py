"""Copies in the graph: what was persisted outlives a lost Valkey, for a day."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from redis.asyncio import Redis

from app.kernel.clock import now
from app.wiring import Parts
from app.working.tasks import EXPIRE_COPIES
from tests.conftest import MakePrincipal, Principal
from tests.working.conftest import BASE, Bounded, got, items, lose, put
from tests.working.test_routes import KINDS


async def test_every_kind_comes_back_after_a_lost_valkey(
    writer: Principal, valkey: Redis, tenant: str
) -> None:
    for number, value in enumerate(KINDS):
        await put(writer, f"t/keys/k{number}", value)
    await put(writer, "t/conversation", [{"content": "x"}])
    await put(writer, "t/scratch-pad", "line")
    await put(writer, "other/state", "not persisted")
    answer = await writer.http.put(f"{BASE}/t/copy")
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert told["values"] == len(KINDS) + 2
    until = datetime.fromisoformat(told["expires_at"])
    assert abs(until - now() - timedelta(hours=24)) < timedelta(minutes=1)
    assert (await writer.http.get(f"{BASE}/t/copy")).json() == told
    await lose(valkey, tenant)
    assert await items(writer, "t") == []
    answer = await writer.http.post(f"{BASE}/t/copy/load", json={"ttl": 90})
    assert answer.json() == {"loaded": len(KINDS) + 2, "kept": 0}
    for number, value in enumerate(KINDS):
        answer = await writer.http.get(f"{BASE}/t/keys/k{number}")
        assert answer.json()["untrusted"] == {"value": value}
        assert answer.json()["ttl"] <= 90
    assert await got(writer, "t/conversation") == [{"content": "x"}]
    assert await got(writer, "other/state") is None


async def test_a_copy_brought_back_leaves_what_is_newer(writer: Principal, valkey: Redis) -> None:
    await put(writer, "t/keys/a", "old")
    await put(writer, "t/keys/b", "old")
    await writer.http.put(f"{BASE}/t/copy")
    await put(writer, "t/keys/a", "new")
    await writer.http.delete(f"{BASE}/t/keys/b")
    answer = await writer.http.post(f"{BASE}/t/copy/load", json={})
    assert answer.json() == {"loaded": 1, "kept": 1}
    assert (await got(writer, "t/keys/a"), await got(writer, "t/keys/b")) == ("new", "old")
    answer = await writer.http.post(f"{BASE}/t/copy/load", json={"replace": True})
    assert answer.json() == {"loaded": 2, "kept": 0}
    assert await got(writer, "t/keys/a") == "old"


async def test_an_empty_task_is_not_copied_over_its_copy(
    writer: Principal, valkey: Redis, tenant: str
) -> None:
    assert (await writer.http.put(f"{BASE}/t/copy")).status_code == 404
    await put(writer, "t/state", 1)
    await writer.http.put(f"{BASE}/t/copy")
    await lose(valkey, tenant)
    assert (await writer.http.put(f"{BASE}/t/copy")).status_code == 404
    assert (await writer.http.get(f"{BASE}/t/copy")).json()["values"] == 1
    assert (await writer.http.delete(f"{BASE}/t/copy")).status_code == 204
    for method, path in (("DELETE", "t/copy"), ("GET", "t/copy"), ("POST", "t/copy/load")):
        answer = await writer.http.request(method, f"{BASE}/{path}", json={})
        assert answer.status_code == 404


async def test_a_copy_is_one_agent_s_of_one_scope_and_task(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    await put(writer, "t/state", "mine")
    await writer.http.put(f"{BASE}/t/copy")
    other = await principal(f"{tenant}/dev", name="other")
    far = await principal(f"{tenant}-2/dev", name="scout")
    for who, task in ((other, "t"), (far, "t"), (writer, "t2")):
        assert (await who.http.get(f"{BASE}/{task}/copy")).status_code == 404
        assert (await who.http.post(f"{BASE}/{task}/copy/load", json={})).status_code == 404
    await put(other, "t/state", "other")
    await other.http.put(f"{BASE}/t/copy")
    assert (await other.http.delete(f"{BASE}/t/copy")).status_code == 204
    assert (await writer.http.get(f"{BASE}/t/copy")).status_code == 200


async def test_a_day_old_copy_is_not_read_and_goes(
    opened: Parts, writer: Principal, tenant: str
) -> None:
    for task in ("old", "new"):
        await put(writer, f"{task}/state", 1)
        await writer.http.put(f"{BASE}/{task}/copy")
    await opened.graph.raw(
        "MATCH (c:WorkingCopy {tenant: $tenant, task: 'old'}) SET c.expires_at = $at",
        tenant=tenant,
        at=now() - timedelta(seconds=1),
    )
    assert (await writer.http.get(f"{BASE}/old/copy")).status_code == 404
    assert (await writer.http.post(f"{BASE}/old/copy/load", json={})).status_code == 404
    job = await opened.runner.submit(EXPIRE_COPIES, tenant=tenant, scope=tenant, args={})
    assert await opened.runner.run(opened, job.id) == "done"
    left = await opened.graph.raw(
        "MATCH (c:WorkingCopy {tenant: $tenant}) RETURN c.task AS task", tenant=tenant
    )
    assert [row["task"] for row in left] == ["new"]


async def test_copies_have_the_bounds_of_what_they_are_copied_of(
    opened: Parts, writer: Principal
) -> None:
    opened_limits = opened.working.copies
    with Bounded(opened, agent=3000) as limits:
        before, opened_limits.limits = opened_limits.limits, limits
        try:
            for number in range(3):
                await put(writer, f"t{number}/state", "x" * 1200)
                answer = await writer.http.put(f"{BASE}/t{number}/copy")
                await writer.http.delete(f"{BASE}/t{number}")
            assert (answer.status_code, answer.json()["code"]) == (409, "QuotaReached")
            # The copy of a task takes the place of the one before, and needs no room beside it.
            await put(writer, "t0/state", "y" * 1200)
            assert (await writer.http.put(f"{BASE}/t0/copy")).status_code == 200
        finally:
            opened_limits.limits = before


@pytest.mark.parametrize("policy", ["redact", "refuse"])
async def test_what_a_stricter_policy_finds_is_not_copied(
    admin: Principal, tenant: str, policy: str
) -> None:
    async def set_policy(action: str) -> None:
        answer = await admin.http.put(
            "/v1/scopes/policy", params={"scope": tenant}, json={"email": action}
        )
        assert answer.status_code == 200

    await set_policy("keep")
    await put(admin, "t/state", {"ask": "mia@example.com"})
    await set_policy(policy)
    answer = await admin.http.put(f"{BASE}/t/copy")
    if policy == "refuse":
        assert (answer.status_code, answer.json()["code"]) == (422, "PiiRefused")
        return
    await admin.http.post(f"{BASE}/t/copy/load", json={"replace": True})
    assert await got(admin, "t/state") == {"ask": "[email]"}
