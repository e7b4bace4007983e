"""Pools over HTTP: every operation and every right."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
import pytest_asyncio

from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.pools.conftest import Make, merge, value, write


@pytest_asyncio.fixture(loop_scope="session")
async def other(principal: MakePrincipal, tenant: str) -> Principal:
    """Another agent that writes in the writer's scope."""
    return await principal(f"{tenant}/dev", name="other")


async def events(who: Principal, pool: str, **query: Any) -> list[dict[str, Any]]:
    answer = await who.http.get(f"/v1/pools/{pool}/events", params=query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


# --- operations -------------------------------------------------------------------------------


async def test_a_pool_of_the_seed_is_made_and_read_back(writer: Principal, make: Make) -> None:
    made = await make(
        "trading_ops",
        pool_type="shared",
        scope="persistent",
        retention_policy={"ttl_seconds": 604_800, "max_size_bytes": 5_000_000},
    )
    read = (await writer.http.get("/v1/pools/trading_ops")).json()
    assert read == made
    assert (read["type"], read["lifetime"], read["reach"]) == ("shared", "persistent", "account")
    assert (read["version"], read["owner"]) == (1, writer.caller.principal)
    assert read["retention_policy"]["ttl_seconds"] == 604_800
    assert (await writer.http.get(f"/v1/pools/{read['id']}")).json() == read


async def test_a_pool_without_an_id_gets_one_by_its_type(writer: Principal) -> None:
    body = {"name": "Scratch", "type": "private"}
    made = (await writer.http.post("/v1/pools", json=body)).json()
    head, _, tail = made["pool_id"].rpartition("_")
    assert head == "pool_agent_private"
    assert len(tail) == 16
    assert int(tail, 16) >= 0


async def test_dotted_keys_are_nested_and_bulletins_are_told(writer: Principal, make: Make) -> None:
    await make("ops")
    regime = {"regime": "risk_off", "confidence": 0.82}
    assert await write(writer, "ops", regime, "agent_bulletin.market_regime") == 2
    assert await merge(writer, "ops", {"plan.next": "hedge"}) == 3
    assert await value(writer, "ops") == {
        "agent_bulletin": {"market_regime": regime},
        "plan": {"next": "hedge"},
    }
    assert await value(writer, "ops", path="agent_bulletin.market_regime.regime") == "risk_off"
    told = await events(writer, "ops")
    assert [(e["untrusted"]["key"], e["is_bulletin"], e["version"]) for e in told] == [
        ("agent_bulletin.market_regime", True, 2),
        ("plan", False, 3),
    ]
    assert {e["event"] for e in told} == {"memory_pool_key_write"}
    assert {e["writer"] for e in told} == {writer.caller.principal}


async def test_each_change_is_one_update_for_who_may_read_the_pool(
    opened: Parts, writer: Principal, make: Make
) -> None:
    made = await make("ops", type="agent_private")
    await merge(writer, "ops", {"a": 1, "b": 2})
    await merge(writer, "ops", {"a": 1})
    await write(writer, "ops", 3, "c")
    rows = await opened.graph.raw(
        "MATCH (e:FeedEvent {target: $id, kind: 'memory_pool_update'}) "
        "RETURN e {.*} AS e ORDER BY e.payload",
        id=made["id"],
    )
    told = [orjson.loads(row["e"]["payload"]) for row in rows]
    assert told == [{"pool": made["id"], "version": 2}, {"pool": made["id"], "version": 3}]
    assert {tuple(row["e"]["readers"]) for row in rows} == {(writer.caller.principal,)}


async def test_events_are_read_on_from_a_cursor(writer: Principal, make: Make) -> None:
    await make("ops")
    for number in range(5):
        await write(writer, "ops", number, f"k{number}")
    seen, cursor = [], None
    for _ in range(4):
        query = {"limit": 2, **({"cursor": cursor} if cursor else {})}
        page = (await writer.http.get("/v1/pools/ops/events", params=query)).json()
        seen += [e["untrusted"]["key"] for e in page["items"]]
        cursor = page["next"]
    assert seen == [f"k{number}" for number in range(5)]
    await write(writer, "ops", 5, "k5")
    assert [e["untrusted"]["key"] for e in await events(writer, "ops", cursor=cursor)] == ["k5"]


async def test_the_version_grows_with_the_data_and_only_then(writer: Principal, make: Make) -> None:
    await make("ops", data={"a": 1})
    assert await write(writer, "ops", 1, "a") == 1
    assert await merge(writer, "ops", {"a": 1}) == 1
    assert await write(writer, "ops", True, "a") == 2, "true is not 1"
    grant = {"agent": "other"}
    assert (await writer.http.post("/v1/pools/ops/grants", json=grant)).json()["version"] == 2
    assert await merge(writer, "ops", {"b": None}) == 3
    removed = await writer.http.delete("/v1/pools/ops/data", params={"path": "b"})
    assert removed.json()["version"] == 4
    again = await writer.http.delete("/v1/pools/ops/data", params={"path": "b"})
    assert again.status_code == 404
    assert await value(writer, "ops") == {"a": True}


async def test_former_versions_are_read_up_to_a_number(
    opened: Parts, writer: Principal, make: Make
) -> None:
    await make("ops", data={"n": 1})
    for number in range(2, 30):
        await write(writer, "ops", number, "n")
    kept = (await writer.http.get("/v1/pools/ops/versions")).json()["items"]
    assert [row["version"] for row in kept] == list(range(28, 8, -1))
    assert len(kept) == opened.settings.pools.versions
    assert await value(writer, "ops", version=9) == {"n": 9}
    assert await value(writer, "ops", version=29, path="n") == 29
    for gone in (8, 30):
        answer = await writer.http.get("/v1/pools/ops/data", params={"version": gone})
        assert answer.status_code == 404


async def test_a_write_may_be_bound_to_a_version(writer: Principal, make: Make) -> None:
    await make("ops")
    send = writer.http.patch
    bound = {"If-Match": '"1"'}
    assert (await send("/v1/pools/ops/data", json={"data": {"a": 1}}, headers=bound)).is_success
    late = await send("/v1/pools/ops/data", json={"data": {"a": 2}}, headers=bound)
    assert (late.status_code, late.json()["code"]) == (412, "VersionMismatch")
    bad = await send("/v1/pools/ops/data", json={"data": {}}, headers={"If-Match": "x"})
    assert (bad.status_code, bad.json()["errors"][0]["field"]) == (422, "If-Match")
    assert await value(writer, "ops") == {"a": 1}


async def test_a_pool_is_deleted_with_all_its_parts(
    opened: Parts, writer: Principal, make: Make
) -> None:
    made = await make("ops")
    await write(writer, "ops", 1, "a")
    assert (await writer.http.delete("/v1/pools/ops")).status_code == 204
    assert (await writer.http.get("/v1/pools/ops")).status_code == 404
    left = await opened.graph.raw(
        "MATCH (n:Declared) WHERE n.id = $id OR n.whole = $id RETURN count(n) AS left",
        id=made["id"],
    )
    assert left[0]["left"] == 0
    assert (await make("ops"))["version"] == 1


async def test_statistics_count(
    opened: Parts, writer: Principal, other: Principal, make: Make
) -> None:
    await make("ops", access_control={"public": True}, retention_policy={"max_size_bytes": 1000})
    await write(writer, "ops", "x", "a")
    await write(other, "ops", "y", "b")
    await value(other, "ops")
    await value(writer, "ops")
    await opened.pools.reads.flush()
    found = (await writer.http.get("/v1/pools/ops/statistics")).json()
    assert found["entries"] == 2
    assert found["data_size_bytes"] == len('{"a":"x","b":"y"}')
    assert (found["max_size_bytes"], found["version"], found["versions"]) == (1000, 3, 2)
    assert (found["writers"], found["reads"], found["events"]) == (2, 2, 2)


async def test_the_default_pool_is_there_and_stays(
    writer: Principal, other: Principal, principal: MakePrincipal, tenant: str
) -> None:
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="reader")
    assert await value(reader, "default") == {}
    assert await merge(writer, "default", {"a": 1}) == 2
    assert await merge(other, "default", {"b": 2}) == 3
    assert await value(reader, "default") == {"a": 1, "b": 2}
    assert (await writer.http.delete("/v1/pools/default")).status_code == 409
    body = {"pool_id": "default", "name": "Mine"}
    assert (await writer.http.post("/v1/pools", json=body)).status_code == 409


