"""What documents say is believed like anything else, and goes when they no longer say it."""

from __future__ import annotations

import random
from typing import Any

from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.documents.conftest import MakeShelf, Shelf
from tests.documents.files import typeset

MAY, JUNE = "2026-05-01T10:00:00Z", "2026-06-01T10:00:00Z"


async def statements(opened: Parts, scope: str) -> dict[str, str]:
    """Status by statement of every fact of a scope."""
    rows = await raw(
        opened, "MATCH (f:Fact {scope: $scope}) RETURN f.statement AS s, f.status AS t", scope
    )
    return {row["s"]: row["t"] for row in rows}


async def raw(opened: Parts, query: str, scope: str) -> list[dict[str, Any]]:
    found, _, _ = await opened.graph.driver.execute_query(query, scope=scope)
    return [dict(row) for row in found]


async def test_a_later_document_supersedes_what_an_earlier_one_says(
    writer: Principal, shelf: MakeShelf, opened: Parts
) -> None:
    notes = await shelf(writer)
    scope = writer.caller.home
    await notes.add("may", "Clara Voss lives in Berlin.", captured_at=MAY)
    later = await notes.add("june", "Clara Voss moved to Hamburg.", captured_at=JUNE)
    await notes.consolidate()
    told = await statements(opened, scope)
    berlin = next(s for s in told if "Berlin" in s)
    hamburg = next(s for s in told if "Hamburg" in s)
    assert (told[berlin], told[hamburg]) == ("superseded", "active")
    support = await raw(
        opened,
        "MATCH (c:Chunk)-[:SUPPORTS]->(f:Fact {scope: $scope, status: 'active'}) "
        "WHERE f.statement CONTAINS 'Hamburg' RETURN DISTINCT c.work AS work",
        scope,
    )
    assert [row["work"] for row in support] == [later["id"]]
    # Deleting the later one brings back what it had ended.
    await notes.delete(later["id"])
    assert await statements(opened, scope) == {berlin: "active"}


async def test_an_edit_takes_the_facts_of_the_words_that_go_and_keeps_the_others(
    writer: Principal, shelf: MakeShelf, opened: Parts
) -> None:
    notes = await shelf(writer, chunk_size=100, chunk_overlap=0)
    scope = writer.caller.home
    lines = ["Clara Voss lives in Berlin.", "Nils Brandt works for Acme GmbH."]
    filler = "Nothing else of note is told in this long paragraph about the weather of the day."
    body = f"\n\n{filler}\n\n".join(lines)
    await notes.add("people", body, captured_at=MAY)
    await notes.consolidate()
    before = await statements(opened, scope)
    assert any("Berlin" in s for s in before)
    assert any("Acme" in s for s in before)
    await notes.add("people", body.replace("Berlin", "Hamburg"), captured_at=MAY)
    gone = await statements(opened, scope)
    assert not any("Berlin" in s for s in gone)
    assert any("Acme" in s for s in gone)
    await notes.consolidate()
    assert any("Hamburg" in s for s in await statements(opened, scope))
    names = await raw(
        opened, "MATCH (e:Entity {scope: $scope}) RETURN e.canonical_name AS n", scope
    )
    assert "Berlin" not in {row["n"] for row in names}


async def test_a_fact_that_two_documents_state_lives_while_one_does(
    writer: Principal, shelf: MakeShelf, opened: Parts
) -> None:
    notes = await shelf(writer)
    scope = writer.caller.home
    one = await notes.add("one", "Clara Voss lives in Berlin.", captured_at=MAY)
    two = await notes.add("two", "As we know, Clara Voss lives in Berlin.", captured_at=MAY)
    await notes.consolidate()
    assert len(await statements(opened, scope)) == 1
    await notes.delete(one["id"])
    assert len(await statements(opened, scope)) == 1
    await notes.delete(two["id"])
    assert await statements(opened, scope) == {}


