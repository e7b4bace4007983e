"""Search: the legs run side by side, are fused, thinned out and explained."""

from __future__ import annotations

import asyncio
import time
from asyncio import Future
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from app.embeddings.tokens import count_tokens
from app.facts.possible import PossibleChange, of_facts
from app.facts.service import Moments
from app.facts.standing import Across, Beliefs
from app.facts.view import FactView
from app.indexing.analysis import query_terms
from app.indexing.dates import date_terms
from app.indexing.entry import PASSAGES
from app.indexing.fusion import best
from app.indexing.spaces import Part, Spaces
from app.kernel.graph import Row, asking_for
from app.kernel.stopwatch import Stopwatch
from app.kernel.turns import Shares
from app.learning.quality import UNKNOWN, boost
from app.lifecycle.fading import FadingService
from app.notes.cooling import CoolingService
from app.notes.model import MEMORY, NOTE
from app.retrieval.service import WalkService
from app.sanitize.aside import READ, aside
from app.scopes.sessions import session_id
from app.search.across import told_across
from app.search.at_hand import AtHand
from app.search.believed import flags_of
from app.search.blending import fuse
from app.search.bundle import within
from app.search.floors import Floored, Judged, floored
from app.search.hinted import hinted_first, hints_of
from app.search.holding import (
    all_replaced,
    claimed,
    lapsed,
    marks_of,
    once_of_turns,
    said_by,
    unrepeated,
)
from app.search.imagining import Imagination
from app.search.judging import Judge, RerankStep, featured
from app.search.latest import latest_first
from app.search.lucene import any_query, text_query
from app.search.mmr import mmr
from app.search.mode import Mode
from app.search.model import (
    Candidate,
    Empty,
    Fade,
    Filters,
    Found,
    Hit,
    Leg,
    Mark,
    Nearness,
    Ranking,
    Rerank,
    SearchRequest,
)
from app.search.naming import LOOKED, Naming, behind_newer
from app.search.naming import named as named_facts
from app.search.people import holds_one, people_in
from app.search.precedence import first, held_first
from app.search.reach import Reach
from app.search.relevance import Asked
from app.search.repository import SearchRepository
from app.search.restating import joined, restated, without_past
from app.search.resting import grouped
from app.search.steps import Step, StepName, StepState
from app.search.vectors import VectorLeg
from app.search.walking import FREE, Keeping, Outset, Ready, Walk, arranged, ready, take_walk

MMR_POOL = 5  # candidates for each hit that diversity may choose from
LOOK = 10  # least hits among which a later word is looked for, however few are shown
PAGE = 10  # least candidates that are read at once after the first page
SPARE = 10  # candidates that a turn's first page has beside those that are wanted
PROVED = 200  # best candidates whose outcomes are asked for
POOL = 50  # candidates that a floor or a reranker looks at


# Told after each search which memories were shown, and whether for a prompt; it must not wait.
Shown = Callable[[Sequence[str], bool], None]


@dataclass(frozen=True, slots=True)
class Parts:
    """What a search is made with; `depth` is how many candidates each leg brings, `shares` are the
    searches that may be under way at once, `keeping` what a walk from no sure name leaves of the
    order of the legs."""

    repository: SearchRepository
    view: FactView
    spaces: Spaces
    depth: int
    shown: Shown | None = None
    fading: FadingService | None = None
    cooling: CoolingService | None = None
    walks: WalkService | None = None
    reranking: RerankStep | None = None
    imagination: Imagination | None = None
    shares: Shares | None = None
    keeping: Keeping = field(default_factory=Keeping)
    at_hand: AtHand | None = None


@dataclass(slots=True)
class Reading:
    """What was read of the candidates at the moments of a search; `held` are facts that hold.

    `rows` are all that were looked at, None for what is not there, and `changes` what may have
    changed of the facts that were asked about, None for nothing: neither is asked for twice.
    """

    moments: Moments
    blocks: list[Row] = field(default_factory=list)
    memories: dict[str, Row] = field(default_factory=dict)
    held: set[str] = field(default_factory=set)
    across: dict[str, Across] = field(default_factory=dict)
    rows: dict[str, Row | None] = field(default_factory=dict)
    changes: dict[str, PossibleChange | None] = field(default_factory=dict)

    def believe(self, beliefs: Beliefs) -> None:
        """Keep how facts stand."""
        self.held |= beliefs.held
        self.across |= beliefs.across

    def take(self, page: Iterable[str], filters: Filters, most: int | None = None) -> None:
        """Keep of a page what may be shown, until so many are kept: every memory but a fact that
        does not hold."""
        for memory in filter(None, map(self.rows.get, page)):
            if most is not None and len(self.memories) >= most:
                return
            if not asked_for(memory, filters):
                continue
            if memory["kind"] != "fact" or memory["id"] in self.held:
                self.memories[memory["id"]] = memory


