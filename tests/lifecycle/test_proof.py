"""The check of an erasure: a job that reads one tenant by seeks, and misses nothing."""

from __future__ import annotations

from typing import Any

import pytest
from neo4j import AsyncDriver

from app.jobs.model import Cancelled
from app.kernel.caller import Role
from app.kernel.cypher import Q, over
from app.kernel.vocab import Label
from app.lifecycle import proof as checking
from app.lifecycle.proof import KINDS, OUTSIDE, PLACES, UMBRELLAS, Proof, Search, prove
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.contract.test_plans import SCANS, explained, named
from tests.lifecycle.conftest import Say, Switch, checked, untold
from tests.lifecycle.test_erasure import erase
from tests.lifecycle.test_scope_deletion import delete, made

TAGS = "UNWIND range(10, 29) AS i CREATE (:Tag {id: $t + ':' + i, scope: $t, name: 'a' + i})"


@pytest.fixture
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three nodes a page, and a report after each."""
    monkeypatch.setattr(checking, "PAGE", 3)
    monkeypatch.setattr(checking, "TOLD", -1.0)


def sought(tenant: str, *text: str) -> Search:
    return Search(tenant, (), (), text, (), ())


def test_every_label_is_read_or_said_not_to_be() -> None:
    assert {*PLACES} | KINDS | OUTSIDE | UMBRELLAS == {*Label}
    assert not {*PLACES} & (KINDS | OUTSIDE)


@pytest.mark.parametrize("label", PLACES)
async def test_each_label_is_read_by_seeks(server: AsyncDriver, label: Label) -> None:
    asked = over(Q.lifecycle.tenant_page, label, *PLACES[label]).text
    found = named(await explained(server, asked))
    assert SCANS.isdisjoint(found), found
    assert sum(name.startswith(("NodeIndexSeek", "NodeUniqueIndexSeek")) for name in found) == 2


@pytest.mark.usefixtures("short_pages")
async def test_what_is_written_and_deleted_beside_hides_no_holder(
    opened: Parts, tenant: str
) -> None:
    await opened.graph.raw(TAGS, t=tenant)
    await opened.graph.raw("MATCH (n:Tag {id: $t + ':27'}) SET n.name = 'Zyx Here'", t=tenant)
    seen: list[str] = []

    async def disturb(told: dict[str, Any]) -> None:
        """Rows behind the reader go, others come, as under a store in use."""
        if told["label"] != "Tag" or not told["after"]:
            return
        seen.append(told["after"])
        await opened.graph.raw(
            "MATCH (n:Tag {scope: $t}) WHERE n.id <= $after WITH n LIMIT 2 DELETE n "
            "WITH count(*) AS gone CREATE (:Tag {id: $t + ':0' + gone, scope: $t, name: 'new'})",
            t=tenant,
            after=told["after"],
        )

    found = await prove(opened.graph, sought(tenant, "zyx here"), Proof(), disturb)
    assert found.holders == {"Tag": [f"{tenant}:27"]}
    assert len(seen) >= 6


@pytest.mark.usefixtures("short_pages")
async def test_a_check_that_was_cut_short_goes_on_where_it_was(opened: Parts, tenant: str) -> None:
    await opened.graph.raw(TAGS, t=tenant)
    search = sought(tenant, "a12", "a28")
    whole = await prove(opened.graph, search, Proof(), untold)
    assert whole.holders == {"Tag": [f"{tenant}:12", f"{tenant}:28"]}
    kept: list[dict[str, Any]] = []

    async def cut(told: dict[str, Any]) -> None:
        kept.append(told)
        if told["after"].endswith("18"):
            raise Cancelled

    with pytest.raises(Cancelled):
        await prove(opened.graph, search, Proof(), cut)
    again = await prove(opened.graph, search, Proof(**kept[-1]), untold)
    assert (again.holders, again.looked_at) == (whole.holders, whole.looked_at)
    assert again.began_at == kept[0]["began_at"]


async def test_a_check_is_a_job_that_is_seen_stopped_and_run_again(
    opened: Parts,
    admin: Principal,
    principal: MakePrincipal,
    tenant: str,
    say: Say,
    switch: Switch,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checking, "TOLD", -1.0)
    await switch(tenant, erasure=True)
    await opened.scopes.create(admin.caller, f"{tenant}/dev")
    receipt = (await erase(admin, memory=await say(f"{tenant}/dev", "Zyxword is here.")))["receipt"]
    path = f"/v1/erasures/{receipt}/check"
    job = (await admin.http.post(path, json={"text": "Zyxword"})).json()["job"]
    rows = await opened.graph.raw("MATCH (j:Job {id: $id}) RETURN properties(j) AS p", id=job)
    assert "zyxword" not in str(rows).lower(), "what it looks for lies outside of the graph"
    # It is asked to stop while it runs: at the next report it has.
    run = opened.jobs.progress

    async def stopped(*given: Any) -> None:
        await opened.graph.raw("MATCH (j:Job {id: $id}) SET j.cancel_requested = true", id=job)
        await run(*given)

    monkeypatch.setattr(opened.jobs, "progress", stopped)
    assert await opened.runner.run(opened, job) == "cancelled"
    monkeypatch.setattr(opened.jobs, "progress", run)
    assert (await admin.http.post(f"/v1/jobs/{job}/rerun")).status_code == 202
    assert await opened.runner.run(opened, job) == "done"
    found = (await admin.http.get(f"/v1/jobs/{job}")).json()
    assert found["result"]["clean"], found
    assert found["result"]["began_at"] < found["result"]["ended_at"]

    # The admin of a part may ask for ids, and not which words the rest of the tenant holds.
    other = await principal(f"{tenant}/dev", role=Role.ADMIN, name="lead", kind="user")
    assert (await other.http.get(f"/v1/jobs/{job}")).status_code == 404
    refused = await other.http.post(path, json={"text": "payroll"})
    assert refused.status_code == 403, refused.text
    assert (await checked(opened, other, receipt))["clean"]


async def test_a_deleted_scope_is_looked_for_by_its_paths(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    scope, near = f"{tenant}/dev", f"{tenant}/dev-b"
    for path in (scope, near):
        await made(admin, path)
    await say(scope, "Heron GmbH is based in Bremen.")
    await say(near, f"Look into {near} for Heron GmbH.")
    receipt = (await delete(opened, admin, scope))["receipt"]
    found = await checked(opened, admin, receipt)
    assert found["clean"], found
    assert found["looked_at"] > 0
    kept = await say(near, f"It was kept in {scope}.")
    assert (await checked(opened, admin, receipt))["holders"]["Episode"] == [kept]
    await opened.graph.raw("CREATE (:Tag {id: $s + 'x', scope: $s, name: 'left'})", s=scope)
    assert (await checked(opened, admin, receipt))["holders"]["Tag"] == [f"{scope}x"]


async def test_lists_of_relationships_are_read(opened: Parts, tenant: str) -> None:
    await opened.graph.raw(
        "CREATE (:Page {id: $t, scope: $t})-[:REFERENCES {texts: ['a', 'Zyx list']}]->"
        "(:Entity {id: $t + 'e', scope: $t})",
        t=tenant,
    )
    found = await prove(opened.graph, sought(tenant, "zyx list"), Proof(), untold)
    assert found.holders == {"REFERENCES": [tenant]}
