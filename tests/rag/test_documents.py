"""Graph retrieval over documents: one knowledge base or all, and what goes with a document."""

from __future__ import annotations

from typing import Any

from app.wiring import Parts
from tests.communities.conftest import BREMEN, ULM
from tests.conftest import Principal
from tests.documents.conftest import MakeShelf


async def test_a_knowledge_base_is_kept_to_and_a_document_takes_its_part_along(
    opened: Parts, writer: Principal, shelf: MakeShelf
) -> None:
    north, south = await shelf(writer, name="North"), await shelf(writer, name="South")
    first = await north.add("Bremen", BREMEN)
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
    assert both["results"][0]["kind"] == "chunk"
    one = await asked("retrieve", query, [north.base])
    assert {result["id"] for result in one["results"]} == ids["north"]
    assert not sources(one) & ids["south"]
    answer = await asked("ask", query, [south.base])
    assert {source["id"] for source in answer["sources"]} == ids["south"]
    themes = await asked("retrieve", "What are the main themes?", [south.base])
    assert "Acme" not in str([c["community"]["untrusted"]["lines"] for c in themes["communities"]])

    await south.delete(second["id"])
    # No pass has run over the communities.
    left = await asked("retrieve", query)
    assert "Zenith" not in str(left["communities"])
    assert not sources(left) & ids["south"]