def asked_for(memory: Row, filters: Filters) -> bool:
    """Whether a memory is not left out, and flagged where only such or none such are asked for."""
    if memory["id"] in filters.left_out:
        return False
    return filters.flagged is None or bool(flags_of(memory)) == filters.flagged


@dataclass(frozen=True, slots=True)
class Asking:
    """One search under way; `preparing` gives the graphs that it may walk."""

    request: SearchRequest
    sessions: list[str] | None
    preparing: Future[Ready]
    clock: Stopwatch


@dataclass(frozen=True, slots=True)
class Near:
    """What vectors found; `parts` are the question's own, `step` what came of HyDE."""

    ranking: Ranking
    parts: list[Part]
    step: Step | None = None


@dataclass(frozen=True, slots=True)
class Legs:
    """What the legs found; `rest` is what a walk begins with, None where nothing walks, and `words`
    finds more by other words. `memories` are looked for by themselves where turns are too: they say
    what turns say, and would take the places of those among the candidates."""

    legs: dict[str, Ranking]
    ready: Ready
    rest: Ranking | None
    words: Callable[[str], Awaitable[Ranking]]
    near: Near | None = None
    memories: Mapping[str, Ranking] = field(default_factory=dict)

    @property
    def kinds(self) -> dict[str, str]:
        """Return the kind of each memory that a leg found."""
        parts = (*self.legs.values(), *self.memories.values())
        return {memory: kind for ranking in parts for memory, kind in ranking.kinds.items()}


