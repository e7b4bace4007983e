"""What each part of the graph of names brings to a walk, and how long a walk takes.

It asks the graph itself, in one process: both legs once for each question, and then a walk over
the graph as it is, and over the same graph with parts left out. The walk's own time stands beside
that of the vector leg in the same minutes.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from app.embeddings.measured import Measured
from app.errors import InvalidInput, NotFound
from app.indexing.analysis import query_terms
from app.indexing.dates import date_terms
from app.indexing.fusion import weighted
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.retrieval.alike import widened
from app.retrieval.asking import asks
from app.retrieval.graphs import GIVEN, NEVER, Course, take
from app.retrieval.matrix import Linked, Walkable, build
from app.retrieval.model import Begin
from app.retrieval.service import beside, leading, walk_all
from app.retrieval.synonyms import COSINES, SynonymService
from app.search.lucene import text_query
from app.search.model import Filters, Ranking
from app.search.repository import SearchRepository
from app.search.vectors import VectorLeg
from app.search.walking import MOST, WEIGHTS, Outset, Ready, begin_of, led, meant_in, of
from app.wiring import Parts
from bench.packing import Extras, bring, distractors, near
from bench.passages import CUTS, Ids
from bench.recall import OVERALL, Corpus, Question, table
from bench.speed import Times

TITLES = frozenset(("title", "bare", "short"))
REVISIONS = 64  # read at once
WARM_UP = 20  # questions before the clock counts
DEPTH = 100  # hits of a leg
KEPT = 0.3  # of the names in a copy

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Part:
    """Which parts of the graph a walk has; without `drawn` every way is as good as another."""

    openings: bool = True  # subjects and other names of first sentences
    shared: bool = True  # names that nobody goes by
    given: bool = True  # ends of given triples
    drawn: bool = True
    led: bool = True  # a passage far ahead is taken as named
    alike: bool = False  # names lead to those that read alike, where these were compared


WHOLE = Part()
VARIANTS = {
    "titles alone": Part(openings=False, shared=False, given=False),
    "and what openings say": Part(shared=False, given=False),
    "and names that nobody goes by": Part(given=False),
    "and ends of triples: everything": WHOLE,
    "everything, drawn by nothing": Part(drawn=False),
    "everything, nothing taken as named": Part(led=False),
    "everything, and names that read alike": Part(alike=True),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A question with what the vector leg found for it."""

    question: Question
    vector: Ranking


@dataclass(slots=True)
class Spent:
    """Milliseconds of each question: its vector leg, its walk, and of that this process's own."""

    vector: list[float]
    walk: list[float]
    processor: list[float]


class Walking:
    """One scope's passages, and the questions about them."""

    def __init__(self, opened: Parts, scope: str, corpus: Corpus) -> None:
        self._opened = opened
        self._scope = scope
        self._corpus = corpus
        self._filters = Filters(scopes=[scope], kinds=["episode"])
        self._repository = SearchRepository(opened.graph)
        self._vectors = VectorLeg(self._repository, opened.spaces)
        self._words: dict[str, Ranking] = {}
        self.spent = Spent([], [], [])

    async def measure(self, ids: Ids, tell: Tell, times: int = 1) -> dict[str, Any]:
        """Recall of each variant of the graph, and the times of the whole one; with `times` only
        that, over every passage so many times."""
        rows = await linked_rows(self._opened, self._scope)
        alike = await self._opened.walks.rows.synonyms(self._scope)
        tell(f"{self._scope}: {len(rows)} passages, {len(alike)} names that read like another")
        cases = [await self._case(question, ids) for question in self._corpus.questions]
        told: dict[str, Any] = {"passages": len(rows) * times}
        for name, part in VARIANTS.items():
            if (times > 1 and part is not WHOLE) or (part.alike and not alike):
                continue
            graph = await asyncio.to_thread(graph_of, rows, part, times, alike)
            answers = [await self._answer(case, graph, part) for case in cases]
            told[name] = dict(table(answers, CUTS))[OVERALL]
            tell(f"{name}: {told[name]}")
            if part is WHOLE:
                told["milliseconds"] = self._times()
                told["graph"] = {"names": len(graph.keys), "megabytes": graph.bytes >> 20}
        return told

    async def _case(self, question: Question, ids: Ids) -> Case:
        gold = frozenset(ids.get(name, name) for name in question.gold)
        parts = await self._vectors.parts(question.text, [self._scope])
        start = time.perf_counter()
        vector = await self._vectors.find(parts, self._filters, None, DEPTH)
        self.spent.vector.append((time.perf_counter() - start) * 1000)
        return Case(replace(question, gold=gold), vector)

    async def _find(self, text: str) -> Ranking:
        """The text leg; the same words are asked once."""
        if text not in self._words:
            terms = [variant for word in query_terms(text) for variant in word]
            query = text_query(terms, date_terms(text), self._filters, None)
            found = await self._repository.keyword(query, [self._scope], DEPTH) if query else None
            self._words[text] = found or Ranking.empty()
        return self._words[text]

    async def _answer(
        self, case: Case, graph: Walkable, part: Part
    ) -> tuple[Question, Sequence[str]]:
        graphs, text = {self._scope: graph}, case.question.text
        asked, whole = asks(graphs, text), await self._find(text)
        fused = weighted({"keyword": of(whole), "vector": of(case.vector)}, WEIGHTS)
        rest = await self._find(asked.rest)
        outset = meant_in(Outset(Ready(graphs, asked), rest, case.vector, self._find, whole, fused))
        begin = begin_of(outset.rest, outset.vector)
        if part.led:
            begin = await self._led(outset, begin, text)
        if not part.drawn:
            begin = replace(begin, match={})
        start, processor = time.perf_counter(), time.thread_time()
        found = walk_all(graphs, outset.ready.asked, begin, MOST).scores
        if part is WHOLE:
            self.spent.walk.append((time.perf_counter() - start) * 1000)
            self.spent.processor.append((time.thread_time() - processor) * 1000)
        return case.question, list(found)[: max(CUTS)]

    async def _led(self, outset: Outset, begin: Begin, text: str) -> Begin:
        lead = None if outset.ready.asked.anchored else leading(begin)
        if lead is None:
            return begin
        left = beside(text, await self._opened.walks.terms(lead, [self._scope]))
        return await led(outset, begin, lead, left)

    def _times(self) -> dict[str, Any]:
        return {name: asdict(Times.of(v[WARM_UP:])) for name, v in asdict(self.spent).items()}


