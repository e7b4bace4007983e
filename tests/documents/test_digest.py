"""Random edits and deletes of twenty documents leave what a build from scratch makes of them."""

from __future__ import annotations

import hashlib
import random

import orjson

from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal
from tests.documents.conftest import MakeShelf, Shelf
from tests.documents.test_belief import edited, picture, raw, sentence

DOCUMENTS, STEPS, SEED = 20, 24, 11
NAMES = {
    "titles": """MATCH (c:Chunk {scope: $scope})-[r:GOES_BY]->(n:Name)
        MATCH (c)-[:PART_OF]->(d:Document)
        RETURN d.name AS document, c.number AS number, n.key AS name, r.how AS how""",
    "named": """MATCH (c:Chunk {scope: $scope})-[r:REFERS_TO]->(n:Name)
        MATCH (c)-[:PART_OF]->(d:Document)
        RETURN d.name AS document, c.number AS number, n.key AS name, r.spans AS spans,
               r.parts AS parts""",
    "names": "MATCH (n:Name {scope: $scope}) RETURN n.key AS name",
}

Bodies = dict[str, list[str]]


async def test_after_edits_and_deletes_the_digest_is_that_of_a_build_from_scratch(
    tenant: str, principal: MakePrincipal, shelf: MakeShelf, opened: Parts
) -> None:
    who = await principal(f"{tenant}/dev", role=Role.CURATOR)
    rng = random.Random(SEED)
    notes = await shelf(who, chunk_size=120, chunk_overlap=40)
    bodies: Bodies = {}
    ids: dict[str, str] = {}
    for number in range(DOCUMENTS):
        await put(notes, f"d{number:02}", [sentence(rng) for _ in range(4)], (bodies, ids))
    await work(notes)
    for _ in range(STEPS):
        await step(notes, rng, (bodies, ids))
    await work(notes)
    edits = await derived(opened, who.caller.home)
    assert await emptied(notes) == {name: [] for name in edits}
    again = await shelf(who, "Scratch", chunk_size=120, chunk_overlap=40)
    for name, body in rng.sample(sorted(bodies.items()), len(bodies)):
        await again.add(name, " ".join(body), captured_at=dated(name))
    await work(again)
    scratch = await derived(opened, who.caller.home)
    assert all(scratch.values()), scratch
    for name, rows in scratch.items():
        assert edits[name] == rows, name
    assert digest(edits) == digest(scratch)


async def put(
    notes: Shelf, name: str, body: list[str], stored: tuple[Bodies, dict[str, str]]
) -> None:
    document = await notes.add(name, " ".join(body), captured_at=dated(name))
    stored[0][name], stored[1][name] = body, document["id"]


async def step(notes: Shelf, rng: random.Random, stored: tuple[Bodies, dict[str, str]]) -> None:
    """One document is edited, deleted or made anew; sometimes the worker comes by."""
    bodies, ids = stored
    name = f"d{rng.randrange(DOCUMENTS):02}"
    if name in bodies and rng.random() < 0.3:
        await notes.delete(ids.pop(name))
        del bodies[name]
    else:
        await put(notes, name, edited(rng, bodies.get(name, [])), stored)
    if rng.random() < 0.3:
        await work(notes)


async def work(notes: Shelf) -> None:
    """What a worker does with what waits here."""
    home = notes.who.caller.home
    await notes.consolidate()
    await notes.opened.linking.link((home, notes.who.caller.tenant))


async def emptied(notes: Shelf) -> dict[str, list[str]]:
    """What is left once the base is deleted."""
    job = (await notes.who.http.delete(f"/v1/knowledge-bases/{notes.base}")).json()
    assert (await notes.finish(job))["state"] == "done"
    return await derived(notes.opened, notes.who.caller.home)


async def derived(opened: Parts, scope: str) -> dict[str, list[str]]:
    """Chunks, mentions, entities, facts, claims and names, without ids of chunks and moments."""
    found = await picture(opened, scope)
    for name, query in NAMES.items():
        found[name] = sorted(str(row) for row in await raw(opened, query, scope))
    return found


def digest(found: dict[str, list[str]]) -> str:
    return hashlib.sha256(orjson.dumps(found, option=orjson.OPT_SORT_KEYS)).hexdigest()


def dated(name: str) -> str:
    return f"2026-05-{int(name[1:]) + 1:02}T10:00:00Z"
