"""How the skill graph works at size: generated skills with given vectors, a few of them alike.

A scan is timed at each size just after the skills were written, when the index has many small
parts, and again once it has settled, which tells how it grows; discovery and walks are timed at the
last size.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from app.embeddings.calibration import Kinds
from app.errors import InvalidInput
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.kernel.ids import digest
from app.skills import record
from app.skills.conflicts import NEIGHBOURS
from app.skills.detectors import OVERLAP
from app.skills.discovery import Sought, Walk
from app.skills.draft import SkillDraft, SkillText
from app.skills.finding import Like
from app.skills.versioning import FIRST, slug_of
from app.skills.vocabulary import Category, Status
from app.wiring import Parts

BATCH = 200
TWINS = 0.02  # share of skills that are almost like another
NEAR = 0.1  # length of the step from a skill to its twin
LINKS = 2  # dependencies of each skill
ASKED = 100  # questions and walks
FEWEST = 100  # skills of a size
EVEN = 1.15  # by how much the medians of the halves of a span differ at most
PROBED = 50  # searches of one look at the index
LOOKS, MOST_WAITS = 12, 8  # looks at the index in one span of stillness; spans that are waited
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


@dataclass(frozen=True, slots=True)
class Plan:
    """At how many skills is measured, growing, and for how many seconds searches are to be even
    before the index counts as settled; 0 waits for nothing."""

    sizes: tuple[int, ...]
    still: float = 180.0
    seed: int = 7


def sizes_of(text: str) -> tuple[int, ...]:
    """Numbers with commas between them; InvalidInput (field `sizes`) unless each is greater than
    the one before and the first at least 100."""
    try:
        found = tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise InvalidInput("sizes are whole numbers with commas", field="sizes") from error
    if found[0] < FEWEST or sorted(set(found)) != list(found):
        raise InvalidInput(f"sizes grow, from {FEWEST} on", field="sizes")
    return found


def even(took: Sequence[float]) -> bool:
    """Whether the medians of the first and the second half differ by at most 15 %."""
    half = len(took) // 2
    first, second = sorted((median(list(took)[:half]), median(list(took)[half:])))
    return second <= EVEN * first


async def measure(parts: Parts, caller: Caller, plan: Plan) -> dict[str, Any]:
    """Seconds of scans, and milliseconds of discovery and walks."""
    count, rng = plan.sizes[-1], random.Random(plan.seed)
    vectors = _vectors(count, parts.spaces.default.info.dimension, plan.seed)
    found: dict[str, Any] = {"skills": count}
    done = 0
    for size in plan.sizes:
        start = time.perf_counter()
        await _store(parts, caller, range(done, size), vectors)
        found[f"stored {size} s"] = round(time.perf_counter() - start, 2)
        found |= await _scanned(parts, caller, size, plan)
        done = size
    await _link(parts, caller, count, rng)
    names = [_draft(rng.randrange(count), caller.home).name for _ in range(ASKED)]
    found |= await _timed("discovery", names, _discovering(parts, caller))
    found |= await _timed("traversal", names, _walking(parts, caller))
    return found


async def _scanned(parts: Parts, caller: Caller, size: int, plan: Plan) -> dict[str, Any]:
    """A scan of what was just written, and one of the settled index; `settled after` is null where
    that was not to be seen."""
    fresh, _ = await _scan(parts, caller)
    after = await _settled(parts, caller, size, plan)
    settled, conflicts = await _scan(parts, caller)
    return {
        f"scan just written {size} s": round(fresh, 2),
        f"settled after {size} s": None if after is None else round(after, 1),
        f"scan settled {size} s": round(settled, 2),
        f"scan settled {size} ms a skill": round(1000 * settled / size, 2),
        f"found {size}": conflicts,
    }


async def _scan(parts: Parts, caller: Caller) -> tuple[float, int]:
    start = time.perf_counter()
    scan = await parts.skilled.conflicts.scan(caller, caller.home, dry_run=True)
    return time.perf_counter() - start, len(scan.found)


async def _settled(parts: Parts, caller: Caller, size: int, plan: Plan) -> float | None:
    """Seconds until the searches of a scan took evenly long over a whole span; None where they did
    not within eight. Lucene joins the parts of an index some time after they were written, so that
    two scans at once tell nothing."""
    if not plan.still:
        return None
    start = time.perf_counter()
    places = random.Random(plan.seed).sample(range(size), min(PROBED, size))
    took: deque[float] = deque(maxlen=LOOKS)
    for _ in range(MOST_WAITS * LOOKS):
        took.append(await _probe(parts, caller, places))
        if len(took) == LOOKS and even(took):
            return time.perf_counter() - start
        await asyncio.sleep(plan.still / LOOKS)
    return None


async def _probe(parts: Parts, caller: Caller, places: list[int]) -> float:
    """Seconds of the searches that a scan makes for some skills."""
    ids = [_id(caller.home, place) for place in places]
    start = time.perf_counter()
    await parts.skilled.conflicts.finder.pairs(
        caller.home, ids, Like(record.KIND, Kinds.SKILLS, OVERLAP, NEIGHBOURS)
    )
    return time.perf_counter() - start


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