# --- rights -----------------------------------------------------------------------------------

RIGHTS = [
    # type, access_control, reads, writes
    ("shared", {}, False, False),
    ("shared", {"agents": ["other"]}, True, False),
    ("shared", {"read": ["other"]}, True, False),
    ("shared", {"write": ["other"]}, True, True),
    ("shared", {"public": True}, True, True),
    ("shared", {"public_read": True}, True, False),
    ("agent_private", {}, False, False),
    ("team_shared", {}, False, False),
    ("team_shared", {"agents": ["other"]}, True, False),
    ("team_shared", {"write": ["other"]}, True, True),
    ("task_scoped", {"public": True}, True, False),
    ("global", {"public": True}, True, False),
    ("global", {"write": ["other"]}, True, True),
    ("workflow", {}, False, False),
    ("workflow", {"agents": ["other"]}, True, True),
    ("workflow", {"read": ["other"]}, True, False),
    ("workflow", {"write": ["other"]}, True, True),
]


@pytest.mark.parametrize(("kind", "access", "reads", "writes"), RIGHTS)
async def test_who_may_read_and_write(
    writer: Principal,
    other: Principal,
    make: Make,
    kind: str,
    access: dict[str, Any],
    reads: bool,
    writes: bool,
) -> None:
    more = {"workflow": "run-7"} if kind == "workflow" else {}
    await make("ops", type=kind, access_control=access, data={"a": 1}, **more)
    read = await other.http.get("/v1/pools/ops/data")
    wrote = await other.http.put("/v1/pools/ops/data", json={"value": 2}, params={"path": "a"})
    listed = (await other.http.get("/v1/pools")).json()["items"]
    assert read.status_code == (200 if reads else 404)
    assert wrote.status_code == (200 if writes else 403 if reads else 404)
    assert [pool["pool_id"] for pool in listed] == (["ops"] if reads else [])
    if reads:
        assert listed[0]["writable"] is writes
    asked = await writer.http.get("/v1/pools/ops/access", params={"agent": "other"})
    told = {"accessible": reads, "writable": writes}
    assert asked.json() == {"pool_id": "ops", "agent": other.caller.principal, **told}
    mine = (await writer.http.get("/v1/pools/ops/access")).json()
    assert (mine["accessible"], mine["writable"]) == (True, True)


