"""Notes over HTTP: stored, held against each other, changed, forgotten."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from app.kernel.caller import Role
from app.kernel.ids import digest
from tests.conftest import MakePrincipal, Principal

Drain = Callable[[], Awaitable[int]]


async def write(who: Principal, content: str, **more: Any) -> dict[str, Any]:
    answer = await who.http.post("/v1/notes", json={"content": content, **more})
    found: dict[str, Any] = answer.json()
    again = found.get("status") == "duplicate"
    assert answer.status_code == (200 if again else 201), answer.text
    return found


async def read(who: Principal, note: str) -> dict[str, Any]:
    answer = await who.http.get(f"/v1/notes/{note}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def listed(who: Principal, **query: Any) -> list[str]:
    answer = await who.http.get("/v1/notes", params=query)
    assert answer.status_code == 200, answer.text
    return [item["untrusted"]["content"] for item in answer.json()["items"]]


async def test_a_note_is_stored_and_read_back(writer: Principal) -> None:
    made = await write(
        writer,
        "The budget of Vega is CHF 5'000.",
        title="Vega",
        entry_type="decision",
        importance=0.9,
        tags=["Money"],
    )
    note = await read(writer, made["id"])
    assert made["status"] == "stored"
    assert note["untrusted"] == {
        "content": "The budget of Vega is CHF 5'000.",
        "title": "Vega",
        "tags": ["money"],
    }
    assert (note["entry_type"], note["importance"], note["confidence"]) == ("decision", 0.9, 0.75)
    assert (note["namespace"], note["standing"], note["version"]) == ("knowledge", "held", 1)


async def test_a_later_contradiction_ends_the_old_note_and_keeps_it(writer: Principal) -> None:
    old = await write(writer, "The budget of Vega is CHF 5'000.")
    new = await write(writer, "The budget of Vega is CHF 8'000.")
    former = await read(writer, old["id"])
    assert new["ends"] == [old["id"]]
    assert new["reason"].startswith("number")
    assert former["standing"] == "superseded"
    assert former["valid_to"] == new["valid_from"]
    assert former["superseded_by"] == [new["id"]]
    assert await listed(writer) == ["The budget of Vega is CHF 8'000."]
    assert await listed(writer, standing="superseded") == ["The budget of Vega is CHF 5'000."]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
async def test_the_outcome_does_not_depend_on_the_order(
    writer: Principal, order: tuple[int, ...]
) -> None:
    said = [
        ("The budget of Vega is CHF 5'000.", "2026-01-01T00:00:00Z"),
        ("The budget of Vega is CHF 6'000.", "2026-02-01T00:00:00Z"),
        ("The budget of Vega is CHF 8'000.", "2026-03-01T00:00:00Z"),
    ]
    for index in order:
        await write(writer, said[index][0], valid_from=said[index][1])
    assert await listed(writer) == [said[2][0]]
    for month, (content, _) in enumerate(said, start=1):
        assert await listed(writer, as_of=f"2026-{month:02}-15T00:00:00Z") == [content]


@pytest.mark.parametrize("first", [0, 1])
async def test_of_one_moment_the_same_note_stays_whichever_came_first(
    writer: Principal, first: int
) -> None:
    texts = ["The budget of Vega is CHF 5'000.", "The budget of Vega is CHF 6'000."]
    for index in (first, 1 - first):
        await write(writer, texts[index], valid_from="2026-01-01T00:00:00Z")
    (shown,) = await listed(writer)
    assert shown == max(texts, key=digest)


@pytest.mark.parametrize("first", [0, 1])
async def test_who_must_wait_does_not_depend_on_the_order(
    principal: MakePrincipal, tenant: str, first: int
) -> None:
    scope = f"{tenant}/dev"
    ana, bob = await principal(scope, name="ana"), await principal(scope, name="bob")
    told = [
        (ana, "The ticket for Vega is open.", "2026-01-01T00:00:00Z"),
        (bob, "The ticket for Vega is closed.", "2026-02-01T00:00:00Z"),
    ]
    for who, text, moment in (told[first], told[1 - first]):
        await write(who, text, scope=scope, valid_from=moment)
    assert await listed(ana) == ["The ticket for Vega is open."]
    assert await listed(ana, standing="quarantined") == ["The ticket for Vega is closed."]


async def test_what_was_known_before_is_listed_as_it_was_known(writer: Principal) -> None:
    await write(writer, "The team of Vega has 5 members.", valid_from="2026-01-01T00:00:00Z")
    before = await read(writer, (await write(writer, "Nothing of the kind here."))["id"])
    await write(writer, "The team of Vega has 9 members.", valid_from="2026-02-01T00:00:00Z")
    shown = await listed(writer, known_at=before["ingested_at"])
    assert "The team of Vega has 5 members." in shown
    assert "The team of Vega has 9 members." not in shown


async def test_the_same_again_by_another_confirms_the_first_once(
    principal: MakePrincipal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    ana, bob = await principal(scope, name="ana"), await principal(scope, name="bob")
    first = await write(ana, "Anna lives in Berlin.", scope=scope)
    said = []
    for who in (ana, bob, bob, ana):
        again = await write(who, "Anna lives in Berlin.", scope=scope)
        assert (again["status"], again["id"]) == ("duplicate", first["id"])
        said.append((again["confirmations"], again["confidence"]))
    assert said == [(0, 0.75), (1, 0.8), (1, 0.8), (1, 0.8)]
    assert len(await listed(ana)) == 1


async def test_what_took_the_place_of_another_is_known_when_it_is_said_again(
    writer: Principal,
) -> None:
    old = await write(writer, "The budget of Vega is CHF 5'000.")
    new = await write(writer, "The budget of Vega is CHF 8'000.")
    again = await write(writer, "The budget of Vega is CHF 8'000.")
    assert (again["status"], again["id"]) == ("duplicate", new["id"])
    back = await write(writer, "The budget of Vega is CHF 5'000.")
    assert (back["status"], back["ends"]) == ("stored", [new["id"]])
    assert (await read(writer, old["id"]))["superseded_by"] == [new["id"]]


BUDGETS = [
    ("The budget of Vega is 9000.", "2026-01-01T00:00:00Z"),
    ("The budget of Lyra is 7000.", "2026-02-01T00:00:00Z"),
    ("The budget is 5000.", "2026-03-01T00:00:00Z"),
]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
async def test_what_may_mean_either_of_two_ends_none_in_any_order(
    writer: Principal, order: tuple[int, ...]
) -> None:
    for index in order:
        await write(writer, BUDGETS[index][0], valid_from=BUDGETS[index][1])
    assert sorted(await listed(writer)) == [BUDGETS[1][0], BUDGETS[0][0]]
    assert await listed(writer, standing="quarantined") == [BUDGETS[2][0]]


async def test_a_curator_says_which_of_several_a_note_ends(
    principal: MakePrincipal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    ana = await principal(scope, name="ana")
    curator = await principal(scope, role=Role.CURATOR, name="cleo", kind="user")
    made = [await write(ana, text, scope=scope, valid_from=at) for text, at in BUDGETS]
    assert made[2]["status"] == "quarantined"
    assert sorted(made[2]["contradicts"]) == sorted(note["id"] for note in made[:2])
    review = f"/v1/notes/{made[2]['id']}/review"
    for body in ({"decision": "accept", "ends": ["x"]}, {"decision": "keep", "ends": []}):
        refused = await curator.http.post(review, json=body)
        assert refused.json()["errors"][0]["field"] == "ends", refused.text
    decided = await curator.http.post(review, json={"decision": "accept", "ends": [made[0]["id"]]})
    assert decided.json()["standing"] == "held"
    assert (await read(ana, made[0]["id"]))["standing"] == "superseded"
    assert (await read(ana, made[1]["id"]))["standing"] == "held"


async def test_the_same_text_in_two_scopes_is_two_notes(
    principal: MakePrincipal, tenant: str
) -> None:
    made = []
    for scope in (f"{tenant}/dev", f"{tenant}/ops"):
        who = await principal(scope, name="ana")
        made.append(await write(who, "Anna lives in Berlin.", scope=scope))
    assert [note["status"] for note in made] == ["stored", "stored"]
    assert made[0]["id"] != made[1]["id"]


async def test_confidence_stops_at_one(principal: MakePrincipal, tenant: str) -> None:
    scope = f"{tenant}/dev"
    ana, bob = await principal(scope, name="ana"), await principal(scope, name="bob")
    await write(ana, "Anna lives in Berlin.", scope=scope, confidence=0.98)
    assert (await write(bob, "Anna lives in Berlin.", scope=scope))["confidence"] == 1.0


@pytest.mark.parametrize("namespace", ["methods", "project-state", "status"])
async def test_methods_and_states_stand_beside_each_other(
    writer: Principal, namespace: str
) -> None:
    await write(writer, "The project Vega is active.", namespace=namespace)
    second = await write(writer, "The project Vega is completed.", namespace=namespace)
    assert second["ends"] == []
    assert len(await listed(writer, namespace=namespace)) == 2


async def test_namespaces_do_not_meet(writer: Principal) -> None:
    await write(writer, "The project Vega is active.", namespace="learnings")
    second = await write(writer, "The project Vega is completed.", namespace="knowledge")
    assert second["ends"] == []


async def test_another_agent_s_contradiction_waits(principal: MakePrincipal, tenant: str) -> None:
    ana = await principal(f"{tenant}/dev", name="ana")
    bob = await principal(f"{tenant}/dev", name="bob")
    curator = await principal(f"{tenant}/dev", role=Role.CURATOR, name="cleo", kind="user")
    old = await write(ana, "The deploy host is Frankfurt.", scope=f"{tenant}/dev")
    new = await write(bob, "The deploy host is not Frankfurt.", scope=f"{tenant}/dev")
    assert (new["status"], new["contradicts"]) == ("quarantined", [old["id"]])
    assert await listed(ana) == ["The deploy host is Frankfurt."]
    assert (await read(ana, old["id"]))["contradicts"] == [new["id"]]
    found = await ana.http.post("/v1/search", json={"query": "deploy host", "mode": "keyword"})
    assert new["id"] not in [hit["id"] for hit in found.json()["hits"]]
    refused = await bob.http.post(f"/v1/notes/{new['id']}/review", json={"decision": "accept"})
    assert refused.status_code == 403
    decided = await curator.http.post(f"/v1/notes/{new['id']}/review", json={"decision": "accept"})
    assert decided.json()["standing"] == "held"
    assert (await read(ana, old["id"]))["standing"] == "superseded"
    again = await curator.http.post(f"/v1/notes/{new['id']}/review", json={"decision": "accept"})
    assert again.status_code == 409


@pytest.mark.parametrize(("decision", "shown"), [("keep", 2), ("reject", 1)])
async def test_a_curator_may_keep_both_or_leave_one_out(
    principal: MakePrincipal, tenant: str, decision: str, shown: int
) -> None:
    scope = f"{tenant}/dev"
    ana = await principal(scope, name="ana")
    bob = await principal(scope, name="bob")
    curator = await principal(scope, role=Role.CURATOR, name="cleo", kind="user")
    await write(ana, "The ticket for Vega is open.", scope=scope)
    new = await write(bob, "The ticket for Vega is closed.", scope=scope)
    await curator.http.post(f"/v1/notes/{new['id']}/review", json={"decision": decision})
    assert len(await listed(ana)) == shown


async def test_a_user_s_word_ends_what_an_agent_inferred_but_not_the_reverse(
    principal: MakePrincipal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    agent = await principal(scope, name="scout")
    user = await principal(scope, name="una", kind="user")
    await write(agent, "Una is vegetarian.", scope=scope)
    said = await write(user, "Una is not vegetarian.", scope=scope)
    assert said["status"] == "stored"
    assert len(said["ends"]) == 1
    back = await write(agent, "Una is vegetarian.", scope=scope)
    assert back["status"] == "quarantined"


async def test_a_user_s_repetition_takes_the_note_over(
    principal: MakePrincipal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    agent = await principal(scope, name="scout")
    user = await principal(scope, name="una", kind="user")
    first = await write(agent, "Una drinks green tea.", scope=scope)
    taken = await write(user, "Una drinks green tea.", scope=scope)
    assert (taken["status"], taken["ends"], taken["confirmations"]) == ("stored", [first["id"]], 1)


async def test_a_changed_text_is_a_new_version_found_by_its_new_words(
    writer: Principal, drain: Drain
) -> None:
    made = await write(writer, "The wombat sleeps in hangar nine.")
    await drain()
    changed = await writer.http.patch(
        f"/v1/notes/{made['id']}",
        json={"content": "The wombat sleeps in the tower.", "tags": ["x"]},
    )
    assert changed.status_code == 200, changed.text
    assert (changed.json()["version"], changed.json()["index_state"]) == (2, "pending")
    versions = (await writer.http.get(f"/v1/notes/{made['id']}/versions")).json()["items"]
    assert [v["untrusted"]["content"] for v in versions] == ["The wombat sleeps in hangar nine."]
    await drain()
    assert (await read(writer, made["id"]))["index_state"] == "done"


async def test_a_changed_text_that_contradicts_or_repeats_another_note_is_refused(
    writer: Principal,
) -> None:
    held = await write(writer, "The deploy host of Heron is hydra-2.")
    other = await write(writer, "Lunch is at noon on Fridays.")
    for text in (
        "The deploy host of Heron is not hydra-2.",
        "The deploy host of Heron is hydra-2.",
    ):
        refused = await writer.http.patch(f"/v1/notes/{other['id']}", json={"content": text})
        problem = refused.json()
        assert (refused.status_code, problem["errors"][0]["field"]) == (409, "content"), problem
        assert held["id"] in problem["detail"]
    now = (await writer.http.get(f"/v1/notes/{other['id']}")).json()
    assert (now["version"], now["untrusted"]["content"]) == (1, "Lunch is at noon on Fridays.")
    same = await writer.http.patch(
        f"/v1/notes/{held['id']}", json={"content": "The deploy host of Heron is hydra-2!"}
    )
    assert same.status_code == 200, same.text


async def test_a_change_without_a_text_keeps_the_version(writer: Principal) -> None:
    made = await write(writer, "The wombat sleeps in hangar nine.")
    changed = (await writer.http.patch(f"/v1/notes/{made['id']}", json={"importance": 0.1})).json()
    assert (changed["version"], changed["importance"]) == (1, 0.1)


async def test_a_forgotten_note_is_gone_from_every_reading(writer: Principal) -> None:
    made = await write(writer, "The wombat sleeps in hangar nine.")
    assert (await writer.http.delete(f"/v1/notes/{made['id']}")).status_code == 204
    assert (await writer.http.get(f"/v1/notes/{made['id']}")).status_code == 404
    assert await listed(writer) == []
    again = await write(writer, "The wombat sleeps in hangar nine.")
    assert again["status"] == "stored"


async def test_only_author_or_curator_changes_a_note(principal: MakePrincipal, tenant: str) -> None:
    scope = f"{tenant}/dev"
    ana = await principal(scope, name="ana")
    bob = await principal(scope, name="bob")
    made = await write(ana, "The wombat sleeps in hangar nine.", scope=scope)
    for answer in (
        await bob.http.patch(f"/v1/notes/{made['id']}", json={"importance": 0.0}),
        await bob.http.delete(f"/v1/notes/{made['id']}"),
    ):
        assert answer.status_code == 403


async def test_notes_of_other_tenants_do_not_exist(
    principal: MakePrincipal, tenant: str, writer: Principal
) -> None:
    stranger = await principal(f"{tenant}x/dev")
    made = await write(writer, "The wombat sleeps in hangar nine.")
    assert (await stranger.http.get(f"/v1/notes/{made['id']}")).status_code == 404
    assert (await stranger.http.delete(f"/v1/notes/{made['id']}")).status_code == 404
    assert await listed(stranger) == []
    twin = await write(stranger, "The wombat sleeps in hangar nine.")
    assert twin["status"] == "stored"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"content": "abc"}, "content"),
        ({"content": "A text of its own.", "namespace": "gossip"}, "namespace"),
        ({"content": "A text of its own.", "confidence": 1.5}, "confidence"),
        ({"content": "x" * 8001}, "content"),
        ({"content": "A text of its own.", "valid_from": "2026-01-01T00:00:00"}, "valid_from"),
    ],
)
async def test_bad_input_names_its_field_and_changes_nothing(
    writer: Principal, body: dict[str, Any], field: str
) -> None:
    answer = await writer.http.post("/v1/notes", json=body)
    assert answer.status_code == 422
    assert field in answer.text
    assert await listed(writer) == []


async def test_personal_data_is_redacted_before_it_is_stored(writer: Principal) -> None:
    made = await write(writer, "Write to alice@example.com about Vega.")
    assert made["redactions"] == 1
    assert "alice" not in (await read(writer, made["id"]))["untrusted"]["content"]


async def test_eight_writers_at_once_leave_one_note_held(writer: Principal) -> None:
    told = [f"The budget of Vega is CHF {n}'000." for n in range(2, 10)]
    receipts = await asyncio.gather(*(write(writer, text) for text in told))
    assert {receipt["status"] for receipt in receipts} == {"stored"}
    assert len(await listed(writer)) == 1
    assert len(await listed(writer, standing="superseded")) == 7


async def test_core_blocks_are_set_and_listed(principal: MakePrincipal, tenant: str) -> None:
    scope = f"{tenant}/dev"
    curator = await principal(scope, role=Role.CURATOR, name="cleo", kind="user")
    for content in ("You are Scout.", "You are Scout, a careful agent."):
        answer = await curator.http.put(
            "/v1/core-blocks/identity", json={"content": content, "scope": scope}
        )
        assert answer.status_code == 200, answer.text
    assert answer.json()["version"] == 2
    items = (await curator.http.get("/v1/core-blocks")).json()["items"]
    assert [i["untrusted"]["content"] for i in items] == ["You are Scout, a careful agent."]
    one = await curator.http.get("/v1/core-blocks/identity", params={"scope": scope})
    assert one.json()["id"] == items[0]["id"]
    none = await curator.http.get("/v1/core-blocks/redline", params={"scope": scope})
    assert none.status_code == 404
    long = await curator.http.put(
        "/v1/core-blocks/persona", json={"content": "x" * 4001, "scope": scope}
    )
    assert long.status_code == 413
    empty = await curator.http.put("/v1/core-blocks/persona", json={"content": "", "scope": scope})
    assert (empty.status_code, empty.json()["errors"][0]["field"]) == (422, "content")
    assert len((await curator.http.get("/v1/core-blocks")).json()["items"]) == 1
    odd = await curator.http.put("/v1/core-blocks/mood", json={"content": "calm", "scope": scope})
    assert odd.status_code in (404, 422)


async def test_a_writer_does_not_set_core_blocks(writer: Principal) -> None:
    answer = await writer.http.put("/v1/core-blocks/identity", json={"content": "You are root."})
    assert answer.status_code == 403


async def test_a_pattern_of_failure_is_counted(writer: Principal) -> None:
    body = {"content": "Deploying on a Friday.", "reason": "Nobody was there to look."}
    await writer.http.post("/v1/bad-patterns", json=body)
    again = await writer.http.post("/v1/bad-patterns", json=body)
    assert (again.status_code, again.json()["count"]) == (201, 2)
    items = (await writer.http.get("/v1/bad-patterns")).json()["items"]
    assert [item["untrusted"]["content"] for item in items] == ["Deploying on a Friday."]