@dataclass(frozen=True, slots=True)
class Ordered:
    """Every candidate with its score, and what the score came from; `memories` by themselves."""

    scores: dict[str, float]
    legs: dict[str, Ranking]
    walk: Walk
    faded: dict[str, Fade]
    memories: Mapping[str, Ranking]


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of candidates beside their text: later words, what does not hold, and what may
    have changed."""

    later: Mapping[str, list[str]]
    marks: Mapping[str, tuple[Mark, ...]]
    changes: Mapping[str, tuple[PossibleChange, ...]]
    hints: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Looked:
    """What is left of the candidates after a second look, and what came of it."""

    pool: list[Candidate]
    steps: tuple[Step, ...] = ()
    floored: Floored | None = None


class SearchService:
    """Holds no tenant state: scopes come with each request."""

    def __init__(self, made: Parts) -> None:
        self.made = made
        self._repository = made.repository
        self._vectors = VectorLeg(made.repository, made.spaces)
        self._reach = Reach(made.repository.graph)
        self._depth = made.depth

    async def search(self, request: SearchRequest) -> Found:
        """The hits of one request, best first.

        Raises EmbedderUnavailable, GraphUnavailable, NotFound for a knowledge base that is not
        seen.
        """
        found = await self._in_turn(request)
        if self.made.at_hand is None or request.hand is None:
            return found
        return await self.made.at_hand.among(found, request)

    async def _in_turn(self, request: SearchRequest) -> Found:
        # What waits for a model meanwhile would keep its tenant's other searches from their turn.
        if self.made.shares is None or request.hyde or request.rerank is Rerank.MODEL:
            return await self._found(request)
        async with self.made.shares.turn(asking_for.get() or ""):
            return await self._found(request)

    async def _found(self, request: SearchRequest) -> Found:
        clock = Stopwatch()
        filters = request.filters
        if request.bases:
            await self._repository.check_bases(request.bases, filters.scopes)
        if request.limit == 0 or not filters.scopes or not filters.kinds:
            reading = Reading(Moments.of(filters.as_of, filters.known_at))
            await self._read(reading, [], {}, request)
            blocks = reading.blocks
            mode = ran(request.mode, Walk())
            return Found([], mode, 0, 0, 0, clock.marks, blocks, empty=Empty.LIMIT)
        trees, rooms = await asyncio.gather(
            self._reach.trees(filters.scopes), self._repository.rooms(filters)
        )
        request = replace(request, filters=replace(filters, trees=trees, rooms=rooms or []))
        found, fades_in, in_mind = await asyncio.gather(
            self._legs(request, clock), self._fades_in(filters), self._repository.in_mind(filters)
        )
        naming = asyncio.ensure_future(self._named(request, found))
        at = await self._ordered(request, found, fades_in, clock)
        clock.mark("fuse")
        scored = [memory for memory in best(at.scores) if memory not in in_mind]
        named, reading, judge = await self._judged(naming, scored, found, request)
        read = once_of_turns(unrepeated(best(at.scores), reading.memories), reading.memories)
        pool = candidates(read, at.scores, at.legs, at.memories)
        looked = await self._second_look(pool[: wanted(request)], judge, at.walk, request)
        pool = first(looked.pool, named)[: considered(request)]
        pool, later = by_time(pool, reading, request, at.walk.records)
        marks, changes = await asyncio.gather(
            self._marks(pool, reading, request.filters.scopes),
            self._changes(pool, reading, request.filters.scopes),
        )
        says = {c.id: said_by(reading.memories[c.id], reading.held) for c in pool}
        pool = held_first(request.query, pool, marks, judge, says)
        if request.diversity is not None:
            pool = await self._diverse(pool, request)
        hints = {c.id: hints_of(reading.memories[c.id], reading.moments) for c in pool}
        pool = hinted_first(pool, hints, reading.memories)
        clock.mark("hydrate")
        pool = pool[: request.limit]
        newer = await _restated(request.query, [reading.memories[c.id] for c in pool])
        memories = reading.memories
        past = [c.id for c in pool if all_replaced(memories[c.id], marks[c.id])]
        newer = {
            memory: told for memory, told in without_past(newer, past).items() if not marks[memory]
        }
        both = {c.id: joined(changes[c.id], newer.get(c.id, ()), memories) for c in pool}
        told = Told(later, marks, both, hints)
        hits = await self._hits(pool, reading, request, told)
        hits = [explained(hit, at, judge) for hit in hits]
        kept = within(hits, request.token_budget)
        clock.mark("render")
        if self.made.shown is not None and request.counted:
            self.made.shown([hit.id for hit in kept], request.injected)
        floor = looked.floored or Floored(frozenset(), None)
        return Found(
            hits=kept,
            mode=ran(request.mode, at.walk),
            without=at.walk.without,
            candidates=len(at.scores),
            tokens=sum(hit.tokens for hit in kept),
            dropped=len(hits) - len(kept),
            milliseconds=clock.marks,
            blocks=reading.blocks,
            match=floor.match,
            held=floor.held,
            held_best=floor.best,
            steps=steps_of(found, looked),
            empty=None if kept else why_empty(at, reading, looked),
        )

    async def _named(self, request: SearchRequest, found: Legs) -> list[str]:
        """Ids of the facts that the question names by subject and predicate, the best first."""
        naming = Naming.of(request.query)
        ids = [m for leg in found.legs.values() for m in leg.first_facts(LOOKED)]
        if naming is None or not ids:
            return []
        order = list(dict.fromkeys(ids))
        return named_facts(
            naming, await self._repository.naming(order, request.filters.scopes), order
        )

    async def _ordered(
        self, request: SearchRequest, found: Legs, fades_in: list[str], clock: Stopwatch
    ) -> Ordered:
        """The legs fused, walked on from, and faded."""
        legs = found.legs
        scores = fuse(legs, request)
        clock.mark("legs")
        walk = await self._walk(request, found, scores)
        if walk.walked is not None:
            known = {m for ranking in legs.values() for m in ranking.passages}
            passages = {memory: score for memory, score in scores.items() if memory in known}
            sure = walk.surely or request.mode is Mode.GRAPH
            scores = arranged(scores, passages, walk, FREE if sure else self.made.keeping)
            legs = {**legs, "graph": walk.ranking}
            clock.mark("walk")
        faded = await self._faded(scores, fades_in, request.filters)
        scores |= {memory: fade.score for memory, fade in faded.items()}
        scores = await self._proved(scores, request)
        beside = found.memories or {n: r for n, r in legs.items() if r.memories}
        ids = list(dict.fromkeys(m for ranking in beside.values() for m in ranking.memories))
        rests, cut = await self._repository.rests(ids, request.filters.scopes)
        memories = {n: left for n, r in found.memories.items() if (left := r.without(cut)).scores}
        held = fuse(memories, request) if memories else {}
        return Ordered(grouped(scores, held, rests), legs, walk, faded, memories)

    async def _judged(
        self, naming: Future[list[str]], scored: list[str], found: Legs, request: SearchRequest
    ) -> tuple[list[str], Reading, Judge]:
        """The candidates read, and what judges them: how close they are, and what the question
        names, is asked meanwhile. What it names comes first, each fact behind what the legs found
        that may have changed it: these are given back."""
        reading = Reading(Moments.of(request.filters.as_of, request.filters.known_at))
        looked = scored[: wanted(request)]
        named, similar, _ = await asyncio.gather(
            naming, self._similar(looked, found), self._read(reading, scored, found.kinds, request)
        )
        if named:
            named = await self._in_front(named, reading, scored, found, request)
        later = [memory for memory in reading.memories if memory not in looked]
        if later:
            similar |= await self._similar(later, found)
        return named, reading, Judge(Asked.of(request.query), reading.memories, similar)

    async def _in_front(
        self,
        named: list[str],
        reading: Reading,
        scored: list[str],
        found: Legs,
        request: SearchRequest,
    ) -> list[str]:
        """Read what the question names before all else, each fact behind what may have changed it:
        these, in their order."""
        await self._changed(reading, named, request.filters.scopes)
        changes = {fact: change for fact, change in reading.changes.items() if change is not None}
        legs = {m for leg in found.legs.values() for m in leg.scores}
        front = behind_newer(named, changes, legs)
        reading.memories.clear()
        await self._read(reading, first_of(front, scored), found.kinds, request)
        return front

    async def _similar(self, ids: list[str], found: Legs) -> dict[str, Nearness]:
        """How near memories are: as the vector leg found, or compared now."""
        if found.near is None:
            return {}
        known = found.near.ranking.similar
        missing = [memory for memory in ids if memory not in known]
        return {**known, **await self._vectors.similar(found.near.parts, missing)}

    async def _second_look(
        self, pool: list[Candidate], judge: Judge, walk: Walk, request: SearchRequest
    ) -> Looked:
        """Rerank where that is asked for, then hold back what does not reach the floor."""
        steps: tuple[Step, ...] = ()
        if request.rerank is Rerank.FEATURES:
            pool, step = featured(pool, judge)
            steps = (step,)
        elif request.rerank is Rerank.MODEL:
            pool, steps = await self._by_model(pool, judge, request)
        if request.floor is None:
            return Looked(pool, steps)
        people = people_in(request.query) if request.floor.whole else frozenset()
        judged = [
            Judged(
                c.id,
                judge.relevance(c.id),
                judge.words(c.id),
                walk.named(c.id, c.legs),
                holds_one(people, judge.memories[c.id]),
            )
            for c in pool
        ]
        asked = len(judge.asked.words)
        floor = floored(judged, request.floor, asked, of_person=bool(people))
        return Looked([c for c in pool if c.id in floor.kept], steps, floor)

    async def _by_model(
        self, pool: list[Candidate], judge: Judge, request: SearchRequest
    ) -> tuple[list[Candidate], tuple[Step, ...]]:
        """Reranked by the best window of each candidate."""
        if self.made.reranking is None:
            reason = "no reranker is configured"
            return pool, (Step(StepName.RERANK, StepState.SKIPPED, reason),)
        spans = await self._spans(pool, judge.memories, request.filters.scopes)
        texts = {c.id: text_of(judge.memories[c.id], spans[c.id]) for c in pool}
        pool, step = await self.made.reranking.run(request.query, pool, texts)
        return pool, (step,)

    async def _walk(self, request: SearchRequest, found: Legs, fused: Mapping[str, float]) -> Walk:
        if self.made.walks is None or found.rest is None:
            return Walk(None, found.ready.without)
        legs = found.legs
        outset = Outset(
            found.ready, found.rest, legs["vector"], found.words, legs["keyword"], fused
        )
        return await take_walk(self.made.walks, outset, request)

    async def aclose(self) -> None:
        """Closes the connections to models that searches ask."""
        for step in (self.made.reranking, self.made.imagination):
            if step is not None:
                await step.aclose()

    async def read(self, memory: str, scopes: list[str], reader: str) -> Row | None:
        """A fact, note, core block or pattern of failure by id, or what a pool says that the
        principal `reader` may read; None where it is not visible."""
        return await self._repository.read_other(memory, scopes, reader)

    async def changes_of(self, memory: Row, scopes: list[str]) -> tuple[PossibleChange, ...]:
        """What may have changed of a fact that was read; nothing of other memories."""
        facts = [memory["id"]] if memory["kind"] == "fact" else []
        found = await self.made.view.possible_changes(facts, scopes, Moments.of(None, None))
        return of_facts(facts, found)

    async def _read(
        self,
        reading: Reading,
        ordered: list[str],
        kinds: Mapping[str, str],
        request: SearchRequest,
    ) -> None:
        """The best memories that hold, as many as are wanted: what does not hold gives way. `kinds`
        has those that the legs told.

        The first reading brings the core blocks too, even where there is nothing else to read.
        """
        most = wanted(request)
        blocks_of = [] if reading.rows else (request.blocks_of or [])
        place = 0
        # What is said again in a conversation is in its buffer, and gives way.
        spare = SPARE if request.filters.talk else 0
        while blocks_of or (len(reading.memories) < most and place < len(ordered)):
            missing = most - len(reading.memories)
            begins = place == 0
            size = missing + spare if begins else max(2 * missing, PAGE)
            page = ordered[place : place + size]
            place += len(page)
            await self._look(reading, page, kinds, request, blocks_of)
            blocks_of = []
            reading.take(page, request.filters, most if begins else None)

    async def _look(
        self,
        reading: Reading,
        page: Sequence[str],
        kinds: Mapping[str, str],
        request: SearchRequest,
        blocks_of: list[str],
    ) -> None:
        """Read what of a page was not yet, how the facts in it stand, and what may have changed of
        those among the first that are considered."""
        filters = request.filters
        new = [memory for memory in page if memory not in reading.rows]
        if not new and not blocks_of:
            return
        found, blocks = await self._repository.hydrate(
            new, kinds, filters, reading.moments, blocks_of
        )
        reading.blocks += blocks
        reading.rows |= {memory: found.get(memory) for memory in new}
        told = [found[memory] for memory in new if memory in found]
        near = claimed(told[: considered(request)])
        beliefs, _ = await asyncio.gather(
            self.made.view.beliefs(claimed(told), filters.scopes, reading.moments),
            self._changed(reading, near, filters.scopes),
        )
        reading.believe(beliefs)

    async def _changed(self, reading: Reading, facts: Iterable[str], scopes: list[str]) -> None:
        """Ask what may have changed of facts of which that is not known yet."""
        new = [fact for fact in facts if fact not in reading.changes]
        found = await self.made.view.possible_changes(new, scopes, reading.moments)
        reading.changes |= {fact: found.get(fact) for fact in new}

    async def _fades_in(self, filters: Filters) -> list[str]:
        """The scopes in which memories fade; a question about another moment lets nothing fade."""
        if self.made.fading is None or not filters.current:
            return []
        return await self.made.fading.where(filters.scopes)

    async def _faded(
        self, scores: Mapping[str, float], scopes: list[str], filters: Filters
    ) -> dict[str, Fade]:
        """What has faded in some scopes, and what is cooled where the rules of a scope say so."""
        if not scores:
            return {}
        left: dict[str, float] = {}
        if self.made.fading is not None and scopes:
            left = await self.made.fading.left(list(scores), scopes)
        cooled = await self._cooled(scores, filters)
        lowest = min(scores.values())
        return {
            memory: Fade(left.get(memory, 1.0), scores[memory], lowest, memory in cooled)
            for memory in left.keys() | cooled
        }

    async def _cooled(self, scores: Mapping[str, float], filters: Filters) -> frozenset[str]:
        if self.made.cooling is None or not filters.current:
            return frozenset()
        cools_in = await self.made.cooling.where(filters.scopes)
        return await self.made.cooling.near(list(scores), cools_in)

    async def _proved(self, scores: dict[str, float], request: SearchRequest) -> dict[str, float]:
        """The scores moved by how tasks ended that used the best of them, where that is asked for;
        what no task used stays as it is, unless a score would be more than 1."""
        if not request.outcomes or not scores:
            return scores
        known = await self._repository.qualities(best(scores)[:PROVED], request.filters.scopes)
        moved = {m: s * boost(known.get(m, UNKNOWN), request.outcomes) for m, s in scores.items()}
        most = max(1.0, *moved.values())
        return {memory: score / most for memory, score in moved.items()}

    async def _legs(self, request: SearchRequest, clock: Stopwatch) -> Legs:
        """Both legs side by side; where there is a graph, what draws a walk in it as well."""
        request, beside = apart(request)
        asking = Asking(
            request,
            resolved(request.filters),
            asyncio.ensure_future(ready(self.made.walks, request)),
            clock,
        )
        by_words = asyncio.ensure_future(self._keyword(asking))
        words, near, rest, remembers = await asyncio.gather(
            by_words, self._vector(asking), self._rest(asking, by_words), self._remembers(beside)
        )
        legs = {} if words is None else {"keyword": words}
        if near is not None:
            legs["vector"] = near.ranking
        more = partial(self._words, asking, depth=self._depth)
        memories = {}
        if beside is not None and remembers:
            memories = await self._remembered(asking, beside, near)
        return Legs(legs, asking.preparing.result(), rest, more, near, memories)

    async def _remembers(self, request: SearchRequest | None) -> bool:
        """Whether there are any memories where they are looked for by themselves: most tenants have
        none, and one look is quicker than two legs."""
        if request is None:
            return False
        filters = request.filters
        pieces = [piece for part in filters.split for piece in part.pieces]
        queries = [any_query(piece, resolved(filters)) for piece in pieces]
        found = await asyncio.gather(
            *(self._repository.any_memory(filters.scopes, query) for query in queries)
        )
        return any(found)

    async def _remembered(
        self, asking: Asking, request: SearchRequest, near: Near | None
    ) -> dict[str, Ranking]:
        """Memories alone, by the legs that run."""
        only, legs = replace(asking, request=request), {}
        if request.mode is not Mode.VECTOR:
            legs["keyword"] = self._words(only, request.query, self._depth)
        if near is not None:
            legs["vector"] = self._vectors.find(
                near.parts, request.filters, asking.sessions, self._depth
            )
        found = dict(zip(legs, await asyncio.gather(*legs.values()), strict=True))
        return {name: ranking for name, ranking in found.items() if ranking.scores}

    async def _keyword(self, asking: Asking) -> Ranking | None:
        if asking.request.mode is Mode.VECTOR:
            return None
        start = time.perf_counter()
        found = await self._words(asking, asking.request.query, self._depth)
        asking.clock.marks["keyword"] = (time.perf_counter() - start) * 1000
        return found

    async def _rest(self, asking: Asking, by_words: Future[Ranking | None]) -> Ranking | None:
        """What the question says beside the names in it, by words; None where nothing walks."""
        prepared = await asking.preparing
        if not prepared.graphs:
            return None
        if prepared.asked.rest == asking.request.query:
            return await by_words
        return await self._words(asking, prepared.asked.rest, self._depth)

    async def _words(self, asking: Asking, text: str, depth: int) -> Ranking:
        terms = [variant for word in query_terms(text) for variant in word]
        dates, filters = date_terms(text), asking.request.filters
        pieces = [piece for part in filters.split for piece in part.pieces]
        queries = [text_query(terms, dates, piece, asking.sessions) for piece in pieces]
        found = await asyncio.gather(
            *(
                self._repository.keyword(query, filters.scopes, depth)
                for query in queries
                if query is not None
            )
        )
        return Ranking.joined(found).first(depth)

    async def _vector(self, asking: Asking) -> Near | None:
        request = asking.request
        if request.mode is Mode.KEYWORD:
            return None
        start, marks = time.perf_counter(), asking.clock.marks
        parts = await self._vectors.parts(request.query, request.filters.scopes)
        marks["embed"] = (time.perf_counter() - start) * 1000
        sought, step = await self._sought(request, parts)
        start = time.perf_counter()
        found = await self._vectors.find(sought, request.filters, asking.sessions, self._depth)
        marks["vector"] = (time.perf_counter() - start) * 1000
        # What is like an imagined passage is not for that like an answer: it is compared anew.
        return Near(found if sought is parts else replace(found, similar={}), parts, step)

    async def _sought(
        self, request: SearchRequest, parts: list[Part]
    ) -> tuple[list[Part], Step | None]:
        """What vectors are sought by: the question, or where HyDE is wanted what lies between it
        and a passage that might answer it."""
        if not request.hyde:
            return parts, None
        if self.made.imagination is None:
            reason = "it is switched off, or no language model is configured"
            return parts, Step(StepName.HYDE, StepState.SKIPPED, reason)
        imagined = await self.made.imagination.passage(request.query, request.asker)
        if not imagined.text:
            return parts, imagined.step
        return await self._vectors.toward(parts, imagined.text), imagined.step

    async def matrix(self, ids: list[str], scopes: list[str]) -> npt.NDArray[np.float32]:
        """Return a row for each memory, zero where it has no vector."""
        return await self._vectors.matrix(ids, scopes)

    def shown(self, ids: list[str]) -> None:
        """Count memories that go into a prompt."""
        if self.made.shown is not None:
            self.made.shown(ids, True)

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
        told: Told,
    ) -> list[Hit]:
        memories, scopes = reading.memories, request.filters.scopes
        shown = {candidate.id for candidate in pool}
        spans = await self._spans(pool, memories, scopes)
        read = [c.id for c in pool if _rests_on_turns(memories[c.id])]
        turns = await self._repository.turns(read, request.filters)
        texts = {c.id: _texts(c.id, memories[c.id], spans[c.id], turns, told) for c in pool}
        tokens = await aside(list(texts.values()), lambda: _tokens(texts), READ)
        hits = []
        for rank, candidate in enumerate(pool, start=1):
            memory = memories[candidate.id]
            span = spans[candidate.id]
            hits.append(
                Hit(
                    id=candidate.id,
                    rank=rank,
                    score=candidate.score,
                    legs=candidate.legs,
                    memory=memory,
                    span=span,
                    tokens=tokens[candidate.id],
                    marks=told.marks[candidate.id],
                    changes=told.changes[candidate.id],
                    superseded_by=told.hints[candidate.id],
                    turns=tuple(turns.get(candidate.id, ())),
                    later=tuple(i for i in told.later.get(candidate.id, ()) if i in shown),
                )
            )
        return hits

    async def _spans(
        self, pool: list[Candidate], memories: Mapping[str, Row], scopes: list[str]
    ) -> dict[str, tuple[int, int]]:
        """The range of each candidate's text that was found; all of it where it is short."""
        windows = {c.id: place for c in pool if (place := _place(c, memories[c.id]))}
        ids = [f"{memory}~{place}" for memory, place in windows.items()]
        found = await self._repository.spans(ids, scopes)
        whole = {c.id: (0, len(memories[c.id]["content"])) for c in pool}
        return {m: found.get(f"{m}~{windows.get(m)}", span) for m, span in whole.items()}

    async def _marks(
        self, pool: list[Candidate], reading: Reading, scopes: list[str]
    ) -> dict[str, tuple[Mark, ...]]:
        """What of each candidate's words does not hold."""
        memories = [reading.memories[c.id] for c in pool]
        past = await self._past(memories, reading, scopes)
        return {memory["id"]: marks_of(memory, past, reading.moments) for memory in memories}

    async def _changes(
        self, pool: list[Candidate], reading: Reading, scopes: list[str]
    ) -> dict[str, tuple[PossibleChange, ...]]:
        """What may have changed of each candidate: of a fact itself, of what others say is so."""
        says = {c.id: said_by(reading.memories[c.id], reading.held) for c in pool}
        await self._changed(reading, {fact for said in says.values() for fact in said}, scopes)
        known = {fact: change for fact, change in reading.changes.items() if change is not None}
        return {memory: of_facts(said, known) for memory, said in says.items()}

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


