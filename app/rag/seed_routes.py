"""Seed 000's own routes that ask: `/api/v1/ai/rag/query` and `/search`, POST beside the GET."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK
from pydantic import Field

from app.indexing.entry import PASSAGES
from app.kernel.caller import Caller, Role
from app.kernel.wire import ShortText, WireModel, model_of
from app.questions.log import QuestionLog
from app.questions.model import Asked as Noted
from app.questions.model import Door, Outcome
from app.rag.answering import AgenticService
from app.rag.model import TOP_K, Ask
from app.rag.schemas import AnswerOut, Asked
from app.rag.scoring import Candidate, reranked
from app.rag.service import GraphRagService, Matched
from app.rag.telling import asked as named
from app.rag.telling import of_answer
from app.search.model import Filters, Fusion, Hit, Mode, SearchRequest

READS = {"requires": Role.READER}
MOST = 50
Bases = Annotated[
    list[str] | None, QueryParameter(description="Only documents of these knowledge bases.")
]
Top = Annotated[int, QueryParameter(ge=1, le=MOST, description="Most results.")]
# `query` is a name that the framework keeps.
Question = Annotated[str, QueryParameter(name="query", description="The question.", min_length=1)]


class RagQueryIn(WireModel):
    """A question to knowledge bases."""

    query: Asked = Field(description="The question, as plain text.")
    knowledge_base_ids: tuple[ShortText, ...] | None = Field(
        None, min_length=1, max_length=50, description="Only documents of these."
    )
    top_k: Annotated[int, Field(ge=1, le=MOST)] = TOP_K


class RagSearchIn(RagQueryIn):
    """A search over documents by one of the seed's modes."""

    mode: Literal["vector", "keyword", "graph", "hybrid"] = "hybrid"
    fusion: Literal["rrf", "weighted", "simple"] = "rrf"
    rerank: bool = Field(False, description="Re-score by words and place (seed 000).")


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks, and where that is recorded."""

    caller: Caller
    log: QuestionLog


class RagQueryOut(msgspec.Struct, frozen=True):
    """The seed's envelope around an answer."""

    success: bool
    data: AnswerOut


class RagSearchOut(msgspec.Struct, frozen=True):
    """The seed's envelope around results."""

    success: bool
    data: dict[str, Any]


class RagQueryController(Controller):
    """The routes of the seed that ask."""

    path = "/api/v1/ai/rag"
    tags = ("RAG",)

    @get("/query", operation_id="ragQuery", opt=READS)
    async def query(
        self,
        caller: NamedDependency[Caller],
        agentic: NamedDependency[AgenticService],
        question_log: NamedDependency[QuestionLog],
        question: Question,
        knowledge_base_ids: Bases = None,
        top_k: Top = TOP_K,
    ) -> RagQueryOut:
        """Query knowledge bases: an answer with its sources."""
        given = {"query": question, "knowledge_base_ids": knowledge_base_ids, "top_k": top_k}
        asked = model_of(RagQueryIn, given)
        return await _answered(agentic, asked, Asking(caller, question_log))

    @post("/query", operation_id="ragQueryByBody", opt=READS, status_code=HTTP_200_OK)
    async def query_by_body(
        self,
        data: JSONBody[RagQueryIn],
        caller: NamedDependency[Caller],
        agentic: NamedDependency[AgenticService],
        question_log: NamedDependency[QuestionLog],
    ) -> RagQueryOut:
        """The same with the question in a body."""
        return await _answered(agentic, data, Asking(caller, question_log))

    @get("/search", operation_id="ragSearch", opt=READS)
    async def search(
        self,
        caller: NamedDependency[Caller],
        graph_rag: NamedDependency[GraphRagService],
        question_log: NamedDependency[QuestionLog],
        question: Question,
        knowledge_base_ids: Bases = None,
        top_k: Top = TOP_K,
        mode: Annotated[
            Literal["vector", "keyword", "graph", "hybrid"], QueryParameter(description="The legs.")
        ] = "hybrid",
    ) -> RagSearchOut:
        """Search documents."""
        given = {"query": question, "knowledge_base_ids": knowledge_base_ids, "top_k": top_k}
        asked = model_of(RagSearchIn, given | {"mode": mode})
        return await _searched(graph_rag, asked, Asking(caller, question_log))

    @post("/search", operation_id="ragSearchByBody", opt=READS, status_code=HTTP_200_OK)
    async def search_by_body(
        self,
        data: JSONBody[RagSearchIn],
        caller: NamedDependency[Caller],
        graph_rag: NamedDependency[GraphRagService],
        question_log: NamedDependency[QuestionLog],
    ) -> RagSearchOut:
        """The same with the question in a body, with fusion and rerank."""
        return await _searched(graph_rag, data, Asking(caller, question_log))


def _ask(asked: RagQueryIn, caller: Caller) -> Ask:
    bases = None if asked.knowledge_base_ids is None else list(asked.knowledge_base_ids)
    return Ask(asked.query, caller.visible, bases, asked.top_k, home=caller.home)


async def _answered(agentic: AgenticService, asked: RagQueryIn, by: Asking) -> RagQueryOut:
    ask = _ask(asked, by.caller)
    with by.log.asking(by.caller, named(Door.ANSWER, ask)) as telling:
        answer = await agentic.answer(ask)
        telling.outcome = of_answer(answer)
    return RagQueryOut(True, AnswerOut.of(answer))


async def _searched(rag: GraphRagService, asked: RagSearchIn, by: Asking) -> RagSearchOut:
    start = time.perf_counter()
    ask = _ask(asked, by.caller)
    noted = Noted(
        Door.SEARCH, asked.query, asked.mode, asked.top_k, bases=asked.knowledge_base_ids or ()
    )
    with by.log.asking(by.caller, noted) as telling:
        matched = await _matched(rag, asked, ask)
        telling.outcome = Outcome.of(matched.told)
    results = _results(matched.hits, asked)
    taken = round((time.perf_counter() - start) * 1000, 3)
    told = {"query": asked.query, "mode": asked.mode, "fusion_method": asked.fusion}
    return RagSearchOut(True, {**told, "results": results, "latency_ms": taken})


async def _matched(rag: GraphRagService, asked: RagSearchIn, ask: Ask) -> Matched:
    request = SearchRequest(
        query=asked.query,
        filters=Filters(scopes=ask.scopes, kinds=list(PASSAGES)),
        mode=Mode(asked.mode),
        fusion=Fusion(asked.fusion),
        limit=asked.top_k,
    )
    return await rag.matching(request, ask)


def _results(hits: list[Hit], asked: RagSearchIn) -> list[dict[str, Any]]:
    scores = {hit.id: hit.score for hit in hits}
    if asked.rerank:
        texts = [Candidate(hit.id, hit.memory["content"], hit.score) for hit in hits]
        scores = {one.candidate.id: one.relevance for one in reranked(asked.query, texts)}
    by_id = {hit.id: hit for hit in hits}
    return [
        {
            "id": memory,
            "score": round(score, 6),
            "kind": by_id[memory].memory["kind"],
            "legs": {name: leg.rank for name, leg in by_id[memory].legs.items()},
            "untrusted": {
                "content": by_id[memory].memory["content"],
                "title": by_id[memory].memory["title"],
            },
        }
        for memory, score in scores.items()
    ]
