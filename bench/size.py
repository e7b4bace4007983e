"""How many nodes and relationships stored passages become, by kind, and how long that takes.

Texts are captured, then every pass of a worker runs until none has anything to do, then communities
are made. What is counted is what the whole store gained meanwhile, so nobody else may write.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.episodes.model import Capture
from app.errors import InvalidInput, RuntimeFailure
from app.kernel.caller import Caller
from app.kernel.cypher import Q
from app.wiring import Parts
from bench import building, bulk, locomo, longmemeval, passages
from bench.recall import Record

SETS = ("locomo", "longmemeval", "2wiki", "mixed")
BATCH = 64  # texts of one capture
UMBRELLAS = frozenset(["Memory", "Searchable", "Passage", "Principal"])


def load(bench: Path, name: str, count: int) -> list[Record]:
    """The first texts of one of `SETS`; sessions are named after their conversations.

    Raises InvalidInput (field `name`) for another name.
    """
    if name == "locomo":
        found = [
            Record(r.id, r.text, r.at, f"{corpus.name}-{r.session}", r.speaker)
            for corpus in locomo.load(bench / "locomo")
            for r in corpus.records
        ]
    elif name == "longmemeval":
        found = list(longmemeval.load(bench / "longmemeval_pool", haystack=True).records)
    elif name == "2wiki":
        found = list(passages.load(bench / "2wiki").records)
    elif name == "mixed":
        texts = bulk.base_texts(bench, count)
        found = [
            Record(str(n), text, session=f"talk-{n // bulk.TURNS}") for n, text in enumerate(texts)
        ]
    else:
        raise InvalidInput(f"{name} is none of {', '.join(SETS)}", field="name")
    return found[:count]


async def measure(opened: Parts, caller: Caller, records: Sequence[Record]) -> dict[str, Any]:
    """Counts for one passage and seconds; the caller's home should be empty."""
    before = await _counted(opened)
    await _capture(opened, caller, records)
    spent = await building.run(building.passes(opened, caller.home))
    gained = await _counted(opened)
    gained.subtract(before)
    start = time.perf_counter()
    await opened.communities.refresh(caller.home, whole=True)
    grouped = time.perf_counter() - start
    each = {name: round(count / len(records), 2) for name, count in gained.most_common() if count}
    return {
        "passages": len(records),
        "nodes": each.pop("nodes", 0),
        "relationships": each.pop("relationships", 0),
        "each": each,
        "seconds": {
            **{name: round(one.seconds, 1) for name, one in spent.items()},
            "communities": round(grouped, 1),
        },
    }


async def _capture(opened: Parts, caller: Caller, records: Sequence[Record]) -> None:
    for first in range(0, len(records), BATCH):
        told = [_capture_of(record, caller.home) for record in records[first : first + BATCH]]
        receipts = await opened.episodes.capture_batch(caller, told)
        if any(receipt.status not in {"accepted", "duplicate"} for receipt in receipts):
            raise RuntimeFailure(f"{caller.home} does not take what is said there")


def _capture_of(record: Record, scope: str) -> Capture:
    return Capture(
        content=record.text,
        scope=scope,
        session=record.session or record.id,
        role=record.role,
        speaker=record.speaker or None,
        title=record.title or None,
        captured_at=record.at,
    )


async def _counted(opened: Parts) -> Counter[str]:
    """Nodes by label and relationships by type in the whole store, with both sums."""
    counted: Counter[str] = Counter()
    row = await opened.graph.one(Q.evals.store_counts)
    for node in row["nodes"]:
        label = node.get("label")
        if label not in UMBRELLAS:
            counted[f":{label}" if label else "nodes"] += node["count"]
    for edge in row["relationships"]:
        if "startLabel" not in edge and "endLabel" not in edge:
            kind = edge.get("relationshipType")
            counted[f"[{kind}]" if kind else "relationships"] += edge["count"]
    return counted
