"""The rate at which episodes are consolidated, and whether it stays as a scope grows."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from app.episodes.model import Capture
from app.errors import RuntimeFailure
from app.extraction.extract import extract
from app.extraction.model import Utterance
from app.extraction.predicates import standard
from app.kernel.caller import Caller
from app.kernel.cypher import Q
from app.wiring import Parts
from bench import bulk

TEXTS = 2_000  # different texts that `talk` varies
BATCH = 64
WARM = 3_000  # episodes consolidated before the first block, while Java compiles
READ = 400  # texts that are only read, beside each block
PAUSE = 0.5  # seconds between two indexing passes beside a consolidation
ROUNDS, TURN = 3, 400  # turns of a new scope and of the grown one, and the episodes of each


@dataclass(slots=True)
class Talk:
    """Episodes without end: half real text with variation, half news of 300 projects."""

    texts: list[str]
    chance: random.Random = field(default_factory=lambda: random.Random(5))
    said: int = 0

    async def capture(self, parts: Parts, caller: Caller, scope: str, count: int) -> float:
        """Capture the next ones into a scope; the seconds that took."""
        start = time.perf_counter()
        for first in range(0, count, BATCH):
            size = min(BATCH, count - first)
            told = [self._next(scope) for _ in range(size)]
            receipts = await parts.episodes.capture_batch(caller, told)
            if any(receipt.status != "accepted" for receipt in receipts):
                raise RuntimeFailure(f"{scope} does not take what is said there")
        return time.perf_counter() - start

    def _next(self, scope: str) -> Capture:
        place, self.said = self.said, self.said + 1
        return Capture(
            content=self.text(place),
            scope=scope,
            session=f"talk-{place // bulk.TURNS:05d}",
            role="user",
            speaker=bulk.SPEAKERS[place % len(bulk.SPEAKERS)],
            captured_at=bulk.START + timedelta(minutes=place),
        )

    def text(self, place: int) -> str:
        """What is said there: a news, or a variation of a real text."""
        if place % 2:
            return _news(self.chance)
        base = self.chance.randrange(len(self.texts))
        return bulk.variation(self.texts, base, self.chance)


def _news(chance: random.Random) -> str:
    project = f"Project Alder{chance.randrange(300):03d}"
    return chance.choice(
        (
            f"{project} is {chance.choice(('active', 'paused', 'completed'))}.",
            f"The budget of {project} is {chance.randrange(5, 90)},000 euros.",
            f"{project} uses {chance.choice(('Rust', 'Go', 'Kafka', 'Redis', 'Valkey'))}.",
            f"Das Budget von {project} liegt bei {chance.randrange(5, 90)}.000 Euro.",
            f"{project} no longer uses {chance.choice(('Rust', 'Go', 'Kafka'))}.",
        )
    )


@dataclass(frozen=True, slots=True)
class Course:
    """How the rate is measured: after how many episodes, and whether vectors are made meanwhile."""

    steps: Sequence[int]
    enter: Callable[[str], Awaitable[Caller]]  # makes a scope and tells who may write there
    embed: bool = False
    tell: Callable[[str], None] = lambda _: None


async def rate(parts: Parts, caller: Caller, bench: Path, course: Course) -> dict[str, Any]:
    """Consolidate a scope that grows to each of the steps, block by block.

    CPU time is that of this process and of Neo4j's, apart, in milliseconds for one episode. Beside
    each block, in the same minutes: how fast its episodes were captured, and how long the rules
    alone read texts like them, so that a machine with other work is seen as such. A scope of its
    own is consolidated before, so that the first block does not pay for a cold database. At the
    end the grown scope is held against a new one, in turns.
    """
    talk = Talk(bulk.base_texts(bench, TEXTS))
    home = caller.home
    warm = await course.enter(f"{home}-warm")
    await talk.capture(parts, warm, warm.home, WARM)
    await parts.consolidation.consolidate(warm.home)
    if course.embed:
        await parts.indexing.drain()
    found: list[dict[str, Any]] = []
    for before, step in pairwise((0, *course.steps)):
        block = await _block(parts, Place(caller, home), talk, (step - before, course.embed))
        found.append({"episodes": step, **block})
        course.tell(" ".join(f"{name} {value}" for name, value in found[-1].items()))
    return {
        "embedder": parts.embedder.info.name if course.embed else "none",
        "blocks": found,
        "side_by_side": await side_by_side(parts, caller, talk, course),
    }


async def again(parts: Parts, caller: Caller, bench: Path, course: Course) -> dict[str, Any]:
    """`side_by_side` for a scope that `rate` has grown, with texts that are new to it and later.

    One comparison, `cold`, goes before: a server that was started anew reads its store first.
    """
    counted = await parts.graph.one(Q.evals.count_memories, scopes=[caller.home])
    latest = await parts.graph.one(Q.evals.latest_said, scope=caller.home)
    said = (latest["at"] - bulk.START) // timedelta(minutes=1) + 1
    talk = Talk(bulk.base_texts(bench, TEXTS), random.Random(said), said)
    cold = await side_by_side(parts, caller, talk, course)
    warm = await side_by_side(parts, caller, talk, course)
    return {"episodes": counted["memories"], "cold": cold, "side_by_side": warm}


async def side_by_side(
    parts: Parts, caller: Caller, talk: Talk, course: Course
) -> dict[str, dict[str, float]]:
    """The next episodes of the grown scope and the first of a new one, some of each in turns.

    Both meet the same machine with the same other work; `ratio` is grown to new.
    """
    new = await course.enter(f"{caller.home}-new{talk.said}")
    places = {"new": Place(new, new.home), "grown": Place(caller, caller.home)}
    sums: dict[str, dict[str, float]] = {name: {} for name in places}
    for _ in range(ROUNDS):
        for name, place in places.items():
            block = await _block(parts, place, talk, (TURN, course.embed))
            for figure in ("cpu_ms", "graph_cpu_ms", "ms_per_episode", "reading_cpu_ms"):
                sums[name][figure] = sums[name].get(figure, 0.0) + block[figure] / ROUNDS
    figures = {name: {k: round(v, 2) for k, v in found.items()} for name, found in sums.items()}
    ratio = {k: round(v / max(sums["new"][k], 1e-9), 2) for k, v in sums["grown"].items()}
    return {**figures, "ratio": ratio}


@dataclass(frozen=True, slots=True)
class Place:
    """Who captures where."""

    caller: Caller
    scope: str


async def _block(parts: Parts, place: Place, talk: Talk, size: tuple[int, bool]) -> dict[str, Any]:
    """Capture and consolidate so many episodes, with an embedder beside it or without."""
    count, embed = size
    captured = await talk.capture(parts, place.caller, place.scope, count)
    reading = _reading(talk)
    beside = asyncio.create_task(_vectors(parts)) if embed else None
    start, cpu, graph_cpu = time.perf_counter(), time.process_time(), await _graph_cpu(parts)
    tally = await parts.consolidation.consolidate(place.scope)
    seconds, used = time.perf_counter() - start, time.process_time() - cpu
    graph_used = await _graph_cpu(parts) - graph_cpu
    block = {
        "per_second": round(tally.episodes / seconds, 1),
        "ms_per_episode": round(seconds * 1000 / tally.episodes, 2),
        "cpu_ms": round(used * 1000 / tally.episodes, 2),
        "graph_cpu_ms": round(graph_used * 1000 / tally.episodes, 2),
        "capture_ms": round(captured * 1000 / count, 2),
        "reading_cpu_ms": round(reading, 2),
        "facts": tally.facts,
        "superseded": tally.superseded,
        "quarantined": tally.quarantined,
    }
    if beside is not None:
        beside.cancel()
        with suppress(asyncio.CancelledError):
            await beside
        block["vectors_left"] = (await parts.index_rows.backlog())["pending"]
        await parts.indexing.drain()
    return block


async def _graph_cpu(parts: Parts) -> float:
    """Seconds of CPU that Neo4j's process has used so far, whoever asked for them."""
    row = await parts.graph.one(Q.evals.graph_cpu)
    return float(row["nanoseconds"]) / 1e9


async def _vectors(parts: Parts) -> None:
    """The indexing pass again and again, until the measurement ends it."""
    while True:
        await parts.indexing.drain()
        await asyncio.sleep(PAUSE)


def _reading(talk: Talk) -> float:
    """Milliseconds of CPU that the rules take for one text, over texts like those of the block."""
    other = Talk(talk.texts, random.Random(talk.said))
    told = [
        Utterance(text=other.text(place), captured_at=bulk.START, role="user", speaker="Ada")
        for place in range(READ)
    ]
    start = time.process_time()
    for utterance in told:
        extract(utterance, standard())
    return (time.process_time() - start) * 1000 / READ