async def test_a_stranger_is_told_nothing(writer: Principal, other: Principal, make: Make) -> None:
    made = await make("secret", type="agent_private", data={"a": 1})
    for name in ("secret", made["id"]):
        for path in ("", "/data", "/versions", "/events", "/access", "/statistics"):
            answer = await other.http.get(f"/v1/pools/{name}{path}")
            assert answer.status_code == 404
            absent = await other.http.get(f"/v1/pools/nothing{path}")
            assert answer.json()["detail"].replace(name, "nothing") == absent.json()["detail"]
        assert (await other.http.delete(f"/v1/pools/{name}")).status_code == 404
        put = await other.http.put(f"/v1/pools/{name}/data", json={"value": {}})
        assert put.status_code == 404
        grant = await other.http.post(f"/v1/pools/{name}/grants", json={"agent": "other"})
        assert grant.status_code == 404
    assert (await other.http.get("/v1/pools")).json() == {"items": [], "next": None}
    # A private name is nobody else's business: the other may have one of his own.
    assert (await make("secret", by=other, type="agent_private"))["id"] != made["id"]
    assert await value(other, "secret") == {}
    assert await value(writer, "secret") == {"a": 1}


async def test_another_tenant_is_told_nothing(
    writer: Principal, principal: MakePrincipal, tenant: str, make: Make
) -> None:
    made = await make("ops", access_control={"public": True}, data={"a": 1})
    far = await principal(f"{tenant}x/dev", name="other")
    for name in ("ops", made["id"]):
        assert (await far.http.get(f"/v1/pools/{name}")).status_code == 404
        query = {"scope": writer.caller.home}
        assert (await far.http.get(f"/v1/pools/{name}", params=query)).status_code == 404
    assert (await far.http.get("/v1/pools")).json()["items"] == []
    foreign = {"agent": far.caller.principal}
    answer = await writer.http.post("/v1/pools/ops/grants", json=foreign)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "agent")


async def test_an_id_with_a_scope_means_the_pool_in_that_scope_alone(
    admin: Principal, tenant: str, make: Make
) -> None:
    scope = f"{tenant}/dev"
    made = await make("ops", by=admin, scope=scope)
    url = f"/v1/pools/{made['id']}"
    assert (await admin.http.get(url, params={"scope": scope})).json()["id"] == made["id"]
    assert (await admin.http.get(url, params={"scope": tenant})).status_code == 404


