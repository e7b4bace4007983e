"""Knowledge bases, documents and chunks travel, with what is believed on their word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.cli.transfer import store_of
from app.documents.repository import leaving_key
from app.kernel.cypher import Q
from app.lifecycle.model import tombstone_id
from app.portability.exporter import digest_of, export_package
from app.portability.service import Order, import_attended, selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.documents.conftest import MakeShelf, Shelf
from tests.portability.packages import write_package
from tests.support.profiled import Profiled

CLEAR = (
    "MATCH (n) WHERE n.tenant = $tenant OR n.path = $tenant OR n.scope = $tenant "
    "OR n.scope STARTS WITH $tenant + '/' DETACH DELETE n"
)
TEXT = "# People\n\nClara Voss lives in Berlin.\n\n## More\n\nNils Brandt works for Acme GmbH."


MAY = "2026-05-01T10:00:00Z"


async def untold(progress: Any, size: int) -> None:
    """Tells nobody."""


async def test_a_store_with_documents_comes_back_as_it_was(
    writer: Principal, shelf: MakeShelf, opened: Parts, tenant: str, tmp_path: Path
) -> None:
    manuals = await shelf(writer, chunk_size=100, chunk_overlap=20)
    kept = await manuals.add("p.md", TEXT, media="text/markdown", tags=["a"], captured_at=MAY)
    hidden = await manuals.add("old.md", "Mara Lindt lives in Bremen.", captured_at=MAY)
    await manuals.consolidate()
    await writer.http.post(f"/v1/documents/{hidden['id']}/archive")
    chosen = await selection(opened.graph, tenant)
    counts = (await digest_of(opened.graph, chosen))["records"]
    kinds = ("knowledge_base", "document", "chunk", "reading", "fact")
    assert all(counts[kind] for kind in kinds)
    assert counts["reading"] == counts["chunk"]
    await export_package(opened.graph, tmp_path / "p", chosen)
    await opened.graph.raw(CLEAR, tenant=tenant)
    rejects = tmp_path / "rejects"
    await import_attended(store_of(opened), Order(tmp_path / "p", rejects=rejects), untold)
    assert not rejects.exists(), rejects.read_text()
    again = await selection(opened.graph, tenant)
    await export_package(opened.graph, tmp_path / "q", again)
    for file in sorted((tmp_path / "p").glob("*.jsonl")):
        if file.name in ("audit.jsonl", "chains.jsonl"):
            continue  # the import is on record as well
        told = set(file.read_text().splitlines())
        assert told ^ set((tmp_path / "q" / file.name).read_text().splitlines()) == set()
    chunks = await opened.graph.raw(
        "MATCH (c:Chunk)-[:PART_OF]->(d:Document {tenant: $tenant}) "
        "RETURN d.name AS name, c.live AS live, c.consolidation_state AS state",
        tenant=tenant,
    )
    assert {(row["name"], row["live"], row["state"]) for row in chunks} == {
        ("p.md", True, "consolidated"),
        ("old.md", False, "consolidated"),
    }
    assert len(chunks) == kept["chunks"] + hidden["chunks"]


async def test_a_package_that_moves_is_read_anew_elsewhere(
    writer: Principal, shelf: MakeShelf, opened: Parts, tenant: str, tmp_path: Path
) -> None:
    manuals = await shelf(writer)
    await manuals.add("p.md", TEXT, media="text/markdown", captured_at=MAY)
    await export_package(opened.graph, tmp_path / "p", await selection(opened.graph, tenant))
    order = Order(tmp_path / "p", target=f"{tenant}b")
    result = await import_attended(store_of(opened), order, untold)
    assert result["kinds"]["chunk"]["accepted"] >= 1, result
    tally = await opened.consolidation.consolidate(f"{tenant}b/dev")
    assert tally.episodes == result["kinds"]["chunk"]["accepted"]
    assert tally.facts >= 2


async def test_chunks_bring_their_vectors_where_they_are_wanted(
    writer: Principal, shelf: MakeShelf, opened: Parts, tenant: str, tmp_path: Path
) -> None:
    manuals = await shelf(writer)
    await manuals.add("p.md", TEXT + " It hums." * 400, media="text/markdown", captured_at=MAY)
    await opened.indexing.drain()
    before = await vectors(opened, tenant)
    assert before
    assert all(row["state"] == "done" for row in before)
    chosen = replace(await selection(opened.graph, tenant), vectors=True)
    plain = await digest_of(opened.graph, await selection(opened.graph, tenant))
    assert (await digest_of(opened.graph, chosen))["digest"] == plain["digest"]
    await export_package(opened.graph, tmp_path / "p", chosen)
    await opened.graph.raw(CLEAR, tenant=tenant)
    rejects = tmp_path / "rejects"
    await import_attended(store_of(opened), Order(tmp_path / "p", rejects=rejects), untold)
    assert not rejects.exists(), rejects.read_text()
    # Searchable by vector at once, as it was: the model has nothing to do.
    assert await vectors(opened, tenant) == before


async def vectors(opened: Parts, tenant: str) -> list[dict[str, Any]]:
    return await opened.graph.raw(
        "MATCH (c:Chunk {tenant: $tenant}) "
        "OPTIONAL MATCH (w:Window)-[:WINDOW_OF]->(c) "
        "WITH c, w ORDER BY w.place "
        "RETURN c.id AS id, c.index_state AS state, c.embed_hash AS hash, c.embedding AS vector, "
        "collect([w.id, w.embed_hash, w.embedding]) AS windows ORDER BY id",
        tenant=tenant,
    )


DOCUMENTS = (
    "MATCH (d:Document)-[:IN_BASE]->(b:KnowledgeBase) WHERE d.scope = $scope "
    "OPTIONAL MATCH (c:Chunk)-[:PART_OF]->(d) "
    "WITH d, b, c ORDER BY c.number "
    "RETURN b.id AS base, d.base AS within, d.name AS name, d.status AS status, "
    "collect(c.content) AS texts, collect(DISTINCT c.session) AS sessions, "
    "collect(c.live) AS live, [c IN collect(c) | [f IN c.facets WHERE f STARTS WITH 'm=']] "
    "AS facets ORDER BY name, status"
)


async def loaded(opened: Parts, package: Path, target: str | None = None) -> dict[str, Any]:
    """The tallies of an import, with what was rejected."""
    rejects = package.with_name(f"{package.name}.{(target or 'here').replace('/', '-')}.rejects")
    order = Order(package, target=target, rejects=rejects, fresh=True)
    result = await import_attended(store_of(opened), order, untold)
    told = [orjson.loads(line) for line in _lines(rejects)]
    return {**result["kinds"], "told": [(r["file"], r["reason"], r["field"]) for r in told]}


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines() if path.exists() else []


def tally(accepted: int, duplicates: int = 0, rejected: int = 0) -> dict[str, int]:
    return {"accepted": accepted, "duplicates": duplicates, "rejected": rejected}


async def test_bases_of_one_name_become_one_with_all_their_documents(
    principal: MakePrincipal, shelf: MakeShelf, opened: Parts, tenant: str, tmp_path: Path
) -> None:
    for place in ("a", "b"):
        base = await shelf(await principal(f"{tenant}/{place}"))
        for name in ("one", "two"):
            await base.add(f"{place}-{name}", f"The pump {name} of {place} is blue.")
        await base.add("of both", "The manual of both.")
        await base.add("alike", f"The valve of {place} is red.")
    await export_package(opened.graph, tmp_path / "p", await selection(opened.graph, tenant))
    target = f"{tenant}c/ws"
    first = await loaded(opened, tmp_path / "p", target)
    assert first["knowledge_base"] == tally(1, 1)
    # A name is one document's: the same text is there already, another is told of.
    assert first["document"] == tally(6, 1, 1)
    assert first["chunk"] == tally(6, 1, 1)
    assert first["told"] == [
        ("documents.jsonl", "AlreadyExists", "name"),
        ("chunks.jsonl", "NotFound", "document"),
    ]
    rows = await opened.graph.raw(DOCUMENTS, scope=target)
    assert [row["name"] for row in rows] == ["a-one", "a-two", "alike", "b-one", "b-two", "of both"]
    assert len({row["base"] for row in rows}) == 1
    for row in rows:
        assert row["within"] == row["base"]
        assert (len(row["texts"]), row["live"]) == (1, [True])
        assert row["sessions"] == [row["base"]]
        assert row["facets"] == [[f"m={row['base']}"]]
    again = await loaded(opened, tmp_path / "p", target)
    assert again["document"] == tally(0, 7, 1)
    assert again["chunk"] == tally(0, 7, 1)
    assert await opened.graph.raw(DOCUMENTS, scope=target) == rows


async def test_documents_go_into_the_base_that_has_the_name_of_theirs(
    principal: MakePrincipal, shelf: MakeShelf, opened: Parts, tenant: str, tmp_path: Path
) -> None:
    theirs = await shelf(await principal(f"{tenant}/a"))
    await theirs.add("p7", "The pump is blue.")
    await theirs.add("p8", "The pump is green.")
    await export_package(opened.graph, tmp_path / "p", await selection(opened.graph, tenant))
    ours = await shelf(await principal(f"{tenant}/b"), name="manuals")
    await ours.add("p7", "The pump is red.")
    archived = await ours.who.http.post(f"/v1/knowledge-bases/{ours.base}/archive")
    assert archived.status_code == 200
    done = await loaded(opened, tmp_path / "p", f"{tenant}/b")
    assert done["document"] == tally(1, 0, 1)
    assert done["chunk"] == tally(1, 0, 1)
    rows = await opened.graph.raw(DOCUMENTS, scope=f"{tenant}/b")
    assert [(row["base"], row["name"], row["texts"], row["live"]) for row in rows] == [
        (ours.base, "p7", ["The pump is red."], [False]),
        (ours.base, "p8", ["The pump is green."], [False]),
    ]
    resumed = await ours.who.http.post(f"/v1/knowledge-bases/{ours.base}/resume")
    assert resumed.status_code == 200
    assert await hits(ours, "green") == 1


async def hits(shelf: Shelf, query: str) -> int:
    asked = {"query": query, "mode": "keyword", "kinds": ["chunk"]}
    return int((await shelf.who.http.post("/v1/search", json=asked)).json()["count"])


@pytest.mark.parametrize("stopped", [True, False], ids=["cancelled", "yet to run"])
async def test_a_document_that_leaves_takes_no_name_where_it_is_restored(
    writer: Principal,
    shelf: MakeShelf,
    opened: Parts,
    tenant: str,
    tmp_path: Path,
    stopped: bool,
) -> None:
    manuals = await shelf(writer)
    left = await manuals.add("p7", "The pump is blue.")
    deletion = (await writer.http.delete(f"/v1/documents/{left['id']}")).json()
    if stopped:
        await writer.http.post(f"/v1/jobs/{deletion['id']}/cancel")
    kept = await manuals.add("p7", "The pump is green.")
    assert kept["id"] != left["id"]
    await export_package(opened.graph, tmp_path / "p", await selection(opened.graph, tenant))
    await opened.graph.raw(CLEAR, tenant=tenant)
    done = await loaded(opened, tmp_path / "p")
    assert (done["document"], done["chunk"]) == (tally(2), tally(2))
    rows = await opened.graph.raw(DOCUMENTS, scope=writer.caller.home)
    assert [(row["name"], row["status"], row["texts"], row["live"]) for row in rows] == [
        ("p7", "archived", ["The pump is blue."], [False]),
        ("p7", "indexed", ["The pump is green."], [True]),
    ]
    keys = await opened.graph.raw(
        "MATCH (d:Document {tenant: $tenant}) WHERE d.status = 'archived' RETURN d.key AS key",
        tenant=tenant,
    )
    assert keys == [{"key": leaving_key(left["id"])}]
    again = await selection(opened.graph, tenant)
    await export_package(opened.graph, tmp_path / "q", again)
    for name in ("documents.jsonl", "chunks.jsonl"):
        told = [(tmp_path / place / name).read_text() for place in ("p", "q")]
        assert told[0] == told[1]


async def test_what_finds_no_base_or_document_is_told(
    opened: Parts, tenant: str, tmp_path: Path
) -> None:
    scope = f"{tenant}/dev"
    lone = {"id": "d1", "scope": scope, "base": "nowhere", "name": "p7", "captured_at": MAY}
    chunk = {
        "id": "c1", "scope": scope, "document": "d1", "base": "nowhere", "number": 0, "start": 0,
        "own": 0, "end": 5, "content": "Blue.", "captured_at": MAY,
    }  # fmt: skip
    package = write_package(tmp_path / "p", {"tenants": [tenant]}, documents=[lone], chunks=[chunk])
    done = await loaded(opened, package)
    assert done["document"] == done["chunk"] == tally(0, 0, 1)
    assert done["told"] == [
        ("documents.jsonl", "NotFound", "base"),
        ("chunks.jsonl", "NotFound", "document"),
    ]


async def test_chunks_of_a_document_that_was_erased_here_are_no_rejects(
    writer: Principal, shelf: MakeShelf, opened: Parts, tenant: str, tmp_path: Path
) -> None:
    manuals = await shelf(writer)
    gone = await manuals.add("p7", "The pump is blue.")
    await export_package(opened.graph, tmp_path / "p", await selection(opened.graph, tenant))
    await manuals.delete(gone["id"])
    await opened.graph.raw(
        "CREATE (:Tombstone {id: $id, tenant: $tenant, created_at: datetime()})",
        id=tombstone_id(gone["id"]),
        tenant=tenant,
    )
    done = await loaded(opened, tmp_path / "p")
    assert (done["document"], done["chunk"], done["told"]) == (tally(0, 1), tally(0, 1), [])


async def test_an_older_text_adds_nothing_to_a_newer_one(
    writer: Principal, shelf: MakeShelf, opened: Parts, tenant: str, tmp_path: Path
) -> None:
    manuals = await shelf(writer, chunk_size=100, chunk_overlap=20)
    older = await manuals.add("p7", "The pump is blue. It runs all day long. " * 12)
    assert older["chunks"] > 2
    await export_package(opened.graph, tmp_path / "p", await selection(opened.graph, tenant))
    newer = await manuals.add("p7", "The pump is green.")
    done = await loaded(opened, tmp_path / "p")
    assert (done["chunk"], done["told"]) == (tally(0, older["chunks"]), [])
    assert len(await manuals.chunks(newer["id"])) == 1


STORE = """
UNWIND range($from, $to) AS number
UNWIND [$scope, $scope + '-a', $scope + '-b'] AS scope
WITH toString(100000 + number) + right(scope, 1) AS id, scope, $tenant AS tenant
CREATE (d:Document {id: tenant + 'd' + id, scope: scope, tenant: tenant, base: tenant + 'b'})
CREATE (:KnowledgeBase {id: tenant + 'b' + id, scope: scope, tenant: tenant})
CREATE (p:Page {id: tenant + 'p' + id, scope: scope, tenant: tenant, passage_state: 'done'})
CREATE (:Entity {id: tenant + id, scope: scope, tenant: tenant})
CREATE (:MergeRecord {id: tenant + id, scope: scope, tenant: tenant, left: '', right: ''})
CREATE (:Fact {id: tenant + id, scope: scope, tenant: tenant, subject: ''})
CREATE (:Attestation {id: tenant + id, scope: scope, tenant: tenant})
CREATE (:Promotion {id: tenant + id, scope: scope, tenant: tenant})
CREATE (:Skill {id: tenant + id, scope: scope, tenant: tenant})
CREATE (:SkillUsageRecord {id: tenant + id, scope: scope, tenant: tenant})
CREATE (:SkillConflict {id: tenant + id, scope: scope, tenant: tenant})
FOREACH (part IN range(1, 5) |
  CREATE (:Chunk:Passage {id: tenant + part + id, scope: scope, tenant: tenant})-[:PART_OF]->(d)
  CREATE (:Chunk:Passage {id: tenant + part + 'x' + id, scope: scope, tenant: tenant})
    -[:PART_OF]->(p))
