"""A scope is deleted whole, with what others made of it, and nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from app.access.seal import check_chain
from app.access.service import operator
from app.cli.keys import all_scopes
from app.kernel.caller import Role
from app.kernel.cypher import Q, Query, over
from app.lifecycle.in_scopes import LabelIndex
from app.lifecycle.invariants import broken
from app.lifecycle.proof import Proof, Search, prove
from app.lifecycle.scope_deletion import INDEXES, REMOVED, ScopeDeletion
from app.portability.exporter import export_package
from app.portability.service import selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.contract.test_plans import SCANS, explained
from tests.contract.test_plans import named as steps
from tests.lifecycle.conftest import Say, Switch, facts_in, untold
from tests.portability.conftest import Import
from tests.portability.worlds import World

# What may name a scope that is gone: records of ids and hashes.
RECORDS = {"AuditEvent", "ErasureReceipt", "Tombstone"}
LEFT = (
    "MATCH (n) WHERE any(k IN keys(n) WHERE any(v IN "
    "CASE WHEN n[k] IS :: STRING NOT NULL THEN [n[k]] "
    "WHEN n[k] IS :: LIST<STRING NOT NULL> NOT NULL THEN n[k] ELSE [] END "
    "WHERE v CONTAINS $path)) UNWIND labels(n) AS label RETURN DISTINCT label"
)


async def named(opened: Parts, path: str) -> set[str]:
    """Labels of what holds a path in any property."""
    return {row["label"] for row in await opened.graph.raw(LEFT, path=path)}


async def delete(opened: Parts, who: Principal, scope: str) -> dict[str, Any]:
    """The receipt of a deletion over HTTP, carried out by the worker's own step."""
    answer = await who.http.delete("/v1/scopes", params={"scope": scope})
    assert answer.status_code == 202, answer.text
    assert await opened.runner.run(opened, answer.json()["job"]) == "done"
    found = await who.http.get(f"/v1/erasures/{answer.json()['receipt']}")
    told: dict[str, Any] = found.json()
    return told


async def check_reads_it_all(opened: Parts, tenant: str) -> None:
    """The check of an erasure finds every node of the tenant once, and no other's."""
    await opened.graph.raw("CREATE (:Tag {id: $t + '0', scope: $t + '0', name: 'other'})", t=tenant)
    (row,) = await opened.graph.raw(
        "MATCH (n) WHERE n.tenant = $t OR n.scope = $t OR n.scope STARTS WITH $t + '/' "
        "RETURN count(n) + sum(COUNT { (n)-->() }) AS all, "
        "count(DISTINCT labels(n)) AS kinds",
        t=tenant,
    )
    sought = Search(tenant, (), (), ("nowhere at all",), (), ())
    found = await prove(opened.graph, sought, Proof(), untold)
    assert found.looked_at == row["all"]
    assert found.clean
    assert row["kinds"] > 20


async def counted(opened: Parts, scopes: list[str]) -> dict[str, int]:
    """How many nodes of each label that a deletion takes lie in some scopes, read without any
    index."""
    rows = await opened.graph.raw(
        "MATCH (n) WHERE n.scope IN $scopes UNWIND labels(n) AS label "
        "WITH label WHERE label IN $labels RETURN label, count(*) AS count",
        scopes=scopes, labels=[*REMOVED],
    )  # fmt: skip
    return {row["label"]: row["count"] for row in rows}


async def digest(opened: Parts, folder: Path, scope: str) -> dict[str, list[bytes]]:
    """What an export of a scope holds, by file."""
    await export_package(opened.graph, folder, await selection(opened.graph, scope))
    return await asyncio.to_thread(_read, folder)


async def made(admin: Principal, scope: str) -> str:
    answer = await admin.http.post("/v1/scopes", json={"scope": scope})
    assert answer.is_success, answer.text
    return scope


def _read(folder: Path) -> dict[str, list[bytes]]:
    """Lines by file, without what the chain of audit adds and without links that lead outside."""
    files = (p for p in folder.iterdir() if p.name not in ("manifest.json", "audit.jsonl"))
    kept = {
        p.name: [line for line in p.read_bytes().splitlines() if b'"outside":true' not in line]
        for p in files
    }
    return {name: lines for name, lines in kept.items() if lines}


@pytest_asyncio.fixture(loop_scope="session")
async def world(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, request: Any
) -> World:
    people = {
        name: await principal(tenant, name=name, kind="user", role=Role.ADMIN)
        for name in ("ada", "bob")
    }
    made = World(opened, {"admin": admin, **people}, request.param)
    await made.grow(12)
    return made


