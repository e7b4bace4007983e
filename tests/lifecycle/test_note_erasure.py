"""What comes back of a chain of notes once some of them are erased: never two that contradict."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Switch

BUDGETS = ("5'000", "6'000", "7'000")
MONTHS = ("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z")
ORDERS = list(itertools.permutations(range(3)))


def budget(index: int) -> str:
    """What one of the three notes says."""
    return f"The budget of Vega is CHF {BUDGETS[index]}."


async def write(who: Principal, content: str, **more: Any) -> dict[str, Any]:
    answer = await who.http.post("/v1/notes", json={"content": content, **more})
    assert answer.status_code == 201, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def read(who: Principal, note: str) -> dict[str, Any]:
    answer = await who.http.get(f"/v1/notes/{note}")
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def listed(who: Principal, **query: Any) -> list[str]:
    answer = await who.http.get("/v1/notes", params=query)
    assert answer.status_code == 200, answer.text
    return [item["untrusted"]["content"] for item in answer.json()["items"]]


async def erase(admin: Principal, **body: Any) -> dict[str, Any]:
    answer = await admin.http.post("/v1/erasures", json=body)
    assert answer.status_code in (200, 202), answer.text
    told: dict[str, Any] = answer.json()
    return told


async def decide(curator: Principal, note: str, decision: str) -> dict[str, Any]:
    answer = await curator.http.post(f"/v1/notes/{note}/review", json={"decision": decision})
    assert answer.status_code in (200, 201), answer.text
    told: dict[str, Any] = answer.json()
    return told


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("gone", ORDERS)
async def test_what_is_left_of_a_chain_is_as_if_the_rest_had_never_been_written(
    admin: Principal, tenant: str, switch: Switch, gone: tuple[int, ...], order: tuple[int, ...]
) -> None:
    await switch(tenant, erasure=True)
    made = {i: (await write(admin, budget(i), valid_from=MONTHS[i]))["id"] for i in order}
    left = [0, 1, 2]
    for index in gone:
        await erase(admin, memory=made[index])
        left.remove(index)
        assert await listed(admin) == [budget(i) for i in left[-1:]]
        for month in range(3):
            held = [i for i in left if i <= month][-1:]
            assert await listed(admin, as_of=f"2026-{month + 1:02}-15T00:00:00Z") == [
                budget(i) for i in held
            ]
        for one, other in itertools.pairwise(left):
            assert (await read(admin, made[one]))["superseded_by"] == [made[other]]


async def test_erasing_an_author_joins_the_notes_around_his(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, switch: Switch
) -> None:
    scope = f"{tenant}/dev"
    await opened.scopes.create(admin.caller, scope)
    await switch(tenant, erasure=True)
    ana = await principal(scope, name="ana")
    bob = await principal(scope, name="bob", kind="user")
    first = await write(ana, budget(0), scope=scope)
    await write(bob, budget(1), scope=scope)
    last = await write(admin, budget(2), scope=scope)
    assert last["status"] == "quarantined"
    await decide(admin, last["id"], "accept")
    assert await listed(ana) == [budget(2)]
    job = (await erase(admin, author=bob.caller.principal, scope=scope))["job"]
    assert await opened.runner.run(opened, job) == "done"
    assert await listed(ana) == [budget(2)]
    former = await read(ana, first["id"])
    assert (former["standing"], former["superseded_by"]) == ("superseded", [last["id"]])
    assert former["valid_to"] == last["valid_from"]


async def test_what_the_next_one_does_not_contradict_comes_back(
    admin: Principal, tenant: str, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    told = [
        "The ticket for Vega is open.",
        "The ticket for Vega is closed. The budget of Vega is CHF 5'000.",
        "The budget of Vega is CHF 6'000.",
    ]
    made = [await write(admin, text) for text in told]
    assert await listed(admin) == [told[2]]
    await erase(admin, memory=made[1]["id"])
    assert sorted(await listed(admin)) == sorted([told[2], told[0]])


async def test_what_comes_back_waits_where_it_contradicts_what_came_meanwhile(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, switch: Switch
) -> None:
    scope = f"{tenant}/dev"
    await opened.scopes.create(admin.caller, scope)
    await switch(tenant, erasure=True)
    ana = await principal(scope, name="ana")
    old = await write(ana, "The ticket for Vega is open.", scope=scope, valid_from=MONTHS[1])
    new = await write(admin, "The ticket for Vega is closed.", scope=scope, valid_from=MONTHS[2])
    assert new["ends"] == [old["id"]]
    # What an import brings is held against nothing: an earlier note that contradicts the first.
    other = await write(admin, "The ticket for Lyra is closed.", scope=scope, valid_from=MONTHS[0])
    await opened.graph.raw(
        "MATCH (n:Note {id: $id}) SET n.content = replace(n.content, 'Lyra', 'Vega'), "
        "n.terms = replace(n.terms, 'lyra', 'vega')",
        id=other["id"],
    )
    receipt = await erase(admin, memory=new["id"])
    assert "restored" not in receipt["counts"]
    assert await listed(ana) == ["The ticket for Vega is closed."]
    waits = await read(ana, old["id"])
    assert (waits["standing"], waits["contradicts"]) == ("quarantined", [other["id"]])


@pytest.mark.parametrize("decision", ["accept", "keep", "reject"])
async def test_a_note_that_was_decided_on_late_is_not_held_beside_what_comes_back(
    opened: Parts,
    admin: Principal,
    principal: MakePrincipal,
    tenant: str,
    switch: Switch,
    decision: str,
) -> None:
    scope = f"{tenant}/dev"
    await opened.scopes.create(admin.caller, scope)
    await switch(tenant, erasure=True)
    ana, bob = await principal(scope, name="ana"), await principal(scope, name="bob")
    first = await write(ana, budget(0), scope=scope)
    waits = await write(bob, budget(1), scope=scope)
    assert waits["contradicts"] == [first["id"]]
    last = await write(ana, budget(2), scope=scope)
    assert last["ends"] == [first["id"]]
    await erase(admin, memory=last["id"])
    assert await listed(ana) == [budget(0)]
    await decide(admin, waits["id"], decision)
    held = {"accept": [1], "keep": [0, 1], "reject": [0]}[decision]
    assert sorted(await listed(ana)) == [budget(i) for i in held]
    standing = (await read(ana, first["id"]))["standing"]
    assert standing == ("superseded" if decision == "accept" else "held")
    if decision == "accept":
        await erase(admin, memory=waits["id"])
        assert await listed(ana) == [budget(0)]


async def test_every_window_of_a_long_note_is_found_again_once_it_is_held_again(
    opened: Parts, admin: Principal, tenant: str, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    old = await write(admin, budget(0))
    await opened.graph.raw(
        "MATCH (n:Note {id: $id}) CREATE (w:Window {id: n.id + '#1', scope: n.scope, live: n.live, "
        "facets: n.facets})-[:WINDOW_OF]->(n)",
        id=old["id"],
    )
    seen = "MATCH (w:Window)-[:WINDOW_OF]->(n:Note {id: $id}) RETURN w.live AS live, w.facets AS of"
    (before,) = await opened.graph.raw(seen, id=old["id"])
    assert before["live"]
    new = await write(admin, budget(1))
    (ended,) = await opened.graph.raw(seen, id=old["id"])
    assert not ended["live"]
    await erase(admin, memory=new["id"])
    (after,) = await opened.graph.raw(seen, id=old["id"])
    assert (after["live"], sorted(after["of"])) == (True, sorted(before["of"]))


async def test_what_a_curator_let_end_a_note_ends_those_before_it_too(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, switch: Switch
) -> None:
    scope = f"{tenant}/dev"
    await opened.scopes.create(admin.caller, scope)
    await switch(tenant, erasure=True)
    ana, bob = await principal(scope, name="ana"), await principal(scope, name="bob")
    cleo = await principal(scope, role=Role.CURATOR, name="cleo", kind="user")
    first = await write(ana, budget(0), scope=scope)
    second = await write(ana, budget(1), scope=scope)
    third = await write(bob, budget(2), scope=scope)
    await decide(cleo, third["id"], "accept")
    await erase(admin, memory=second["id"])
    assert await listed(ana) == [budget(2)]
    former = await read(ana, first["id"])
    assert (former["standing"], former["superseded_by"]) == ("superseded", [third["id"]])
