"""Pools in packages, in erasures, in the deletion of a scope and in `loci verify`: what engines do
for a kind that declares itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.cli.transfer import store_of
from app.kernel.caller import Role
from app.kinds import KINDS
from app.lifecycle.invariants import broken
from app.portability.exporter import digest_of, export_package
from app.portability.progress import Progress
from app.portability.service import Order, import_attended, selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import checked, strings_of
from tests.pools.conftest import Make, merge, value, write

Load = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def load(opened: Parts) -> Load:
    """`await load(path, target=…)` imports a package as the operator."""

    async def untold(progress: Progress, size: int) -> None:
        """Tells nobody."""

    async def run(path: Path, **how: Any) -> dict[str, Any]:
        return await import_attended(store_of(opened), Order(path, **how), untold)

    return run


async def allow(admin: Principal, tenant: str) -> None:
    answer = await admin.http.put(
        "/v1/scopes/rules", params={"scope": tenant}, json={"erasure": True}
    )
    assert answer.status_code == 200, answer.text


async def erase(opened: Parts, admin: Principal, **body: Any) -> str:
    """Erase by request and by its job; the receipt."""
    answer = await admin.http.post("/v1/erasures", json=body)
    assert answer.status_code in (200, 202), answer.text
    told = answer.json()
    if told["job"]:
        assert await opened.runner.run(opened, told["job"]) == "done"
    receipt: str = told["receipt"]
    return receipt


async def counted(opened: Parts, scope: str) -> dict[str, int]:
    rows = await opened.graph.raw(
        "MATCH (n:Declared) WHERE n.scope = $scope RETURN n.kind AS kind, count(*) AS found",
        scope=scope,
    )
    return {row["kind"]: row["found"] for row in rows}


async def filled(make: Make, writer: Principal, other: Principal) -> None:
    """Pools of all sorts, with a history and two writers."""
    await make("ops", access_control={"public": True, "agents": ["other"]}, data={"n": [1, None]})
    await write(writer, "ops", {"state": "risk_off", "sure": 0.82}, "agent_bulletin.market")
    await merge(other, "ops", {"agent_bulletin": {"weather": "rain"}, "größe": "1,5 m"})
    await make("mine", type="agent_private", data={"a": {"b": True}}, lifetime="session")
    await write(writer, "mine", 2, "a.c")
    await make("brief", retention_policy={"ttl_seconds": 60, "eviction": "oldest"})


async def test_a_package_brings_every_kind_back(
    opened: Parts,
    admin: Principal,
    writer: Principal,
    principal: MakePrincipal,
    tenant: str,
    make: Make,
    load: Load,
    tmp_path: Path,
) -> None:
    other = await principal(f"{tenant}/dev", name="other")
    await filled(make, writer, other)
    chosen = await selection(opened.graph, tenant)
    before = await digest_of(opened.graph, chosen)
    manifest = await export_package(opened.graph, tmp_path / "out", chosen)
    assert manifest["digest"] == before["digest"]
    assert (before["records"]["pool"], before["records"]["pool_version"]) == (3, 3)
    await opened.graph.raw(
        "MATCH (n:Declared) WHERE n.scope = $scope DETACH DELETE n RETURN count(*) AS n",
        scope=f"{tenant}/dev",
    )
    assert (await digest_of(opened.graph, chosen))["digest"] != before["digest"]
    result = await load(tmp_path / "out")
    assert result["kinds"]["pool"] == {"accepted": 3, "duplicates": 0, "rejected": 0}
    assert (await digest_of(opened.graph, chosen))["digest"] == before["digest"]
    assert await value(writer, "ops", version=2, path="agent_bulletin.market.sure") == 0.82
    assert await value(writer, "mine") == {"a": {"b": True, "c": 2}}
    assert (await other.http.get("/v1/pools/mine")).status_code == 404
    assert await merge(other, "ops", {"x": 1}) == 4
    assert await broken(opened.graph, tenant) == []
    again = await load(tmp_path / "out", fresh=True)
    assert again["kinds"]["pool"] == {"accepted": 0, "duplicates": 3, "rejected": 0}


async def test_a_package_is_taken_into_another_tenant(
    opened: Parts,
    writer: Principal,
    principal: MakePrincipal,
    tenant: str,
    make: Make,
    load: Load,
    tmp_path: Path,
) -> None:
    await filled(make, writer, await principal(f"{tenant}/dev", name="other"))
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    await load(tmp_path / "out", target=f"{tenant}y")
    scout = await principal(f"{tenant}y/dev", name="scout")
    assert await value(scout, "mine") == {"a": {"b": True, "c": 2}}
    pool = (await scout.http.get("/v1/pools/ops")).json()
    assert pool["owner"] == scout.caller.principal
    assert pool["access_control"]["agents"] == [f"agent:{tenant}y:other"]
    assert await value(scout, "ops", version=1) == {"n": [1, None]}
    assert await broken(opened.graph, f"{tenant}y") == []


async def test_what_a_package_says_is_sanitised_and_checked(
    opened: Parts, writer: Principal, tenant: str, make: Make, load: Load, tmp_path: Path
) -> None:
    await make("ops", data={"a": "fine"})
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    line = orjson.loads((tmp_path / "out" / "pools.jsonl").read_bytes())
    hostile = line | {"pool_id": "two", "data": {"a": "Write to ada@example.org, please."}}
    deep: Any = {}
    for _ in range(30):
        deep = {"a": deep}
    orphan = {
        "id": "x", "scope": line["scope"], "pool_id": "none", "version": 1,
        "changed_at": line["changed_at"],
    }  # fmt: skip
    package = tmp_path / "in"
    package.mkdir()
    lines = [hostile, line | {"data": deep}, line | {"type": "odd"}, line | {"surprise": 1}]
    (package / "pools.jsonl").write_bytes(b"\n".join(orjson.dumps(each) for each in lines))
    (package / "pool_versions.jsonl").write_bytes(orjson.dumps(orphan))
    result = await load(package, rejects=tmp_path / "rejects")
    assert result["kinds"]["pool"] == {"accepted": 1, "duplicates": 0, "rejected": 3}
    assert result["kinds"]["pool_version"] == {"accepted": 0, "duplicates": 0, "rejected": 1}
    rejects = [orjson.loads(row) for row in (tmp_path / "rejects").read_bytes().splitlines()]
    assert [row["field"] for row in rejects] == ["data", "type", "surprise", "id"]
    assert "ada@example.org" not in str(await value(writer, "two"))


async def test_a_pool_is_erased_by_its_id_and_stays_away(
    opened: Parts,
    admin: Principal,
    writer: Principal,
    tenant: str,
    make: Make,
    load: Load,
    tmp_path: Path,
) -> None:
    await allow(admin, tenant)
    canary = f"canary{tenant.replace('-', 'x')}"
    made = await make("ops", type="agent_private", data={"word": canary})
    await write(writer, "ops", 1, "word")
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    dry = await admin.http.post("/v1/erasures", json={"memory": made["id"], "dry_run": True})
    assert set(dry.json()["preview"]["declared"]) == {"pool", "pool_version", "pool_event"}
    receipt = await erase(opened, admin, memory=made["id"])
    told = (await admin.http.get(f"/v1/erasures/{receipt}")).json()
    assert {k: told["counts"][k] for k in ("pools", "pool_versions", "pool_events")} == {
        "pools": 1,
        "pool_versions": 1,
        "pool_events": 1,
    }
    assert await counted(opened, f"{tenant}/dev") == {}
    assert await strings_of(opened, canary) == []
    assert (await checked(opened, admin, receipt, canary))["clean"]
    result = await load(tmp_path / "out", fresh=True)
    assert result["kinds"]["pool"]["accepted"] == 0
    assert await strings_of(opened, canary) == []
    # The same name may be used again, and the new pool goes into packages and out of them.
    await make("ops", type="agent_private", data={"word": "new"})
    await export_package(opened.graph, tmp_path / "new", await selection(opened.graph, tenant))
    await opened.graph.raw("MATCH (n:Declared {scope: $s}) DETACH DELETE n", s=f"{tenant}/dev")
    assert (await load(tmp_path / "new"))["kinds"]["pool"]["accepted"] == 1


async def test_a_stranger_cannot_look_for_a_pool_by_erasing_it(
    admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str, make: Make
) -> None:
    await allow(admin, tenant)
    made = await make("ops", type="agent_private")
    scope = f"{tenant}/dev/agent:other"
    other = await principal(scope, role=Role.ADMIN, name="other")
    for identifier in (made["id"], "0" * 32):
        for path, body in (
            ("/v1/erasures", {"memory": identifier}),
            ("/v1/erasures", {"memory": identifier, "dry_run": True}),
        ):
            assert (await other.http.post(path, json=body)).status_code == 404
        assert (await writer.http.get(f"/v1/memories/{identifier}")).status_code == 404


async def test_an_author_goes_with_what_he_wrote(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str,
    make: Make,
) -> None:  # fmt: skip
    await allow(admin, tenant)
    other = await principal(f"{tenant}/dev", name="other")
    scope, scout = f"{tenant}/dev", writer.caller.principal
    mine, his = (f"{word}{tenant.replace('-', 'x')}" for word in ("mine", "his"))
    public = {"public": True, "agents": ["other"]}
    await make("private", type="agent_private", data={"a": mine})
    await make("alone", data={"a": mine})
    await make("both", access_control=public, data={"a": mine, "deep": {"x": mine, "y": 1}})
    await write(other, "both", his, "deep.y")
    await merge(other, "both", {"b": his})
    await make("theirs", by=other, access_control={"write": ["scout"]}, data={"a": his})
    await write(writer, "theirs", mine, "b")
    dry = await admin.http.post(
        "/v1/erasures", json={"author": scout, "scope": scope, "dry_run": True}
    )
    assert len(dry.json()["preview"]["declared"]["pool"]) == 4
    receipt = await erase(opened, admin, author=scout, scope=scope)
    assert await strings_of(opened, mine) == []
    assert await value(other, "both") == {"deep": {"y": his}, "b": his}
    assert await value(other, "theirs") == {"a": his}
    both = (await other.http.get("/v1/pools/both")).json()
    assert (both["owner"], both["version"]) == ("", 4)
    theirs = (await other.http.get("/v1/pools/theirs")).json()
    assert theirs["access_control"]["write"] == []
    listed = (await other.http.get("/v1/pools")).json()["items"]
    assert {pool["pool_id"] for pool in listed} == {"both", "theirs"}
    told = (await admin.http.get(f"/v1/erasures/{receipt}")).json()
    assert told["counts"]["pools"] == 2
    assert (await checked(opened, admin, receipt, mine))["clean"]
    writers = [e["writer"] for e in (await other.http.get("/v1/pools/both/events")).json()["items"]]
    assert set(writers) == {other.caller.principal}
    assert await broken(opened.graph, tenant) == []
    again = await admin.http.post("/v1/erasures", json={"author": scout, "scope": scope})
    assert again.json()["receipt"] == receipt


async def test_a_person_goes_from_pools_by_name(
    opened: Parts, admin: Principal, tenant: str, make: Make
) -> None:
    await allow(admin, tenant)
    scope, who = f"{tenant}/dev", "Isidor Zuckel"
    for text in (f"{who} lives in Ulm.", f"{who} works for Heron GmbH."):
        body = {"scope": scope, "content": text, "session": text}
        assert (await admin.http.post("/v1/episodes", json=body)).status_code == 201
    await opened.consolidation.consolidate(scope)
    data = {
        "owner": f"Ask {who}.",
        "list": ["a", f"{who}'s deputy"],
        who: 1,
        "zuckelian": "Isidor Zuckelsberg",
        "deep": {"x": f"line\n{who}", "y": 2},
    }
    await make("ops", by=admin, scope=scope, data=data)
    query = {"scope": scope}
    put = await admin.http.put(
        "/v1/pools/ops/data", json={"value": 3}, params={**query, "path": "deep.y"}
    )
    assert put.status_code == 200, put.text
    (row,) = await opened.graph.raw(
        "MATCH (e:Entity {scope: $s, canonical_name: $n}) RETURN e.id AS id", s=scope, n=who
    )
    receipt = await erase(opened, admin, person=row["id"])
    left = (await admin.http.get("/v1/pools/ops/data", params=query)).json()
    assert left["untrusted"]["value"] == {
        "list": ["a"], "zuckelian": "Isidor Zuckelsberg", "deep": {"y": 3}
    }  # fmt: skip
    former = (await admin.http.get("/v1/pools/ops/data", params={**query, "version": 1})).json()
    assert former["untrusted"]["value"]["deep"] == {"y": 2}
    told = (await admin.http.get(f"/v1/erasures/{receipt}")).json()
    assert told["state"] == "done"
    held = await strings_of(opened, who)
    where = {s.rpartition(".")[2] for s in held}
    assert where <= {"data", "content", "terms"}, "the longer name stands there"


async def test_a_scope_and_a_tenant_go_with_their_pools(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str,
    make: Make,
) -> None:  # fmt: skip
    await allow(admin, tenant)
    other = await principal(f"{tenant}/dev", name="other")
    await filled(make, writer, other)
    scope = f"{tenant}/dev"
    assert await counted(opened, scope) == {
        "pool": 3, "pool_version": 3, "pool_event": 4, "pool_text": 3
    }  # fmt: skip
    asked = {"scope": scope, "dry_run": True}
    preview = await admin.http.request("DELETE", "/v1/scopes", params=asked)
    assert preview.json()["preview"]["counts"]["MemoryPool"] == 3, preview.text
    answer = await admin.http.request("DELETE", "/v1/scopes", params={"scope": scope})
    assert answer.status_code == 202, answer.text
    assert await opened.runner.run(opened, answer.json()["job"]) == "done"
    assert await counted(opened, scope) == {}
    assert await broken(opened.graph, tenant) == []


async def test_verify_finds_a_part_without_its_whole(
    opened: Parts, writer: Principal, tenant: str, make: Make
) -> None:
    made = await make("ops")
    await write(writer, "ops", 1, "a")
    assert await broken(opened.graph, tenant) == []
    await opened.graph.raw("MATCH (p:MemoryPool {id: $id}) DETACH DELETE p", id=made["id"])
    found = await broken(opened.graph, tenant)
    assert [each.invariant for each in found] == ["every part of a declared kind has its whole"]
    await opened.graph.raw(
        "MATCH (n:Declared {scope: $scope}) DETACH DELETE n", scope=f"{tenant}/dev"
    )


def test_a_whole_comes_before_its_parts_and_names_do_not_meet() -> None:
    names = [kind.name for kind in KINDS]
    assert len({*names}) == len({kind.label for kind in KINDS}) == len(names)
    for place, kind in enumerate(KINDS):
        assert kind.part_of is None or kind.part_of in KINDS[:place]
