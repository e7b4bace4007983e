"""Knowledge bases, documents and chunks travel, with what is believed on their word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from app.cli.transfer import store_of
from app.portability.exporter import digest_of, export_package
from app.portability.service import Order, import_attended, selection
from app.wiring import Parts
from tests.conftest import Principal
from tests.documents.conftest import MakeShelf

CLEAR = (
    "MATCH (n) WHERE n.tenant = $tenant OR n.path = $tenant OR n.scope = $tenant "
    "OR n.scope STARTS WITH $tenant + '/' DETACH DELETE n"
)
TEXT = "# People\n\nClara Voss lives in Berlin.\n\n## More\n\nNils Brandt works for Acme GmbH."


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


MAY = "2026-05-01T10:00:00Z"


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
