"""A graph is built from passages by the worker's own passes, and each of them is timed."""

from __future__ import annotations

import pytest

from app.wiring import Parts
from bench.building import measure
from bench.recall import Record
from tests.conftest import Principal

TOWNS = {
    "Clara Voss": "Berlin",
    "Mara Lindt": "Hamburg",
    "Ida Brandt": "Bremen",
    "Eva Keller": "Kiel",
}
RECORDS = [
    Record(id=f"p{n}", text=f"{who} lives in {town}. She works for Acme GmbH.", title=who)
    for n, (who, town) in enumerate(TOWNS.items())
]
PASSES = ["writing", "indexing", "linking", "consolidation", "condensing"]


@pytest.mark.slow
@pytest.mark.parametrize("as_documents", [False, True], ids=["records", "documents"])
async def test_passages_become_a_graph_and_nothing_waits_behind(
    opened: Parts, admin: Principal, as_documents: bool
) -> None:
    told = await measure(opened, admin.caller, RECORDS, as_documents=as_documents)
    assert (told["passages"], told["language model calls"]) == (4, 0)
    assert list(told["passes"]) == PASSES
    assert told["names"] >= 4
    assert told["entities"] >= 9
    assert told["facts"] >= 4
    done = {name: row["done"] for name, row in told["passes"].items()}
    assert done["writing"] == done["consolidation"] == 4
    assert done["indexing"] >= 4 + told["facts"]
    assert told["bare embedder"]["done"] == 4
    rates = [told[name]["passages_per_second"] for name in ("all passes", "bare embedder")]
    assert told["ratio"] == pytest.approx(rates[0] / rates[1], rel=0.2, abs=0.005)
    assert (await opened.index_rows.backlog())["pending"] == 0
