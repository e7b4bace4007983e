"""How fast passages become a graph, beside the embedder alone, and what that asks of a model.

Passages come as records of an import, or each as a document that a job reads. Then the worker's
passes run one after the other, in this process, until none has anything to do.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from app.documents.orders import BaseWish
from app.documents.schemas import DocumentIn
from app.embeddings.model import Role
from app.errors import RuntimeFailure
from app.kernel.caller import Caller
from app.kernel.cypher import Q
from app.wiring import Parts
from bench.packing import Extras, bring
from bench.recall import Record

ROUNDS = 20  # of all passes: none has anything to do after three or four
WRITING = "writing"

Pass = Callable[[], Awaitable[int]]


@dataclass(slots=True)
class Spent:
    """Seconds of one pass, and how many things it worked on."""

    seconds: float = 0.0
    done: int = 0

    async def run(self, work: Pass) -> int:
        """Run it once more; what it did."""
        start = time.perf_counter()
        done = await work()
        self.seconds += time.perf_counter() - start
        self.done += done
        return done


async def measure(
    opened: Parts, caller: Caller, records: Sequence[Record], *, as_documents: bool = False
) -> dict[str, Any]:
    """Build the caller's home from passages; it should be empty, and nothing else be written.

    All rates are in passages a second. The bare embedder is given what the indexing pass gives it
    of the passages alone, a half before the passes and a half behind them; the passes also embed
    facts and notes. What waits elsewhere is done before the clock starts.
    """
    await run(passes(opened, caller.home))
    asked = await _calls(opened, caller.home)
    spent = {WRITING: Spent()}
    write = _documents if as_documents else _records
    await spent[WRITING].run(lambda: write(opened, caller, records))
    found = await opened.graph.rows(Q.evals.passages_of, scope=caller.home)
    inputs = await opened.indexing.inputs([row["id"] for row in found], opened.embedder)
    half = len(inputs) // 2
    await _bare(opened, inputs[: opened.settings.embedding.batch])  # warms up
    bare = await _bare(opened, inputs[:half])
    spent |= await run(passes(opened, caller.home))
    bare += await _bare(opened, inputs[half:])
    built = await opened.graph.one(Q.evals.built, scope=caller.home)
    whole = sum(one.seconds for one in spent.values())
    return {
        "passages": len(records),
        "as": "documents" if as_documents else "records",
        "embedder": opened.embedder.info.name,
        "threads": opened.settings.embedding.threads,
        **built,
        "passes": {name: _told(one, len(records)) for name, one in spent.items()},
        "all passes": _told(Spent(whole, len(records)), len(records)),
        "bare embedder": {
            **_told(Spent(bare, len(inputs)), len(records)),
            "characters_of_each": round(mean(map(len, inputs))),
        },
        "ratio": round(bare / whole, 3),
        "language model calls": await _calls(opened, caller.home) - asked,
    }


def passes(opened: Parts, scope: str) -> dict[str, Pass]:
    """What a worker does with new passages, in its order; each tells how many things it did."""

    async def consolidate() -> int:
        return (await opened.consolidation.consolidate(scope)).episodes

    async def link() -> int:
        return await opened.linking.drain() + await opened.synonyms.drain()

    async def ask() -> int:
        reader = opened.model_reader
        return sum([(await reader.turn(one)).taken for one in await reader.due()])

    found: dict[str, Pass] = {
        "indexing": opened.indexing.drain,
        "linking": link,
        "consolidation": consolidate,
        "condensing": opened.condensing.drain,
    }
    return found | ({"language model": ask} if opened.model_reader.model else {})


async def run(worked: Mapping[str, Pass]) -> dict[str, Spent]:
    """Every pass in turn until none has anything to do; what each took."""
    spent = {name: Spent() for name in worked}
    for _ in range(ROUNDS):
        if not sum([await spent[name].run(work) for name, work in worked.items()]):
            return spent
    raise RuntimeFailure("the passes find more to do again and again: others write meanwhile")


async def _records(opened: Parts, caller: Caller, records: Sequence[Record]) -> int:
    return len(await bring(opened, caller.home, records, Extras(unread=True)))


async def _documents(opened: Parts, caller: Caller, records: Sequence[Record]) -> int:
    """Each passage a document, read by its job, as many at once as in one worker."""
    base, _ = await opened.bases.ensure(caller, BaseWish("Passages", caller.home))
    slots = asyncio.Semaphore(opened.settings.worker.concurrency)

    async def one(record: Record) -> None:
        wish = DocumentIn(
            knowledge_base=base["id"], name=record.id, title=record.title, text=record.text
        )
        async with slots:
            taken = await opened.intake.described(caller, wish)
            if taken.job is not None:
                await opened.runner.run(opened, taken.job.id)

    await asyncio.gather(*(one(record) for record in records))
    return len(records)


async def _bare(opened: Parts, inputs: Sequence[str]) -> float:
    """Seconds of the model alone, in batches like those of the indexing pass."""
    start, batch = time.perf_counter(), opened.settings.embedding.batch
    for first in range(0, len(inputs), batch):
        await opened.embedder.embed(inputs[first : first + batch], Role.DOCUMENT)
    return time.perf_counter() - start


async def _calls(opened: Parts, scope: str) -> int:
    return int((await opened.graph.one(Q.evals.model_calls, scope=scope))["asked"])


def _told(spent: Spent, passages: int) -> dict[str, Any]:
    rate = round(passages / spent.seconds, 1) if spent.seconds else None
    return {"seconds": round(spent.seconds, 2), "done": spent.done, "passages_per_second": rate}
