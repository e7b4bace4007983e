"""Pools of workflows: their nodes share one, by the same operations as any pool."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Switch, switch
from tests.lifecycle.test_person import erased
from tests.pools.conftest import Make, make, merge, value, write

__all__ = ["make", "switch"]


async def refused(who: Principal, body: dict[str, Any]) -> tuple[int, str]:
    """Status and field of a refusal."""
    answer = await who.http.post("/v1/pools", json={"name": "x", **body})
    assert answer.status_code >= 400, answer.text
    return answer.status_code, answer.json()["errors"][0]["field"]


async def test_the_nodes_of_a_workflow_share_a_pool(
    writer: Principal, principal: MakePrincipal, make: Make, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    nodes = [await principal(scope, name=f"node{n}") for n in range(3)]
    beside = await principal(scope, name="beside", role=Role.ADMIN)
    body: dict[str, Any] = {"name": "Run 7", "type": "workflow", "workflow": "run-7"}
    body |= {"access_control": {"agents": ["node0", "node1"]}}
    made = (await writer.http.post("/v1/pools", json=body)).json()
    assert (made["pool_id"], made["workflow"]) == ("workflow.run-7", "run-7")
    assert (made["lifetime"], made["reach"], made["type"]) == ("execution", "task", "workflow")
    assert (await writer.http.post("/v1/pools", json=body)).status_code == 409, "it has one"
    pool = made["pool_id"]
    # Each node reads and writes at once, and nothing is lost.
    sharing = [writer, *nodes[:2]]
    parts = [(who, f"step{n}.by{k}", n) for n in range(4) for k, who in enumerate(sharing)]
    await asyncio.gather(*(merge(who, pool, {key: n}) for who, key, n in parts))
    data = await value(nodes[1], pool)
    assert data == {f"step{n}": {f"by{k}": n for k in range(3)} for n in range(4)}
    # A node that joins later, one that only looks on, and one that leaves.
    for agent, level in (("node2", "write"), ("beside", "read")):
        grant = {"agent": agent, "level": level}
        answer = await writer.http.post(f"/v1/pools/{pool}/grants", json=grant)
        assert answer.status_code < 300, answer.text
    await write(nodes[2], pool, "done", "last")
    assert await value(beside, pool, path="last") == "done"
    put = await beside.http.put(f"/v1/pools/{pool}/data", json={"value": {}})
    assert put.status_code == 403
    gone = await writer.http.delete(f"/v1/pools/{pool}/grants/node0")
    assert gone.status_code < 300, gone.text
    assert (await nodes[0].http.get(f"/v1/pools/{pool}/data")).status_code == 404


async def test_pools_are_listed_by_their_workflow(
    writer: Principal, principal: MakePrincipal, make: Make, tenant: str
) -> None:
    node = await principal(f"{tenant}/dev", name="node")
    stranger = await principal(f"{tenant}/ops", name="far")
    for slug, run in (("one", "run-1"), ("two", "run-2"), ("three", "run-1")):
        access = {"agents": ["node"]} if slug != "three" else {}
        await make(slug, type="workflow", workflow=run, access_control=access)
    await make("plain")

    async def listed(who: Principal, **query: str) -> list[str]:
        answer = await who.http.get("/v1/pools", params=query)
        return sorted(pool["pool_id"] for pool in answer.json()["items"])

    assert await listed(writer, workflow="run-1") == ["one", "three"]
    assert await listed(writer, type="workflow") == ["one", "three", "two"]
    assert await listed(node, workflow="run-1") == ["one"]
    assert await listed(node, workflow="run-3") == []
    assert await listed(stranger, workflow="run-1") == []


async def test_a_workflow_is_named_where_there_is_one_and_nowhere_else(writer: Principal) -> None:
    assert await refused(writer, {"type": "workflow"}) == (422, "workflow")
    assert await refused(writer, {"workflow": "run-1"}) == (422, "workflow")
    assert await refused(writer, {"type": "workflow", "workflow": "a b"}) == (422, "workflow")
    public = {"type": "workflow", "workflow": "r", "access_control": {"public": True}}
    assert await refused(writer, public) == (422, "access_control.public")
    assert (await writer.http.get("/v1/pools")).json()["items"] == []
    body = {"name": "x", "type": "shared_context", "workflow": "Run:1~b"}
    made = (await writer.http.post("/v1/pools", json=body)).json()
    assert made["type"] == "workflow"
    assert re.fullmatch(r"workflow\.run-1-b\.[0-9a-f]{8}", made["pool_id"])
    again = await writer.http.post("/v1/pools", json=body)
    assert again.status_code == 409, "a workflow has one name, whatever its letters"
    other = (await writer.http.post("/v1/pools", json={**body, "workflow": "run:1~b"})).json()
    assert other["pool_id"] != made["pool_id"]


async def test_what_a_node_wrote_goes_with_it(
    opened: Parts,
    admin: Principal,
    writer: Principal,
    principal: MakePrincipal,
    make: Make,
    switch: Switch,
    tenant: str,
) -> None:
    await switch(tenant, erasure=True)
    scope = f"{tenant}/dev"
    node = await principal(scope, name="node")
    access = {"agents": ["node"]}
    await make("run", type="workflow", workflow="run-1", access_control=access, data={"kept": 1})
    await write(node, "run", "by the node", "theirs")
    await erased(opened, admin, {"author": node.caller.principal, "scope": scope})
    assert await value(writer, "run") == {"kept": 1}
    assert (await node.http.get("/v1/pools/run/data")).status_code == 404