async def test_what_is_said_in_talk_and_in_a_document_meets(
    writer: Principal, shelf: MakeShelf, opened: Parts
) -> None:
    notes = await shelf(writer)
    said = {"content": "Clara Voss lives in Berlin.", "session": "s", "captured_at": JUNE}
    assert (await writer.http.post("/v1/episodes", json=said)).status_code == 201
    document = await notes.add("people", "Clara Voss lives in Berlin.", captured_at=MAY)
    await notes.consolidate()
    rows = await raw(
        opened,
        "MATCH (f:Fact {scope: $scope})<-[:SUPPORTS]-(p:Passage) RETURN labels(p) AS labels",
        writer.caller.home,
    )
    kinds = sorted("Chunk" if "Chunk" in row["labels"] else "Episode" for row in rows)
    assert kinds == ["Chunk", "Episode"]
    await notes.delete(document["id"])
    assert len(await statements(opened, writer.caller.home)) == 1


PEOPLE = ("Clara Voss", "Nils Brandt", "Mara Lindt", "Jonas Keller")
TOWNS = ("Berlin", "Hamburg", "Leipzig", "Bremen")
FIRMS = ("Acme GmbH", "Verdelo AG", "Nordlicht GmbH")
RUNS, STEPS = 1, 10


def sentence(rng: random.Random) -> str:
    who = rng.choice(PEOPLE)
    return rng.choice(
        [
            f"{who} lives in {rng.choice(TOWNS)}.",
            f"{who} works for {rng.choice(FIRMS)}.",
            f"{who} likes to walk by the river in the long evenings of the summer.",
            f"{rng.choice(FIRMS)} is based in {rng.choice(TOWNS)}.",
        ]
    )


def edited(rng: random.Random, body: list[str]) -> list[str]:
    body = list(body)
    for _ in range(rng.randrange(1, 3)):
        place = rng.randrange(len(body) + 1)
        if body and rng.random() < 0.4:
            body.pop(min(place, len(body) - 1))
        else:
            body.insert(place, sentence(rng))
    return body or [sentence(rng)]


PICTURE: dict[str, str] = {
    "chunks": """MATCH (c:Chunk {scope: $scope})-[:PART_OF]->(d:Document)
        RETURN d.name AS document, c.number AS number, c.start AS start, c.own AS own, c.end AS end,
               c.content AS content, c.title AS title, c.heading_path AS path""",
    "mentions": """MATCH (c:Chunk {scope: $scope})-[m:MENTIONS]->(e:Entity)
        MATCH (c)-[:PART_OF]->(d:Document)
        RETURN d.name AS document, c.number AS number, m.start AS start, m.end AS end,
               e.id AS entity, m.name AS name""",
    "entities": """MATCH (e:Entity {scope: $scope})
        RETURN e.id AS id, e.root AS root, e.type AS type, e.mention_count AS mentions,
               COLLECT { MATCH (a:Alias)-[:NAMES]->(e) RETURN a.key ORDER BY a.key } AS names""",
    "facts": """MATCH (f:Fact {scope: $scope})
        RETURN f.id AS id, f.statement AS statement, f.status AS status, f.evidence AS evidence,
               f.confidence AS confidence, toString(f.valid_from) AS since,
               toString(f.valid_to) AS until""",
    "intervals": """MATCH (f:Fact {scope: $scope})-[a:ABOUT]->(e:Entity)
        WHERE a.retracted_at > datetime('9999-01-01T00:00:00Z')
        RETURN f.id AS fact, e.id AS entity, toString(a.valid_from) AS since,
               toString(a.valid_to) AS until, a.standing AS standing""",
    "claims": """MATCH (c:Chunk {scope: $scope})-[s:SUPPORTS]->(f:Fact)
        MATCH (c)-[:PART_OF]->(d:Document)
        RETURN d.name AS document, c.number AS number, f.id AS fact, s.start AS start, s.end AS end,
               s.mode AS mode, toString(s.said_at) AS said""",
    "superseded": """MATCH (f:Fact {scope: $scope})-[s:SUPERSEDED_BY]->(o:Fact)
        WHERE s.retracted_at > datetime('9999-01-01T00:00:00Z')
        RETURN f.id AS fact, o.id AS other""",
    "relations": """MATCH (a:Entity {scope: $scope})-[r:RELATES_TO]->(b:Entity)
        RETURN a.id AS a, b.id AS b, r.fact AS fact, r.live AS live""",
}  # fmt: skip


