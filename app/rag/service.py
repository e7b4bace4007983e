"""Graph retrieval: seeds, communities, passages, scores, summaries; and contexts made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from app.communities.repository import CommunityRepository
from app.communities.view import CommunityView, viewed
from app.embeddings.calibration import Calibration, calibration
from app.embeddings.model import Embedder, Role
from app.indexing.entry import PASSAGES
from app.kernel.clock import now
from app.kernel.graph import Graph, Row
from app.questions.model import Searched
from app.rag.model import (
    COMMUNITIES,
    SEEDS,
    Ask,
    Context,
    Passage,
    Reached,
    Retrieved,
    Seed,
    Step,
    Without,
)
from app.rag.overall import is_overall
from app.rag.packing import packed
from app.rag.repository import RagRepository
from app.rag.scoring import FADES, passage_score
from app.rag.seeds import asked_names, chosen, weighed
from app.rag.units import units_of
from app.search.model import Filters, Hit, Mode, SearchRequest
from app.search.service import SearchService, Stopwatch
from app.search.telling import searched

FAN = 8  # steps from one entity
LOOKED = 60  # passages of communities that are scored
OF_ENTITY = 40  # passages looked at for one entity


@dataclass(slots=True)
class Walk:
    """Entities that were come to: from which, by which fact, after how many hops."""

    names: dict[str, Row] = field(default_factory=dict)
    before: dict[str, tuple[str | None, str | None, str | None]] = field(default_factory=dict)
    hops: dict[str, int] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)

    def path(self, entity: str) -> tuple[Step, ...]:
        """The way from the seed."""
        steps: list[Step] = []
        at: str | None = entity
        while at is not None and len(steps) < len(self.before):
            came, fact, predicate = self.before[at]
            name = self.names[at]["name"] if at in self.names else ""
            steps.append(Step(at, name, fact, predicate))
            at = came
        return tuple(reversed(steps))


@dataclass(frozen=True, slots=True)
class Matched:
    """Hits of a search, and what is recorded of it."""

    hits: list[Hit]
    told: Searched


class GraphRagService:
    """Holds no tenant state: scopes come with each question."""

    def __init__(self, graph: Graph, searches: SearchService, embedder: Embedder) -> None:
        self.rows = RagRepository(graph)
        self.communities = CommunityRepository(graph)
        self.searches = searches
        self._embedder = embedder
        self._means = calibration(embedder.info.name)

    async def retrieve(self, ask: Ask) -> Retrieved:
        """What the graph has on a question; without a seed nothing, and why.

        Raises NotFound for a knowledge base that is not seen.
        """
        clock = Stopwatch()
        if is_overall(ask.query):
            await self.check_bases(ask)
            found = await self._overall(ask)
            clock.mark("communities")
            return replace(found, milliseconds=clock.marks)
        matched = await self.found(ask.query, ask, max(ask.top_k, SEEDS))
        hits = matched.hits
        clock.mark("search")
        vector = (await self._embedder.embed([ask.query], Role.QUERY))[0]
        seeds = await self._seeds(ask, hits, vector)
        clock.mark("seeds")
        if not seeds:
            bare = Retrieved(ask, [], [], [], without=Without.NO_SEEDS, searches=(matched.told,))
            return replace(bare, milliseconds=clock.marks)
        walk = await self._walk(ask, seeds)
        reached = await self._reached(ask, walk)
        clock.mark("communities")
        passages = await self._passages(ask, walk, hits, vector)
        clock.mark("passages")
        without = None if reached else Without.NO_COMMUNITIES
        return Retrieved(
            ask,
            seeds,
            reached,
            passages,
            without=without,
            milliseconds=clock.marks,
            searches=(matched.told,),
        )

    async def build_context(self, ask: Ask, budget: int) -> tuple[Retrieved, Context]:
        """A context of whole paths and summaries under a token budget, with its ledger."""
        found = await self.retrieve(ask)
        return found, packed(units_of(found), budget)

    async def found(self, query: str, ask: Ask, limit: int) -> Matched:
        """Passages that the default search finds, those of some knowledge bases where asked for."""
        filters = Filters(scopes=ask.scopes, kinds=list(PASSAGES))
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

    async def _overall(self, ask: Ask) -> Retrieved:
        """The outermost communities, the largest first, and what their summaries quote."""
        ids = await self.communities.page(ask.scopes, {}, 0, COMMUNITIES)
        views = await self._views(ask, ids)
        largest = max((view.size for view in views), default=1)
        reached = [Reached(view, round(view.size / largest, 6), 0, ()) for view in views]
        without = None if reached else Without.NO_COMMUNITIES
        return Retrieved(ask, [], reached, [], overall=True, without=without)

    async def _seeds(self, ask: Ask, hits: Sequence[Hit], vector: Sequence[float]) -> list[Seed]:
        named = await self.rows.named(asked_names(ask.query, ask.scopes), ask.scopes)
        cosines = await self.rows.near([float(x) for x in vector], ask.scopes, SEEDS)
        near = [(entity, self._means.similarity(cosine)) for entity, cosine in cosines]
        scores = {hit.id: hit.score for hit in hits[:SEEDS]}
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

    async def _reached(self, ask: Ask, walk: Walk) -> list[Reached]:
        best: dict[str, str] = {}
        for entity, row in walk.names.items():
            community = row["community"]
            if community is not None and (
                community not in best or walk.scores[entity] > walk.scores[best[community]]
            ):
                best[community] = entity
        ids = sorted(best, key=lambda i: (-walk.scores[best[i]], i))[:COMMUNITIES]
        views = await self._views(ask, ids)
        return [
            Reached(view, round(walk.scores[e], 6), walk.hops[e], walk.path(e))
            for view in views
            if (e := best[view.id])
        ]

    async def _views(self, ask: Ask, ids: Sequence[str]) -> list[CommunityView]:
        """Communities; where only some knowledge bases count, with what these say of them."""
        views = viewed(await self.communities.read(ids, ask.scopes, now()))
        if ask.bases is None:
            return views
        sources = {line.source for view in views for line in view.lines}
        kept = await self.rows.in_bases(sorted(sources), ask.bases, ask.scopes)
        return [view.only(kept) for view in views]

    async def _passages(
        self, ask: Ask, walk: Walk, hits: Sequence[Hit], vector: Sequence[float]
    ) -> list[Passage]:
        where = {
            "scopes": ask.scopes,
            "bases": ask.bases,
            "vector": [float(x) for x in vector],
            "limit": LOOKED,
            "fan": OF_ENTITY,
        }
        rows = {row["id"]: row for row in await self.rows.passages(sorted(walk.names), where)}
        ranks = {hit.id: hit for hit in hits}
        for mention in await self.rows.mentioned(
            [hit.id for hit in hits if hit.id not in rows], ask.scopes
        ):
            if mention["root"] in walk.names:
                rows.setdefault(mention["passage"], _row(ranks[mention["passage"]]))
                rows[mention["passage"]]["roots"].append(mention["root"])
        found = [_passage(row, walk, ranks.get(row["id"]), self._means) for row in rows.values()]
        return sorted(found, key=_order)[: ask.top_k]


def _row(hit: Hit) -> Row:
    """A hit in the form of a row of `rag.passages`; how close it is its own leg tells."""
    memory = hit.memory
    names = ("kind", "scope", "title", "content", "captured_at")
    leg = hit.legs.get("vector")
    closeness = leg.score if leg is not None else None
    own = {"id": hit.id, **{name: memory[name] for name in names}}
    past = [mark.statement for mark in hit.marks]
    return {**own, "roots": [], "closeness": closeness, "past": past}


def _passage(row: Row, walk: Walk, hit: Hit | None, means: Calibration) -> Passage:
    """A passage is come to by the entity of it that the walk holds highest."""
    entity = min(row["roots"], key=lambda root: (-walk.scores[root], root))
    home = walk.names[entity]
    close = row["closeness"]
    similarity = None if close is None else round(means.similarity(2 * close - 1), 6)
    span = hit.span if hit is not None else (0, len(row["content"]))
    return Passage(
        id=row["id"],
        kind=row["kind"],
        scope=row["scope"],
        title=row["title"],
        text=row["content"][span[0] : span[1]],
        captured_at=row["captured_at"],
        score=round(passage_score(similarity, home["size"] or 0), 6),
        similarity=similarity,
        rank=hit.rank if hit is not None else None,
        community=home["community"],
        path=walk.path(entity),
        past=tuple(sorted(row["past"])),
    )


def _order(passage: Passage) -> tuple[int, float, int, str]:
    """What the search beside found comes first, in its order; the rest by score and path."""
    last = 1_000_000
    rank = passage.rank if passage.rank is not None else last
    return rank, -passage.score, len(passage.path), passage.id
