"""Graph retrieval over documents: one knowledge base or all, and what goes with a document."""

from __future__ import annotations

from typing import Any

import pytest

from app.wiring import Parts
from tests.communities.conftest import BREMEN, ULM
from tests.conftest import MakePrincipal, Principal
from tests.documents.conftest import MakeShelf


async def test_a_knowledge_base_is_kept_to_and_a_document_takes_its_part_along(
    opened: Parts, writer: Principal, shelf: MakeShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    north, south = await shelf(writer, name="North"), await shelf(writer, name="South")
    first = await north.add("Bremen", f"{BREMEN} Nils Brandt works for Acme GmbH.")
    second = await south.add("Ulm", ULM)
    await north.consolidate()
    await opened.indexing.drain()
    await opened.communities.refresh(writer.caller.home)
    ids = {name: {c["id"] for c in await base.chunks(document["id"])} for name, base, document in [
        ("north", north, first), ("south", south, second),
    ]}  # fmt: skip

    async def asked(path: str, query: str, bases: list[str] | None = None) -> dict[str, Any]:
        body = {"query": query, "knowledge_base_ids": bases}
        answer = await writer.http.post(f"/v1/rag/{path}", json=body)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def sources(found: dict[str, Any]) -> set[str]:
        lines = [s["id"] for c in found["communities"] for s in c["community"]["sources"]]
        return {one["id"] for one in found["results"]} | set(lines)

    query = "Who works for Acme GmbH and who for Zenith AG?"
    both = await asked("retrieve", query)
    assert ids["north"] | ids["south"] <= sources(both)
    assert {result["kind"] for result in both["results"]} == {"chunk", "fact"}
    one = await asked("retrieve", query, [north.base])
    assert {result["id"] for result in one["results"]} == ids["north"]
    assert not sources(one) & ids["south"]
    told = [c["community"] for c in one["communities"]]
    assert "fact" in {source["kind"] for c in told for source in c["sources"]}
    assert "Zenith" not in str([c["untrusted"]["lines"] for c in told])
    answer = await asked("ask", query, [south.base])
    assert {source["id"] for source in answer["sources"]} == ids["south"]
    # However large the communities of other bases are, those of this one are told.
    monkeypatch.setattr("app.rag.reaching.COMMUNITIES", 1)
    themes = await asked("retrieve", "What are the main themes?", [south.base])
    (lines,) = [c["community"]["untrusted"]["lines"] for c in themes["communities"]]
    assert "Zenith AG uses Grafana" in str(lines)
    assert "Acme" not in str(lines)
    monkeypatch.undo()

    await south.delete(second["id"])
    # No pass has run over the communities.
    left = await asked("retrieve", query)
    assert "Zenith" not in str(left["communities"])
    assert not sources(left) & ids["south"]


async def test_every_citation_stands_where_it_says(
    opened: Parts, writer: Principal, shelf: MakeShelf
) -> None:
    """Offsets of sources, sentences, passages and lines lead into the stored text itself."""
    manuals = await shelf(writer, chunk_size=300, chunk_overlap=100)
    filler = [f"Room {n}:  the  lamp\nis {n} years old, and 🙂 nobody asks." for n in range(30)]
    document = await manuals.add(
        "House", "\n\n".join([*filler[:15], BREMEN, *filler[15:], ULM]), media="text/markdown"
    )
    await manuals.consolidate()
    await opened.indexing.drain()
    await opened.communities.refresh(writer.caller.home)
    whole = (await writer.http.get(f"/v1/documents/{document['id']}/text")).json()
    stored = whole["untrusted"]["text"]

    async def asked(path: str, query: str) -> dict[str, Any]:
        answer = await writer.http.post(f"/v1/rag/{path}", json={"query": query})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def said(one: dict[str, Any]) -> str:
        assert one["document_id"] == document["id"]
        return stored[one["document_start"] : one["document_end"]]

    answer = await asked("ask", "What does Acme GmbH use, and what Zenith AG?")
    chunks = [one for one in answer["sources"] if one["kind"] == "chunk"]
    assert chunks
    assert all(said(one) == one["untrusted"]["text"] for one in chunks)
    sentences = answer["untrusted"]["sentences"]
    assert any("Postgres" in one["text"] for one in sentences)
    for one in sentences:
        source = answer["sources"][one["sources"][0] - 1]
        if source["kind"] == "fact":
            assert one["text"] == source["untrusted"]["text"]
            continue
        first = source["document_start"] - source["start"]
        quoted = stored[first + one["start"] : first + one["end"]]
        assert " ".join(quoted.split()) == one["text"]
    found = await asked("retrieve", "Who works for Acme GmbH and who for Zenith AG?")
    assert found["results"]
    results = [one for one in found["results"] if one["kind"] == "chunk"]
    assert results
    assert all(said(one) == one["untrusted"]["text"] for one in results)
    overall = await asked("ask", "What are the main themes?")
    themes = await asked("retrieve", "What are the main themes?")
    lines = [
        (source, reached["community"]["untrusted"]["lines"][source["line"]])
        for reached in themes["communities"]
        for source in reached["community"]["sources"]
    ]
    told = [(one, one["untrusted"]["text"]) for one in overall["sources"]]
    quoted_lines = [(one, text) for one, text in (*lines, *told) if one["kind"] == "chunk"]
    assert {source["kind"] for source, _ in lines} == {"chunk", "fact"}
    assert all(" ".join(said(one).split()) == text for one, text in quoted_lines)
    assert all(one["document_id"] is None for one, _ in lines if one["kind"] == "fact")


async def test_what_names_nothing_is_in_a_context_all_the_same(
    opened: Parts, writer: Principal, shelf: MakeShelf
) -> None:
    manuals = await shelf(writer)
    document = await manuals.add("valve", "checked in spring, by hand: the valve of the pump.")
    await manuals.add("lamp", "the lamp over the stairs has two switches.")
    await opened.indexing.drain()
    query = {"query": "when is the valve of the pump checked?"}
    (chunk,) = await manuals.chunks(document["id"])
    context = (await writer.http.post("/v1/rag/context", json=query)).json()
    assert context["without"] == "no_seeds"
    assert context["citations"] == {chunk["id"]: [chunk["id"]]}
    assert "checked in spring" in context["context"]
    found = (await writer.http.post("/v1/rag/retrieve", json=query)).json()
    assert [one["id"] for one in found["results"]] == [chunk["id"]]
    assert found["without"] == "no_seeds"
    # Beside what names something, what names nothing still comes by the search.
    await manuals.add("ada", f"{BREMEN} Ada Berger checked the pump.")
    await manuals.consolidate()
    await opened.indexing.drain()
    found = (await writer.http.post("/v1/rag/retrieve", json=query)).json()
    (valve,) = (one for one in found["results"] if one["id"] == chunk["id"])
    assert (valve["path"], valve["community"]) == ([], None)


async def test_an_answer_follows_an_edit_and_a_deletion_and_says_where_there_is_none(
    opened: Parts, writer: Principal, shelf: MakeShelf
) -> None:
    """No pass over communities runs, and nothing is asked twice before it changes."""
    manuals = await shelf(writer)
    query = "Who leads the depot in Bremen?"

    async def answer(asked: str) -> dict[str, Any]:
        body = {"query": asked, "knowledge_base_ids": [manuals.base]}
        found: dict[str, Any] = (await writer.http.post("/v1/rag/ask", json=body)).json()
        return found

    async def say(leader: str) -> str:
        text = f"# Depot in Bremen\n\n{leader} leads the depot in Bremen. It opens at seven."
        document = await manuals.add("depot", text, media="text/markdown")
        await opened.indexing.drain()
        return str(document["id"])

    for leader, other in [("Ilse Harmsen", "Jonas Peters"), ("Jonas Peters", "Ilse Harmsen")]:
        depot = await say(leader)
        told = await answer(query)
        first = told["untrusted"]["sentences"][0]
        assert first["text"] == f"{leader} leads the depot in Bremen."
        assert told["note"] == ""
        assert other not in str(told)
        (source,) = told["sources"]
        assert source["document_id"] == depot
        assert source["relevance"] > 0.5
    none = await answer("Was ist die Hauptstadt der Mongolei?")
    assert none["sources"]
    assert none["untrusted"] == {"answer": "", "sentences": []}
    assert "likely" in none["note"]
    await opened.question_log.flush()
    told = (await writer.http.get("/v1/rag/analytics")).json()
    assert [one["times"] for one in told["unanswered"]] == [1]
    await manuals.delete(depot)
    gone = await answer(query)
    assert (gone["sources"], gone["untrusted"]["sentences"]) == ([], [])


async def test_a_small_base_beside_a_big_one_is_searched_and_not_sifted(
    opened: Parts, writer: Principal, shelf: MakeShelf
) -> None:
    small = await shelf(writer, name="Small")
    big = await shelf(writer, name="Big", chunk_size=100, chunk_overlap=0)
    wanted = await small.add("Valve", "In passing: the valve of the pump is checked in spring.")
    text = "\n\n".join(f"The valve of the pump {n}: valve, pump, valve, pump." for n in range(120))
    await big.add("Valves", text)
    await opened.indexing.drain()
    ids = {chunk["id"] for chunk in await small.chunks(wanted["id"])}
    query = "Which valve has the pump?"
    kept = {"query": query, "knowledge_base_ids": [small.base]}
    for mode in ("vector", "keyword", "graph", "hybrid"):
        found = await writer.http.post("/api/v1/ai/rag/search", json={**kept, "mode": mode})
        assert {one["id"] for one in found.json()["data"]["results"]} == ids, mode
    answer = (await writer.http.post("/v1/rag/ask", json=kept)).json()
    assert {source["id"] for source in answer["sources"]} == ids
    for name in ("knowledge_base_ids", "knowledge_bases"):
        body = {"query": query, name: [small.base]}
        found = await writer.http.post("/v1/search", json=body)
        assert {hit["id"] for hit in found.json()["hits"]} == ids, name


@pytest.mark.parametrize(
    "path", ["/v1/search", "/v1/rag/retrieve", "/v1/rag/ask", "/api/v1/ai/rag/search"]
)
async def test_a_base_that_is_none_is_named_wherever_it_is_asked(
    writer: Principal, shelf: MakeShelf, principal: MakePrincipal, path: str
) -> None:
    foreign = await shelf(await principal(f"{writer.caller.tenant}-other"), name="Foreign")
    for given, status in [(["nowhere"], 404), ([foreign.base], 404), ([], 422)]:
        for query in ("Which valve?", "What are the main themes?"):
            body = {"query": query, "knowledge_base_ids": given}
            answer = await writer.http.post(path, json=body)
            assert answer.status_code == status, answer.text
            assert "knowledge_base_ids" in answer.text
    if path == "/v1/search":
        both = {"knowledge_base_ids": ["a"], "knowledge_bases": ["a"]}
        twice = await writer.http.post(path, json={"query": "x", **both})
        assert twice.status_code == 422
        assert "knowledge_bases" in twice.text