def resolved(filters: Filters) -> list[str] | None:
    """Ids of the sessions that are named by id, or by key in any scope that is read."""
    if filters.sessions is None:
        return None
    keyed = [session_id(scope, key) for scope in filters.scopes for key in filters.sessions]
    return [*filters.sessions, *keyed]


def first_of(front: Sequence[str], order: Sequence[str]) -> list[str]:
    """The same ids with some of them in front."""
    chosen = set(front)
    return [*front, *(memory for memory in order if memory not in chosen)]


def candidates(
    ids: list[str],
    scores: Mapping[str, float],
    legs: Mapping[str, Ranking],
    memories: Mapping[str, Ranking],
) -> list[Candidate]:
    """These memories with their score and their place in each leg."""
    found = [
        (name, ranking, {m: rank for rank, m in enumerate(ranking.scores, 1)})
        for part in (legs, memories)
        for name, ranking in part.items()
    ]
    return [
        Candidate(
            memory,
            scores[memory],
            {
                name: Leg(ranks[memory], ranking.scores[memory], ranking.places.get(memory, 0))
                for name, ranking, ranks in found
                if memory in ranks
            },
        )
        for memory in ids
    ]


def _rests_on_turns(memory: Row) -> bool:
    """Whether what was said comes along as evidence: with memories, and notes of an answer."""
    return memory["kind"] == MEMORY or (memory["kind"] == NOTE and bool(memory["sources"]))