@pytest.mark.parametrize("asked", [Q.scope_deletion.held, Q.scope_deletion.drop])
@pytest.mark.parametrize("found_by", INDEXES, ids=lambda found_by: found_by.label)
async def test_each_label_is_found_by_seeks(
    server: AsyncDriver, asked: Query, found_by: LabelIndex
) -> None:
    found = steps(await explained(server, over(asked, *found_by.index).text))
    assert SCANS.isdisjoint(found), found


@pytest.mark.slow
@pytest.mark.parametrize("world", [11, 12], indirect=True)
async def test_a_scope_of_any_graph_leaves_its_neighbours_as_they_were(
    opened: Parts, world: World, tmp_path: Path
) -> None:
    scope, other = f"{world.tenant}/dev", f"{world.tenant}/ops"
    await world.admin.http.post("/v1/search", json={"query": "Who lives in Ulm?"})
    await opened.question_log.flush()
    await check_reads_it_all(opened, world.tenant)
    before = await digest(opened, tmp_path / "before", other)
    answer = await world.admin.http.delete("/v1/scopes", params={"scope": scope, "dry_run": True})
    preview = answer.json()["preview"]
    assert preview["scopes"] == [scope, f"{scope}/team:red"]
    assert preview["refused"] == []
    assert preview["counts"] == await counted(opened, preview["scopes"])

    told = await delete(opened, world.admin, scope)
    assert told["state"] == "done"
    assert told["counts"]["scopes"] == 2
    assert told["counts"]["Entity"] > 0
    assert await named(opened, scope) <= RECORDS
    assert await broken(opened.graph, world.tenant) == []
    if not preview["crossing"]:
        assert await digest(opened, tmp_path / "after", other) == before


@pytest.mark.slow
@pytest.mark.parametrize("world", [13], indirect=True)
async def test_a_tenant_goes_and_what_proves_it_stays(opened: Parts, world: World) -> None:
    tenant = world.tenant
    caller = operator(tenant, await all_scopes(opened, tenant))
    receipt = await opened.deletion.carry_out(await opened.deletion.order(caller, tenant))
    assert receipt["state"] == "done"
    left = await opened.graph.raw(
        "MATCH (n) WHERE n.tenant = $t OR n.scope = $t OR n.scope STARTS WITH $t + '/' "
        "UNWIND labels(n) AS label RETURN DISTINCT label",
        t=tenant,
    )
    assert {row["label"] for row in left} == RECORDS | {"AuditHead"}
    assert (await world.admin.http.get("/v1/scopes")).status_code == 401
    report = await check_chain(opened.access_rows, tenant)
    assert report.intact, report


