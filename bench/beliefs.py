"""Whether beliefs come out right: timelines on two clocks, races, and the demo's updates."""

from __future__ import annotations

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from app.consolidation.fast import Observation
from app.evals import jsonl
from app.facts.service import Moments
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.values.parse import parse_value
from app.wiring import Parts

WRITERS = 8  # at once on one subject


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
