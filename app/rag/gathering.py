"""Passages of the entities that a walk came to, with how like the question each is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from app.facts.possible import of_facts
from app.facts.service import Moments
from app.facts.view import FactView
from app.indexing.analysis import detect_language
from app.indexing.entry import PASSAGES
from app.indexing.spaces import Part
from app.kernel.graph import Row
from app.rag.model import Ask, Passage, Step
from app.rag.repository import RagRepository
from app.rag.scoring import LIKELY, passage_score
from app.search.believed import flags_of
from app.search.model import Filters, Hit, Ranking
from app.search.vectors import VectorLeg

LOOKED = 60  # passages that name most of the entities
OF_ENTITY = 40  # passages of one entity
CLOSE = 100  # passages closest to the question that are looked at
LAST = 1_000_000  # the place of what no search found


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


class Gathering:
    """Reads within the scopes of each question, every scope in the space of its own model."""

    def __init__(self, rows: RagRepository, vectors: VectorLeg, view: FactView) -> None:
        self._rows = rows
        self._view = view
        self._vectors = vectors

    async def passages(
        self, ask: Ask, walk: Walk, parts: Sequence[Part], hits: Sequence[Hit]
    ) -> list[Passage]:
        """Hits that may answer, whatever they name; of the passages that name an entity of the walk
        all hits, the closest to the question, and those that name most of the entities: best first.
        """
        likely = [hit for hit in hits if hit.relevance >= LIKELY]
        others = [_other(hit) for hit in likely if hit.memory["kind"] not in PASSAGES]
        found = {hit.id: hit for hit in hits if hit.memory["kind"] in PASSAGES}
        close = (await self._close(ask, parts)).similar
        roots = await self._naming([*found, *close], ask, walk)
        for row in await self._rows.passages(sorted(walk.names), ask, (LOOKED, OF_ENTITY)):
            roots[row["id"]] = row["roots"]
        for hit in likely:
            if hit.id in found:
                roots.setdefault(hit.id, [])
        known = close.keys() | {i for i, hit in found.items() if hit.similarity}
        near = close | await self._vectors.similar(parts, [i for i in roots if i not in known])
        language = detect_language(ask.query)
        passages: list[Passage] = []
        says: dict[str, list[str]] = {}
        for row in await self._rows.texts(list(roots), ask):
            named = {**row, "roots": roots[row["id"]]}
            at = near.get(row["id"])
            similarity = at.similarity(language, row["language"]) if at else None
            passages.append(_passage(named, walk, found.get(row["id"]), similarity))
            if row["id"] not in found:
                says[row["id"]] = row["stated"]
        best = sorted([*others, *passages], key=_order)[: ask.top_k]
        return await self._with_changes(best, says, ask.scopes)

    async def _with_changes(
        self, passages: list[Passage], says: dict[str, list[str]], scopes: list[str]
    ) -> list[Passage]:
        """The same, each that no search brought with what may have changed of what it states."""
        facts = {fact for one in passages for fact in says.get(one.id, ())}
        found = await self._view.possible_changes(facts, scopes, Moments.of(None, None))
        return [
            replace(one, changes=of_facts(says[one.id], found)) if one.id in says else one
            for one in passages
        ]

    async def _close(self, ask: Ask, parts: Sequence[Part]) -> Ranking:
        """What is closest to the question: of an entity that many name the first by name say
        little."""
        filters = Filters(scopes=ask.scopes, kinds=list(PASSAGES), sessions=ask.bases)
        return await self._vectors.find(parts, filters, ask.bases, CLOSE)

    async def _naming(self, ids: Sequence[str], ask: Ask, walk: Walk) -> dict[str, list[str]]:
        """Those of some passages that name an entity of the walk, with these."""
        named: dict[str, list[str]] = {}
        for mention in await self._rows.mentioned(ids, ask.scopes):
            if mention["root"] in walk.names:
                named.setdefault(mention["passage"], []).append(mention["root"])
        return named


def _passage(row: Row, walk: Walk, hit: Hit | None, similarity: float | None) -> Passage:
    """A passage is come to by the entity of it that the walk holds highest; where it names none,
    the search alone led to it."""
    entity = min(row["roots"], key=lambda root: (-walk.scores[root], root), default=None)
    if hit is not None and hit.similarity:
        similarity = hit.similarity
    home = walk.names[entity] if entity else {"community": None, "size": None}
    span = hit.span if hit is not None else (0, len(row["content"]))
    return Passage(
        id=row["id"],
        kind=row["kind"],
        scope=row["scope"],
        title=row["title"],
        text=row["content"][span[0] : span[1]],
        captured_at=row["captured_at"],
        score=round(passage_score(similarity, home["size"] or 0), 6),
        similarity=None if similarity is None else round(similarity, 6),
        rank=hit.rank if hit is not None else None,
        community=home["community"],
        path=walk.path(entity) if entity else (),
        past=tuple(sorted(row["past"])),
        span=span,
        work=row["work"],
        first=row["first"] or 0,
        flags=tuple(row["flags"] or ()),
        changes=hit.changes if hit is not None else (),
    )


def _other(hit: Hit) -> Passage:
    """A fact, a note or a skill as a passage: no walk over entities leads to it."""
    memory = hit.memory
    return Passage(
        id=hit.id,
        kind=memory["kind"],
        scope=memory["scope"],
        title=memory["title"],
        text=memory["content"][hit.span[0] : hit.span[1]],
        captured_at=memory["captured_at"],
        score=round(passage_score(hit.similarity, 0), 6),
        similarity=None if hit.similarity is None else round(hit.similarity, 6),
        rank=hit.rank,
        community=None,
        span=hit.span,
        flags=tuple(flags_of(memory)),
        changes=hit.changes,
    )


def _order(passage: Passage) -> tuple[int, float, int, str]:
    """What the search beside found comes first, in its order; the rest by score and path."""
    rank = passage.rank if passage.rank is not None else LAST
    return rank, -passage.score, len(passage.path), passage.id
