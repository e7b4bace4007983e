"""Answers by rounds: search, rerank, look whether it suffices, ask for what is missing, answer.

Without a model the next round asks for the words that are missing, and an answer is made of
sentences that were found, each with its source; with one, the model words the next question, and
the answer is made of its sentences that cite what was found. Nothing in a source is an instruction:
it is given as data, and what the model says is only kept where it names its sources.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from app.communities.view import Line
from app.errors import LlmUnavailable
from app.facts.possible import PossibleChange
from app.llm.citing import Spoken, Task, cited
from app.llm.metered import MeteredModel
from app.llm.model import Question
from app.questions.model import Searched
from app.rag.extracting import Quote
from app.rag.model import Ask, Lack, Reached
from app.rag.overall import is_overall
from app.rag.quoting import quoted, text_of, told_of
from app.rag.rewording import Reworded, by_rule, rewording
from app.rag.scoring import (
    ENOUGH,
    Candidate,
    Ranked,
    gaps,
    mean,
    reranked,
    sufficient,
)
from app.rag.service import GraphRagService
from app.sanitize.aside import READ, aside
from app.scopes.service import ScopeService
from app.search.model import Hit

ROUNDS = 3  # seed 000
EACH = 10  # least results of a round: whether they suffice is a matter of the best three
LONGEST = 2000  # characters of a source that a model sees
UNANSWERED = "nothing is known that is likely to answer the question"
KEPT_FROM_MODEL = "what was found lies in a scope that keeps its texts from the language model"

INSTRUCTIONS = (
    "Answer the question from the numbered lines and from nothing else, in short sentences in the "
    "language of the question. Where the lines do not answer, give no sentence."
)


@dataclass(frozen=True, slots=True)
class Source:
    """A text that was found: a passage, or a line of a community's summary.

    `[start, end)` is its range of the memory's text; `work` is the document or page that the memory
    is a chunk of, and `first` where the chunk begins in the stored text of that. `relevance` is the
    calibrated one; of a line the size of its community against the largest.
    """

    id: str
    kind: str
    scope: str
    text: str
    title: str | None
    start: int
    end: int
    relevance: float
    work: str | None = None
    first: int = 0
    changes: tuple[PossibleChange, ...] = ()

    @property
    def told(self) -> str:
        """Its text, and behind it what may have changed of it."""
        if self.kind == "fact":
            return " ".join([self.text, *(change.aside for change in self.changes)])
        return " ".join([self.text[:LONGEST], *(change.sentence for change in self.changes)])


@dataclass(frozen=True, slots=True)
class Round:
    """One round: what was asked, what was new, how good the best three are and whether that
    suffices, and which words of the question nothing says yet."""

    query: str
    found: int
    fresh: int
    mean: float
    sufficient: bool
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer; `sources` are places in its list of sources.

    `span` is where the sentence itself stands in the text of its one source; None in other words.
    """

    text: str
    sources: tuple[int, ...]
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer; `by` is `extract` or a model's name, `note` says why nobody, or no model, spoke.

    `lack` says of a question about everything why no community answers it.
    """

    query: str
    sentences: tuple[Sentence, ...]
    sources: tuple[Source, ...]
    rounds: tuple[Round, ...]
    total: int
    by: str
    overall: bool = False
    note: str = ""
    searches: tuple[Searched, ...] = ()
    lack: Lack | None = None


class AgenticService:
    """Asks until it suffices, three times at most; `model` None answers by extracts."""

    def __init__(
        self, rag: GraphRagService, scopes: ScopeService, model: MeteredModel | None
    ) -> None:
        self._rag = rag
        self._scopes = scopes
        self._model = model

    async def answer(self, ask: Ask, rounds: int = ROUNDS) -> Answer:
        """An answer in which every sentence cites; none where nothing likely was found.

        It rests on `top_k` sources at most; more rounds than three are taken as three.
        Raises NotFound for a knowledge base that is not seen.
        """
        found = await self._found(ask, rounds)
        if self._model is None or not found.sentences:
            return found
        rules = await self._scopes.rules_of(sorted({one.scope for one in found.sources}))
        if not all(rule.language_model for rule in rules.values()):
            return replace(found, note=KEPT_FROM_MODEL)
        try:
            return await self._spoken(found, self._model, ask.payer)
        except LlmUnavailable as error:
            return replace(found, note=error.told)

    async def aclose(self) -> None:
        """Close the model's connections."""
        if self._model is not None:
            await self._model.aclose()

    async def _found(self, ask: Ask, rounds: int) -> Answer:
        if not is_overall(ask.query):
            return await self._rounds(ask, rounds)
        found = await self._rag.overall(ask)
        # Where nothing was grouped yet an answer by rounds is better than none.
        by_lines = _of_communities(ask, found.communities)
        return by_lines or replace(await self._rounds(ask, rounds), lack=found.lack)

    async def _rounds(self, ask: Ask, rounds: int) -> Answer:
        hits: dict[str, Hit] = {}
        log: list[Round] = []
        searches: list[Searched] = []
        query = ask.query
        ranked: list[Ranked] = []
        most, each = max(1, min(rounds, ROUNDS)), max(EACH, ask.top_k)
        while True:
            matched = await self._rag.found(query, ask, each)
            searches.append(matched.told)
            found = matched.hits
            fresh = [hit for hit in found if hit.id not in hits]
            hits |= {hit.id: hit for hit in fresh}
            texts = [hit.memory["content"] for hit in hits.values()]
            ranked, missing = await aside(texts, partial(_ranked, ask, hits, each), READ)
            best = _calibrated(ranked, hits)
            done = sufficient(best)
            told = round(mean(best), 6)
            log.append(Round(query, len(found), len(fresh), told, done, tuple(missing)))
            # What no source says is asked for, however good what was found is.
            if not missing or len(log) == most:
                break
            query = await self._reworded(ask, missing)
            if query in {one.query for one in log}:
                break
        answer = await aside(texts, lambda: _extract(ask, ranked, hits, log), READ)
        return replace(answer, searches=tuple(searches))

    async def _reworded(self, ask: Ask, missing: Sequence[str]) -> str:
        """What the next round asks for: as a model words it where there is one and the asker's
        scope lets it see questions, else by rule."""
        if self._model is None or not (await self._scopes.rules(ask.payer)).language_model:
            return by_rule(missing)
        try:
            told = await self._model.ask(ask.payer, rewording(ask.query, missing), Reworded)
        except LlmUnavailable:
            return by_rule(missing)
        return " ".join(told.value.query.split()) or by_rule(missing)

    async def _spoken(self, found: Answer, model: MeteredModel, payer: str) -> Answer:
        spoken = (await model.ask(payer, _question(found), Spoken)).value
        kept = [Sentence(one.text, one.lines) for one in cited(spoken, len(found.sources))]
        if not kept:
            return replace(found, note="the model's answer cites nothing that was found")
        return replace(found, sentences=tuple(kept), by=model.name)