async def picture(opened: Parts, scope: str) -> dict[str, list[str]]:
    """Everything that is derived from the documents of a scope, without ids of chunks and times of
    writing."""
    found = {}
    for name, query in PICTURE.items():
        found[name] = sorted(str(row) for row in await raw(opened, query, scope))
    return found


async def test_after_random_edits_and_deletes_everything_equals_a_build_from_scratch(
    tenant: str, principal: MakePrincipal, shelf: MakeShelf, opened: Parts
) -> None:
    for seed in range(RUNS):
        rng = random.Random(seed)
        who = await principal(f"{tenant}/run{seed}", role=Role.WRITER)
        notes = await shelf(who, chunk_size=120, chunk_overlap=40)
        left = await _edited_about(notes, rng)
        after_edits = await picture(opened, who.caller.home)
        for document in list((await _listed(notes)).values()):
            await notes.delete(document)
        empty = await picture(opened, who.caller.home)
        assert all(rows == [] for rows in empty.values()), empty
        for name, body in left.items():
            await notes.add(name, " ".join(body), captured_at=_dated(name))
        await notes.consolidate()
        scratch = await picture(opened, who.caller.home)
        for kind, rows in scratch.items():
            assert after_edits[kind] == rows, (seed, kind)
        assert scratch["facts"]


async def _edited_about(notes: Shelf, rng: random.Random) -> dict[str, list[str]]:
    bodies: dict[str, list[str]] = {}
    for _ in range(STEPS):
        name = f"d{rng.randrange(4)}"
        if name in bodies and rng.random() < 0.2:
            await notes.delete((await _listed(notes))[name])
            del bodies[name]
        else:
            body = bodies.get(name) or [sentence(rng) for _ in range(6)]
            bodies[name] = edited(rng, body)
            await notes.add(name, " ".join(bodies[name]), captured_at=_dated(name))
        if rng.random() < 0.6:
            await notes.consolidate()
    await notes.consolidate()
    return bodies


async def _listed(notes: Shelf) -> dict[str, str]:
    answer = await notes.who.http.get("/v1/documents", params={"knowledge_base": notes.base})
    return {item["untrusted"]["name"]: item["id"] for item in answer.json()["items"]}


def _dated(name: str) -> str:
    return f"2026-05-0{int(name[1:]) + 1}T10:00:00Z"


async def test_a_chunk_is_found_with_its_document_and_place_and_kept_to_its_base(
    writer: Principal, shelf: MakeShelf, opened: Parts
) -> None:
    one, two = await shelf(writer, "One"), await shelf(writer, "Two")
    text = "# Pumps\n\n## Care\n\nThe pump needs oil of the kind zirkon."
    document = await one.add("a.md", text, media="text/markdown", title="Manual")
    other = await two.add("b.md", text, media="text/markdown", title="Other")
    chunks = [c["id"] for d in (document, other) for c in await one.chunks(d["id"])]
    await opened.indexing.index(chunks)
    for mode in ("keyword", "vector", "hybrid"):
        asked = {"query": "zirkon oil pump", "mode": mode, "knowledge_bases": [one.base]}
        found = (await writer.http.post("/v1/search", json=asked)).json()
        assert [hit["chunk"]["document_id"] for hit in found["hits"]] == [document["id"]], mode
    hit = found["hits"][0]
    assert hit["kind"] == "chunk"
    assert hit["untrusted"]["title"] == "Manual"
    assert hit["untrusted"]["heading_path"] == ["Pumps", "Care"]
    whole = (await writer.http.get(f"/v1/documents/{document['id']}/text")).json()
    assert hit["source"]["document_id"] == document["id"]
    span = slice(hit["source"]["start"], hit["source"]["end"])
    assert whole["untrusted"]["text"][span] == hit["untrusted"]["text"]
    shown = (await writer.http.get(f"/v1/memories/{hit['id']}")).json()
    assert (shown["kind"], shown["untrusted"]["text"]) == ("chunk", hit["untrusted"]["text"])


