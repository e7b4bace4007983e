"""`loci search` as it is shown in a terminal."""

from __future__ import annotations

import io

from rich.console import Console

from app.cli.search import table
from app.wiring import Parts
from tests.conftest import Principal


async def test_each_hit_shows_its_calibrated_relevance_beside_its_score(
    opened: Parts, writer: Principal
) -> None:
    for text in ("The brass lamp stands in the [bold]hall[/bold].", "Nothing of the kind, a lamp."):
        body = {"content": text, "session": text}
        assert (await writer.http.post("/v1/episodes", json=body)).status_code == 201
    answer = await writer.http.post("/v1/search", json={"query": "Where is the brass lamp?"})
    found = answer.json()
    assert len(found["hits"]) == 2
    console = Console(file=io.StringIO(), width=200)
    console.print(table(found))
    assert isinstance(console.file, io.StringIO)
    lines = [line for line in console.file.getvalue().splitlines() if "lamp" in line]
    for hit, line in zip(found["hits"], lines, strict=True):
        assert f"{hit['relevance']:.2f}" in line.split("│")[2]
        assert f"{hit['score']:.3f}" in line.split("│")[3]
    assert "[bold]" in lines[0]  # recalled text is data
