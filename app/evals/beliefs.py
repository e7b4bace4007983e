"""Whether beliefs come out right: timelines on two clocks, races, the demo's updates, and the rate
at which episodes are consolidated."""

from __future__ import annotations

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from app.consolidation.fast import Observation
from app.episodes.model import Capture
from app.evals import bulk, jsonl
from app.extraction.extract import extract
from app.extraction.model import Utterance
from app.extraction.predicates import standard
from app.facts.service import Moments
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.values.parse import parse_value
from app.wiring import Parts

WRITERS = 8  # at once on one subject
TEXTS = 2_000  # different texts that `talk` varies
BATCH = 64
WARM = 3_000  # episodes consolidated before the first block, while Java compiles
READ = 400  # texts that are only read, beside each block
PAUSE = 0.5  # seconds between two indexing passes beside a consolidation


@dataclass(frozen=True, slots=True)
class Told:
    """One fact of a timeline; years, the end not included."""

    subject: str
    predicate: str
    value: str
    start: int
    end: int


def timelines(bench: Path) -> list[Told]:
    """Every fact of TimeQA's timelines; InvalidInput (field `path`) where the file is missing."""
    return [
        Told(row["subject"], row["prop"], fact["object"], fact["valid_from"], fact["valid_to"])
        for row in jsonl.rows(bench / "timeqa" / "timelines_test.jsonl")
        for fact in row["facts"]
        if fact["valid_from"] is not None and fact["valid_to"] is not None
    ]


