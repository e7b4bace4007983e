"""The walk in a search: where it begins, and how its order and the order of the legs become one.

Only passages are in the graph. What else was found keeps its score, and the passages change places
among themselves, so that facts and notes stand where they stood.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.indexing.entry import PASSAGES
from app.indexing.fusion import best, weighted
from app.retrieval.asking import asks, meant
from app.retrieval.matrix import Walkable
from app.retrieval.model import Admission, Asked, Begin, Origin, Path
from app.retrieval.service import Walked, WalkService, beside, leading, stands
from app.search.mode import Mode
from app.search.model import Filters, Leg, Ranking, SearchRequest, Without

MOST = 100  # passages that a walk brings
WEIGHTS = {"keyword": 1.0, "vector": 2.0}  # of the legs where a walk begins
LED = {"keyword": 0.5, "legs": 2.0}  # of words beside what leads, and of the legs before that
MEANT = 20  # best passages for the whole question: one that it names is among them
NEAR = 0.6  # of the best score of the legs: what has so much answers beside it, and not behind it
NEW = 60  # of them that no leg found, which are looked at


@dataclass(frozen=True, slots=True)
class Keeping:
    """What a walk leaves of the order of the legs.

    So many of the `first` passages go down by one place at most. With `worse` (0 to 1) no passage
    near to the best is passed by one that answers the rest of the question worse by so much: only
    edges speak for that one.
    """

    first: int = 2
    worse: float | None = 0.1


FREE = Keeping(0, None)  # where the question surely names where a walk begins


@dataclass(frozen=True, slots=True)
class Ready:
    """The graphs of a search's scopes; `without` says why there is no walk over them."""

    graphs: Mapping[str, Walkable]
    asked: Asked
    without: Without | None = None


