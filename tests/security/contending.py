"""What waits for somebody in every scope: what contradicts, what may have changed, what recurs,
what was called wrong, what lies there twice or for too long; and pages of entities and skills."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from app.kernel.clock import now
from app.wiring import Parts
from bench.rights import Item
from tests.security.worlds import OK, Person, Place

DOUBTED = "doubted"  # the kind of a fact that waits in quarantine
OLD = timedelta(days=4_000)  # whenever it was read, it is stale
PAPERS = 3  # texts with the same labels, of which a table is suggested
SAME = "harps, horns, drums, flutes, lutes, pipes, bells, organs, cellos"


async def contested(boss: Person, place: Place) -> list[Item]:
    """Say what waits in quarantine, what may have changed a fact, what may be a table, and a fact
    and the same with a word more."""
    token = place.token.capitalize()
    for text in (
        f"Emil {token} lives in {token}burg.",
        f"Emil {token} lives in {token}dorf for the summer.",
        f"Opa nimmt 75 Mikrogramm {token}in.",
        f"Der Doktor hat {token}in bei Opa auf 100 hochgesetzt.",
        *(f"Berth {token}: {number}\nTide {token}: {number} metres" for number in range(PAPERS)),
    ):
        await _post(boss, "/v1/episodes", {"content": text, "session": token, "scope": place.path})
    said_at, waiting = now().isoformat(), list[str]()
    for subject, predicate, value in (
        (f"Works {token}", "status", "active"),
        (f"Works {token}", "status", "completed"),
        (f"Band {token}", "plays", SAME),
        (f"Band {token}", "plays", f"{SAME} and violas"),
    ):
        statement = {"subject": {"name": subject}, "predicate": predicate}
        body = {"statement": statement | {"object": {"value": value}}, "said_at": said_at}
        said = await _post(boss, "/v1/facts:remember", body | {"scope": place.path})
        waiting += said["quarantined"]
    assert waiting, f"nothing waits in {place.path}"
    return [_item(DOUBTED, boss, place, fact_id=one) for one in waiting]


async def judged(opened: Parts, boss: Person, place: Place) -> list[Item]:
    """Write a bad pattern, a note that is called wrong, and one that has gone stale."""
    token, scope = place.token, {"scope": place.path}
    pattern = {"content": f"Oiled the crane {token} in the rain.", "reason": f"{token} rusts."}
    await _post(boss, "/v1/bad-patterns", pattern | scope)
    wrong, aged = [
        (await _post(boss, "/v1/notes", {"content": text} | scope))["id"]
        for text in (f"The gate {token} opens at six.", f"The ladder {token} is painted blue.")
    ]
    await _post(boss, "/v1/feedback", {"memory": wrong, "verdict": "wrong"})
    await _aged(opened, place, aged)
    return [
        _item(kind, boss, place, note_id=note, memory_id=note)
        for kind, note in (("wrong note", wrong), ("old note", aged))
    ]


async def named(boss: Person, place: Place) -> list[Item]:
    """Write the page of an entity, which links to it and to a skill, tie that skill to it, and make
    the page of the day."""
    entity, skill = place.ids["entity"][-1], place.ids["skill"][-1]
    name = (await boss.http.get(f"/v1/entities/{entity}")).json()["name"]
    content = f"[[entity:{name}]] needs [[skill:Hoist {place.token}]]."
    page = await _post(boss, "/v1/pages", {"title": name, "content": content, "scope": place.path})
    tied = await boss.http.put(f"/v1/skills/{skill}/entities/{entity}")
    assert tied.status_code in OK, tied.text
    day = {"day": now().date().isoformat(), "scope": place.path, "dry_run": False}
    assert (await _post(boss, "/v1/snapshots/days", day))["changed"]
    return [_item("entity page", boss, place, page_id=page["id"], node_id=page["id"])]


async def _aged(opened: Parts, place: Place, note: str) -> None:
    """Let a note be as old as nothing that is written now can be."""
    at = now() - OLD
    await opened.graph.raw(
        "MATCH (n:Note {id: $id, scope: $scope}) "
        "SET n.ingested_at = $at, n.updated_at = $at, n.importance = 0.0",
        id=note,
        scope=place.path,
        at=at,
    )


async def _post(who: Person, path: str, body: dict[str, Any]) -> Any:
    answer = await who.http.post(path, json=body)
    assert answer.status_code in OK, (path, answer.text)
    return answer.json()


def _item(kind: str, boss: Person, place: Place, **ids: str) -> Item:
    return Item(kind, place.token, place.token, place.path, boss.id, ids)
