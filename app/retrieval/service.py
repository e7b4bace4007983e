"""A walk from what the legs found and what the question names to the passages that both lead to."""

from __future__ import annotations

import asyncio
from collections.abc import Container, Mapping
from dataclasses import dataclass

import numpy as np

from app.indexing.analysis import query_terms
from app.retrieval.asking import covered, without
from app.retrieval.graphs import GraphCache
from app.retrieval.matrix import Vector, Walkable
from app.retrieval.model import Admission, Asked, Begin, Origin, Path, Step
from app.retrieval.names import words
from app.retrieval.repository import RetrievalRepository
from app.retrieval.walk import DRAW, FLOOR, FOLLOW, Trace, walk

NAMED_SHARE = 0.2  # of the beginnings, where the question names anything, beside what that covers
MOST_NAMED = 0.95
LARGE = 20_000  # passages; over more than that a walk leaves the event loop
FAR = 4  # passages on a path
ANCHORS = 3  # best passages of the legs, of which one must be about something
LEAD = 0.1  # of 0 to 1, by which the best passage of the legs must be ahead to be taken as named
LEAD_COVER = 0.3  # of what it holds of the telling words, since nobody named it

Graphs = Mapping[str, Walkable]


@dataclass(frozen=True, slots=True)
class Paths:
    """Tells the way of a walk to a passage."""

    traces: tuple[Trace, ...]
    names: Mapping[str, str]  # the passages that the question names, and how

    def to(self, passage: str) -> Path | None:
        """The way that brought most, from its seed; None for what no walk came to."""
        for trace in self.traces:
            if passage in trace.graph.at:
                return _path(trace, passage, self.names)
        return None


@dataclass(frozen=True, slots=True)
class Walked:
    """How much of the walk is at each passage, the most first; `paths` tells how it came there,
    `records` are the passages that are about something."""

    scores: dict[str, float]
    paths: Paths
    records: frozenset[str] = frozenset()


class WalkService:
    """Holds matrices, and no tenant's anything beside them: scopes come with each request."""

    def __init__(self, rows: RetrievalRepository, cache: GraphCache) -> None:
        self.rows = rows
        self._cache = cache

    async def graphs(self, scopes: list[str]) -> tuple[dict[str, Walkable], bool]:
        """The matrices of these scopes, and whether all that there are came in time."""
        return await self._cache.graphs(scopes)

    async def walk(self, graphs: Graphs, asked: Asked, begin: Begin, most: int) -> Walked:
        """Walk over all scopes at once; at most `most` passages, the best first."""
        size = sum(len(graph.at) for graph in graphs.values())
        if size > LARGE:
            return await asyncio.to_thread(walk_all, graphs, asked, begin, most)
        return walk_all(graphs, asked, begin, most)

    async def terms(self, passage: str, scopes: list[str]) -> set[str]:
        """The analysed words of a passage."""
        return await self.rows.terms(passage, scopes)

    async def admit(self, ids: list[str], wanted: Admission) -> set[str]:
        """Which passages are held now and satisfy the filters of a search."""
        return await self.rows.admit(ids, wanted) if ids else set()

    async def aclose(self) -> None:
        """End what is being made."""
        await self._cache.aclose()


def leading(begin: Begin) -> str | None:
    """The passage that is far ahead of all others that the legs found."""
    best = sorted(begin.scores, key=lambda memory: (-begin.scores[memory], memory))[:2]
    ahead = len(best) > 1 and begin.scores[best[0]] - begin.scores[best[1]] >= LEAD
    return best[0] if ahead else None


def beside(question: str, terms: Container[str]) -> tuple[str, float]:
    """What a question says beside a passage with these analysed words, and the share of its
    telling words that are in the passage, as far as it counts for a passage that nobody named."""
    held = [w for w in words(question) if any(t in terms for f in query_terms(w.folded) for t in f)]
    rest = without(question, held)
    return rest, LEAD_COVER * covered(question, rest)


def stands(graphs: Graphs, begin: Begin) -> bool:
    """Whether one of the best passages that the legs found is about something, and no talk."""
    best = sorted(begin.scores, key=lambda memory: (-begin.scores[memory], memory))[:ANCHORS]
    return any(graphs[begin.scopes[m]].is_record(m) for m in best if begin.scopes[m] in graphs)


def walk_all(graphs: Graphs, asked: Asked, begin: Begin, most: int) -> Walked:
    """The same, pure: scopes have no edges between them, so that each is walked apart.

    What they share is how much of all beginnings lies in each.
    """
    begins = _beginnings(graphs, asked, begin)
    matches = _matches(graphs, begin)
    traces = [walk(graphs[scope], seeds, matches[scope]) for scope, seeds in begins.items()]
    scores = {
        passage: score
        for trace in traces
        for place in _best(trace.mass, most)
        for passage, score in _shown(trace, place, begin).items()
    }
    scores |= _apart(graphs, asked, begin)
    best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:most]
    named = {
        passage: key
        for scope, keys in asked.names.items()
        for key in reversed(keys)
        for owner in graphs[scope].owners[key]
        for passage in graphs[scope].parts[owner]
    }
    records = frozenset(m for m, _ in best if any(trace.graph.is_record(m) for trace in traces))
    return Walked(dict(best), Paths(tuple(traces), named), records)