async def test_grants_are_given_and_taken_back(
    writer: Principal, other: Principal, make: Make
) -> None:
    await make("team", type="team_shared")
    grant = {"agent": other.caller.principal, "level": "write"}
    assert (await writer.http.post("/v1/pools/team/grants", json=grant)).status_code == 200
    assert await merge(other, "team", {"a": 1}) == 2
    assert (await other.http.post("/v1/pools/team/grants", json=grant)).status_code == 403
    assert (await other.http.delete("/v1/pools/team")).status_code == 403
    lower = {"agent": "other", "level": "read"}
    assert (await writer.http.post("/v1/pools/team/grants", json=lower)).status_code == 200
    assert (await other.http.patch("/v1/pools/team/data", json={"data": {}})).status_code == 403
    taken = await writer.http.delete("/v1/pools/team/grants/other")
    assert taken.json()["access_control"]["agents"] == []
    assert (await other.http.get("/v1/pools/team")).status_code == 404
    await make("mine", type="agent_private")
    assert (await writer.http.post("/v1/pools/mine/grants", json=lower)).status_code == 409


async def test_a_reader_s_key_writes_nothing(
    writer: Principal, principal: MakePrincipal, tenant: str, make: Make
) -> None:
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="reader")
    await make("ops", access_control={"public": True})
    assert (await reader.http.get("/v1/pools/ops")).status_code == 200
    answer = await reader.http.patch("/v1/pools/ops/data", json={"data": {"a": 1}})
    assert answer.status_code == 403


# --- concurrency ------------------------------------------------------------------------------


async def test_twenty_writers_of_different_keys_lose_nothing(
    writer: Principal, principal: MakePrincipal, tenant: str, make: Make
) -> None:
    await make("ops", access_control={"public": True}, data={"board": {}})
    crew = [await principal(f"{tenant}/dev", name=f"w{number}") for number in range(20)]
    await asyncio.gather(
        *(merge(who, "ops", {f"board.k{number}": number}) for number, who in enumerate(crew))
    )
    board = await value(writer, "ops", path="board")
    assert board == {f"k{number}": number for number in range(20)}
    assert (await writer.http.get("/v1/pools/ops")).json()["version"] == 21
    told = await events(writer, "ops")
    assert [event["version"] for event in told] == list(range(2, 22))
    assert {event["writer"] for event in told} == {who.caller.principal for who in crew}