def apart(request: SearchRequest) -> tuple[SearchRequest, SearchRequest | None]:
    """The request without memories, and the same for memories alone where turns are looked for."""
    filters = request.filters
    if MEMORY not in filters.kinds or not any(kind in PASSAGES for kind in filters.kinds):
        return request, None
    rest = [kind for kind in filters.kinds if kind != MEMORY]
    memories = replace(request, filters=replace(filters, kinds=[MEMORY]))
    return replace(request, filters=replace(filters, kinds=rest)), memories


def wanted(request: SearchRequest) -> int:
    """How many memories are read: more than are shown where others may take their places."""
    holds = request.floor is not None and not request.floor.whole
    looks = holds or request.rerank is not Rerank.NONE
    return max(considered(request), POOL) if looks else considered(request)


def considered(request: SearchRequest) -> int:
    """How many memories a later word or diversity chooses from."""
    return max(LOOK, request.limit * (MMR_POOL if request.diversity is not None else 1))


def explained(hit: Hit, at: Ordered, judge: Judge) -> Hit:
    """The hit with how relevant it is, how it faded, and how the walk came to it."""
    return replace(
        hit,
        fade=at.faded.get(hit.id),
        path=at.walk.path(hit.id, at.scores),
        relevance=judge.relevance(hit.id),
        similarity=judge.similarity(hit.id),
    )