def _of_communities(ask: Ask, found: Sequence[Reached]) -> Answer | None:
    """The first line of each of the largest communities; None where none says anything."""
    lines = [(one, line) for one in found for line in one.view.lines[:1]][: ask.top_k]
    if not lines:
        return None
    sources = tuple(_of_line(one, line) for one, line in lines)
    sentences = tuple(
        Sentence(source.text, (n,), (source.start, source.end)) for n, source in enumerate(sources)
    )
    return Answer(ask.query, sentences, sources, (), len(sources), "extract", overall=True)


def _calibrated(ranked: Sequence[Ranked], hits: dict[str, Hit]) -> list[Ranked]:
    """The best three by the relevance that counts anywhere: a place among others says nothing of
    whether they suffice."""
    relevances = [hits[one.candidate.id].relevance for one in ranked]
    best = sorted(zip(ranked, relevances, strict=True), key=lambda pair: -pair[1])[:ENOUGH]
    return [Ranked(one.candidate, relevance) for one, relevance in best]


def _ranked(ask: Ask, hits: Mapping[str, Hit], most: int) -> tuple[list[Ranked], list[str]]:
    """The best of the hits, and the words of the question that none of them says."""
    ranked = reranked(ask.query, [_candidate(hit) for hit in hits.values()])[:most]
    return ranked, gaps(ask.query, [told_of(hits[one.candidate.id]) for one in ranked])


def _extract(
    ask: Ask, ranked: Sequence[Ranked], hits: dict[str, Hit], log: Sequence[Round]
) -> Answer:
    chosen = [hits[one.candidate.id] for one in ranked[: ask.top_k]]
    sources = tuple(_of_hit(hit) for hit in chosen)
    found = quoted(ask.query, chosen, log[-1].missing if log else ())
    sentences = tuple(_said(quote, sources[quote.source]) for quote in found)
    note = "" if sentences else UNANSWERED
    return Answer(ask.query, sentences, sources, tuple(log), len(hits), "extract", note=note)


def _said(quote: Quote, source: Source) -> Sentence:
    """A quote as a sentence, with its place in the text of its source."""
    span = (source.start + quote.start, source.start + quote.end)
    return Sentence(quote.text, (quote.source,), span)


def _candidate(hit: Hit) -> Candidate:
    return Candidate(hit.id, text_of(hit), hit.score)


def _of_hit(hit: Hit) -> Source:
    (start, end), memory, text = hit.span, hit.memory, text_of(hit)
    work, first = memory.get("work"), memory.get("start") or 0
    told = (memory["kind"], memory["scope"], text, memory["title"])
    return Source(hit.id, *told, start, end, round(hit.relevance, 4), work, first, hit.changes)


def _of_line(reached: Reached, line: Line) -> Source:
    end = len(line.text) if line.end is None else line.end
    view = reached.view
    told = (line.kind, view.scope, line.text, view.title, line.start or 0, end)
    return Source(line.source, *told, reached.score, line.work, line.first, line.changes)


def _question(found: Answer) -> Question:
    task = Task("answer", "2", INSTRUCTIONS, f"Question: {found.query}")
    return task.over([source.told for source in found.sources])


def changed(answer: Answer) -> list[PossibleChange]:
    """What may have changed of the sources that an answer cites, each once."""
    cited_places = dict.fromkeys(place for one in answer.sentences for place in one.sources)
    found = (change for place in cited_places for change in answer.sources[place].changes)
    return list(dict.fromkeys(found))
