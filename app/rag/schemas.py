"""Wire types of graph retrieval, contexts and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

import msgspec
from pydantic import Field, StringConstraints

from app.communities.schemas import CommunityOut, placed
from app.facts.possible import on_the_wire
from app.kernel.caller import Caller
from app.kernel.stopwatch import told_steps
from app.kernel.wire import LARGEST, ShortText, WireModel
from app.rag.answering import ROUNDS, Answer, Round, Source, changed
from app.rag.model import BUDGET, HOPS, TOP_K, Ask, Context, Entry, Passage, Retrieved, Step
from app.rag.units import shown_path
from app.tables.schemas import TableHintOut

Asked = Annotated[str, StringConstraints(min_length=1, max_length=4000, strip_whitespace=True)]


class QuestionIn(WireModel):
    """A question, and where to look for what it asks."""

    query: Asked = Field(description="The question, as plain text.")
    top_k: Annotated[int, Field(ge=1, le=50)] = Field(TOP_K, description="Most passages.")
    knowledge_base_ids: tuple[ShortText, ...] | None = Field(
        None,
        min_length=1,
        max_length=50,
        description="Only documents of these; everything if unset.",
    )
    scopes: tuple[str, ...] | None = Field(
        None, description="Scopes to read; all visible if unset."
    )

    def to_ask(self, caller: Caller) -> Ask:
        """The question of this caller; NotFound where a scope is not visible."""
        bases = None if self.knowledge_base_ids is None else list(self.knowledge_base_ids)
        return Ask(
            query=self.query,
            scopes=caller.among(self.scopes),
            bases=bases,
            top_k=self.top_k,
            home=caller.home,
            reader=caller.principal,
        )


class RetrieveIn(QuestionIn):
    """A question to the graph."""

    max_hops: Annotated[int, Field(ge=1, le=5)] = Field(
        HOPS, description="Hops from a seed; the first is to its own community."
    )
    include_summaries: bool = Field(True, description="Whether communities tell what they are.")

    def to_ask(self, caller: Caller) -> Ask:
        """The question of this caller; NotFound where a scope is not visible."""
        asked = super().to_ask(caller)
        return replace(asked, max_hops=self.max_hops, include_summaries=self.include_summaries)


class ContextIn(RetrieveIn):
    """A question, and how large a context for a prompt may be."""

    max_hops: Annotated[int, Field(ge=1, le=5)] = Field(
        3, description="Hops from a seed; the first is to its own community."
    )
    token_budget: Annotated[int, Field(ge=1, le=200_000)] = Field(
        BUDGET, description="Most tokens (o200k) of the whole context."
    )
    include_traces: bool = Field(
        False, description="Whether traces of similar tasks that succeeded come along."
    )

    def to_ask(self, caller: Caller) -> Ask:
        """The question of this caller; NotFound where a scope is not visible."""
        return replace(super().to_ask(caller), include_traces=self.include_traces)


class AskIn(QuestionIn):
    """A question that is to be answered."""

    top_k: Annotated[int, Field(ge=1, le=50)] = Field(TOP_K, description="Most sources.")
    max_rounds: Annotated[int, Field(ge=1, le=LARGEST)] = Field(
        ROUNDS, description=f"Most rounds of search; more than {ROUNDS} are taken as {ROUNDS}."
    )


class StepOut(msgspec.Struct, frozen=True):
    """An entity on a path; `fact` and `predicate` are what led to it."""

    entity: str
    fact: str | None
    predicate: str | None
    untrusted: dict[str, str]

    @classmethod
    def of(cls, step: Step) -> StepOut:
        """The wire form of a step."""
        return cls(step.entity, step.fact, step.predicate, {"name": step.name})


class SeedOut(msgspec.Struct, frozen=True):
    """Where the retrieval began; `how` is name, vector or passage."""

    entity: str
    score: float
    how: str


class ReachedOut(msgspec.Struct, frozen=True):
    """A community, its score, and the way to it; `hop` 0 holds a seed."""

    score: float
    hop: int
    path: list[StepOut]
    community: CommunityOut


class PassageOut(msgspec.Struct, frozen=True, kw_only=True):
    """A passage: `score` by seed 000's formula, `similarity` to the question, calibrated.

    `rank` is its place in the search that ran beside, null where only communities led to it.
    `start` and `end` are the shown range of its text, in characters; where it is a chunk,
    `document_start` and `document_end` are the same in the stored text of `document_id`.
    """

    id: str
    kind: str
    scope: str
    start: int
    end: int
    document_id: str | None
    document_start: int | None
    document_end: int | None
    score: float
    similarity: float | None
    rank: int | None
    community: str | None
    captured_at: datetime
    flags: list[str]
    path: list[StepOut]
    possible_changes: list[dict[str, Any]]
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, passage: Passage) -> PassageOut:
        """The wire form of a passage."""
        start, end = passage.span
        work, first, last = placed(passage.work, passage.first, start, end)
        return cls(
            start=start,
            end=end,
            document_id=work,
            document_start=first,
            document_end=last,
            id=passage.id,
            kind=passage.kind,
            scope=passage.scope,
            score=passage.score,
            similarity=passage.similarity,
            rank=passage.rank,
            community=passage.community,
            captured_at=passage.captured_at,
            flags=list(passage.flags),
            path=[StepOut.of(step) for step in passage.path],
            possible_changes=on_the_wire(passage.changes),
            untrusted={
                "text": passage.text,
                "title": passage.title,
                "path": shown_path(passage.path),
                "past": list(passage.past),
            },
        )


class RetrievedOut(msgspec.Struct, frozen=True, kw_only=True):
    """What was found; `question` is `overall` where it is about everything.

    `without` says why there are no communities in it, `reason` what failed where that is why.
    """

    query: str
    question: str
    results: list[PassageOut]
    communities: list[ReachedOut]
    seeds: list[SeedOut]
    without: str | None
    reason: str
    milliseconds: Mapping[str, float]

    @classmethod
    def of(cls, found: Retrieved) -> RetrievedOut:
        """The wire form of what was found."""
        shown = found.communities if found.ask.include_summaries or found.overall else []
        return cls(
            query=found.ask.query,
            question="overall" if found.overall else "specific",
            results=[PassageOut.of(passage) for passage in found.passages],
            communities=[
                ReachedOut(
                    one.score,
                    one.hop,
                    [StepOut.of(step) for step in one.path],
                    CommunityOut.of(one.view),
                )
                for one in shown
            ],
            seeds=[SeedOut(seed.entity, seed.score, seed.how.value) for seed in found.seeds],
            without=found.lack.why.value if found.lack else None,
            reason=found.lack.reason if found.lack else "",
            milliseconds=told_steps(found.milliseconds),
        )


class EntryOut(msgspec.Struct, frozen=True):
    """What one unit took of the budget, or why it was left out."""

    id: str
    kind: str
    tokens: int
    kept: bool
    reason: str

    @classmethod
    def of(cls, entry: Entry) -> EntryOut:
        """The wire form of an entry."""
        return cls(entry.id, entry.kind, entry.tokens, entry.kept, entry.reason)


class ContextOut(msgspec.Struct, frozen=True, kw_only=True):
    """A context; `tokens` are those of the whole text, `frame` those around the units.

    `tables` hold data of what the question is about, in the context too as far as it has room.
    """

    query: str
    question: str
    context: str
    tokens: int
    budget: int
    frame: int
    ledger: list[EntryOut]
    citations: dict[str, list[str]]
    tables: list[TableHintOut]
    without: str | None
    reason: str

    @classmethod
    def of(cls, found: Retrieved, context: Context) -> ContextOut:
        """The wire form of a context."""
        return cls(
            query=found.ask.query,
            question="overall" if found.overall else "specific",
            context=context.text,
            tokens=context.tokens,
            budget=context.budget,
            frame=context.frame,
            ledger=[EntryOut.of(entry) for entry in context.ledger],
            citations={unit.id: list(unit.cites) for unit in context.units},
            tables=[TableHintOut.of(hint) for hint in found.hints],
            without=found.lack.why.value if found.lack else None,
            reason=found.lack.reason if found.lack else "",
        )


class RoundOut(msgspec.Struct, frozen=True):
    """One round of a search: `sufficient` by three results of a mean of 0.5, whatever words of the
    question are still `missing`."""

    query: str
    found: int
    fresh: int
    mean: float
    sufficient: bool
    missing: list[str]

    @classmethod
    def of(cls, one: Round) -> RoundOut:
        """The wire form of a round."""
        return cls(one.query, one.found, one.fresh, one.mean, one.sufficient, list(one.missing))


class AnswerSourceOut(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer rests on; `start` and `end` are its range of the memory's text, in characters.

    `document_id` is the document or page that the memory is a chunk of, `document_start` and
    `document_end` are the range in the stored text of that. `relevance` is calibrated, as a hit's.
    """

    number: int
    id: str
    kind: str
    start: int
    end: int
    document_id: str | None
    document_start: int | None
    document_end: int | None
    relevance: float
    possible_changes: list[dict[str, Any]]
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, number: int, source: Source) -> AnswerSourceOut:
        """The wire form of a source; numbers begin at 1."""
        work, first, last = placed(source.work, source.first, source.start, source.end)
        return cls(
            document_id=work,
            document_start=first,
            document_end=last,
            number=number,
            id=source.id,
            kind=source.kind,
            start=source.start,
            end=source.end,
            relevance=source.relevance,
            possible_changes=on_the_wire(source.changes),
            untrusted={"text": source.text, "title": source.title},
        )


