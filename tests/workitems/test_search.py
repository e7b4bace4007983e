"""Work items are found by search where they are asked for, by words and by meaning."""

from __future__ import annotations

from typing import Any

from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.pools.test_packages import allow, erase
from tests.workitems.conftest import Make, advance


async def hits(who: Principal, query: str, **more: Any) -> list[dict[str, Any]]:
    """What a search for work items finds."""
    body = {"query": query, "kinds": ["work_item"], **more}
    answer = await who.http.post("/v1/search", json=body)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["hits"]
    return found


async def test_an_item_is_found_by_words_at_once_and_by_meaning_later(
    opened: Parts, writer: Principal, make: Make
) -> None:
    made = await make("Replace the pump", description="It leaks oil at the seal.", tags=["plant"])
    (hit,) = await hits(writer, "Where is oil?")
    assert (hit["id"], hit["kind"], hit["source"]["work_item_id"]) == (
        made["id"], "work_item", made["id"]
    )  # fmt: skip
    assert hit["untrusted"]["text"] == "Replace the pump\n\nIt leaks oil at the seal."
    assert (hit["untrusted"]["title"], hit["untrusted"]["tags"]) == ("Replace the pump", ["plant"])
    assert await hits(writer, "oil", mode="vector") == []
    await opened.indexing.drain()
    (hit,) = await hits(writer, "oil at the seal", mode="vector")
    assert hit["id"] == made["id"]
    assert (await hits(writer, "oil", tags=["plant"]))[0]["id"] == made["id"]
    assert await hits(writer, "oil", tags=["office"]) == []


async def test_what_was_said_just_now_comes_before_what_only_has_vectors(
    opened: Parts, writer: Principal, make: Make
) -> None:
    for title in ("Move the boathouse", "Carry the boats", "Buy straps", "A red lamp"):
        await make(title)
    await opened.indexing.drain()
    made = await make("The eight needs a long trailer")
    for fusion in ("weighted", "rrf", "simple"):
        found = await hits(writer, "long trailer", fusion=fusion)
        assert found[0]["id"] == made["id"], fusion


async def test_a_question_for_all_kinds_finds_no_items(writer: Principal, make: Make) -> None:
    await make("Replace the pump")
    answer = await writer.http.post("/v1/search", json={"query": "pump"})
    assert answer.json()["hits"] == []
    wrong = await writer.http.post("/v1/search", json={"query": "pump", "kinds": ["work_itme"]})
    assert wrong.status_code == 422
    assert "work_item" in wrong.text


async def test_a_change_is_found_and_what_was_there_is_not(
    opened: Parts, writer: Principal, make: Make
) -> None:
    made = await make("Replace the pump")
    await opened.indexing.drain()
    changed = await writer.http.patch(
        f"/v1/work-items/{made['id']}", json={"title": "Paint a wall"}
    )
    assert changed.status_code == 200, changed.text
    assert await hits(writer, "pump") == []
    assert await hits(writer, "pump", mode="vector") == [], "its vector went with the text"
    await opened.indexing.drain()
    assert [hit["id"] for hit in await hits(writer, "wall", mode="vector")] == [made["id"]]
    assert await advance(writer, made["id"], "in_progress") == 200
    assert [hit["id"] for hit in await hits(writer, "wall", mode="vector")] == [made["id"]]


async def test_nobody_else_finds_an_item(
    writer: Principal, principal: MakePrincipal, tenant: str, make: Make
) -> None:
    await make("Replace the pump")
    for scope in (f"{tenant}/aside", f"{tenant}y/dev"):
        other = await principal(scope, name="aside")
        assert await hits(other, "pump") == []


async def test_an_item_that_is_deleted_leaves_nothing_in_the_indexes(
    opened: Parts, admin: Principal, writer: Principal, make: Make
) -> None:
    await allow(admin, writer.caller.tenant)
    long = "x y " * 4900  # more tokens than one vector takes in
    made = await make("Replace the pump", description=long)
    other = await make("Clean the pump", description=long)
    await opened.indexing.drain()
    (row,) = await opened.graph.raw(
        "MATCH (w:Window {memory_id: $id}) RETURN count(w) AS windows", id=made["id"]
    )
    assert row["windows"]
    assert (await writer.http.delete(f"/v1/work-items/{made['id']}")).status_code == 204
    await erase(opened, admin, memory=other["id"])
    rows = await opened.graph.raw(
        "MATCH (n:Searchable) WHERE n.memory_id IN $ids RETURN n.id AS id",
        ids=[made["id"], other["id"]],
    )
    assert rows == []


async def test_graphql_finds_items_by_kind(writer: Principal, make: Make) -> None:
    made = await make("Replace the pump")
    asked = """query { search(input: {query: "pump", kinds: [work_item]}) {
        hits { id kind } } }"""
    answer = await writer.http.post("/graphql", json={"query": asked})
    assert "errors" not in answer.json(), answer.text
    assert [hit["id"] for hit in answer.json()["data"]["search"]["hits"]] == [made["id"]]
