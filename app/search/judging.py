"""The best candidates looked at once more: how relevant each is, and what a reranker says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.errors import RerankerUnavailable
from app.kernel.graph import Row
from app.scopes.service import ScopeService
from app.search.blending import rearranged
from app.search.model import Candidate, Leg, Nearness
from app.search.relevance import Asked, foreign, relevance, stands_out
from app.search.reranker import Reranker
from app.search.steps import Step, StepName, StepState

LONGEST = 2000  # characters of a text that a reranker is sent
CLOSER = 0.1  # similarity by which a hit that holds as many words overtakes the one above it


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges what was read; `similar` is empty where no vector was compared.

    What a cosine says depends on the languages of the question and of the memory, which is known
    once that was read.
    """

    asked: Asked
    memories: Mapping[str, Row]
    similar: Mapping[str, Nearness]
    known: dict[str, float] = field(default_factory=dict)
    found: dict[str, frozenset[int]] = field(default_factory=dict)
    abroad: dict[str, float] = field(default_factory=dict)  # similar ones in another language

    def relevance(self, memory: str) -> float:
        """How relevant a memory is, 0.01 to 0.99."""
        if memory not in self.known:
            row = self.memories[memory]
            near = self.similarity(memory)
            alone = near is not None and self._alone(memory, near)
            self.known[memory] = relevance(self.asked, row, near, alone=alone)
        return self.known[memory]

    def _alone(self, memory: str, near: float) -> bool:
        """Whether a vector may speak alone of a memory in another language: the question is made of
        words, by their letters or by a memory that holds one, and no other is as near."""
        if not foreign(self.asked, self.memories[memory]):
            return False
        if not self.asked.worded and not any(map(self.which, self.memories)):
            return False
        if not self.abroad:
            rows = [m for m, row in self.memories.items() if foreign(self.asked, row)]
            self.abroad.update((m, s) for m in rows if (s := self.similarity(m)) is not None)
        return stands_out(near, [s for m, s in self.abroad.items() if m != memory])

    def similarity(self, memory: str) -> float | None:
        """How like an answer its vector is, 0.01 to 0.99; None where none was compared."""
        if (near := self.similar.get(memory)) is None:
            return None
        return near.similarity(self.asked.language, self.memories[memory]["language"])

    def words(self, memory: str) -> int:
        """How many of the question's words it holds."""
        return len(self.which(memory))

    def which(self, memory: str) -> frozenset[int]:
        """The places of those words."""
        if memory not in self.found:
            self.found[memory] = self.asked.which(self.memories[memory])
        return self.found[memory]


def featured(pool: Sequence[Candidate], judge: Judge) -> tuple[list[Candidate], Step]:
    """Reranked by features, where there is a similarity to go by: words alone have none."""
    if not judge.similar:
        return list(pool), _step(StepState.SKIPPED, "no vectors were compared")
    return by_features(pool, judge), _step()


def by_features(pool: Sequence[Candidate], judge: Judge) -> list[Candidate]:
    """The same candidates, in which each overtakes those above it that both witnesses are against.

    A weighted sum of the two loses more than it brings (docs/benchmarks.md). What a walk arranged
    keeps its order among itself: its reasons are not in the question's words.
    """
    order: list[Candidate] = []
    for candidate in pool:
        at = len(order)
        while at and _overtakes(candidate, order[at - 1], judge):
            at -= 1
        order.insert(at, candidate)
    return placed(pool, [candidate.id for candidate in order])


def _overtakes(below: Candidate, above: Candidate, judge: Judge) -> bool:
    if "graph" in below.legs and "graph" in above.legs:
        return False
    near, far = judge.similarity(below.id), judge.similarity(above.id)
    if near is None or far is None or near < far + CLOSER:
        return False
    return judge.words(below.id) >= judge.words(above.id)


def placed(pool: Sequence[Candidate], order: Sequence[str]) -> list[Candidate]:
    """Candidates in a new order, with the scores of their places."""
    scores = rearranged(list(order), {c.id: c.score for c in pool})
    known = {c.id: c for c in pool}
    return [replace(known[memory], score=scores[memory]) for memory in order]


class RerankStep:
    """Asks the reranker about texts whose scopes let them be sent."""

    def __init__(self, reranker: Reranker, scopes: ScopeService) -> None:
        self._reranker = reranker
        self._scopes = scopes

    async def run(
        self, question: str, pool: Sequence[Candidate], texts: Mapping[str, Row]
    ) -> tuple[list[Candidate], Step]:
        """The candidates as the model ranks them; as they were where it does not, and why.

        `texts` has for each candidate its `scope` and `text`.
        """
        if not pool:
            return [], _step(StepState.SKIPPED, "nothing was found")
        rules = await self._scopes.rules_of(sorted({texts[c.id]["scope"] for c in pool}))
        sent = [c for c in pool if rules[texts[c.id]["scope"]].language_model]
        if not sent:
            return list(pool), _step(StepState.SKIPPED, "the rules of the scopes keep from models")
        try:
            scores = await self._reranker.rank(
                question, [texts[c.id]["text"][:LONGEST] for c in sent]
            )
        except RerankerUnavailable as error:
            return list(pool), _step(StepState.FAILED, error.detail)
        return ranked(pool, {sent[at].id: score for at, score in scores.items()}), _step()

    async def aclose(self) -> None:
        """Closes the connections to the reranker."""
        await self._reranker.aclose()


def ranked(pool: Sequence[Candidate], scores: Mapping[str, float]) -> list[Candidate]:
    """Candidates by a model's scores, among the places of those that it scored."""
    order = sorted(scores, key=lambda memory: -scores[memory])
    following = iter(order)
    whole = [next(following) if c.id in scores else c.id for c in pool]
    legs = {memory: Leg(rank, scores[memory]) for rank, memory in enumerate(order, start=1)}
    return [
        replace(c, legs={**c.legs, "rerank": legs[c.id]}) if c.id in legs else c
        for c in placed(pool, whole)
    ]


def _step(state: StepState = StepState.DONE, reason: str = "") -> Step:
    return Step(StepName.RERANK, state, reason)
