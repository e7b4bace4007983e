"""Another model for a scope under a stream of questions: failures, and the rate of filling."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

from app.embeddings.model import Embedder, Role
from app.errors import LociError
from app.indexing.spaces import NAMED
from app.kernel.caller import Caller
from app.kernel.cypher import Q
from app.search.mode import Mode
from app.search.model import Filters, SearchRequest
from app.wiring import Parts
from bench.speed import Times


@dataclass(slots=True)
class Stream:
    """Questions put at a steady rate; what failed, what came back empty, milliseconds of each."""

    failed: int = 0
    empty: int = 0
    took: list[float] = field(default_factory=list)

    def told(self) -> dict[str, Any]:
        """Counts and percentiles."""
        times = Times.of(self.took or [0.0])
        return {
            "searches": len(self.took),
            "failed": self.failed,
            "empty": self.empty,
            "p50_ms": times.p50,
            "p95_ms": times.p95,
        }


@dataclass(frozen=True, slots=True)
class Course:
    """What is measured: the scope, the model's name, questions and how many of them a second."""

    scope: str
    model: str
    questions: Sequence[str]
    rate: float


async def measure(parts: Parts, caller: Caller, course: Course) -> dict[str, Any]:
    """Fill, switch, roll back and finish under the stream; the bare model before and after.

    The model alone embeds what the filling gives it (each text with its context, as cut), a half
    before the filling and the other half after it, under the same stream: `ratio` is the rate of
    filling to the rate of both together.
    """
    moving, stream = parts.reembedding, Stream()
    rows = await parts.graph.rows(Q.evals.episodes_of, scope=course.scope)
    memories = [row["id"] for row in rows]
    async with streamed(parts, course, stream):
        place = await moving.prepare(caller, course.scope, course.model)
        embedder = await parts.spaces.model(course.model)
        inputs = await parts.indexing.inputs(memories, embedder)
        half = len(inputs) // 2
        before = await _timed(_bare(parts, embedder, inputs[:half]))
        filling = await _timed(_filled(parts, course.scope))
        after = await _timed(_bare(parts, embedder, inputs[half:]))
        agreed = await moving.compare(caller, course.scope, list(course.questions[:50]), 10)
        switched = await _timed(moving.switch(caller, course.scope))
        await asyncio.sleep(2)
        rolled = await _timed(moving.roll_back(caller, course.scope))
        await asyncio.sleep(2)
        space = await moving.finish(caller, course.scope)
        await moving.clear(course.scope, space)
    bare = len(inputs) / (before + after)
    rate = len(inputs) / filling
    return {
        "memories": len(memories),
        "texts for the model": len(inputs),
        "characters of each": round(mean(map(len, inputs))),
        "scopes": len(place.members),
        "questions a second": course.rate,
        "threads": parts.settings.embedding.threads,
        "stream": stream.told(),
        "bare texts a second": round(bare, 1),
        "filled a second": round(rate, 1),
        "ratio": round(rate / bare, 3),
        "switch_ms": round(1000 * switched, 1),
        "rollback_ms": round(1000 * rolled, 1),
        "overlap@10": agreed["overlap"],
    }


@asynccontextmanager
async def streamed(parts: Parts, course: Course, stream: Stream) -> AsyncIterator[None]:
    """Questions go on while the block runs."""
    asking = asyncio.create_task(_ask(parts, course, stream))
    try:
        yield
    finally:
        asking.cancel()
        await asyncio.wait([asking])


async def _ask(parts: Parts, course: Course, stream: Stream) -> None:
    place = 0
    while True:
        question = course.questions[place % len(course.questions)]
        place += 1
        start = time.perf_counter()
        try:
            request = SearchRequest(question, Filters([course.scope]), mode=Mode.VECTOR)
            found = await parts.searches.search(request)
            stream.empty += not found.hits
        except LociError:
            stream.failed += 1
        took = time.perf_counter() - start
        stream.took.append(1000 * took)
        await asyncio.sleep(max(0.0, 1 / course.rate - took))


async def _bare(parts: Parts, embedder: Embedder, texts: Sequence[str]) -> None:
    batch = parts.settings.embedding.batch
    for start in range(0, len(texts), batch):
        await embedder.embed(texts[start : start + batch], Role.DOCUMENT)


async def _filled(parts: Parts, scope: str) -> None:
    place = await parts.reembedding.members(scope)
    if place.choice.beside is not None:
        await parts.reembedding.let_wait(place.members, NAMED[place.choice.beside])
    await parts.indexing.drain()


async def _timed(work: Awaitable[Any]) -> float:
    start = time.perf_counter()
    await work
    return time.perf_counter() - start