async def test_what_was_made_of_it_elsewhere_goes_with_it(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    scope = f"{tenant}/dev/team:red"
    await made(admin, scope)
    await say(scope, "Heron GmbH is based in Bremen.")
    await say(f"{tenant}/dev", "Osprey AG is based in Ulm.")
    fact = await opened.graph.raw(
        "MATCH (f:Fact {scope: $s}) WHERE f.statement CONTAINS 'Bremen' RETURN f.id AS id", s=scope
    )
    promoted = await admin.http.post(
        f"/v1/facts/{fact[0]['id']}/promote", json={"scope": f"{tenant}/dev"}
    )
    if promoted.status_code == 404:
        await opened.graph.raw(
            "MATCH (e:Episode {scope: $to}), (f:Fact {id: $f}) MERGE (e)-[:DERIVED_FROM]->(f)",
            to=f"{tenant}/dev", f=fact[0]["id"],
        )  # fmt: skip
    answer = await admin.http.delete("/v1/scopes", params={"scope": scope, "dry_run": True})
    assert answer.json()["preview"]["crossing"]
    await delete(opened, admin, scope)
    assert await facts_in(opened, f"{tenant}/dev") == {}
    assert await broken(opened.graph, tenant) == []


async def test_who_may_not_changes_nothing(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, say: Say, switch: Switch
) -> None:
    scope = await made(admin, f"{tenant}/dev")
    await say(scope, "Ada Berger lives in Bremen.")
    inside = await principal(scope, role=Role.ADMIN, name="inside", subtree=True)
    narrow = await principal(tenant, role=Role.ADMIN, name="narrow", subtree=False)
    stranger = await principal(f"{tenant}-x", role=Role.ADMIN, name="stranger")

    async def refused(who: Principal, status: int, path: str = scope) -> dict[str, Any]:
        answer = await who.http.delete("/v1/scopes", params={"scope": path})
        assert answer.status_code == status, answer.text
        told: dict[str, Any] = answer.json()
        return told

    assert "do not allow" in (await refused(admin, 409))["detail"]
    await switch(tenant, erasure=True)
    await refused(inside, 422)
    await refused(narrow, 404)
    await refused(stranger, 404)
    await refused(admin, 422, tenant)
    await refused(admin, 404, f"{tenant}/none")
    assert await facts_in(opened, scope)
    assert (await inside.http.get("/v1/scopes")).status_code == 200


async def test_it_is_gone_on_with_where_it_was_cut_short_and_once_more_is_the_receipt(
    opened: Parts,
    admin: Principal,
    writer: Principal,
    tenant: str,
    say: Say,
    switch: Switch,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await switch(tenant, erasure=True)
    scope = await made(admin, f"{tenant}/dev")
    await say(scope, "Ada Berger lives in Bremen.")
    answer = await admin.http.delete("/v1/scopes", params={"scope": scope})
    job = answer.json()["job"]

    async def cut(*_: Any) -> None:
        raise ConnectionError("cut short")

    with monkeypatch.context() as patched:
        patched.setattr(ScopeDeletion, "_sweep", cut)
        assert await opened.runner.run(opened, job) != "done"
    assert (await writer.http.get("/v1/scopes")).status_code == 401  # nobody writes there now
    again = (await admin.http.delete("/v1/scopes", params={"scope": scope})).json()
    assert again["receipt"] == answer.json()["receipt"]
    assert await opened.runner.run(opened, again["job"]) == "done"
    # The job that was cut short waits for its next attempt, which will find nothing left to do.
    assert await named(opened, scope) <= RECORDS | {"Job"}
    once_more = await admin.http.delete("/v1/scopes", params={"scope": scope})
    assert (once_more.status_code, once_more.json()["receipt"]) == (200, again["receipt"])
    assert once_more.json()["counts"]["principals"] == 1
    shown = await opened.graph.one(Q.lifecycle.get_receipt, id=again["receipt"], scopes=[tenant])
    assert shown["receipt"]["by"] == admin.caller.principal


async def test_a_package_brings_it_back(
    opened: Parts,
    admin: Principal,
    tenant: str,
    say: Say,
    switch: Switch,
    load: Import,
    tmp_path: Path,
) -> None:
    await switch(tenant, erasure=True)
    scope = await made(admin, f"{tenant}/dev")
    await say(scope, "Ada Berger lives in Bremen.")
    before = await facts_in(opened, scope)
    await export_package(opened.graph, tmp_path / "old", await selection(opened.graph, tenant))
    await delete(opened, admin, scope)
    await load(tmp_path / "old")
    assert await facts_in(opened, scope) == before
    assert await broken(opened.graph, tenant) == []


async def test_ended_jobs_of_a_scope_whose_path_begins_alike_stay_as_they_were(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, say: Say, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    scope, other = await made(admin, f"{tenant}/dev"), await made(admin, f"{tenant}/dev2")
    await say(scope, "Ada Berger lives in Bremen.")
    await say(other, "Ole Petersen lives in Ulm.")
    tell = await principal(other, role=Role.ADMIN, name="tell")

    async def export(who: Principal, *scopes: str) -> str:
        answer = await who.http.post("/v1/exports", json={"scopes": [*scopes]})
        assert answer.status_code == 202, answer.text
        job: str = answer.json()["id"]
        assert await opened.runner.run(opened, job) == "done"
        return job

    apart, theirs = await export(admin, other), await export(tell, other)
    both, gone = await export(admin, scope, other), await export(admin, scope)
    # An import that could not be read, and may be sent again from where it lies.
    body, headers = b"no archive", {"Content-Type": "application/zstd"}
    answer = await tell.http.post(
        "/v1/imports", params={"scope": other}, content=body, headers=headers
    )
    assert answer.status_code == 202, answer.text
    dead = answer.json()["id"]
    await opened.graph.raw("MATCH (j:Job {id: $id}) SET j.attempts = 99", id=dead)
    await opened.runner.run(opened, dead)
    before = {
        job: (await who.http.get(f"/v1/jobs/{job}")).json()
        for who, job in ((admin, apart), (tell, theirs), (tell, dead))
    }
    assert before[dead]["state"] == "dead", before[dead]
    args = await opened.graph.raw(
        "MATCH (j:Job) WHERE j.id IN $ids RETURN j.id AS id, j.args AS args ORDER BY id",
        ids=[apart, theirs, dead],
    )
    await delete(opened, admin, scope)
    for who, job in ((admin, apart), (tell, theirs), (tell, dead)):
        shown = await who.http.get(f"/v1/jobs/{job}")
        assert (shown.status_code, shown.json()) == (200, before[job])
    assert args == await opened.graph.raw(
        "MATCH (j:Job) WHERE j.id IN $ids RETURN j.id AS id, j.args AS args ORDER BY id",
        ids=[apart, theirs, dead],
    )
    assert (await admin.http.get(f"/v1/exports/{apart}")).status_code == 200
    assert (await tell.http.get(f"/v1/exports/{theirs}")).status_code == 200
    for job in (both, gone):
        assert (await admin.http.get(f"/v1/exports/{job}")).status_code == 404
    assert await named(opened, f'"{scope}"') <= RECORDS
