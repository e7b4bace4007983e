"""Finding skills for a task, and putting together what one needs to use them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.embeddings.calibration import Kinds
from app.errors import InvalidInput
from app.indexing.analysis import detect_language
from app.indexing.fusion import K, best, rrf
from app.indexing.spaces import Part
from app.kernel.caller import Caller
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.kernel.ids import digest
from app.skills.effectiveness import Tally, failure_penalty, score
from app.skills.finding import Finder, Near, words_held
from app.skills.record import KIND
from app.skills.service import Parts, SkillService
from app.skills.vocabulary import USABLE, Dependency, Status
from app.skills.walk import DEEPEST, HUB, LETTERS, SEED_LEAST, TOKENS, chained, fitting

OVERFETCH = 4
WIDER, WIDEST = 8, 20_000  # steps by which the indexes are asked for more of one category
MOST_SEEDS = 5
MODES: Mapping[str, frozenset[str]] = {
    # Which dependencies are followed; `needs` only away from the skill that has them.
    "needs": frozenset([Dependency.REQUIRES, Dependency.COMPOSES]),
    "full": frozenset(Dependency),
    "seeds": frozenset(),
}


@dataclass(frozen=True, slots=True)
class Sought:
    """What a skill is sought for, where, of which category, and how many."""

    description: str
    scopes: list[str]
    category: str | None = None
    limit: int = 10


@dataclass(frozen=True, slots=True)
class Hit:
    """A skill that fits; `similarity` says how well by vectors, None where only words led to it."""

    skill: Row
    score: float
    similarity: float | None
    success: float
    penalty: float
    failures: list[Row]


@dataclass(frozen=True, slots=True)
class Discovery:
    """Skills that fit, best first; `mode` tells whether vectors were asked."""

    mode: str  # hybrid, keyword
    hits: list[Hit]


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk along dependencies is asked for."""

    task: str
    scopes: list[str]
    mode: str = "full"
    depth: int = DEEPEST
    tokens: int = TOKENS


@dataclass(frozen=True, slots=True)
class Step:
    """One skill of a chain, with the edge that led to it and whether it is a hub."""

    skill: Row
    score: float
    depth: int
    via: Row | None
    hub: bool


@dataclass(frozen=True, slots=True)
class Chain:
    """Skills along dependencies, best first, with the text that fits the budget."""

    mode: str
    steps: list[Step]
    text: str
    dropped: int


class DiscoveryService:
    """Reads only; skills are data and none is run."""

    def __init__(self, parts: Parts, skills: SkillService) -> None:
        self._graph = parts.graph
        self._skills = skills
        self.finder = Finder(parts.graph, parts.spaces)

    async def discover(self, sought: Sought) -> Discovery:
        """Active skills that fit a description.

        Words and vectors are fused into one ranking, which is fused (k 60, weights 1 and 1) with
        the ranking by past outcomes, and lessened by patterns of failure near the description
        (seed 001). What neither its vector nor enough of its words speak for is left out. Without
        the embedding model the words answer alone.
        """
        asked = await self.finder.asked(sought.description, sought.scopes)
        near, worded = await self._candidates(sought, asked)
        order = best(rrf({"near": [n.id for n in near], "worded": [n.id for n in worded]}, {}))
        rows = await self._read(order, sought.scopes)
        similar = {n.id: n.similarity for n in near}
        kept = {i: rows[i] for i in order if i in rows and _fits(rows[i], similar.get(i), sought)}
        hits = [_hit(row, similar.get(i), _relevant(row, asked)) for i, row in kept.items()]
        ranked = _ranked(hits)[: sought.limit]
        return Discovery("keyword" if asked is None else "hybrid", ranked)

    async def _candidates(
        self, sought: Sought, asked: list[Part] | None
    ) -> tuple[list[Near], list[Near]]:
        """What both indexes find, four for each that is wanted. They know no categories: for one
        they are asked for more until enough is of it, or no more is there."""
        enough = wide = OVERFETCH * sought.limit
        seen = -1
        while True:
            near = await self.finder.near(asked, (KIND,), wide, Kinds.TASK)
            worded = await self.finder.worded(sought.description, sought.scopes, (KIND,), wide)
            ids = {n.id for n in (*near, *worded)}
            if sought.category is None:
                return near, worded
            rows = await self._graph.rows(Q.skills.kinds, ids=list(ids), scopes=sought.scopes)
            fits = {row["id"] for row in rows if row["category"] == sought.category}
            if len(fits) >= enough or len(ids) == seen or wide >= WIDEST:
                return _only(near, fits)[:enough], _only(worded, fits)[:enough]
            seen, wide = len(ids), wide * WIDER

    async def traverse(self, walk: Walk) -> Chain:
        """Skills around those that fit a task, along their dependencies.

        Raises InvalidInput (field `mode`) for an unknown mode; a task without a word finds
        nothing.
        """
        if walk.mode not in MODES:
            raise InvalidInput(f"mode is one of {', '.join(MODES)}", field="mode")
        if not walk.task.strip():
            return Chain(walk.mode, [], "", 0)
        found = await self.discover(Sought(walk.task, walk.scopes, limit=MOST_SEEDS))
        seeds = {hit.skill["id"]: max(hit.similarity or 0.0, SEED_LEAST) for hit in found.hits}
        return await self._chain(walk, seeds)

    async def chain_of(self, who: Caller, skill: str, tokens: int) -> Chain:
        """The skills that one needs, itself first, in whatever status it is."""
        await self._skills.get(who, skill)
        return await self._chain(Walk("", who.visible, "needs", DEEPEST, tokens), {skill: 1.0})

    async def _chain(self, walk: Walk, seeds: Mapping[str, float]) -> Chain:
        reached: dict[str, tuple[float, int, Row | None]] = {
            skill: (seed, 0, None) for skill, seed in seeds.items()
        }
        edge_of = dict(seeds)
        for depth in range(1, walk.depth + 1):
            found = await self._graph.rows(
                Q.skills.around, ids=list(edge_of), scopes=walk.scopes, statuses=list(USABLE)
            )
            edge_of = _next(walk.mode, found, edge_of, reached, depth)
            if not edge_of:
                break
        rows = await self._read(list(reached), walk.scopes)
        around = await self._graph.rows(
            Q.skills.neighbours, ids=list(reached), scopes=walk.scopes, statuses=list(USABLE)
        )
        degree = {row["id"]: row["neighbours"] for row in around}
        steps = [_step(rows[i], reached[i], degree.get(i, 0)) for i in reached if i in rows]
        steps.sort(key=lambda step: (-step.score, step.skill["id"]))
        return _told(walk, steps)

    async def _read(self, ids: list[str], scopes: list[str]) -> dict[str, Row]:
        rows = await self._graph.rows(Q.skills.read_many, ids=ids, scopes=scopes)
        return {row["skill"]["id"]: row for row in rows}