"""
PAGED = {
    "chunks": (Q.restoring.export_chunks, "scope"),
    "ids of chunks": (Q.restoring.chunk_ids, "scope"),
    "documents": (Q.restoring.export_documents, "scope"),
    "bases": (Q.restoring.export_bases, "scope"),
    "entities": (Q.restoring.export_entities, "scope"),
    "merges": (Q.restoring.export_merges, "scope"),
    "facts": (Q.restoring.export_facts, "scope"),
    "links": (Q.restoring.export_links, "scope"),
    "attestations": (Q.restoring.export_attestations, "scopes"),
    "promotions": (Q.restoring.export_promotions, "scope"),
    "skills": (Q.skill_packages.export_skills, "scope"),
    "usages": (Q.skill_packages.export_usages, "scope"),
    "conflicts": (Q.skill_packages.export_conflicts, "scope"),
}


async def test_a_page_of_an_export_costs_by_itself_and_not_by_its_scope(
    opened: Parts, tenant: str
) -> None:
    profiled, scope = Profiled(opened.graph), f"{tenant}/many"

    async def costs() -> dict[str, int]:
        found = {}
        for name, (query, given) in PAGED.items():
            where: Any = {given: scope if given == "scope" else [scope]}
            first = await profiled.rows(query, **where, after="", limit=20)
            profiled.hits = 0
            after = max(found_id(row) for row in first)
            assert len(await profiled.rows(query, **where, after=after, limit=20)) == 20, name
            found[name] = profiled.hits
        return found

    async def store(first: int, last: int) -> None:
        async with opened.graph.driver.session() as session:
            given = {"from": first, "to": last, "scope": scope, "tenant": tenant}
            await (await session.run(STORE, given)).consume()

    await store(1, 100)
    few = await costs()
    await store(101, 400)
    many = await costs()
    grown = {name: (few[name], many[name]) for name in PAGED if many[name] > 1.5 * few[name] + 20}
    assert grown == {}


def found_id(row: dict[str, Any]) -> str:
    """The id of what a row of an export tells of, which is where the next page goes on."""
    told = row.get("id") or row.get("fact")
    if isinstance(told, str):
        return told
    named = next(value for value in row.values() if isinstance(value, dict) and "id" in value)
    return str(named["id"])
