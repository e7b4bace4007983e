"""What every scope of the world holds beside the memory of agents."""

from __future__ import annotations

from typing import Any

import httpx

from app.wiring import Parts
from bench.rights import Item
from tests.security.contending import contested, judged, named
from tests.security.worlds import OK, Person, Place

# The parameters of paths that name a thing of a kind.
NAMES = {
    "episode": ("episode_id", "memory_id"), "session": ("session",),
    "note": ("note_id", "memory_id"), "learning": ("note_id", "memory_id"),
    "page": ("page_id", "node_id"), "skill": ("skill_id",),
    "proposal": ("proposal_id",), "base": ("base_id",), "document": ("document_id",),
    "entity": ("entity_id", "node_id", "entity"), "fact": ("fact_id",), "job": ("job_id",),
    "query": ("query_id",), "community": ("community_id",), "merge": ("merge_id",),
    "receipt": ("receipt_id",), "conflict": ("conflict_id",),
}  # fmt: skip


async def filled(opened: Parts, boss: Person, place: Place) -> list[Item]:
    """Put something of each kind into one scope."""
    await _said(boss, place)
    await _written(boss, place)
    await with_skills(boss, place)
    await _taken(opened, boss, place)
    waiting = await contested(boss, place)
    await _derived(opened, boss, place)
    beside = [*await judged(opened, boss, place), *await named(boss, place)]
    return [*waiting, *beside, *things(boss, place)]


async def _said(boss: Person, place: Place) -> None:
    """Episodes, with as many people as make a community."""
    token = place.token
    said = {"session": f"s-{token}", "speaker": f"Speaker {token}", "tags": ["harbour", token]}
    texts = [
        f"{token.capitalize()} Berg lives in {token.capitalize()}burg. "
        f"The harbour report {token} counts the cranes again.",
        *(
            f"{name} {token.capitalize()} works for {token.capitalize()} GmbH."
            for name in ("Ada", "Ben", "Cleo", "Dora")
        ),
    ]
    for text in texts:
        made = await _make(boss, place, "episode", "/v1/episodes", {"content": text, **said})
        place.ids["session"] = [made["session_id"]]


async def _written(boss: Person, place: Place) -> None:
    """Notes, pages with links to each other, to none, and from none, a block, a proposal."""
    token = place.token
    note = {"content": f"Cranes of the harbour {token} need oil.", "tags": [token]}
    learning = {"content": f"The harbour crane {token} rests early.", "namespace": "learnings"}
    pier = {"title": f"Pier {token}", "content": f"See [[Quay {token}]] near Dock {token}."}
    page = {"title": f"Harbour {token}", "content": f"Cranes: [[Dock {token}]] report {token}."}
    dock = {"title": f"Dock {token}", "content": f"Back to [[Harbour {token}]]."}
    proposal = {"name": f"Haul {token}", "category": "design"}
    for kind, path, body in (
        ("note", "/v1/notes", note), ("learning", "/v1/notes", learning),
        ("page", "/v1/pages", pier), ("page", "/v1/pages", page), ("page", "/v1/pages", dock),
        ("proposal", "/v1/skill-proposals", proposal),
    ):  # fmt: skip
        await _make(boss, place, kind, path, body)
    again = {"content": f"Back to [[Harbour {token}]] again."}
    answer = await boss.http.patch(f"/v1/pages/{place.ids['page'][-1]}", json=again)
    assert answer.status_code in OK, answer.text
    block = {"content": f"Answers for the harbour {token}.", "scope": place.path}
    assert (await boss.http.put("/v1/core-blocks/identity", json=block)).status_code in OK