def steps_of(found: Legs, looked: Looked) -> tuple[Step, ...]:
    """What was asked for beside the legs, in the order in which it was done."""
    hyde = found.near.step if found.near else None
    return looked.steps if hyde is None else (hyde, *looked.steps)


def why_empty(at: Ordered, reading: Reading, looked: Looked) -> Empty:
    """Why an answer has no hit."""
    if not at.scores:
        return Empty.NOTHING_FOUND
    if not reading.memories:
        return Empty.NOTHING_HOLDS
    return Empty.OVER_BUDGET if looked.pool else Empty.BELOW_FLOOR


def text_of(memory: Row, span: tuple[int, int]) -> Row:
    """What a reranker reads of a memory, and the scope that it lies in."""
    text = memory["content"][span[0] : span[1]]
    title = memory.get("title")
    return {"scope": memory["scope"], "text": f"{title}. {text}" if title else text}


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


def _place(candidate: Candidate, memory: Row) -> int:
    if (memory["windows"] or 1) == 1:
        return 0
    best = min(candidate.legs.values(), key=lambda leg: (leg.place == 0, leg.rank))
    return best.place


async def _restated(query: str, memories: Sequence[Row]) -> dict[str, tuple[PossibleChange, ...]]:
    """What newer hits may have changed; in a thread where they are long."""
    texts = [memory["content"] for memory in memories]
    return await aside(texts, lambda: restated(query, memories), READ)


def _texts(
    memory: str, row: Row, span: tuple[int, int], turns: Mapping[str, Sequence[Row]], told: Told
) -> list[str]:
    """All that is said of a hit, which its tokens are counted by."""
    spoken = [turn["content"] for turn in turns.get(memory, ())]
    is_fact = row["kind"] == "fact"
    changes = [one.aside if is_fact else one.sentence for one in told.changes[memory]]
    return [row["content"][span[0] : span[1]], *spoken, *changes]


def _tokens(texts: Mapping[str, Sequence[str]]) -> dict[str, int]:
    return {memory: sum(map(count_tokens, said)) for memory, said in texts.items()}
