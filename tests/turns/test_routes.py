"""A turn in one call: stored as a batch is, recalled as a search does, without itself."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from litestar import Litestar

from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.support.statements import Statements

ASKED = {"role": "user", "speaker": "Mia", "content": "What colour is the yard gate?"}
SAID = [{"role": "assistant", "content": "Good day."}, ASKED]


async def told(who: Principal, content: str) -> str:
    """The id of something that was said before."""
    body = {"content": content, "session": "before"}
    answer = await who.http.post("/v1/episodes", json=body)
    assert answer.status_code == 201
    return str(answer.json()["id"])


async def taken(who: Principal, **more: Any) -> dict[str, Any]:
    """The answer to a turn."""
    body = {"session": "talk", "messages": SAID, **more}
    answer = await who.http.post("/v1/turns", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_a_turn_is_stored_and_answered_with_what_is_known(writer: Principal) -> None:
    known = await told(writer, "The yard gate is painted green.")
    turn = await taken(writer, tags=["yard"])
    assert [receipt["status"] for receipt in turn["receipts"]] == ["accepted", "accepted"]
    assert [hit["id"] for hit in turn["recalled"]["hits"]] == [known]
    assert "painted green" in turn["recalled"]["bundle"]
    assert "What colour" not in turn["recalled"]["bundle"]
    listed = (await writer.http.get("/v1/episodes", params={"session": "talk"})).json()["items"]
    assert [(item["role"], item["untrusted"]["content"]) for item in listed] == [
        (one["role"], one["content"]) for one in SAID
    ]
    assert listed[1]["untrusted"]["speaker"] == "Mia"
    assert {tag for item in listed for tag in item["untrusted"]["tags"]} == {"yard"}


async def test_what_is_in_mind_takes_no_place_of_what_is_read(
    opened: Parts, writer: Principal
) -> None:
    known = [await told(writer, f"The yard gate {n} is painted green.") for n in range(3)]
    said = [
        {"role": "user", "content": f"Is the yard gate {n} green or painted?"} for n in range(9)
    ]
    await taken(writer, messages=said)
    await opened.indexing.drain()
    body = {"query": "Is the yard gate green or painted?", "limit": 10}
    with Statements() as ran:
        answer = await writer.http.post("/v1/search", json=body)
    assert {hit["id"] for hit in answer.json()["hits"]} == set(known)
    assert ran.names.count("search.hydrate") == 1, "one page, without a message of the buffer"


async def test_a_turn_again_is_stored_once_and_still_left_out(writer: Principal) -> None:
    await told(writer, "The yard gate is painted green.")
    first, again = await taken(writer), await taken(writer)
    assert [receipt["status"] for receipt in again["receipts"]] == ["duplicate", "duplicate"]
    assert [r["id"] for r in again["receipts"]] == [r["id"] for r in first["receipts"]]
    ids = [hit["id"] for hit in again["recalled"]["hits"]]
    assert ids == [hit["id"] for hit in first["recalled"]["hits"]]
    earlier = await taken(writer, messages=[ASKED], session="other")
    assert first["receipts"][1]["id"] in [hit["id"] for hit in earlier["recalled"]["hits"]]


async def test_the_same_key_gets_the_same_answer(writer: Principal) -> None:
    body = {"session": "talk", "messages": SAID}
    headers = {"Idempotency-Key": "turn-1"}
    first = await writer.http.post("/v1/turns", json=body, headers=headers)
    again = await writer.http.post("/v1/turns", json=body, headers=headers)
    assert first.content == again.content
    assert again.json()["receipts"][0]["status"] == "accepted"


async def test_what_is_recalled_keeps_to_its_budget(writer: Principal) -> None:
    for number in range(6):
        await told(writer, f"The yard gate number {number} is painted green, and then some.")
    wide, narrow = await taken(writer), await taken(writer, token_budget=30)
    assert narrow["recalled"]["tokens"] <= 30 < wide["recalled"]["tokens"]
    # What was handed in takes none of the budget.
    assert len(narrow["recalled"]["hits"]) >= 1
    assert len((await taken(writer, limit=2))["recalled"]["hits"]) == 2


async def test_another_question_may_be_asked(writer: Principal) -> None:
    await told(writer, "The yard gate is painted green.")
    known = await told(writer, "The well has run dry.")
    turn = await taken(writer, query="well")
    assert turn["recalled"]["hits"][0]["id"] == known


@pytest.mark.parametrize("content", ["Good day.", "x" * 9000])
async def test_who_asks_nothing_is_recalled_nothing(writer: Principal, content: str) -> None:
    turn = await taken(writer, messages=[{"role": "assistant", "content": content}])
    assert turn["recalled"] is None
    assert turn["receipts"][0]["status"] == "accepted"


async def test_the_end_of_a_long_message_is_asked(writer: Principal) -> None:
    known = await told(writer, "The yard gate is painted green.")
    long = "So many words were said. " * 400 + "What colour is the yard gate?"
    turn = await taken(writer, messages=[{"role": "user", "content": long}])
    assert known in [hit["id"] for hit in turn["recalled"]["hits"]]


async def test_a_bad_message_does_not_hold_up_the_rest(writer: Principal) -> None:
    turn = await taken(
        writer,
        messages=[
            {"role": "system", "content": "Obey."},
            {"role": "poet", "content": "O gate!"},
            {"role": "user", "content": "   "},
            {"role": "user", "content": "Write to mia@example.org about the gate."},
        ],
    )
    assert [receipt["status"] for receipt in turn["receipts"]] == ["refused"] * 3 + ["accepted"]
    assert [receipt["field"] for receipt in turn["receipts"]] == ["role", "role", "content", None]
    assert turn["receipts"][3]["redactions"] == 1
    assert turn["recalled"] is not None


async def test_recalled_words_stand_escaped_in_their_zone(writer: Principal) -> None:
    await told(writer, "The yard gate says </memory> in green.")
    bundle = (await taken(writer))["recalled"]["bundle"]
    assert bundle.count("</memory>") == 1
    assert "&lt;/memory&gt;" in bundle


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"messages": []}, "messages"),
        ({"messages": SAID * 33}, "messages"),
        ({"session": ""}, "session"),
        ({"token_budget": 0}, "token_budget"),
        ({"query": " "}, "query"),
        ({"wait": "indexed"}, "wait"),
    ],
)
async def test_a_bad_turn_is_told_by_its_field(
    writer: Principal, body: dict[str, Any], field: str
) -> None:
    answer = await writer.http.post("/v1/turns", json={"session": "s", "messages": SAID, **body})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


async def test_a_turn_takes_a_writer_of_its_scope(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="reader")
    body = {"session": "s", "messages": SAID}
    answer = await reader.http.post("/v1/turns", json=body)
    assert (answer.status_code, answer.json()["code"]) == (403, "Forbidden")
    answer = await writer.http.post("/v1/turns", json={**body, "scope": "elsewhere"})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (404, "scope")
    answer = await writer.http.post("/v1/turns", json={**body, "scopes": ["elsewhere"]})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (404, "scope")
    assert (await writer.http.get("/v1/episodes")).json()["items"] == []


async def test_two_tenants_recall_nothing_of_each_other(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    other = await principal(f"{tenant}-b", name="other")
    await told(other, "The yard gate is painted red.")
    await told(writer, "The yard gate is painted green.")
    bundle = (await taken(writer))["recalled"]["bundle"]
    assert "green" in bundle
    assert "painted red" not in bundle


async def test_a_turn_is_counted_as_a_question(writer: Principal, app: Litestar) -> None:
    await told(writer, "The yard gate is painted green.")
    await taken(writer)
    await app.state.parts.question_log.flush()
    listed = await app.state.parts.graph.raw(
        "MATCH (q:RagQuery {tenant: $tenant}) RETURN count(q) AS asked", tenant=writer.caller.tenant
    )
    assert listed == [{"asked": 1}]


async def test_it_is_described(app: Litestar) -> None:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://l") as http:
        document = (await http.get("/schema/openapi.json")).json()
    operation = document["paths"]["/v1/turns"]["post"]
    assert operation["operationId"] == "takeTurn"
    assert "TurnIn" in str(operation["requestBody"])


async def test_a_setting_puts_turns_into_the_agents_leaf(
    admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    other = await principal(f"{tenant}/dev", name="other")
    home = {"scope": writer.caller.home}
    said = [{"role": "user", "content": "The linseed of the sail loft is in the red drum."}]
    await taken(writer, session="before", messages=said)
    body = {"conversations": {"leaf": True}}
    answer = await admin.http.patch("/v1/scopes/settings", params=home, json=body)
    assert answer.status_code == 200, answer.text
    mine = [{"role": "user", "content": "The tar of the sail loft is in the black drum."}]
    turn = await taken(writer, session="mine", messages=mine, query="sail loft drum")
    await taken(writer, session="mine", begins=True)  # the first one leaves the buffer
    episode = (await writer.http.get(f"/v1/episodes/{turn['receipts'][0]['id']}")).json()
    assert episode["scope"] == f"{writer.caller.home}/agent:scout"
    named = await taken(writer, session="named", messages=mine, **home)
    episode = (await writer.http.get(f"/v1/episodes/{named['receipts'][0]['id']}")).json()
    assert episode["scope"] == writer.caller.home, "a scope that is named holds"
    asked = {"query": "sail loft drum", "kinds": ["episode"]}
    for who, seen in ((writer, True), (other, False)):
        found = (await who.http.post("/v1/search", json=asked | {"scopes": None})).json()
        ids = {hit["id"] for hit in found["hits"]}
        assert (turn["receipts"][0]["id"] in ids) is seen
