"""Graph retrieval: seeds, communities, passages, scores, summaries; and contexts made of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.embeddings.calibration import Kinds, calibration
from app.embeddings.model import Embedder, Role
from app.indexing.analysis import detect_language
from app.indexing.entry import PASSAGES
from app.indexing.fusion import by_rank
from app.indexing.spaces import FIRST, Part
from app.kernel.clock import now
from app.kernel.graph import Graph
from app.kernel.stopwatch import Stopwatch
from app.questions.model import Searched
from app.rag.gathering import Gathering, Walk
from app.rag.model import SEEDS, Ask, Context, Lack, Retrieved, Seed, Without
from app.rag.overall import is_overall
from app.rag.packing import packed
from app.rag.reaching import Reaching
from app.rag.repository import RagRepository
from app.rag.scoring import FADES
from app.rag.seeds import asked_names, chosen, weighed
from app.rag.units import traces_of, units_of
from app.search.mode import Mode
from app.search.model import Filters, Hit, SearchRequest
from app.search.service import SearchService
from app.search.telling import searched
from app.search.vectors import VectorLeg
from app.tables.hints import Hint, hints
from app.traces.model import LONGEST_TASK
from app.traces.similar import Similar, SimilarTraces, Sought

FAN = 8  # steps from one entity
TRACES = 3  # most of a context


@dataclass(frozen=True, slots=True)
class Matched:
    """Hits of a search, and what is recorded of it."""

    hits: list[Hit]
    told: Searched


class GraphRagService:
    """Holds no tenant state: scopes come with each question."""

    def __init__(
        self, graph: Graph, searches: SearchService, embedder: Embedder, traces: SimilarTraces
    ) -> None:
        self._traces = traces
        self.rows = RagRepository(graph)
        self.reaching = Reaching(graph, self.rows)
        self.searches = searches
        made = searches.made
        self._spaces = made.spaces
        vectors = VectorLeg(made.repository, made.spaces)
        self._gathering = Gathering(self.rows, vectors, made.view)
        self._embedder = embedder
        self._means = calibration(embedder.info.name)

    async def retrieve(self, ask: Ask) -> Retrieved:
        """What the graph has on a question, and what the search beside found and may answer.

        Without a seed there is the latter alone, and why. Raises NotFound for a knowledge base that
        is not seen.
        """
        clock = Stopwatch()
        if is_overall(ask.query):
            found = await self.overall(ask)
            clock.mark("communities")
            return replace(found, milliseconds=clock.marks)
        matched = await self.found(ask.query, ask, max(ask.top_k, SEEDS))
        clock.mark("search")
        parts = await self._spaces.asked(ask.query, ask.scopes)
        seeds = await self._seeds(ask, matched.hits, await self._plain(ask, parts))
        clock.mark("seeds")
        bare = Retrieved(ask, seeds, [], [], searches=(matched.told,), milliseconds=clock.marks)
        if not seeds:
            plain = await self._gathering.passages(ask, Walk(), parts, matched.hits)
            return replace(bare, passages=plain, lack=Lack(Without.NO_SEEDS))
        walk = await self._walk(ask, seeds)
        reached = await self.reaching.reached(ask, walk)
        clock.mark("communities")
        passages = await self._gathering.passages(ask, walk, parts, matched.hits)
        clock.mark("passages")
        missing = None if reached else await self.reaching.lack(ask)
        return replace(bare, communities=reached, passages=passages, lack=missing, homes=walk.names)

    async def overall(self, ask: Ask) -> Retrieved:
        """What the largest communities say, and why there are none; raises as `retrieve` does."""
        await self.check_bases(ask)
        reached = await self.reaching.overall(ask)
        lack = None if reached else await self.reaching.lack(ask)
        return Retrieved(ask, [], reached, [], overall=True, lack=lack)

    async def build_context(self, ask: Ask, budget: int) -> tuple[Retrieved, Context]:
        """A context of whole paths and summaries under a token budget, with its ledger.

        Where the graph has nothing to begin at, it holds what the search found.
        """
        found = await self.retrieve(ask)
        found = replace(found, hints=await self._hints(found))
        solved = traces_of(await self._solved(ask)) if ask.include_traces else []
        return found, await asyncio.to_thread(lambda: packed([*solved, *units_of(found)], budget))

    async def _solved(self, ask: Ask) -> list[Similar]:
        sought = Sought(ask.query[:LONGEST_TASK], self._traces.floor, TRACES)
        return await self._traces.among(ask.scopes, sought)

    async def _hints(self, found: Retrieved) -> tuple[Hint, ...]:
        """Tables that hold data of the seeds; nothing is asked where none of them has any."""
        names = {
            seed.entity: home["name"]
            for seed in found.seeds
            if (home := found.homes.get(seed.entity)) and home["has_data"]
        }
        return tuple(await hints(self.rows.graph, names, found.ask.scopes))

    async def found(self, query: str, ask: Ask, limit: int) -> Matched:
        """What the default search finds, of every kind that speaks: passages, facts, notes and
        skills; chunks of some knowledge bases where asked for."""
        filters = Filters(scopes=ask.scopes, kinds=ask.kinds, reader=ask.reader)
        request = SearchRequest(query=query, filters=filters, mode=Mode.AUTO, limit=limit)
        return await self.matching(request, ask)

    async def matching(self, request: SearchRequest, ask: Ask) -> Matched:
        """What a search finds, of some knowledge bases where the question names any: legs and
        walk keep to them while they search.

        Raises InvalidInput where it names none, NotFound for one that is not seen.
        """
        if ask.bases is not None:
            await self.check_bases(ask)
            kept = replace(request.filters, sessions=list(ask.bases))
            request = replace(request, filters=kept)
        found = await self.searches.search(request)
        return Matched(found.hits, searched(request, found))

    async def check_bases(self, ask: Ask) -> None:
        """Raises InvalidInput where a question names no base, NotFound for one that is not seen."""
        if ask.bases is not None:
            await self.searches.made.repository.check_bases(ask.bases, ask.scopes)

    async def _plain(self, ask: Ask, parts: Sequence[Part]) -> list[float]:
        """The question's vector by the model of the settings, which entities are embedded by."""
        known = [part.vector for part in parts if part.space is FIRST]
        return known[0] if known else (await self._embedder.embed([ask.query], Role.QUERY))[0]

    async def _seeds(self, ask: Ask, hits: Sequence[Hit], vector: Sequence[float]) -> list[Seed]:
        named = await self.rows.named(asked_names(ask.query, ask.scopes), ask.scopes)
        cosines = await self.rows.near(vector, ask.scopes, SEEDS)
        # The language of what is said of an entity is not known: taken as the question's.
        spoken = (detect_language(ask.query),) * 2
        near = [
            (entity, self._means.similarity(cosine, Kinds.ANSWER, spoken))
            for entity, cosine in cosines
        ]
        passages = [hit for hit in hits if hit.memory["kind"] in PASSAGES]
        scores = {hit.id: by_rank(hit.rank) for hit in passages[:SEEDS]}
        mentions = await self.rows.mentioned(list(scores), ask.scopes)
        return chosen(named, near, weighed(mentions, scores))

    async def _walk(self, ask: Ask, seeds: Sequence[Seed]) -> Walk:
        """Entities within the hops: the first hop is to a seed's community, each more one on."""
        walk = Walk()
        edge = [seed.entity for seed in seeds]
        for seed in seeds:
            walk.before[seed.entity] = (None, None, None)
            walk.hops[seed.entity], walk.scores[seed.entity] = 0, seed.score
        for hop in range(1, ask.max_hops):
            edge = await self._step(ask, walk, edge, hop)
            if not edge:
                break
        walk.names = await self.rows.homes(list(walk.before), ask.scopes)
        return walk

    async def _step(self, ask: Ask, walk: Walk, edge: list[str], hop: int) -> list[str]:
        found: list[str] = []
        for row in await self.rows.hop(edge, ask.scopes, now(), FAN):
            other, root = row["other"], row["root"]
            if other not in walk.before:
                walk.before[other] = (root, row["fact"], row["predicate"])
                walk.hops[other] = hop
                walk.scores[other] = walk.scores[root] * FADES
                found.append(other)
        return found