def _beginnings(graphs: Graphs, asked: Asked, begin: Begin) -> dict[str, Vector]:
    """A share begins where the question names, split among those that go by the name; the rest
    where the legs found something, by a power of their scores."""
    begins = {scope: np.zeros(len(graph.parts), np.float32) for scope, graph in graphs.items()}
    named = {scope: np.zeros(len(graph.parts), np.float32) for scope, graph in graphs.items()}
    for scope, keys in asked.names.items():
        for key in keys:
            for owner, meant in _meant(graphs[scope].owners[key]).items():
                named[scope][owner] = max(named[scope][owner], meant)
    for (scope, at), meant in _placed(graphs, begin, {begin.lead: 1.0} if begin.lead else {}):
        named[scope][at] = meant
    of_names = sum(float(vector.sum()) for vector in named.values()) or 1.0
    share, unit = _shares(graphs, asked, begin)
    for (scope, at), score in _placed(graphs, begin, begin.scores):
        begins[scope][at] = unit * score ** _power(asked, begin)
    for scope, vector in named.items():
        begins[scope] += np.float32(share / of_names) * vector
    return {scope: vector for scope, vector in begins.items() if vector.any()}


def _shares(graphs: Graphs, asked: Asked, begin: Begin) -> tuple[float, float]:
    """What begins where the question names, and what of the rest for each squared score."""
    anchored, cover = asked.anchored or begin.lead, asked.cover + begin.cover
    share = min(NAMED_SHARE + cover, MOST_NAMED) if anchored else 0.0
    scores = [score for _, score in _placed(graphs, begin, begin.scores)]
    scores += [begin.scores[memory] for memory in _unplaced(graphs, begin)]
    total = sum(score ** _power(asked, begin) for score in scores)
    return share, (1 - share) / (total or 1.0)


def _power(asked: Asked, begin: Begin) -> int:
    """Without a name the best of the legs count for more."""
    return 2 if asked.anchored or begin.lead else 4


def _meant(owners: Mapping[int, float]) -> dict[int, float]:
    """How surely a name means each that goes by it: the squares' shares of the best."""
    best, total = max(owners.values()), sum(weight**2 for weight in owners.values())
    return {owner: best * weight**2 / total for owner, weight in owners.items()}


def _apart(graphs: Graphs, asked: Asked, begin: Begin) -> dict[str, float]:
    """Passages that no name leads to or from keep what begins with them."""
    unit = _shares(graphs, asked, begin)[1] * (1 - FOLLOW)
    return {
        memory: unit * begin.scores[memory] ** _power(asked, begin)
        for memory in _unplaced(graphs, begin)
    }


def _unplaced(graphs: Graphs, begin: Begin) -> list[str]:
    """What the legs found that is in no graph."""
    return [
        memory
        for memory in begin.scores
        if begin.scopes[memory] not in graphs or memory not in graphs[begin.scopes[memory]].at
    ]


def _matches(graphs: Graphs, begin: Begin) -> dict[str, Vector]:
    """How much each passage draws: by how well it answers, and a little where no leg found it."""
    least = FLOOR**DRAW
    found = {scope: np.full(len(graph.parts), least, np.float32) for scope, graph in graphs.items()}
    for (scope, at), value in _placed(graphs, begin, begin.match):
        found[scope][at] = (FLOOR + value) ** DRAW
    return found


def _placed(
    graphs: Graphs, begin: Begin, values: Mapping[str, float]
) -> list[tuple[tuple[str, int], float]]:
    """Values by place; what several parts of one text have, that has as the best of them."""
    found: dict[tuple[str, int], float] = {}
    for memory, value in values.items():
        scope = begin.scopes[memory]
        place = graphs[scope].at.get(memory) if scope in graphs else None
        if place is not None:
            found[scope, place] = max(value, found.get((scope, place), 0.0))
    return list(found.items())


def _shown(trace: Trace, place: int, begin: Begin) -> dict[str, float]:
    """What is at a place, by passage. The part of a text that answers best stands for all of it;
    other parts that the legs found have their share by how well they answer."""
    parts, mass = trace.graph.parts[place], float(trace.mass[place])
    if len(parts) == 1:
        return {parts[0]: mass}
    answers = {p: begin.match.get(p, 0.0) for p in parts if p in begin.scopes} or {parts[0]: 0.0}
    draws = {passage: (FLOOR + match) ** DRAW for passage, match in answers.items()}
    whole = sum(draws.values())
    best = min(answers, key=lambda p: (-answers[p], -begin.scores.get(p, 0.0), parts.index(p)))
    return {passage: mass * draw / whole for passage, draw in draws.items()} | {best: mass}


def _best(mass: Vector, most: int) -> list[int]:
    top = np.argpartition(-mass, most)[:most] if len(mass) > most else np.arange(len(mass))
    return [int(place) for place in top if mass[place] > 0]


def _path(trace: Trace, passage: str, names: Mapping[str, str]) -> Path:
    place = trace.graph.at[passage]
    seen = {place}
    steps: list[Step] = []
    while len(steps) < FAR:
        came = trace.before(place)
        begun = 0.5 * float(trace.seeds[place])
        if came is None or came[0] in seen or begun >= came[3]:
            break
        steps.append(Step(passage, came[1], came[2]))
        place = came[0]
        passage = trace.graph.holder(place, came[2])
        seen.add(place)
    steps.append(Step(passage))
    asked = names.get(passage)
    origin = Origin.QUESTION if asked is not None else Origin.LEGS
    return Path(origin, asked, tuple(reversed(steps)))