def failure_hash(tenant: str, model: str, text: str) -> str:
    """What the vector of a pattern of failure was made from."""
    return digest(tenant, model, text)


def _only(found: list[Near], ids: set[str]) -> list[Near]:
    return [near for near in found if near.id in ids]


def _fits(row: Row, similarity: float | None, sought: Sought) -> bool:
    skill = row["skill"]
    if not skill["live"] or sought.category not in (None, skill["category"]):
        return False
    return (similarity or 0.0) >= SEED_LEAST or words_held(sought.description, render(skill))


def _relevant(row: Row, asked: list[Part] | None) -> list[float]:
    """How near the patterns of failure are whose vectors the model of the skill's scope made."""
    skill = row["skill"]
    part = next((p for p in asked or [] if skill["scope"] in p.scopes), None)
    if part is None:
        return []
    known = [
        failure
        for failure in row["failures"]
        if failure["embedding"] is not None
        and failure["embed_hash"] == failure_hash(skill["tenant"], part.model, failure["content"])
    ]
    return [_nearness(part, each["embedding"], each["content"]) for each in known]


def _nearness(part: Part, vector: list[float], text: str) -> float:
    cosine = float(np.dot(part.vector, vector))
    return part.similarity(cosine, Kinds.ANSWER, detect_language(text))


def _hit(row: Row, similarity: float | None, failures: list[float]) -> Hit:
    skill = row["skill"]
    tally = Tally(skill["success_count"], skill["failure_count"])
    hidden = ("embedding", "embed_hash")
    shown = [{k: v for k, v in f.items() if k not in hidden} for f in row["failures"]]
    return Hit(skill, 0.0, similarity, score(tally), failure_penalty(failures), shown)


def _ranked(hits: list[Hit]) -> list[Hit]:
    """By place among what fits and place by outcomes; equal outcomes share a place."""
    rates = sorted((hit.success for hit in hits), reverse=True)
    scored = []
    for place, hit in enumerate(hits):
        by_outcome = rates.index(hit.success)
        total = (1 / (K + place + 1) + 1 / (K + by_outcome + 1)) * hit.penalty
        scored.append(Hit(hit.skill, total, hit.similarity, hit.success, hit.penalty, hit.failures))
    return sorted(scored, key=lambda hit: (-hit.score, hit.skill["id"]))


def _next(
    mode: str,
    edges: list[Row],
    edge_of: Mapping[str, float],
    reached: dict[str, tuple[float, int, Row | None]],
    depth: int,
) -> dict[str, float]:
    """The skills that edges newly reach, with the seed's score that they carry on."""
    fresh: dict[str, float] = {}
    for edge in edges:
        if edge["type"] not in MODES[mode]:
            continue
        ways = [(edge["source"], edge["target"])]
        if mode == "full":
            ways.append((edge["target"], edge["source"]))
        for near, far in ways:
            if near in edge_of and far not in reached:
                fresh[far] = max(fresh.get(far, 0.0), edge_of[near])
                reached[far] = (fresh[far], depth, edge)
    return fresh


def _step(row: Row, reached: tuple[float, int, Row | None], degree: int) -> Step:
    skill = row["skill"]
    seed, depth, via = reached
    total = chained(seed, depth, described=bool(skill["description"]))
    return Step(skill, total, depth, via, degree >= HUB)


def _told(walk: Walk, steps: list[Step]) -> Chain:
    """The steps as Markdown, whole skills only, within the budget of four letters a token."""
    pieces = fitting([render(step.skill) for step in steps], walk.tokens * LETTERS)
    return Chain(walk.mode, steps, "\n".join(pieces), len(steps) - len(pieces))


def render(skill: Row) -> str:
    """One skill as Markdown; its status where that is not active."""
    about = [skill["category"], skill["version"]]
    about += [] if skill["status"] == Status.ACTIVE else [skill["status"]]
    lines = [f"## {skill['name']} ({', '.join(about)})"]
    lines += [skill["description"]] if skill["description"] else []
    lines += [f"Before: {line}" for line in skill["preconditions"]]
    lines += [skill["body"]] if skill["body"] else []
    lines += [f"After: {line}" for line in skill["postconditions"]]
    return "\n\n".join(lines) + "\n"
