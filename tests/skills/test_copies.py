"""Copies are tied to what they were made from as they are made, and made once."""

from __future__ import annotations

import asyncio

from app.wiring import Parts
from tests.conftest import Principal
from tests.skills.test_skills import get, post, skill
from tests.skills.test_workflows import learn

TIES = "MATCH (c {id: $id})-[r:CLONED_FROM|DERIVED_FROM]->(o) RETURN o.id AS id"


async def test_a_version_is_copied_to_a_scope_once(
    admin: Principal, tenant: str, opened: Parts
) -> None:
    there = f"{tenant}/dev"
    await post(admin, "/v1/scopes", scope=there)
    one = await skill(admin, "Water the kiln")
    path = f"/v1/skills/{one}/clone"
    told = await asyncio.gather(*(admin.http.post(path, json={"scope": there}) for _ in range(4)))
    assert {answer.status_code for answer in told} == {201}, [answer.text for answer in told]
    (copy,) = {answer.json()["id"] for answer in told}
    again = await post(admin, path, scope=there)
    assert (again["id"], again["cloned_from"]) == (copy, [one])
    assert [row["id"] for row in await opened.graph.raw(TIES, id=copy)] == [one]
    for status in ("deprecated", "archived"):
        await post(admin, f"/v1/skills/{copy}/status", 200, status=status)
    anew = await post(admin, path, scope=there)
    assert anew["id"] != copy
    assert (anew["status"], anew["cloned_from"]) == ("active", [one])
    changed = await admin.http.patch(f"/v1/skills/{one}", json={"body": "With less water."})
    assert changed.status_code == 200, changed.text
    newer = await post(admin, path, scope=there)
    assert newer["id"] not in {copy, anew["id"]}


async def test_somebody_else_s_note_of_the_same_words_does_not_go_with_a_learning(
    admin: Principal, tenant: str, opened: Parts
) -> None:
    scope = f"{tenant}/dev"
    await post(admin, "/v1/scopes", scope=scope)
    text = "A cold kiln cracks every second tile that is put into it."
    known = (await post(admin, "/v1/notes", content=text, namespace="knowledge", scope=tenant))[
        "id"
    ]
    (note,) = await learn(admin, text, scope=scope, importance=0.8, confidence=0.9)
    # As where the embedding model is away: no vector leads to the note.
    await opened.graph.raw("MATCH (n:Note {id: $id}) SET n.embedding = null", id=known)
    await opened.graph.raw("MATCH (n:Note {id: $id}) SET n.recalled = 2", id=note)
    refused = await post(admin, f"/v1/learnings/{note}/share", 409, scope=tenant)
    assert refused["code"] == "AlreadyExists"
    assert known in refused["detail"]
    assert await opened.graph.raw(TIES, id=known) == []
    assert (await get(admin, f"/v1/notes/{known}"))["confirmations"] == 0


async def test_a_shared_learning_is_as_private_as_it_was(
    admin: Principal, tenant: str, opened: Parts
) -> None:
    scope = f"{tenant}/dev"
    await post(admin, "/v1/scopes", scope=scope)
    text = "Tiles that dry by the window bend in the kiln."
    level = {"importance": 0.8, "confidence": 0.9, "privacy": "restricted"}
    (note,) = await learn(admin, text, scope=scope, **level)
    await opened.graph.raw("MATCH (n:Note {id: $id}) SET n.recalled = 2", id=note)
    shared = await post(admin, f"/v1/learnings/{note}/share", 200, scope=tenant)
    assert (await get(admin, f"/v1/notes/{shared['note']}"))["privacy"] == "restricted"
    assert [row["id"] for row in await opened.graph.raw(TIES, id=shared["note"])] == [note]