async def test_erasing_one_chunk_erases_its_document_with_a_receipt_and_leaves_no_trace(
    admin: Principal, shelf: MakeShelf, opened: Parts
) -> None:
    notes = await shelf(admin, chunk_size=120, chunk_overlap=60)
    secret = "Clara Voss lives in Berlin behind the zirkonmill. "
    rest = "Nothing else of note is told here about the weather of the day. " * 4
    document = await notes.add("people", secret + rest, captured_at=MAY)
    other = await notes.add("others", "Nils Brandt works for Acme GmbH.", captured_at=MAY)
    await notes.consolidate()
    scope = admin.caller.home
    rules = await admin.http.put(
        "/v1/scopes/rules", params={"scope": scope}, json={"erasure": True}
    )
    assert rules.status_code == 200, rules.text
    chunk = (await notes.chunks(document["id"]))[0]["id"]
    answer = await admin.http.post("/v1/erasures", json={"memory": chunk})
    assert answer.status_code in (200, 201), answer.text
    assert (await admin.http.get(f"/v1/documents/{document['id']}")).status_code == 404
    left = await raw(
        opened,
        "MATCH (n) WHERE n.scope = $scope AND n.content CONTAINS 'zirkon' RETURN n.id",
        scope,
    )
    assert left == []
    assert not any("Berlin" in s for s in await statements(opened, scope))
    assert (await notes.document(other["id"]))["status"] == "indexed"


MANUAL = [
    [
        ("Kestrel Manual", 20, True),
        ("The Care of Pumps", 14, True),
        ("Clara Voss lives in Berlin. Nils Brandt works for Acme GmbH, and he has", 10, False),
        ("told everybody so. The Heron pump weighs 12 kg.", 10, False),
        ("Who Looks After It", 10, True),
        (
            "Clara Voss leads the project Vega. She has moved to Hamburg since then, which",
            10,
            False,
        ),
        ("is far from the works.", 10, False),
    ],
    [
        ("Pflege der Ventile", 14, True),
        ("Jonas Weber wohnt in Kiel. Er arbeitet bei der Nordlicht GmbH, die Ventile", 10, False),
        ("für Schiffe herstellt.", 10, False),
        ("Is the Pump Leaking", 14, True),
        ("Nora Feld owns the workshop. The workshop belongs to Nora Feld alone, as all", 10, False),
        ("who work there know.", 10, False),
    ],
]


async def test_no_heading_of_a_pdf_is_said_to_be_or_do_anything(
    writer: Principal, shelf: MakeShelf, opened: Parts
) -> None:
    notes = await shelf(writer)
    await notes.upload("manual.pdf", typeset(MANUAL))
    await notes.consolidate()
    rows = await raw(
        opened,
        "MATCH (f:Fact {scope: $scope}) RETURN f.subject_text AS subject, f.statement AS said",
        writer.caller.home,
    )
    subjects = {row["subject"] for row in rows}
    assert {"Clara Voss", "Nils Brandt", "Jonas Weber"} <= subjects, rows
    titles = [line for page in MANUAL for line, _, bold in page if bold]
    body = " ".join(line for page in MANUAL for line, _, bold in page if not bold)
    assert [s for s in subjects if any(s in title or title in s for title in titles)] == []
    assert all(subject in body for subject in subjects), rows