async def test_of_two_that_make_one_pool_one_does(writer: Principal) -> None:
    body = {"pool_id": "race", "name": "Race"}
    answers = await asyncio.gather(*(writer.http.post("/v1/pools", json=body) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [201, *[409] * 5]


# --- bounds -----------------------------------------------------------------------------------


async def test_a_pool_that_is_full_refuses(writer: Principal, make: Make) -> None:
    await make("ops", retention_policy={"max_size_bytes": 40})
    await write(writer, "ops", "x" * 20, "a")
    answer = await writer.http.patch("/v1/pools/ops/data", json={"data": {"b": "y" * 20}})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (413, "data")
    assert await value(writer, "ops") == {"a": "x" * 20}
    full = {"pool_id": "big", "name": "Big", "data": {"a": "x" * 50}}
    policy = {"retention_policy": {"max_size_bytes": 40}}
    assert (await writer.http.post("/v1/pools", json=full | policy)).status_code == 413


async def test_a_pool_above_its_quota_may_shrink_and_keeps_no_other_from_upkeep(
    opened: Parts, writer: Principal, make: Make, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = {"retention_policy": {"ttl_seconds": 60}}
    for name in ("above", "below"):
        await make(name, data={"a": "x" * 40, "b": "y" * 40, "c": "z" * 40}, **policy)
    few = replace(opened.pools.limits, bytes=50)
    monkeypatch.setattr(opened.pools, "limits", few)
    monkeypatch.setattr(opened.pool_upkeep, "_limits", few)
    grown = await writer.http.put("/v1/pools/above/data", json={"value": "w"}, params={"path": "d"})
    assert grown.status_code == 413
    smaller = await writer.http.delete("/v1/pools/above/data", params={"path": "a"})
    assert smaller.status_code in (200, 204), smaller.text
    assert sorted(await value(writer, "above")) == ["b", "c"], "still above, and less"
    later = datetime.now(UTC) + timedelta(minutes=2)
    done = await opened.pool_upkeep.run([f"{tenant}/dev"], dry_run=False, moment=later)
    assert sorted(done.keys.values()) == [2, 3]
    assert await value(writer, "below") == {}


async def test_a_pool_may_give_up_what_was_written_longest_ago(
    writer: Principal, make: Make
) -> None:
    await make("ops", retention_policy={"max_size_bytes": 60, "eviction": "lru"})
    for key in ("a", "b", "a"):
        await write(writer, "ops", f"{key * 20}", key)
    await write(writer, "ops", "A" * 20, "a")
    await write(writer, "ops", "c" * 20, "c")
    assert sorted(await value(writer, "ops")) == ["a", "c"]
    large = await writer.http.put(
        "/v1/pools/ops/data", json={"value": "d" * 70}, params={"path": "d"}
    )
    assert large.status_code == 413
    assert sorted(await value(writer, "ops")) == ["a", "c"]


async def test_a_scope_has_only_so_many_pools(
    opened: Parts, writer: Principal, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = type(opened.pools.limits)(5_000_000, 2, 20, 20_000_000)
    monkeypatch.setattr(opened.pools, "limits", few)
    await make("one")
    await make("two")
    answer = await writer.http.post("/v1/pools", json={"name": "Three"})
    assert (answer.status_code, answer.json()["code"]) == (409, "QuotaReached")


async def test_what_is_written_is_sanitised_at_any_depth(writer: Principal, make: Make) -> None:
    await make("ops")
    given = {"list": [{"mail": "Write to ada@example.org, please."}], "ada@example.org": 1}
    await merge(writer, "ops", {"deep": given})
    held = await value(writer, "ops")
    assert "ada@example.org" not in str(held)
    assert "Write to" in held["deep"]["list"][0]["mail"]


def nest(depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for _ in range(depth):
        made = {"a": made}
    return made


BAD = [
    ({"type": "secret"}, "type"),
    ({"lifetime": "forever"}, "lifetime"),
    ({"reach": "world"}, "reach"),
    ({"pool_id": "No Slug"}, "pool_id"),
    ({"retention_policy": {"eviction": "random"}}, "retention_policy.eviction"),
    ({"retention_policy": {"ttl": 1}}, "retention_policy.ttl"),
    ({"access_control": {"everyone": True}}, "access_control.everyone"),
    ({"access_control": {"agents": ["no such: name"]}}, "access_control"),
    ({"type": "agent_private", "access_control": {"public": True}}, "access_control.public"),
    ({"type": "agent_private", "access_control": {"read": ["x"]}}, "access_control.agents"),
    ({"expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
    ({"scope": "session", "lifetime": "persistent"}, "scope"),
    ({"data": nest(20)}, "data"),
    ({"data": {"k" * 300: 1}}, "data"),
    ({"surprise": 1}, "surprise"),
]


@pytest.mark.parametrize(("wrong", "field"), BAD)
async def test_bad_input_is_refused_by_name(
    writer: Principal, wrong: dict[str, Any], field: str
) -> None:
    body = {"pool_id": "bad", "name": "Bad", **wrong}
    answer = await writer.http.post("/v1/pools", json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["field"].startswith(field), answer.text


async def test_bad_writes_are_refused_by_name(writer: Principal, make: Make) -> None:
    await make("ops", data={"a": 1})
    send = writer.http.put
    for query, given, field in (
        ({}, 1, "value"),
        ({"path": "a..b"}, 1, "path"),
        ({"path": "a.b"}, 1, "path"),
        ({"path": "b"}, nest(20), "value"),
    ):
        answer = await send("/v1/pools/ops/data", json={"value": given}, params=query)
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"][0]["field"].startswith(field)
    for text in (
        '{"value": {"a": 123456789012345678901234567890}}',
        '{"value": {"a": 1e999}}',
        '{"value": {"a": "\\ud800"}}',
        '{"value": {"\\ud800": 1}}',
    ):
        kind = {"Content-Type": "application/json"}
        answer = await send("/v1/pools/ops/data", content=text, headers=kind)
        assert answer.status_code in (400, 422), (text, answer.text)
    far = await writer.http.get("/v1/pools/ops/data", params={"version": 10**30})
    assert (far.status_code, far.json()["errors"][0]["field"]) == (422, "version")
    grant = await writer.http.post("/v1/pools/ops/grants", json={"agent": "x", "level": "own"})
    assert (grant.status_code, grant.json()["errors"][0]["field"]) == (422, "level")
    cursor = await writer.http.get("/v1/pools/ops/events", params={"cursor": "x"})
    assert (cursor.status_code, cursor.json()["errors"][0]["field"]) == (422, "cursor")
    listed = await writer.http.get("/v1/pools", params={"type": "odd"})
    assert (listed.status_code, listed.json()["errors"][0]["field"]) == (422, "type")


# --- upkeep -----------------------------------------------------------------------------------


async def test_upkeep_tells_first_and_then_takes(
    opened: Parts, admin: Principal, writer: Principal, make: Make, tenant: str
) -> None:
    soon = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    await make("ends", expires_at=soon)
    await make("run", lifetime="execution", data={"a": 1})
    await make("kept", lifetime="execution", persist_across_executions=True, data={"a": 1})
    await make("fades", retention_policy={"ttl_seconds": 60}, data={"old": 1})
    await make("stays", data={"a": 1})
    scope = f"{tenant}/dev"
    later = datetime.now(UTC) + timedelta(days=2)
    dry = await opened.pool_upkeep.run([scope], dry_run=True, moment=later)
    assert dry.keys == {f"{scope}/fades": 1}
    assert {p.rpartition("/")[2] for p in dry.pools} == {"ends", "run"}
    assert len((await writer.http.get("/v1/pools")).json()["items"]) == 5
    done = await opened.pool_upkeep.run([scope], dry_run=False, moment=later)
    assert (sorted(done.pools), done.keys) == (sorted(dry.pools), dry.keys)
    left = {pool["pool_id"] for pool in (await writer.http.get("/v1/pools")).json()["items"]}
    assert left == {"kept", "fades", "stays"}
    assert await value(writer, "fades") == {}
    again = await opened.pool_upkeep.run([scope], dry_run=False, moment=later)
    assert (again.pools, again.keys, again.events) == ([], {}, 0)
    body = {"scope": scope, "dry_run": False}
    by_hand = await admin.http.post("/v1/pools/retention", json=body)
    assert (by_hand.status_code, by_hand.json()["pools"]) == (200, [])
    assert (await writer.http.post("/v1/pools/retention", json={})).status_code == 403
    told = await opened.graph.raw(
        "MATCH (a:AuditEvent {kind: 'pool.retention', scope: $scope}) RETURN a.payload AS told",
        scope=scope,
    )
    assert len(told) == 3
    assert all(done.id in row["told"] for row in told)


async def test_events_last_for_a_day(
    opened: Parts, writer: Principal, make: Make, tenant: str
) -> None:
    await make("ops")
    await write(writer, "ops", 1, "a")
    scope, moment = f"{tenant}/dev", datetime.now(UTC)
    early = await opened.pool_upkeep.run([scope], dry_run=False, moment=moment)
    assert early.events == 0
    late = moment + timedelta(hours=25)
    assert (await opened.pool_upkeep.run([scope], dry_run=True, moment=late)).events == 1
    assert (await opened.pool_upkeep.run([scope], dry_run=False, moment=late)).events == 1
    assert await events(writer, "ops") == []


async def test_a_pool_that_has_ended_is_gone_before_upkeep(
    opened: Parts, writer: Principal, make: Make
) -> None:
    made = await make("ends", expires_at="2999-01-01T00:00:00Z")
    await opened.graph.raw(
        "MATCH (p:MemoryPool {id: $id}) SET p.ends_at = datetime.realtime() RETURN p.id",
        id=made["id"],
    )
    assert (await writer.http.get("/v1/pools/ends")).status_code == 404
    assert (await writer.http.get("/v1/pools")).json()["items"] == []
    assert (await make("ends", data={"new": 1}))["version"] == 1, "the name is free again"
    assert await value(writer, "ends") == {"new": 1}


async def test_the_schedule_runs_it_at_half_past_three(opened: Parts) -> None:
    job = await opened.runner.submit("pools.retention", tenant="_system", scope="_system", args={})
    assert await opened.runner.run(opened, job.id) == "done"
