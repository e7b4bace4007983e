"""Working memory goes with its scope, its tenant, its author and a person that it tells of."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from redis.asyncio import Redis

from app.access.service import operator
from app.cli.keys import all_scopes
from app.kernel.caller import Role
from app.wiring import Parts
from app.working.copies import CopyRepository
from app.working.erasing import WorkingErasure
from app.working.store import WorkingStore
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


Once = Callable[[], Awaitable[Any]]


def at_once(
    monkeypatch: pytest.MonkeyPatch, owner: type, name: str, given: tuple[Once, bool]
) -> None:
    """Have something done once while a method is called: right before it, or right after."""
    do, before = given
    original, waiting = getattr(owner, name), [do]

    async def patched(self: Any, *args: Any, **named: Any) -> Any:
        if before and waiting:
            await waiting.pop()()
        found = await original(self, *args, **named)
        if waiting:
            await waiting.pop()()
        return found

    monkeypatch.setattr(owner, name, patched)


@pytest.mark.parametrize("replacing", [False, True])
@pytest.mark.parametrize("target", ["author", "person"])
async def test_a_copy_that_was_read_before_an_erasure_is_not_loaded_after_it(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, say: Say, switch: Switch,
    monkeypatch: pytest.MonkeyPatch, target: str, replacing: bool,
) -> None:  # fmt: skip
    await switch(tenant, erasure=True)
    scope = f"{tenant}/dev"
    await say(scope, f"{WHO} lives in Ulm. {WHO} works for Heron GmbH.")
    await put(writer, "t/keys/his", f"call {WHO} first")
    await put(writer, "t/keys/other", "call nobody")
    await writer.http.put(f"{BASE}/t/copy")
    await writer.http.delete(f"{BASE}/t")
    body = {
        "author": {"author": writer.caller.principal, "scope": scope},
        "person": {"person": await entity(opened, scope, WHO)},
    }[target]

    async def erase() -> None:
        assert (await erased(opened, admin, body))["state"] == "done"

    at_once(monkeypatch, CopyRepository, "get", (erase, False))
    answer = await writer.http.post(f"{BASE}/t/copy/load", json={"replace": replacing})
    left = ["keys/other"] if target == "person" else []
    assert await items(writer, "t") == left
    assert answer.status_code == (200 if left else 404)
    if left:
        assert answer.json() == {"loaded": 1, "kept": 0}


async def test_a_copy_that_is_loaded_while_an_erasure_takes_it_goes_too(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, switch: Switch,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    await switch(tenant, erasure=True)
    await fill(writer, f"{tenant}/dev")
    await writer.http.delete(f"{BASE}/t")
    read, gone = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        read.set()
        await gone.wait()

    at_once(monkeypatch, CopyRepository, "get", (wait, False))
    loading = asyncio.create_task(writer.http.post(f"{BASE}/t/copy/load", json={}))
    await read.wait()

    async def load() -> None:
        gone.set()
        assert (await loading).json() == {"loaded": 1, "kept": 0}
        assert await items(writer, "t") == ["state"]

    at_once(monkeypatch, WorkingErasure, "stop_loading", (load, True))
    body = {"author": writer.caller.principal, "scope": f"{tenant}/dev"}
    told = await erased(opened, admin, body)
    assert loading.done()
    assert (told["state"], told["counts"]["working"]) == ("done", 2)
    assert await items(writer, "t") == []
    assert await copies(opened, tenant) == []


async def test_what_was_read_before_an_erasure_is_not_copied_after_it(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, switch: Switch,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    await switch(tenant, erasure=True)
    await put(writer, "t/state", "x")
    body = {"author": writer.caller.principal, "scope": f"{tenant}/dev"}

    async def erase() -> None:
        assert (await erased(opened, admin, body))["state"] == "done"

    at_once(monkeypatch, WorkingStore, "values", (erase, False))
    answer = await writer.http.put(f"{BASE}/t/copy")
    assert answer.status_code == 404
    assert await copies(opened, tenant) == []
    await fill(writer, f"{tenant}/dev")
    assert await copies(opened, tenant) == [f"{tenant}/dev {writer.caller.principal}"]


async def test_what_is_copied_between_two_looks_of_an_erasure_goes_too(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, switch: Switch,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    await switch(tenant, erasure=True)
    await put(writer, "t/state", "x")

    async def copy() -> None:
        assert (await writer.http.put(f"{BASE}/t/copy")).status_code == 200

    at_once(monkeypatch, WorkingErasure, "take", (copy, True))
    body = {"author": writer.caller.principal, "scope": f"{tenant}/dev"}
    assert (await erased(opened, admin, body))["counts"]["working"] == 2
    assert await items(writer, "t") == []
    assert await copies(opened, tenant) == []