async def timeline_answers(
    parts: Parts, caller: Caller, told: Sequence[Told], seed: int = 7
) -> dict[str, Any]:
    """Tell every fact in random order, then ask for each interval on both axes.

    As of the middle of each year of an interval, as known at the end and as known halfway, the
    facts that hold must be just those that were told by then and hold then.
    """
    order = list(told)
    random.Random(seed).shuffle(order)
    half, known_half = order[: len(order) // 2], now()
    subjects: dict[str, str] = {}
    for place, fact in enumerate(order):
        if place == len(half):
            known_half = now()
        found = await parts.fast.remember(caller, _observed(fact))
        subjects[fact.subject] = found.facts[0]["fact"]["subject"]
    asked = right = 0
    wrong: list[dict[str, Any]] = []
    for known_at, known in ((now(), order), (known_half, half)):
        for fact in told:
            for year in range(fact.start, fact.end):
                expected = _holding(known, fact, year)
                answer = await _asked(parts, caller, subjects[fact.subject], fact, year, known_at)
                asked += 1
                right += answer == expected
                if answer != expected and len(wrong) < 20:
                    wrong.append({"fact": str(fact), "year": year, "got": sorted(answer)})
    return {"facts": len(told), "asked": asked, "right": right, "wrong": wrong}


def _observed(fact: Told) -> Observation:
    return Observation(
        session="timelines",
        role="user",
        statement={
            "subject": {"name": fact.subject, "type": "unknown"},
            "predicate": fact.predicate,
            "object": {"value": fact.value},
            "mode": "assert",
            "precision": "year",
            "ongoing": False,
            "valid_from": _january(fact.start).isoformat(),
            "valid_to": _january(max(fact.end, fact.start + 1)).isoformat(),
        },
    )


def _january(year: int) -> datetime:
    return datetime(year, 1, 1, tzinfo=UTC)


def _holding(known: Iterable[Told], fact: Told, year: int) -> set[str]:
    return {
        _key(k.value)
        for k in known
        if (k.subject, k.predicate) == (fact.subject, fact.predicate)
        and k.start <= year < max(k.end, k.start + 1)
    }


async def _asked(
    parts: Parts, caller: Caller, subject: str, fact: Told, year: int, known_at: datetime
) -> set[str]:
    rows = await parts.fact_rows.list_held(
        subjects=[subject],
        scopes=[caller.home],
        predicates=[fact.predicate],
        as_of=_january(year) + timedelta(days=180),
        known_at=known_at,
        after="",
        limit=500,
    )
    return {row["fact"]["object_key"] for row in rows}


def _key(text: str) -> str:
    """Two wordings of one value are one value, in the store and in what is expected of it."""
    value = parse_value(text)
    return value.key if value else f"text:{text.casefold().strip()}"


async def races(parts: Parts, caller: Caller, count: int) -> dict[str, Any]:
    """Eight writers at once give one subject eight values of one predicate: one is believed."""
    broken = 0
    start = time.perf_counter()
    for race in range(count):
        subject = f"Racer {race:05d}"
        found = await asyncio.gather(*(_race(parts, caller, subject, n) for n in range(WRITERS)))
        row = await parts.graph.one(
            Q.evals.open_beliefs, scope=caller.home, subject=found[0], at=now()
        )
        broken += row["held"] != 1 or row["facts"] != WRITERS
    return {
        "races": count,
        "writers": WRITERS,
        "broken": broken,
        "seconds": round(time.perf_counter() - start, 1),
    }


async def _race(parts: Parts, caller: Caller, subject: str, place: int) -> str:
    statement = {
        "subject": {"name": subject, "type": "artifact"},
        "predicate": "located_in",
        "object": {"value": f"Shelf {place}"},
        "mode": "assert",
        "precision": "instant",
        "ongoing": True,
    }
    told = await parts.fast.remember(caller, Observation("races", "user", statement=statement))
    identifier: str = told.facts[0]["fact"]["subject"]
    return identifier


async def updates(parts: Parts, caller: Caller, gold: Path) -> dict[str, Any]:
    """The demo's updates: the old statement past and the new one current for who sees both.

    The demo must be imported and consolidated; `caller` sees all of it.
    """
    right, missed = 0, []
    by_kind: dict[str, list[bool]] = defaultdict(list)
    for update in jsonl.rows(gold / "updates.jsonl"):
        old = await _standing(parts, caller, update["old"]["episode"])
        new = await _standing(parts, caller, update["new"]["episode"])
        good = any(
            not o["held"] and n["held"] and o["predicate"] == n["predicate"]
            for o in old
            for n in new
        )
        by_kind[update["kind"]].append(good)
        right += good
        if not good:
            missed.append(update["id"])
    near = [await _apart(parts, caller, row) for row in jsonl.rows(gold / "near_misses.jsonl")]
    return {
        "updates": sum(len(found) for found in by_kind.values()),
        "right": right,
        "by_kind": {kind: f"{sum(found)}/{len(found)}" for kind, found in by_kind.items()},
        "missed": missed,
        "near_misses": len(near),
        "wrongly_retired": [identifier for identifier in near if identifier],
    }


async def _standing(parts: Parts, caller: Caller, episode: str) -> list[Row]:
    ids = await parts.consolidation_rows.facts_of(episode, caller.visible)
    at = Moments.of(None, None)
    rows = await parts.fact_rows.get(ids, caller.visible, at.as_of, at.known_at)
    held = await parts.views.held(ids, caller.visible, at)
    return [{**row["fact"], "held": row["fact"]["id"] in held} for row in rows]


async def _apart(parts: Parts, caller: Caller, row: dict[str, Any]) -> str | None:
    """The id of a near miss whose first statement no longer holds because of the second."""
    first = await _standing(parts, caller, row["first"]["episode"])
    second = {f["id"] for f in await _standing(parts, caller, row["second"]["episode"])}
    at = Moments.of(None, None)
    rows = await parts.fact_rows.get(
        [f["id"] for f in first if not f["held"]], caller.visible, at.as_of, at.known_at
    )
    lost = {link["id"] for found in rows for link in found["superseded_by"]}
    return row["id"] if lost & second else None


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
            await parts.episodes.capture_batch(caller, [self._next(scope) for _ in range(size)])
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
    embed: bool = False
    tell: Callable[[str], None] = lambda _: None


async def rate(parts: Parts, caller: Caller, bench: Path, course: Course) -> dict[str, Any]:
    """Consolidate a scope that grows to each of the steps, block by block.

    CPU time is that of this process and of Neo4j's, apart, in milliseconds for one episode. Beside
    each block, in the same minutes: how fast its episodes were captured, and how long the rules
    alone read texts like them, so that a machine with other work is seen as such. The ratios
    compare one episode in the last block with one in the first. A scope of its own is consolidated
    before, so that the first block does not pay for a cold database.
    """
    talk = Talk(bulk.base_texts(bench, TEXTS))
    home = caller.home
    await talk.capture(parts, caller, f"{home}/warm", WARM)
    await parts.consolidation.consolidate(f"{home}/warm")
    if course.embed:
        await parts.indexing.drain()
    found: list[dict[str, Any]] = []
    for before, step in pairwise((0, *course.steps)):
        block = await _block(parts, caller, talk, step - before, embed=course.embed)
        found.append({"episodes": step, **block})
        course.tell(" ".join(f"{name} {value}" for name, value in found[-1].items()))
    first, last = found[0], found[-1]
    names = ("cpu_ms", "graph_cpu_ms", "ms_per_episode", "capture_ms", "reading_cpu_ms")
    return {
        "embedder": parts.embedder.info.name if course.embed else "none",
        "blocks": found,
        "last_to_first": {name: round(last[name] / first[name], 2) for name in names},
    }


async def _block(
    parts: Parts, caller: Caller, talk: Talk, count: int, *, embed: bool
) -> dict[str, Any]:
    captured = await talk.capture(parts, caller, caller.home, count)
    reading = _reading(talk)
    beside = asyncio.create_task(_vectors(parts)) if embed else None
    start, cpu, graph_cpu = time.perf_counter(), time.process_time(), await _graph_cpu(parts)
    tally = await parts.consolidation.consolidate(caller.home)
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
