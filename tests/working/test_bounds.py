"""Nothing is lost and no bound passed, however many write at once; counts are what Valkey uses."""

from __future__ import annotations

import asyncio
from typing import Any

from redis.asyncio import Redis

from app.wiring import Parts
from app.working.store import WEIGHT
from tests.conftest import MakePrincipal, Principal
from tests.support.waiting import eventually
from tests.working.conftest import BASE, Bounded, Quick, got, items, keys_of, put, run_out


async def test_appends_at_once_lose_nothing(writer: Principal, quick: Quick) -> None:
    who = await quick(writer)

    async def append(number: int) -> None:
        message = {"value": {"content": f"m{number}"}}
        assert (await who.http.post(f"{BASE}/t/conversation", json=message)).status_code == 200
        line = {"value": f"l{number}"}
        assert (await who.http.post(f"{BASE}/t/scratch-pad", json=line)).status_code == 200

    await asyncio.gather(*(append(number) for number in range(200)))
    said = {one["content"] for one in await got(who, "t/conversation")}
    assert said == {f"m{number}" for number in range(200)}
    lines = (await got(who, "t/scratch-pad")).split("\n")
    assert sorted(lines) == sorted(f"l{number}" for number in range(200))


async def refused(who: Principal, path: str, value: Any) -> tuple[int, str, str]:
    """Status, code and field of a write that is refused."""
    answer = await who.http.put(f"{BASE}/{path}", json={"value": value})
    told = answer.json()
    return answer.status_code, told["code"], told["errors"][0]["field"]


async def test_a_value_that_is_too_large_is_refused(opened: Parts, writer: Principal) -> None:
    with Bounded(opened, value=100):
        await put(writer, "t/keys/a", "x" * 98)
        assert await refused(writer, "t/keys/a", "x" * 99) == (413, "TooLarge", "value")
        await put(writer, "t/conversation", [{"a": "x" * 50}])
        answer = await writer.http.post(f"{BASE}/t/conversation", json={"value": {"a": "x" * 50}})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (413, "value")
        assert "100 bytes" in answer.json()["detail"]
        assert await got(writer, "t/conversation") == [{"a": "x" * 50}]
    assert await got(writer, "t/keys/a") == "x" * 98


async def test_no_task_has_more_values_than_it_may(
    opened: Parts, writer: Principal, quick: Quick
) -> None:
    who = await quick(writer)
    with Bounded(opened, keys=10):
        sent = (
            who.http.put(f"{BASE}/t/keys/k{number}", json={"value": number}) for number in range(40)
        )
        answers = await asyncio.gather(*sent)
        assert sum(answer.status_code == 200 for answer in answers) == 10
        assert len(await items(who, "t")) == 10
        assert await refused(who, "t/state", 1) == (409, "QuotaReached", "name")
        kept = (await items(who, "t"))[0]
        await put(who, f"t/{kept}", "one that is there may change")
        await put(who, "t2/state", "another task has its own")
        await who.http.delete(f"{BASE}/t/{kept}")
        await put(who, "t/state", "there is room again", ttl=1)
        await run_out(who, "t/state")
        await put(who, "t/keys/new", "and once a value has run out")


async def test_no_agent_and_no_tenant_has_more_bytes_than_it_may(
    opened: Parts, writer: Principal, principal: MakePrincipal, quick: Quick
) -> None:
    who = await quick(writer)
    other = await quick(await principal(writer.caller.home, name="other"))
    with Bounded(opened, agent=20_000, tenant=30_000) as limits:

        async def write(by: Principal, number: int) -> int:
            path = f"{BASE}/t{number % 3}/keys/k{number}"
            return (await by.http.put(path, json={"value": "x" * 900})).status_code

        codes = await asyncio.gather(*(write(who, number) for number in range(40)))
        used = (await who.http.get(BASE)).json()
        assert used["agent_bytes"] == used["tenant_bytes"] <= limits.agent
        assert limits.agent - used["agent_bytes"] < 900 + WEIGHT + 400
        assert set(codes) == {200, 409}
        assert await refused(who, "t9/state", "x" * 900) == (409, "QuotaReached", "value")
        codes = await asyncio.gather(*(write(other, number) for number in range(40)))
        used = (await other.http.get(BASE)).json()
        assert used["tenant_bytes"] <= limits.tenant
        assert used["agent_bytes"] < limits.agent
        assert set(codes) == {200, 409}
        # A smaller value may take the place of a larger one although everything is full.
        kept = (await items(who, "t0"))[0]
        await put(who, f"t0/{kept}", "small")
    elsewhere = await principal(f"{writer.caller.tenant}-2/dev", name="scout")
    assert (await elsewhere.http.get(BASE)).json()["tenant_bytes"] == 0


async def test_a_bound_counts_no_value_that_has_run_out(
    opened: Parts, writer: Principal, quick: Quick
) -> None:
    who = await quick(writer)
    with Bounded(opened, agent=400_000):
        sent = (
            who.http.put(f"{BASE}/t/keys/k{number}", json={"value": "x" * 100, "ttl": 1})
            for number in range(620)  # more than one write takes off at once
        )
        assert {answer.status_code for answer in await asyncio.gather(*sent)} <= {200, 409}

        async def empty() -> bool:
            return await items(who, "t") == []

        await eventually("every value runs out", empty)
        await put(who, "t/keys/large", "x" * 200_000)
        assert (await who.http.get(f"{BASE}/t")).json()["bytes"] > 200_000


async def test_what_is_counted_is_what_valkey_uses(
    writer: Principal, quick: Quick, valkey: Redis
) -> None:
    who = await quick(writer)
    for size in (1, 100, 2000):
        for number in range(120):
            await put(who, f"task-{number % 4}/keys/key-{size}-{number}", "x" * size)
    found = await keys_of(valkey, writer.caller.tenant)
    used = sum([await valkey.memory_usage(key, samples=0) for key in found])
    counted = (await who.http.get(BASE)).json()["tenant_bytes"]
    assert 0.6 * counted < used < 1.1 * counted


async def test_nothing_is_left_without_an_end(writer: Principal, valkey: Redis) -> None:
    await put(writer, "t/state", 1, ttl=60)
    await put(writer, "t/keys/a", 1)
    await writer.http.post(f"{BASE}/t/scratch-pad", json={"value": "x"})
    for key in await keys_of(valkey, writer.caller.tenant):
        if b":task:" in key:
            fields = await valkey.hkeys(key)
            left = await valkey.execute_command("HPTTL", key, "FIELDS", len(fields), *fields)
            assert len(fields) == 3
            assert all(0 < one <= 3_600_000 for one in left)
        else:
            assert 0 < await valkey.pttl(key) <= 90_000_000
