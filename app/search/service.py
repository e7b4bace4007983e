"""Search: the legs run side by side, are fused, thinned out and explained."""

from __future__ import annotations

import asyncio
import time
from asyncio import Future
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from app.embeddings.tokens import count_tokens
from app.episodes.record import session_id
from app.facts.service import Moments
from app.facts.view import Across, Beliefs, FactView
from app.indexing.analysis import query_terms
from app.indexing.dates import date_terms
from app.indexing.fusion import best, rrf, weighted
from app.indexing.spaces import Spaces
from app.kernel.graph import Row
from app.lifecycle.fading import FadingService
from app.retrieval.service import WalkService
from app.search.across import told_across
from app.search.bundle import band
from app.search.holding import claimed, lapsed, marks_of, unrepeated
from app.search.latest import latest_first
from app.search.lucene import text_query
from app.search.mmr import mmr
from app.search.model import Fade, Filters, Found, Fusion, Hit, Leg, Mode, Ranking, SearchRequest
from app.search.repository import SearchRepository
from app.search.vectors import VectorLeg
from app.search.walking import Outset, Ready, Walk, arranged, ready, take_walk

MMR_POOL = 5  # candidates for each hit that diversity may choose from
LOOK = 10  # least hits among which a later word is looked for, however few are shown
PAGE = 10  # least candidates that are read at once after the first page