@dataclass(frozen=True, slots=True)
class Outset:
    """What a walk begins with: what the legs found, the words for what the question says beside
    its names; `words` finds more by other words. `whole` is what they found for all its words, and
    `fused` the same with the vectors, by score."""

    ready: Ready
    rest: Ranking
    vector: Ranking
    words: Callable[[str], Awaitable[Ranking]]
    whole: Ranking
    fused: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk found that may be shown; `without` says why there was none, `surely` whether the
    question surely names where it begins, `answers` how well (0 to 1) passages answer the rest."""

    walked: Walked | None = None
    without: Without | None = None
    surely: bool = False
    answers: Mapping[str, float] = field(default_factory=dict)

    @property
    def ranking(self) -> Ranking:
        """The walk as one more leg."""
        scores = self.walked.scores if self.walked else {}
        return Ranking(scores, dict.fromkeys(scores, 0), set())

    @property
    def records(self) -> frozenset[str]:
        """Passages that are about something, and no talk."""
        return self.walked.records if self.walked else frozenset()

    def named(self, memory: str, legs: Mapping[str, Leg]) -> int | None:
        """How early the walk came to a memory from what the question names; None for any other."""
        found = self.walked.paths.to(memory) if self.walked and "graph" in legs else None
        if found is None or found.origin is not Origin.QUESTION:
            return None
        return legs["graph"].rank

    def path(self, memory: str, shown: Mapping[str, float]) -> Path | None:
        """The way to a memory, where it leads over nothing else than what may be shown."""
        found = self.walked.paths.to(memory) if self.walked else None
        if found is None or not all(step.passage in shown for step in found.steps):
            return None
        return found


async def ready(walks: WalkService | None, request: SearchRequest) -> Ready:
    """The graphs that a search may walk, and what its question names in them."""
    nothing = Asked({}, request.query)
    filters = request.filters
    if walks is None or request.mode not in (Mode.GRAPH, Mode.AUTO):
        return Ready({}, nothing)
    if not filters.current:
        return Ready({}, nothing, Without.NOT_NOW)
    if not any(kind in PASSAGES for kind in filters.kinds):
        return Ready({}, nothing, Without.KINDS)
    graphs, complete = await walks.graphs(filters.scopes)
    held = {scope: graph for scope, graph in graphs.items() if graph.parts}
    if not complete:
        return Ready({}, nothing, Without.NOT_READY)
    if not held:
        return Ready({}, nothing, Without.NO_GRAPH)
    return Ready(held, asks(held, request.query))


async def take_walk(walks: WalkService, outset: Outset, request: SearchRequest) -> Walk:
    """Walk, and keep what may be shown: what a leg found, or what satisfies the same filters."""
    outset = meant_in(outset)
    found, begin = outset.ready, begin_of(outset.rest, outset.vector)
    anchored = found.asked.anchored or stands(found.graphs, begin)
    if not anchored and request.mode is not Mode.GRAPH:
        return Walk(None, Without.UNANCHORED)
    if not found.asked.anchored and (lead := leading(begin)) is not None:
        terms = await walks.terms(lead, request.filters.scopes)
        begin = await led(outset, begin, lead, beside(request.query, terms))
    walked = await walks.walk(found.graphs, found.asked, begin, MOST)
    new = [memory for memory in walked.scores if memory not in begin.scopes][:NEW]
    kept = await walks.admit(new, admission(request.filters))
    scores = {m: s for m, s in walked.scores.items() if m in begin.scopes or m in kept}
    shown = Walked(scores, walked.paths, walked.records)
    return Walk(shown, surely=found.asked.surely, answers=begin.match)


def meant_in(outset: Outset) -> Outset:
    """The same without names of passages that are not among the best for the whole question."""
    held, fused = outset.ready, outset.fused
    asked = meant(held.graphs, held.asked, set(best(fused)[:MEANT]))
    if asked.names == held.asked.names:
        return outset
    changed = replace(outset, ready=replace(held, asked=asked))
    if asked.anchored:
        return changed
    bare = Ready(held.graphs, Asked(asked.names, ""), held.without)
    return replace(changed, ready=bare, rest=outset.whole)


def begin_of(rest: Ranking, vector: Ranking) -> Begin:
    """Where a walk begins and what draws it: what the legs found for the question beside names."""
    found = {"keyword": of(rest), "vector": of(vector)}
    scopes = rest.passages | vector.passages
    return Begin(weighted(found, WEIGHTS), weighted(found, {}), scopes)


async def led(outset: Outset, begin: Begin, lead: str, left: tuple[str, float]) -> Begin:
    """The same where no name is asked for and one passage leads: as if the question named it, and
    asked for the rest of its words (`left`, with what the passage covers)."""
    rest, cover = left
    found = await outset.words(rest)
    more = {"keyword": of(found), "legs": begin.scores}
    draws = {"keyword": of(found), "vector": of(outset.vector)}
    scopes = {**begin.scopes, **found.passages}
    return Begin(weighted(more, LED), weighted(draws, {}), scopes, lead, cover)


def of(found: Ranking) -> dict[str, float]:
    """The passages of a ranking with their scores."""
    return {memory: score for memory, score in found.scores.items() if memory in found.passages}


def admission(filters: Filters) -> Admission:
    """What a passage must satisfy that no leg has looked at."""
    return Admission(
        scopes=filters.scopes,
        kinds=[kind for kind in filters.kinds if kind in PASSAGES],
        roles=filters.roles,
        sessions=filters.sessions,
        tags=filters.tags,
        since=filters.since,
        until=filters.until,
    )


def arranged(
    fused: Mapping[str, float],
    passages: Mapping[str, float],
    walk: Walk,
    keeping: Keeping = FREE,
) -> dict[str, float]:
    """The fused scores with the passages in the order of the walk, as far as `keeping` lets it.

    The best of the walk gets the best score of a passage, and so on; what only the walk found
    joins, and what the walk did not reach keeps to the end in its own order.
    """
    walked = walk.walked.scores if walk.walked else {}
    order = [*best(walked), *(memory for memory in best(passages) if memory not in walked)]
    order = _kept(order, passages, walk.answers, keeping)
    places = sorted(passages.values(), reverse=True)
    scores = {memory: score for memory, score in fused.items() if memory not in passages}
    return scores | dict(zip(order, _falling(places, len(order)), strict=True))


def _kept(
    order: Sequence[str],
    passages: Mapping[str, float],
    answers: Mapping[str, float],
    keeping: Keeping,
) -> list[str]:
    """The order of a walk, in which passages of the legs keep what is theirs, the best first."""
    kept, above = list(order), set[str]()
    least = NEAR * max(passages.values(), default=0.0)
    for place, memory in enumerate(best(passages)):
        near = keeping.worse is not None and passages[memory] >= least
        if not near and place >= keeping.first:
            break
        at = to = kept.index(memory)
        most = answers.get(memory, 0.0) - (keeping.worse or 0.0)
        while near and to > place and _is_passed(kept[to - 1], above, answers, most):
            to -= 1
        if place < keeping.first:
            to = min(to, place + 1)
        kept.insert(to, kept.pop(at))
        above.add(memory)
    return kept


def _is_passed(
    other: str, above: Container[str], answers: Mapping[str, float], most: float
) -> bool:
    """Whether a passage gives way to one that answers better: not where the legs have it above."""
    return other not in above and answers.get(other, 0.0) <= most


def _falling(scores: list[float], count: int) -> list[float]:
    """The same scores and as many more as it takes, each a little below the one before."""
    falling: list[float] = []
    for place in range(count):
        score = scores[place] if place < len(scores) else 0.0
        last = falling[-1] if falling else score + 1
        falling.append(min(score, last * (1 - 1e-6)) if last > 0 else last - 1e-9)
    return falling