async def linked_rows(opened: Parts, scope: str) -> list[Row]:
    """What every passage of a scope is about and names; NotFound where there is none."""
    found = await opened.walks.rows.revisions([scope])
    if scope not in found:
        raise NotFound(f"nothing was linked in {scope}: run `python -m bench passages` first")
    rows: list[Row] = []
    for after in range(0, found[scope].revision, REVISIONS):
        rows += await opened.walks.rows.linked_since(scope, after, after + REVISIONS)
    return rows


def graph_of(
    rows: Sequence[Row], part: Part, times: int = 1, alike: Mapping[str, list[str]] | None = None
) -> Walkable:
    """The matrix of a scope with only these parts, every passage in it so many times; `alike` says
    what names may stand for."""
    kept = [row if part.openings else _titled(row) for row in rows]
    owned = {key for row in kept for key, _ in row["about"]}
    course = Course("", NEVER, NEVER)
    take(course, [{**row, "names": [_owned(n, owned) for n in row["names"]]} for row in kept])
    linked = {passage: _named(held, owned, part) for passage, held in course.linked.items()}
    standing = alike if alike and part.alike else {}
    return build(widened(linked | _copies(linked, times), standing))


def _copies(linked: dict[str, Linked], times: int) -> dict[str, Linked]:
    """Copies that go by names of their own; three in ten of the names in their texts are those of
    the originals, so that what is shared is shared by many more."""
    chance = random.Random(5)
    return {
        f"{passage}~{copy}": Linked(
            {f"{key} {copy}": how for key, how in held.about.items()},
            {
                key if chance.random() < KEPT else f"{key} {copy}": weight
                for key, weight in held.names.items()
            },
        )
        for copy in range(1, times)
        for passage, held in linked.items()
    }


def _titled(row: Row) -> Row:
    return {**row, "about": [name for name in row["about"] if name[1] in TITLES]}


def _owned(name: list[Any], owned: set[str]) -> list[Any]:
    return [name[0], name[0] in owned, *name[2:]]


def _named(held: Linked, owned: set[str], part: Part) -> Linked:
    names = {
        key: weight
        for key, weight in held.names.items()
        if (part.shared or key in owned) and (part.given or weight != GIVEN)
    }
    return replace(held, names=names)


async def compare_names(opened: Parts, scope: str) -> dict[str, float]:
    """Have the names of a scope compared, and how long that took; InvalidInput for a model whose
    cosines were not measured."""
    model = Measured.of(opened.embedder, COSINES)
    if model is None:
        raise InvalidInput(
            f"when names read alike was not measured for {opened.embedder.info.name}",
            field="synonyms",
        )
    start = time.perf_counter()
    synonyms = SynonymService(opened.graph, model)
    await synonyms.rows.begin(scope)
    names = await synonyms.compare((scope, scope.partition("/")[0]))
    return {"names": names, "seconds": round(time.perf_counter() - start, 1)}


async def ids_of(opened: Parts, scope: str) -> Ids:
    """The passages of a scope by the names of their sessions, which are the data set's own ids."""
    rows = await opened.graph.rows(Q.evals.ids_by_session, scope=scope)
    return {row["session"]: row["id"] for row in rows}


async def crowd(opened: Parts, corpus: Corpus, places: tuple[str, str], count: int) -> Ids:
    """Fill the second scope with the passages of the first and so many copies, with vectors.

    They count as read, so that nobody looks for facts in them.
    """
    base, scope = places
    known = await ids_of(opened, base)
    rows = await opened.graph.rows(Q.evals.vectors_of, scope=base)
    stored = {row["id"]: np.asarray(row["vector"], np.float32) for row in rows}
    vectors = {name: stored[i] for name, i in known.items() if i in stored}
    copies = list(distractors(corpus.records, count))
    vectors |= near(vectors, [copy.id for copy in copies])
    extras = Extras({}, vectors, opened.embedder.info)
    ids = await bring(opened, scope, [*corpus.records, *copies], extras)
    await opened.linking.link((scope, scope.partition("/")[0]))
    return ids
