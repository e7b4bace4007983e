"""Erasure through the schema: told before, done as over the route, and on record."""

from __future__ import annotations

from typing import Any

import pytest

from app.kernel.caller import Role
from tests.conftest import MakePrincipal
from tests.graphql.conftest import Client, World

PREVIEW = """query P($i: ErasureInput!) { erasurePreview(input: $i) {
  episodes facts notes skills skillVersions survivors scopes refused complete } }"""
ERASE = """mutation E($i: ErasureInput!) { erase(input: $i) {
  receipt state counts hashes survivors jobId job { id task state } } }"""
LISTED = "{ erasures { nodes { receipt } } }"
RECEIPT = "query R($id: ID!) { erasure(id: $id) { receipt kind scope by state counts ids } }"


async def allow(world: World, *, erasure: bool) -> None:
    answer = await world.admin.http.put(
        "/v1/scopes/rules", params={"scope": world.scope}, json={"erasure": erasure}
    )
    assert answer.status_code == 200, answer.text


async def wrote(who: Client, content: str) -> str:
    note: str = (await who.post("/v1/notes", content=content))["id"]
    return note


async def test_a_memory_goes_at_once_and_the_receipt_says_what_went(world: World) -> None:
    note = await wrote(world.curator, "The spare key hangs behind the third door.")
    told = (await world.admin.ask(PREVIEW, i={"memory": note}))["erasurePreview"]
    assert (told["notes"], told["episodes"], told["refused"]) == ([note], [], [])
    off, error = await world.admin.wrong(ERASE, i={"memory": note})
    problem = (await world.admin.http.post("/v1/erasures", json={"memory": note})).json()
    assert (off, error["extensions"]["code"]) == (409, problem["code"])
    await allow(world, erasure=True)
    done = (await world.admin.ask(ERASE, i={"memory": note}))["erase"]
    assert (done["state"], done["counts"]["notes"], done["job"]) == ("done", 1, None)
    again = (await world.admin.ask(ERASE, i={"memory": note}))["erase"]
    assert again["receipt"] == done["receipt"]
    route = await world.admin.get(f"/v1/erasures/{done['receipt']}")
    shown = (await world.admin.ask(RECEIPT, id=done["receipt"]))["erasure"]
    assert shown == {name: route[name] for name in shown}
    assert shown["ids"] == [note]
    _, error = await world.curator.wrong(f'{{ note(id: "{note}") {{ id }} }}')
    assert error["extensions"]["code"] == "NotFound"


async def test_an_author_goes_as_a_job(world: World, principal: MakePrincipal) -> None:
    await allow(world, erasure=True)
    made = await principal(world.scope, name="quill")
    quill = Client(made.http, made.caller)
    ids = {await wrote(quill, f"The {n} shelf holds paint.") for n in ("upper", "lower")}
    target = {"author": made.caller.principal, "scope": world.scope}
    told = (await world.admin.ask(PREVIEW, i=target))["erasurePreview"]
    assert (set(told["notes"]), told["complete"]) == (ids, True)
    queued = (await world.admin.ask(ERASE, i=target))["erase"]
    assert queued["state"] == "queued"
    _, error = await world.admin.wrong(RECEIPT, id=queued["receipt"])
    assert error["extensions"]["code"] == "NotFound"
    assert queued["job"] == {"id": queued["jobId"], "task": "lifecycle.erase", "state": "queued"}
    assert await world.opened.runner.run(world.opened, queued["jobId"]) == "done"
    shown = (await world.admin.ask(RECEIPT, id=queued["receipt"]))["erasure"]
    assert (shown["state"], shown["kind"], set(shown["ids"])) == ("done", "author", ids)
    first = await newest(world.admin)
    assert first["receipt"] == queued["receipt"]
    assert (await world.admin.get("/v1/erasures", limit=1))["items"][0]["receipt"] == first[
        "receipt"
    ]


async def newest(who: Client) -> dict[str, Any]:
    listed = await who.ask("{ erasures(first: 1) { nodes { receipt state } } }")
    found: dict[str, Any] = listed["erasures"]["nodes"][0]
    return found


@pytest.mark.parametrize("given", [{}, {"memory": "m", "author": "a"}, {"memory": ""}])
async def test_exactly_one_target_is_named(world: World, given: dict[str, Any]) -> None:
    for text in (PREVIEW, ERASE):
        status, error = await world.admin.wrong(text, i=given)
        assert (status, error["extensions"]["code"]) == (422, "InvalidInput")


async def test_receipts_are_for_those_who_rule_there(
    world: World, principal: MakePrincipal
) -> None:
    await allow(world, erasure=True)
    note = await wrote(world.curator, "The ladder stands in the yard.")
    receipt = (await world.admin.ask(ERASE, i={"memory": note}))["erase"]["receipt"]
    kept = await wrote(world.curator, "The hose lies in the shed.")
    asked: list[tuple[str, dict[str, Any]]] = [
        (PREVIEW, {"i": {"memory": kept}}),
        (ERASE, {"i": {"memory": kept}}),
        (RECEIPT, {"id": receipt}),
    ]
    for text, given in [*asked, (LISTED, {})]:
        _, error = await world.curator.wrong(text, **given)
        told = (error["extensions"]["status"], error["message"])
        assert told == (403, "this key needs the role admin")
    other = await principal(f"{world.scope.partition('/')[0]}y", role=Role.ADMIN, name="zed")
    zed = Client(other.http, other.caller)
    assert (await zed.ask(LISTED))["erasures"]["nodes"] == []
    for text, given in asked:
        _, error = await zed.wrong(text, **given)
        assert error["extensions"]["code"] == "NotFound"
    assert (await world.curator.ask(f'{{ note(id: "{kept}") {{ id }} }}'))["note"]["id"] == kept