class AnswerOut(msgspec.Struct, frozen=True, kw_only=True):
    """An answer made of others' words, under `untrusted`: each sentence with its sources' numbers.

    What may have changed of what is cited stands behind the answer.
    A sentence that was quoted has its place, `start` and `end` in characters of the text of its
    source's memory; one that a model worded has none.
    `by` is `extract`, or the model that worded it; `note` says why a model did not speak, or that
    nothing likely was found, and then there is no sentence. `without` says of a question about
    everything why no community answers it, `reason` what failed where that is why.
    """

    query: str
    by: str
    question: str
    sources: list[AnswerSourceOut]
    rounds: int
    history: list[RoundOut]
    total_results: int
    note: str
    without: str | None
    reason: str
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, answer: Answer) -> AnswerOut:
        """The wire form of an answer."""
        said = [
            {
                "text": one.text,
                "sources": [place + 1 for place in one.sources],
                "start": one.span[0] if one.span else None,
                "end": one.span[1] if one.span else None,
            }
            for one in answer.sentences
        ]
        worded = [
            f"{one.text} {''.join(f'[{place + 1}]' for place in one.sources)}"
            for one in answer.sentences
        ]
        worded += [change.sentence for change in changed(answer)]
        return cls(
            query=answer.query,
            by=answer.by,
            question="overall" if answer.overall else "specific",
            sources=[AnswerSourceOut.of(n, one) for n, one in enumerate(answer.sources, start=1)],
            rounds=len(answer.rounds),
            history=[RoundOut.of(one) for one in answer.rounds],
            total_results=answer.total,
            note=answer.note,
            without=answer.lack.why.value if answer.lack else None,
            reason=answer.lack.reason if answer.lack else "",
            untrusted={"answer": " ".join(worded), "sentences": said},
        )
