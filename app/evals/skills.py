"""How the skill graph works at size: generated skills with given vectors, a few of them alike.

A scan is timed at a quarter, a half and the whole, which tells how it grows; discovery and walks
are timed at the whole.
"""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.kernel.ids import digest
from app.skills import record
from app.skills.discovery import Sought, Walk
from app.skills.draft import SkillDraft, SkillText
from app.skills.versioning import FIRST, slug_of
from app.skills.vocabulary import Category, Status
from app.wiring import Parts

BATCH = 200
TWINS = 0.02  # share of skills that are almost like another
NEAR = 0.1  # length of the step from a skill to its twin
LINKS = 2  # dependencies of each skill
ASKED = 100  # questions and walks
VERBS = [
    "deploy",
    "test",
    "migrate",
    "monitor",
    "rotate",
    "review",
    "index",
    "encrypt",
    "archive",
    "profile",
    "tune",
    "seed",
]
THINGS = [
    "cluster",
    "table",
    "queue",
    "ledger",
    "gateway",
    "model",
    "cache",
    "bucket",
    "robot",
    "pipeline",
    "index",
    "form",
]

Vectors = npt.NDArray[np.float32]


async def measure(parts: Parts, caller: Caller, count: int, seed: int = 7) -> dict[str, Any]:
    """Seconds of scans, and milliseconds of discovery and walks."""
    rng = random.Random(seed)
    vectors = _vectors(count, parts.spaces.default.info.dimension, seed)
    found: dict[str, Any] = {"skills": count}
    done = 0
    for share in (4, 2, 1):
        upto = count // share
        start = time.perf_counter()
        await _store(parts, caller, range(done, upto), vectors)
        found[f"stored {upto} s"] = round(time.perf_counter() - start, 2)
        done = upto
        # The first meets an index in many small parts, just written; the second a settled one.
        for name in ("scan", "scan again"):
            start = time.perf_counter()
            scan = await parts.skilled.conflicts.scan(caller, caller.home, dry_run=True)
            found[f"{name} {upto} s"] = round(time.perf_counter() - start, 2)
        found[f"found {upto}"] = len(scan.found)
    await _link(parts, caller, count, rng)
    names = [_draft(rng.randrange(count), caller.home).name for _ in range(ASKED)]
    found |= await _timed("discovery", names, _discovering(parts, caller))
    found |= await _timed("traversal", names, _walking(parts, caller))
    return found


def _vectors(count: int, dimension: int, seed: int) -> Vectors:
    """Unit vectors; some lie a short step from the one before."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((count, dimension)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    for place in range(1, count):
        if rng.random() < TWINS:
            step = rng.standard_normal(dimension).astype(np.float32)
            rows[place] = rows[place - 1] + NEAR * step / np.linalg.norm(step)
    unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def _draft(place: int, scope: str) -> SkillDraft:
    verb, thing = VERBS[place % len(VERBS)], THINGS[place // len(VERBS) % len(THINGS)]
    category = list(Category)[place % len(Category)]
    return SkillDraft(
        name=f"{verb.capitalize()} the {thing} number {place}",
        description=f"How to {verb} the {thing} of unit {place} and tell that it worked.",
        text=SkillText(body=f"Open unit {place}, {verb} its {thing}, read the log."),
        category=category,
        status=Status.ACTIVE,
        scope=scope,
    )


def _id(scope: str, place: int) -> str:
    return digest("eval-skill", scope, str(place))[:32]


def _row(place: int, caller: Caller, vector: Any) -> Row:
    draft = _draft(place, caller.home)
    identifier = _id(caller.home, place)
    stamp = record.Stamp(
        identifier, slug_of(draft.name), caller.home, caller.tenant, caller.principal, now()
    )
    skill = record.skill_row(draft, stamp, FIRST)
    made = {"embedding": vector.tolist(), "index_state": "done", "embed_hash": identifier}
    version = record.version_row(identifier, draft.text, stamp, record.first_version(FIRST))
    return {
        "line": place,
        "id": identifier,
        "properties": {**skill, **made},
        "versions": [version],
        "tags": [],
    }


async def _store(parts: Parts, caller: Caller, places: range, vectors: Vectors) -> None:
    for start in range(places.start, places.stop, BATCH):
        some = range(start, min(start + BATCH, places.stop))
        rows = [_row(place, caller, vectors[place]) for place in some]
        await parts.graph.rows(Q.skill_packages.skills, rows=rows)


async def _link(parts: Parts, caller: Caller, count: int, rng: random.Random) -> None:
    """Each skill requires or enhances two before it: chains, hubs and no circles."""
    rows = [
        {
            "line": place,
            "scope": caller.home,
            "type": rng.choice(["REQUIRES", "ENHANCES"]),
            "skill": _id(caller.home, place),
            "other": _id(caller.home, rng.randrange(place)),
            "properties": {"weight": 1.0, "confidence": 1.0},
        }
        for place in range(1, count)
        for _ in range(LINKS)
    ]
    for start in range(0, len(rows), BATCH):
        await parts.graph.rows(Q.skill_packages.links, rows=rows[start : start + BATCH])


def _discovering(parts: Parts, caller: Caller) -> Callable[[str], Awaitable[object]]:
    async def one(text: str) -> object:
        return await parts.skilled.discovery.discover(Sought(text, [caller.home]))

    return one


def _walking(parts: Parts, caller: Caller) -> Callable[[str], Awaitable[object]]:
    async def one(text: str) -> object:
        return await parts.skilled.discovery.traverse(Walk(text, [caller.home]))

    return one


async def _timed(
    name: str, texts: list[str], work: Callable[[str], Awaitable[object]]
) -> dict[str, float]:
    spent = []
    for text in texts:
        start = time.perf_counter()
        await work(text)
        spent.append((time.perf_counter() - start) * 1000)
    p50, p95 = np.percentile(spent, [50, 95])
    return {f"{name} p50 ms": round(float(p50), 1), f"{name} p95 ms": round(float(p95), 1)}
