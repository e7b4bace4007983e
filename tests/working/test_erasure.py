"""Working memory goes with its scope, its tenant, its author and a person that it tells of."""

from __future__ import annotations

from typing import Any

from redis.asyncio import Redis

from app.access.service import operator
from app.cli.keys import all_scopes
from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Say, Switch
from tests.lifecycle.test_person import WHO, entity, erased
from tests.lifecycle.test_scope_deletion import delete
from tests.working.conftest import BASE, SHARES, got, items, keys_of, put


async def copies(opened: Parts, tenant: str) -> list[str]:
    """Scope and author of what is copied of a tenant."""
    rows = await opened.graph.raw(
        "MATCH (c:WorkingCopy {tenant: $tenant}) "
        "RETURN DISTINCT c.scope + ' ' + c.author AS place ORDER BY place",
        tenant=tenant,
    )
    return [row["place"] for row in rows]


async def fill(who: Principal, scope: str, value: Any = "x") -> None:
    """A task with its copy in a scope."""
    await put(who, "t/state", value, scope=scope)
    answer = await who.http.put(f"{BASE}/t/copy", params={"scope": scope})
    assert answer.status_code == 200, answer.text


async def test_it_goes_with_its_scope(
    opened: Parts,
    admin: Principal,
    principal: MakePrincipal,
    tenant: str,
    switch: Switch,
) -> None:
    await switch(tenant, erasure=True)
    dev, ops = f"{tenant}/dev", f"{tenant}/ops"
    await principal(ops, name="stays")
    resident = await principal(dev, name="resident", role=Role.ADMIN)
    answer = await admin.http.post(
        f"/v1/principals/{resident.caller.principal}/grants", json={"scope": ops, "role": "writer"}
    )
    assert answer.status_code == 201, answer.text
    for who, scope in ((admin, dev), (admin, ops), (resident, dev), (resident, ops)):
        await fill(who, scope)
    body = {"value": "for the resident"}
    to = resident.caller.principal
    answer = await admin.http.put(f"{SHARES}/{to}/a", json=body, params={"scope": ops})
    assert answer.status_code == 200
    told = await delete(opened, admin, dev)
    assert told["counts"]["working"] == 6  # three tasks and the share, and the two copies of ops
    assert await copies(opened, tenant) == [f"{ops} {admin.caller.principal}"]
    assert await got(admin, "t/state", scope=ops) == "x"
    left = [place async for place in opened.working.values.places(tenant)]
    assert [(place.scope, place.agent) for place in left] == [(ops, admin.caller.principal)]


async def test_it_goes_with_its_tenant(
    opened: Parts,
    admin: Principal,
    principal: MakePrincipal,
    tenant: str,
    valkey: Redis,
    switch: Switch,
) -> None:
    await switch(tenant, erasure=True)
    await fill(admin, tenant)
    other = await principal(f"{tenant}2", role=Role.ADMIN, name="admin", kind="user")
    await fill(other, f"{tenant}2")
    caller = operator(tenant, await all_scopes(opened, tenant))
    receipt = await opened.deletion.carry_out(await opened.deletion.order(caller, tenant))
    assert receipt["state"] == "done"
    assert await keys_of(valkey, tenant) == []
    assert await copies(opened, tenant) == []
    assert await got(other, "t/state") == "x"


async def test_it_goes_with_its_author(
    opened: Parts,
    admin: Principal,
    writer: Principal,
    principal: MakePrincipal,
    tenant: str,
    switch: Switch,
) -> None:
    await switch(tenant, erasure=True)
    scope, author = f"{tenant}/dev", writer.caller.principal
    other = await principal(scope, name="other")
    await fill(writer, scope)
    await fill(other, scope)
    for who, to in ((writer, other), (other, writer)):
        path = f"{SHARES}/{to.caller.principal}/a"
        assert (await who.http.put(path, json={"value": 1})).status_code == 200
    told = await erased(opened, admin, {"author": author, "scope": scope})
    assert told["state"] == "done"
    assert told["counts"]["working"] == 4  # the task, its copy, and one share each way
    assert await items(writer, "t") == []
    assert await items(other, "t") == ["state"]
    assert await copies(opened, tenant) == [f"{scope} {other.caller.principal}"]
    left = [place async for place in opened.working.values.places(tenant)]
    assert [place.agent for place in left] == [other.caller.principal]
    again = await admin.http.post("/v1/erasures", json={"author": author, "scope": scope})
    assert (again.status_code, again.json()["job"]) == (200, None)  # gone already: its receipt


async def test_what_tells_of_a_person_goes_with_him(
    opened: Parts,
    admin: Principal,
    writer: Principal,
    tenant: str,
    say: Say,
    switch: Switch,
) -> None:
    await switch(tenant, erasure=True)
    scope = f"{tenant}/dev"
    await say(scope, f"{WHO} lives in Ulm. {WHO} works for Heron GmbH.")
    await say(scope, f"Ada Berger met {WHO} in Kiel.", session="third")
    await put(writer, "t/keys/his", {"deep": [f"call\n{WHO} first"]})
    await put(writer, "t/keys/other", "call Ada Berger first")
    await writer.http.post(f"{BASE}/t/conversation", json={"value": {"content": f"{WHO}?"}})
    await writer.http.put(f"{BASE}/t/copy")
    told = await erased(opened, admin, {"person": await entity(opened, scope, WHO)})
    assert told["state"] == "done"
    assert told["counts"]["working"] == 4  # two values and their copies
    assert await items(writer, "t") == ["keys/other"]
    await writer.http.delete(f"{BASE}/t")
    answer = await writer.http.post(f"{BASE}/t/copy/load", json={})
    assert answer.json() == {"loaded": 1, "kept": 0}
    assert await items(writer, "t") == ["keys/other"]