# Weights of the keyword and the vector leg where the caller names none; decision 0010 tells how
# they were chosen. A titled record stands by itself, a turn of talk leans on the words around it.
TALK_WEIGHTS = (1.0, 0.7)
RECORD_WEIGHTS = (1.0, 2.0)
RRF_WEIGHTS = (1.0, 0.3)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One fused memory before it is read."""

    id: str
    score: float
    legs: dict[str, Leg]


# Told after each search which memories were shown, and whether for a prompt; it must not wait.
Shown = Callable[[Sequence[str], bool], None]


@dataclass(frozen=True, slots=True)
class Parts:
    """What a search is made with; `depth` is how many candidates each leg brings."""

    repository: SearchRepository
    view: FactView
    spaces: Spaces
    depth: int
    shown: Shown | None = None
    fading: FadingService | None = None
    walks: WalkService | None = None


@dataclass(slots=True)
class Reading:
    """What was read of the candidates at the moments of a search; `held` are facts that hold."""

    moments: Moments
    blocks: list[Row] = field(default_factory=list)
    memories: dict[str, Row] = field(default_factory=dict)
    held: set[str] = field(default_factory=set)
    across: dict[str, Across] = field(default_factory=dict)

    def believe(self, beliefs: Beliefs) -> None:
        """Keep how facts stand."""
        self.held |= beliefs.held
        self.across |= beliefs.across

    def take(self, memories: Iterable[Row]) -> None:
        """Keep what may be shown: every memory but a fact that does not hold."""
        for memory in memories:
            if memory["kind"] != "fact" or memory["id"] in self.held:
                self.memories[memory["id"]] = memory


@dataclass(frozen=True, slots=True)
class Asking:
    """One search under way; `preparing` gives the graphs that it may walk."""

    request: SearchRequest
    sessions: list[str] | None
    preparing: Future[Ready]
    clock: Stopwatch


@dataclass(frozen=True, slots=True)
class Legs:
    """What the legs found; `rest` is what a walk begins with, None where nothing walks, and `words`
    finds more by other words."""

    legs: dict[str, Ranking]
    ready: Ready
    rest: Ranking | None
    words: Callable[[str], Awaitable[Ranking]]


class SearchService:
    """Holds no tenant state: scopes come with each request."""

    def __init__(self, made: Parts) -> None:
        self.made = made
        self._repository = made.repository
        self._vectors = VectorLeg(made.repository, made.spaces)
        self._depth = made.depth

    async def search(self, request: SearchRequest) -> Found:
        """The hits of one request, best first; raises EmbedderUnavailable, GraphUnavailable."""
        clock = Stopwatch()
        filters = request.filters
        if request.limit == 0 or not filters.scopes or not filters.kinds:
            blocks = (await self._read([], request)).blocks
            return Found([], ran(request.mode, Walk()), 0, 0, 0, clock.marks, blocks)
        found, fades_in = await asyncio.gather(
            self._legs(request, clock), self._fades_in(request.filters)
        )
        legs = found.legs
        scores = fuse(legs, request)
        clock.mark("legs")
        walk = await self._walk(request, found)
        if walk.walked is not None:
            known = {m for ranking in legs.values() for m in ranking.passages}
            passages = {memory: score for memory, score in scores.items() if memory in known}
            scores = arranged(scores, passages, walk.walked.scores)
            legs = {**legs, "graph": walk.ranking}
            clock.mark("walk")
        faded = await self._faded(scores, fades_in)
        scores |= {memory: fade.score for memory, fade in faded.items()}
        ordered = best(scores)
        clock.mark("fuse")
        reading = await self._read(ordered, request)
        pool = candidates(unrepeated(ordered, reading.memories), scores, legs)
        pool, later = by_time(pool[: wanted(request)], reading, request, walk.records)
        if request.diversity is not None:
            pool = await self._diverse(pool, request)
        pool = pool[: request.limit]
        clock.mark("hydrate")
        hits = await self._hits(pool, reading, request, later)
        hits = [
            replace(hit, fade=faded.get(hit.id), path=walk.path(hit.id, scores)) for hit in hits
        ]
        kept = within(hits, request.token_budget)
        clock.mark("render")
        if self.made.shown is not None:
            self.made.shown([hit.id for hit in kept], request.injected)
        return Found(
            hits=kept,
            mode=ran(request.mode, walk),
            without=walk.without,
            candidates=len(scores),
            tokens=sum(hit.tokens for hit in kept),
            dropped=len(hits) - len(kept),
            milliseconds=clock.marks,
            blocks=reading.blocks,
        )

    async def _walk(self, request: SearchRequest, found: Legs) -> Walk:
        if self.made.walks is None or found.rest is None:
            return Walk(None, found.ready.without)
        outset = Outset(found.ready, found.rest, found.legs["vector"], found.words)
        return await take_walk(self.made.walks, outset, request)

    async def read(self, memory: str, scopes: list[str]) -> Row | None:
        """A fact, note, core block or pattern of failure by id; None where it is not visible."""
        return await self._repository.read_other(memory, scopes)

    async def _read(self, ordered: list[str], request: SearchRequest) -> Reading:
        """The best memories that hold, as many as are wanted: what does not hold gives way.

        The first reading brings the core blocks too, even where there is nothing else to read.
        """
        filters, repository = request.filters, self._repository
        most = wanted(request)
        reading = Reading(Moments.of(filters.as_of, filters.known_at))
        blocks_of = request.blocks_of or []
        place = 0
        while blocks_of or (len(reading.memories) < most and place < len(ordered)):
            missing = most - len(reading.memories)
            page = ordered[place : place + (missing if place == 0 else max(missing, PAGE))]
            place += len(page)
            found, blocks = await repository.hydrate(page, filters, reading.moments, blocks_of)
            reading.blocks += blocks
            blocks_of = []
            reading.believe(await self._beliefs(claimed(found.values()), reading, filters))
            reading.take([found[i] for i in page if i in found])
        return reading

    async def _beliefs(self, facts: list[str], reading: Reading, filters: Filters) -> Beliefs:
        return await self.made.view.beliefs(facts, filters.scopes, reading.moments)

    async def _fades_in(self, filters: Filters) -> list[str]:
        """The scopes in which memories fade; a question about another moment lets nothing fade."""
        if self.made.fading is None or not filters.current:
            return []
        return await self.made.fading.where(filters.scopes)

    async def _faded(self, scores: Mapping[str, float], scopes: list[str]) -> dict[str, Fade]:
        if self.made.fading is None or not scopes or not scores:
            return {}
        left = await self.made.fading.left(list(scores), scopes)
        lowest = min(scores.values())
        return {memory: Fade(share, scores[memory], lowest) for memory, share in left.items()}

    async def _legs(self, request: SearchRequest, clock: Stopwatch) -> Legs:
        """Both legs side by side; where there is a graph, what draws a walk in it as well."""
        asking = Asking(
            request,
            resolved(request.filters),
            asyncio.ensure_future(ready(self.made.walks, request)),
            clock,
        )
        words, near, rest = await asyncio.gather(
            self._keyword(asking), self._vector(asking), self._rest(asking)
        )
        legs = {} if words is None else {"keyword": words}
        if near is not None:
            legs["vector"] = near
        more = partial(self._words, asking, depth=self._depth)
        return Legs(legs, asking.preparing.result(), rest, more)

    async def _keyword(self, asking: Asking) -> Ranking | None:
        if asking.request.mode is Mode.VECTOR:
            return None
        start = time.perf_counter()
        found = await self._words(asking, asking.request.query, self._depth)
        asking.clock.marks["keyword"] = (time.perf_counter() - start) * 1000
        return found

    async def _rest(self, asking: Asking) -> Ranking | None:
        """What the question says beside the names in it, by words; None where nothing walks."""
        prepared = await asking.preparing
        if not prepared.graphs:
            return None
        return await self._words(asking, prepared.asked.rest, self._depth)

    async def _words(self, asking: Asking, text: str, depth: int) -> Ranking:
        terms = [variant for word in query_terms(text) for variant in word]
        dates, filters = date_terms(text), asking.request.filters
        queries = [text_query(terms, dates, part, asking.sessions) for part in filters.split]
        found = await asyncio.gather(
            *(
                self._repository.keyword(query, filters.scopes, depth)
                for query in queries
                if query is not None
            )
        )
        return Ranking.joined(found)

    async def _vector(self, asking: Asking) -> Ranking | None:
        if asking.request.mode is Mode.KEYWORD:
            return None
        start, marks = time.perf_counter(), asking.clock.marks
        filters = asking.request.filters
        parts = await self._vectors.parts(asking.request.query, filters.scopes)
        marks["embed"] = (time.perf_counter() - start) * 1000
        start = time.perf_counter()
        found = await self._vectors.find(parts, filters, asking.sessions, self._depth)
        marks["vector"] = (time.perf_counter() - start) * 1000
        return found

    async def _diverse(self, pool: list[Candidate], request: SearchRequest) -> list[Candidate]:
        rows = await self._vectors.matrix([c.id for c in pool], request.filters.scopes)
        # A later word that overtook another stands in its place, with that place's relevance.
        scores = sorted((c.score for c in pool), reverse=True)
        order = mmr(scores, rows, request.diversity or 0.0, request.limit)
        return [pool[place] for place in order]

    async def _hits(
        self,
        pool: list[Candidate],
        reading: Reading,
        request: SearchRequest,
        later: Mapping[str, list[str]],
    ) -> list[Hit]:
        memories, scopes = reading.memories, request.filters.scopes
        past = await self._past([memories[c.id] for c in pool], reading, scopes)
        shown = {candidate.id for candidate in pool}
        windows = {c.id: place for c in pool if (place := _place(c, memories[c.id]))}
        ids = [f"{memory}~{place}" for memory, place in windows.items()]
        spans = await self._repository.spans(ids, scopes)
        top = max((c.score for c in pool), default=0.0)
        hits = []
        for rank, candidate in enumerate(pool, start=1):
            memory = memories[candidate.id]
            whole = (0, len(memory["content"]))
            span = spans.get(f"{candidate.id}~{windows.get(candidate.id)}", whole)
            hits.append(
                Hit(
                    id=candidate.id,
                    rank=rank,
                    score=candidate.score,
                    band=band(candidate.score, top),
                    legs=candidate.legs,
                    memory=memory,
                    span=span,
                    tokens=count_tokens(memory["content"][span[0] : span[1]]),
                    marks=marks_of(memory, past, reading.moments),
                    later=tuple(i for i in later.get(candidate.id, ()) if i in shown),
                )
            )
        return hits

    async def _past(
        self, memories: list[Row], reading: Reading, scopes: list[str]
    ) -> dict[str, Row]:
        gone = lapsed(memories, reading.held)
        if not gone:
            return {}
        across = {fact: reading.across[fact] for fact in gone if fact in reading.across}
        ids = [*gone, *(view.replaced_by for view in across.values() if view.replaced_by)]
        rows = await self._repository.past(ids, scopes, reading.moments.known_at)
        return told_across(gone, {row["id"]: row for row in rows}, across)


def ran(asked: Mode, walk: Walk) -> Mode:
    """What a search was in the end: a walk, or what there is without one."""
    if asked not in (Mode.GRAPH, Mode.AUTO):
        return asked
    return Mode.HYBRID if walk.walked is None else Mode.GRAPH


class Stopwatch:
    """Milliseconds of the steps of one search."""

    def __init__(self) -> None:
        self.marks: dict[str, float] = {}
        self._last = time.perf_counter()

    def mark(self, name: str) -> None:
        """Note the time since the last mark."""
        moment = time.perf_counter()
        self.marks[name] = (moment - self._last) * 1000
        self._last = moment


def resolved(filters: Filters) -> list[str] | None:
    """Ids of the sessions that are named by id, or by key in any scope that is read."""
    if filters.sessions is None:
        return None
    keyed = [session_id(scope, key) for scope in filters.scopes for key in filters.sessions]
    return [*filters.sessions, *keyed]


def fuse(legs: Mapping[str, Ranking], request: SearchRequest) -> dict[str, float]:
    """The fused score of every memory that a leg found."""
    if len(legs) == 1:
        (only,) = legs.values()
        return only.scores
    if request.fusion is Fusion.SIMPLE:
        return blend(legs, request, (1.0, 1.0))
    if request.weights is not None or request.fusion is Fusion.RRF:
        return blend(legs, request, request.weights or RRF_WEIGHTS)
    scores = blend(legs, request, TALK_WEIGHTS)
    titled = {memory for found in legs.values() for memory in found.titled}
    if titled:
        records = blend(legs, request, RECORD_WEIGHTS)
        scores.update((memory, records[memory]) for memory in titled)
    return scores


def blend(
    legs: Mapping[str, Ranking], request: SearchRequest, weights: tuple[float, float]
) -> dict[str, float]:
    """The same by given weights, by the fusion of the request."""
    named = dict(zip(("keyword", "vector"), weights, strict=True))
    if request.fusion is Fusion.RRF:
        return rrf({name: list(found.scores) for name, found in legs.items()}, named)
    return weighted({name: found.scores for name, found in legs.items()}, named)


def candidates(
    ids: list[str], scores: Mapping[str, float], legs: Mapping[str, Ranking]
) -> list[Candidate]:
    """These memories with their score and their place in each leg."""
    ranks = {name: {m: rank for rank, m in enumerate(f.scores, 1)} for name, f in legs.items()}
    return [
        Candidate(
            memory,
            scores[memory],
            {
                name: Leg(ranks[name][memory], found.scores[memory], found.places.get(memory, 0))
                for name, found in legs.items()
                if memory in found.scores
            },
        )
        for memory in ids
    ]


def wanted(request: SearchRequest) -> int:
    """How many memories are read: more than are shown where others may take their places."""
    return max(LOOK, request.limit * (MMR_POOL if request.diversity is not None else 1))


def by_time(
    pool: list[Candidate],
    reading: Reading,
    request: SearchRequest,
    records: frozenset[str] = frozenset(),
) -> tuple[list[Candidate], dict[str, list[str]]]:
    """The same memories with later words above earlier ones; records stand where they stand."""
    memories = [reading.memories[candidate.id] for candidate in pool]
    order, later = latest_first(request.query, memories, [c.score for c in pool], records)
    return [pool[place] for place in order], later


def within(hits: list[Hit], budget: int | None) -> list[Hit]:
    """The hits that fit the token budget, in order; one that is too large is passed over."""
    if budget is None:
        return hits
    kept: list[Hit] = []
    spent = 0
    for hit in hits:
        if spent + hit.tokens <= budget:
            kept.append(replace(hit, rank=len(kept) + 1))
            spent += hit.tokens
    return kept


def _place(candidate: Candidate, memory: Row) -> int:
    if (memory["windows"] or 1) == 1:
        return 0
    best = min(candidate.legs.values(), key=lambda leg: (leg.place == 0, leg.rank))
    return best.place