async def _taken(opened: Parts, boss: Person, place: Place) -> None:
    """A knowledge base with a document, and the job that took it in."""
    base = await _make(boss, place, "base", "/v1/knowledge-bases", {"name": f"B {place.token}"})
    text = f"Cranes {place.token}." * 9
    body = {"knowledge_base": base["id"], "name": f"{place.token}.txt", "text": text}
    taken = (await boss.http.post("/v1/documents", json=body)).json()
    place.ids["document"], place.ids["job"] = [taken["document"]["id"]], [taken["job"]["id"]]
    assert await opened.runner.run(opened, taken["job"]["id"]) == "done"


async def _derived(opened: Parts, boss: Person, place: Place) -> None:
    """A question, facts and entities, a proposed merge, an erasure, communities, conflicts."""
    http, scope = boss.http, {"scope": place.path}
    question = {"query": f"Who is {place.token}?", "scopes": [place.path]}
    assert (await http.post("/v1/rag/ask", json=question)).status_code in OK
    await opened.question_log.flush()
    await opened.consolidation.consolidate(place.path)
    await listed(http, place, fact="/v1/facts", entity="/v1/entities", query="/v1/rag/queries")
    facts = (await http.get("/v1/facts", params=scope)).json()["items"]
    subjects = {one["subject"] for one in facts}
    place.ids["entity"].sort(key=lambda one: one in subjects)  # the last is one that has facts
    pair = dict(zip(("left", "right"), place.ids["entity"], strict=False))
    place.add("merge", await http.post("/v1/merges", json=pair))
    passing = await http.post("/v1/notes", json={"content": f"Gone {place.token}."} | scope)
    gone = {"memory": passing.json()["id"]}
    place.add("receipt", await http.post("/v1/erasures", json=gone), key="receipt")
    started = await http.post("/v1/communities/refresh", json=scope)
    assert await opened.runner.run(opened, started.json()["job"]) == "done", started.text
    await listed(http, place, community="/v1/communities", conflict="/v1/skill-conflicts")


async def _make(boss: Person, place: Place, kind: str, path: str, body: dict[str, Any]) -> Any:
    return place.add(kind, await boss.http.post(path, json=body | {"scope": place.path}))


def things(boss: Person, place: Place) -> list[Item]:
    """What lies in a scope as the model knows it."""
    return [
        Item(kind, place.token, place.token, place.path, boss.id, dict.fromkeys(NAMES[kind], one))
        for kind, ids in place.ids.items()
        for one in ids
    ]


async def with_skills(boss: Person, place: Place) -> None:
    """A skill with a version on trial, and another that needs it, and is needed by it."""
    http, token, scope = boss.http, place.token, {"scope": place.path}
    skill = {"name": f"Lift {token}", "category": "design", "body": f"Harbour cranes {token}."}
    one = place.add("skill", await http.post("/v1/skills", json=skill | scope))["id"]
    tried = {"body": f"Try {token}.", "change_type": "experimental"}
    assert (await http.patch(f"/v1/skills/{one}", json=tried)).status_code in OK
    versions = (await http.get(f"/v1/skills/{one}/versions")).json()["items"]
    (version,) = [each["version"] for each in versions if not each["is_active"]]
    started = await http.post(f"/v1/skills/{one}/experiment", json={"version": version})
    assert started.status_code in OK, started.text
    other = {"name": f"Hoist {token}", "category": "design", "body": f"Hoist {token}."}
    two = place.add("skill", await http.post("/v1/skills", json=other | scope))["id"]
    for source, target in ((one, two), (two, one)):
        link = {"target": target, "type": "requires"}
        assert (await http.post(f"/v1/skills/{source}/links", json=link)).status_code in OK
    scan = scope | {"dry_run": False}
    chore = await http.post("/v1/skill-chores/conflict-scan", json=scan)
    assert chore.status_code in OK, chore.text


async def listed(http: httpx.AsyncClient, place: Place, **paths: str) -> None:
    """Take the ids of what lists show of a scope."""
    for kind, path in paths.items():
        items = (await http.get(path, params={"scope": place.path})).json()["items"]
        assert items, f"no {kind} in {place.path}"
        place.ids[kind] = [item["id"] for item in items]
