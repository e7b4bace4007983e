"""Notes made of facts: they follow what is held, and what is gone is gone from them at once."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.cli.transfer import store_of
from app.kernel.clock import now
from app.lifecycle.invariants import broken
from app.portability.service import Order, import_attended
from app.wiring import Parts
from app.worker import CONDENSING_TASK, Desk
from tests.conftest import Principal
from tests.lifecycle.conftest import Say, Switch, checked, strings_of
from tests.portability.conftest import untold
from tests.portability.packages import write_package

ADA = "Ada Berger lives in Bremen. Ada Berger works for Acme GmbH. Ada Berger uses Postgres."


async def listed(who: Principal, scope: str, **more: Any) -> list[dict[str, Any]]:
    """The condensed notes that a reader sees."""
    params = {"scope": scope, "namespace": "derived", **more}
    answer = await who.http.get("/v1/notes", params=params)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def texts(notes: list[dict[str, Any]]) -> list[str]:
    return [note["untrusted"]["content"] for note in notes]


async def told(who: Principal, scope: str, query: str, **more: Any) -> str:
    """Everything that a search of every kind shows."""
    kinds = ["episode", "fact", "note", "condensed"]
    body = {"query": query, "scopes": [scope], "kinds": kinds, "limit": 50, **more}
    answer = await who.http.post("/v1/search", json=body)
    assert answer.status_code == 200, answer.text
    return answer.text


async def test_three_facts_make_a_note_with_its_sources(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    await say(tenant, ADA)
    assert (await opened.condensing.condense(tenant)).made == 1
    (note,) = await listed(admin, tenant)
    lines = note["untrusted"]["content"].split("\n")
    assert len(lines) == len(note["sources"]) == 3
    statements = {(await admin.http.get(f"/v1/facts/{f}")).text for f in note["sources"]}
    assert all(any(line in text for text in statements) for line in lines)
    assert (note["tier"], note["namespace"], note["author"]) == (0, "derived", "loci")
    again = await opened.condensing.condense(tenant)
    assert (again.made, again.ended) == (0, 0)
    everything = await opened.condensing.condense_all(tenant)
    # Places and products have no three facts of their own: only she is looked into.
    assert (everything.made, everything.entities) == (0, 1)
    assert await broken(opened.graph, tenant) == []


async def test_german_facts_make_a_german_note(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    await say(
        tenant,
        "Ada Berger wohnt in Bremen. Ada Berger arbeitet bei Acme. Ada Berger kennt Pia Kranich.",
    )
    await opened.condensing.condense(tenant)
    (note,) = await listed(admin, tenant)
    assert "wohnt in Bremen" in note["untrusted"]["content"]
    row = (
        await opened.graph.raw("MATCH (n:Note {id: $id}) RETURN n.language AS l", id=note["id"])
    )[0]
    assert row["l"] == "de"


async def test_a_grown_cluster_makes_a_new_note_and_the_old_one_stays(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    await say(tenant, ADA)
    await opened.condensing.condense(tenant)
    (first,) = await listed(admin, tenant)
    before = now()
    await say(tenant, "Ada Berger uses Grafana.")
    await opened.condensing.condense(tenant)
    (second,) = await listed(admin, tenant)
    assert second["version"] == 2
    assert "Grafana" in second["untrusted"]["content"]
    old = (await admin.http.get(f"/v1/notes/{first['id']}")).json()
    assert (old["standing"], old["superseded_by"]) == ("superseded", [second["id"]])
    then = before.isoformat()
    assert [n["id"] for n in await listed(admin, tenant, known_at=then, as_of=then)] == [
        first["id"]
    ]
    assert await broken(opened.graph, tenant) == []


async def test_no_read_shows_a_sentence_that_was_retired(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    await say(tenant, ADA, captured_at="2026-01-05T10:00:00Z")
    await opened.condensing.condense(tenant)
    await opened.indexing.drain()
    (first,) = await listed(admin, tenant)
    known = now().isoformat()
    await say(tenant, "Ada Berger now lives in Ulm.", captured_at="2026-05-05T10:00:00Z")
    # No pass has run: the note went with the fact.
    assert await listed(admin, tenant) == []
    assert "lives in Bremen" not in await _hits(admin, tenant)
    assert texts(await listed(admin, tenant, as_of="2026-03-01T00:00:00Z")) == texts([first])
    assert texts(await listed(admin, tenant, known_at=known)) == texts([first])
    assert await broken(opened.graph, tenant) == []
    await opened.condensing.condense(tenant)
    (second,) = await listed(admin, tenant)
    assert "lives in Ulm" in second["untrusted"]["content"]
    assert "Bremen" not in second["untrusted"]["content"]


async def _hits(admin: Principal, tenant: str) -> str:
    """What a search for condensed notes alone shows."""
    return await told(admin, tenant, "Where does Ada Berger live?", kinds=["condensed"])


async def test_a_correction_leaves_the_note_no_time_at_all(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    await say(tenant, ADA, captured_at="2026-01-05T10:00:00Z")
    await opened.condensing.condense(tenant)
    await say(
        tenant,
        "Actually, Ada Berger lives in Ulm, not in Bremen.",
        captured_at="2026-05-05T10:00:00Z",
    )
    await opened.condensing.condense(tenant)
    for moment in ("2026-01-06T00:00:00Z", "2026-03-01T00:00:00Z", None):
        more = {"as_of": moment} if moment else {}
        assert not any("Bremen" in text for text in texts(await listed(admin, tenant, **more)))


async def test_a_forgotten_fact_hides_its_note_at_every_time_until_it_comes_back(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    await say(tenant, ADA)
    await opened.condensing.condense(tenant)
    await opened.indexing.drain()
    (note,) = await listed(admin, tenant)
    fact = note["sources"][0]
    path = f"/v1/notes/{note['id']}"
    before = now().isoformat()
    assert (await admin.http.post("/v1/facts:forget", json={"id": fact})).status_code == 200
    assert await listed(admin, tenant) == []
    assert await listed(admin, tenant, standing="held") == []
    assert await listed(admin, tenant, known_at=before) == []
    assert (await admin.http.get(path)).status_code == 404
    assert note["id"] not in await _hits(admin, tenant)
    assert (await admin.http.post(f"/v1/memories/{fact}/unforget")).status_code == 200
    assert [n["id"] for n in await listed(admin, tenant)] == [note["id"]]
    assert (await admin.http.post("/v1/facts:forget", json={"id": fact})).status_code == 200
    await opened.condensing.condense_all(tenant)
    assert await listed(admin, tenant) == []  # too little is left for a note


async def test_an_erased_statement_is_in_no_note_and_the_note_is_made_anew(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    await say(tenant, ADA)
    await opened.condensing.condense(tenant)
    (first,) = await listed(admin, tenant)
    secret = await say(tenant, "Ada Berger uses Zyxolde. Ada Berger lives in Bremen.")
    await opened.condensing.condense(tenant)
    await opened.indexing.drain()
    (second,) = await listed(admin, tenant)
    assert "Zyxolde" in second["untrusted"]["content"]
    answer = await admin.http.post("/v1/erasures", json={"memory": secret})
    assert answer.status_code < 300, answer.text
    assert await strings_of(opened, "zyxolde") == []
    assert await broken(opened.graph, tenant) == []
    await opened.condensing.condense(tenant)
    (third,) = await listed(admin, tenant)
    assert third["untrusted"]["content"] == first["untrusted"]["content"]
    assert third["id"] != second["id"]
    receipt = answer.json()["receipt"]
    proof = await checked(opened, admin, receipt, "zyxolde")
    assert proof["clean"], proof
    assert await broken(opened.graph, tenant) == []


async def test_a_support_that_goes_takes_the_note_and_the_next_has_another_id(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    await say(tenant, ADA)
    twice = await say(tenant, "Ada Berger lives in Bremen.")
    await opened.condensing.condense(tenant)
    (before,) = await listed(admin, tenant)
    answer = await admin.http.post("/v1/erasures", json={"memory": twice})
    assert await listed(admin, tenant) == []
    await opened.condensing.condense(tenant)
    (after,) = await listed(admin, tenant)
    assert after["untrusted"] == before["untrusted"]
    assert after["id"] != before["id"]
    proof = await checked(opened, admin, answer.json()["receipt"])
    assert proof["clean"], proof


async def test_a_note_keeps_no_fact_in_its_place_in_a_search(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    await say(tenant, ADA)
    await opened.condensing.condense(tenant)
    await opened.indexing.drain()
    body = {"query": "Ada Berger Bremen Acme Postgres", "scopes": [tenant], "limit": 20}
    plain = (await admin.http.post("/v1/search", json=body)).json()["hits"]
    assert {hit["kind"] for hit in plain} == {"episode", "fact"}
    asked = {**body, "kinds": ["condensed"]}
    (alone,) = (await admin.http.post("/v1/search", json=asked)).json()["hits"]
    assert (alone["kind"], alone["note"]["namespace"]) == ("condensed", "derived")
    both = {**body, "kinds": ["fact", "condensed"]}
    found = (await admin.http.post("/v1/search", json=both)).json()["hits"]
    assert [hit["kind"] for hit in found] == ["fact"] * 3


async def test_a_written_note_is_never_held_against_a_condensed_one(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    await say(tenant, ADA)
    await opened.condensing.condense(tenant)
    await opened.indexing.drain()
    (note,) = await listed(admin, tenant)
    for text in (note["untrusted"]["content"], "Ada Berger does not live in Bremen."):
        body = {"scope": tenant, "content": text}
        told = (await admin.http.post("/v1/notes", json=body)).json()
        assert told["status"] == "stored"
        assert note["id"] not in (*told["ends"], *told["contradicts"])  # the writer's own may be
    assert [n["id"] for n in await listed(admin, tenant)] == [note["id"]]


async def test_nobody_writes_or_changes_one(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    body = {"scope": tenant, "content": "Ada lives on the moon.", "namespace": "derived"}
    answer = await admin.http.post("/v1/notes", json=body)
    assert answer.status_code == 422
    assert "namespace" in answer.text
    await say(tenant, ADA)
    await opened.condensing.condense(tenant)
    (note,) = await listed(admin, tenant)
    answer = await admin.http.patch(f"/v1/notes/{note['id']}", json={"content": "Something else."})
    assert answer.status_code == 409


async def test_a_note_that_was_forgotten_comes_back_only_with_other_words(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    await say(tenant, ADA)
    await opened.condensing.condense(tenant)
    (note,) = await listed(admin, tenant)
    assert (await admin.http.delete(f"/v1/notes/{note['id']}")).status_code == 204
    await opened.condensing.condense_all(tenant)
    assert await listed(admin, tenant) == []
    await say(tenant, "Ada Berger uses Grafana.")
    await opened.condensing.condense(tenant)
    assert len(await listed(admin, tenant)) == 1


async def test_a_merge_moves_the_note_to_the_root(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    await say(tenant, ADA)
    await say(tenant, "Adele Winter uses Grafana.")  # a name that no rule takes for hers
    await opened.condensing.condense(tenant)
    rows = await opened.graph.raw(
        "MATCH (e:Entity {scope: $scope}) WHERE e.canonical_name STARTS WITH 'Ad' "
        "RETURN e.id AS id ORDER BY e.canonical_name",
        scope=tenant,
    )
    left, right = (row["id"] for row in rows)
    pair = {"left": left, "right": right}
    merge = await admin.http.post("/v1/merges", json=pair)
    assert merge.status_code < 300, merge.text
    accepted = await admin.http.post(f"/v1/merges/{merge.json()['id']}/accept")
    assert accepted.status_code < 300, accepted.text
    await opened.condensing.condense(tenant)
    (note,) = await listed(admin, tenant)
    assert "Grafana" in note["untrusted"]["content"]
    assert await broken(opened.graph, tenant) == []


async def test_switched_off_makes_none_and_switched_on_catches_up(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    await switch(tenant, condensed_notes=False)
    await say(tenant, ADA)
    assert (await opened.condensing.condense(tenant)).made == 0
    assert tenant not in {one.key for one in await opened.condensing.due()}
    await switch(tenant, condensed_notes=True)
    await say(tenant, "Jonas Weil lives in Ulm.")
    assert (await opened.condensing.condense(tenant)).made == 1


async def test_a_pass_is_due_from_the_graph_alone(
    opened: Parts, tenant: str, say: Say, admin: Principal
) -> None:
    await say(tenant, ADA)
    assert tenant in {one.key for one in await opened.condensing.due()}
    await opened.condensing.condense(tenant)
    await opened.graph.raw(
        "MATCH (c:ConsolidationCursor {scope: $scope}) SET c.condensed_at = $at RETURN c.scope",
        scope=tenant,
        at=datetime.now(UTC),
    )
    assert tenant not in {one.key for one in await opened.condensing.due()}


async def test_an_imported_note_must_say_what_its_facts_say(
    opened: Parts, admin: Principal, tenant: str, say: Say, tmp_path: Path
) -> None:
    await say(tenant, ADA)
    await opened.condensing.condense(tenant)
    (note,) = await listed(admin, tenant)
    await opened.graph.raw(
        "MATCH (n:Note {id: $id}) DETACH DELETE n RETURN count(*)", id=note["id"]
    )
    base = {
        "scope": tenant,
        "namespace": "derived",
        "tier": 3,
        "valid_from": note["valid_from"],
        "subject": "someone",
        "cluster": "en",
    }
    sources = [{"kind": "Fact", "id": fact} for fact in note["sources"]]
    false = {
        **base,
        "id": f"{tenant}-false",
        "content": "Ada Berger is a thief",
        "sources": sources,
    }
    bare = {**base, "id": f"{tenant}-bare", "content": note["untrusted"]["content"], "sources": []}
    true = {**bare, "id": f"{tenant}-true", "sources": sources}
    folder = write_package(tmp_path / "p", notes=[false, bare, true])
    result = await import_attended(store_of(opened), Order(folder), untold)
    assert result["kinds"]["note"] == {"accepted": 1, "duplicates": 2, "rejected": 0}, result
    (kept,) = await listed(admin, tenant)
    assert (kept["id"], kept["tier"]) == (f"{tenant}-true", 0)
    assert await broken(opened.graph, tenant) == []


async def test_the_worker_condenses_what_is_due_and_indexes_it(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    await say(tenant, ADA)
    working = Desk(opened)
    working.wake(CONDENSING_TASK)
    async with asyncio.timeout(60):
        while [note["index_state"] for note in await listed(admin, tenant)] != ["done"]:  # noqa: ASYNC110 - what is looked at is the graph
            await asyncio.sleep(0.1)
    await working.close()


async def test_two_passes_at_once_make_one_note(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    await say(tenant, ADA)
    await asyncio.gather(*(opened.condensing.condense_all(tenant) for _ in range(4)))
    (note,) = await listed(admin, tenant)
    assert note["version"] == 1
