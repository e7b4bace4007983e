"""Seed 000's own routes that ask: `/api/v1/ai/rag/query` and `/search`, POST beside the GET."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from app.kernel.caller import Caller, Role
from app.kernel.departures import READS as ONLY_READS
from app.kernel.wire import model_of
from app.questions.log import QuestionLog
from app.questions.model import Asked as Noted
from app.questions.model import Door, Outcome
from app.rag.answering import AgenticService
from app.rag.model import TOP_K, Ask
from app.rag.schemas import AnswerOut
from app.rag.scoring import Candidate, reranked
from app.rag.seed_schemas import (
    MOST,
    RERANK,
    FusionName,
    ModeName,
    RagAnswerOut,
    RagFoundOut,
    RagHitOut,
    RagQueryIn,
    RagQueryOut,
    RagSearchIn,
    RagSearchOut,
)
from app.rag.service import GraphRagService, Matched
from app.rag.telling import asked as named
from app.rag.telling import of_answer
from app.search.mode import Mode
from app.search.model import Filters, Fusion, Hit, SearchRequest

READS = {"requires": Role.READER, ONLY_READS: True}
Bases = Annotated[
    list[str] | None, QueryParameter(description="Only documents of these knowledge bases.")
]
Top = Annotated[int, QueryParameter(ge=1, le=MOST, description="Most results.")]
# `query` is a name that the framework keeps.
Question = Annotated[str, QueryParameter(name="query", description="The question.", min_length=1)]


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks, and where that is recorded."""

    caller: Caller
    log: QuestionLog


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
        mode: Annotated[ModeName, QueryParameter(description="The legs.")] = "hybrid",
        fusion: Annotated[FusionName, QueryParameter(description="Of the legs.")] = "rrf",
        rerank: Annotated[bool, QueryParameter(description=RERANK)] = False,
    ) -> RagSearchOut:
        """Search documents, and without a knowledge base all that is remembered."""
        given = {"query": question, "knowledge_base_ids": knowledge_base_ids, "top_k": top_k}
        how = {"mode": mode, "fusion": fusion, "rerank": rerank}
        asked = model_of(RagSearchIn, given | how)
        return await _searched(graph_rag, asked, Asking(caller, question_log))

    @post("/search", operation_id="ragSearchByBody", opt=READS, status_code=HTTP_200_OK)
    async def search_by_body(
        self,
        data: JSONBody[RagSearchIn],
        caller: NamedDependency[Caller],
        graph_rag: NamedDependency[GraphRagService],
        question_log: NamedDependency[QuestionLog],
    ) -> RagSearchOut:
        """The same with the question in a body."""
        return await _searched(graph_rag, data, Asking(caller, question_log))


def _ask(asked: RagQueryIn, caller: Caller) -> Ask:
    bases = None if asked.knowledge_base_ids is None else list(asked.knowledge_base_ids)
    return Ask(
        asked.query,
        caller.visible,
        bases,
        asked.top_k,
        home=caller.home,
        reader=caller.principal,
    )


async def _answered(agentic: AgenticService, asked: RagQueryIn, by: Asking) -> RagQueryOut:
    ask = _ask(asked, by.caller)
    with by.log.asking(by.caller, named(Door.ANSWER, ask)) as telling:
        answer = await agentic.answer(ask)
        telling.outcome = of_answer(answer)
    return RagQueryOut(True, RagAnswerOut.said(AnswerOut.of(answer)))


async def _searched(rag: GraphRagService, asked: RagSearchIn, by: Asking) -> RagSearchOut:
    start = time.perf_counter()
    ask = _ask(asked, by.caller)
    noted = Noted(
        Door.SEARCH, asked.query, asked.mode, asked.top_k, bases=asked.knowledge_base_ids or ()
    )
    with by.log.asking(by.caller, noted) as telling:
        matched = await _matched(rag, asked, ask)
        telling.outcome = Outcome.of(matched.told)
    found = RagFoundOut(
        query=asked.query,
        mode=asked.mode,
        ran=matched.told.mode,
        without=matched.told.without,
        fusion_method=asked.fusion,
        results=_results(matched.hits, asked),
        latency_ms=round((time.perf_counter() - start) * 1000, 3),
    )
    return RagSearchOut(True, found)


async def _matched(rag: GraphRagService, asked: RagSearchIn, ask: Ask) -> Matched:
    request = SearchRequest(
        query=asked.query,
        filters=Filters(scopes=ask.scopes, kinds=ask.kinds, reader=ask.reader),
        mode=Mode(asked.mode),
        fusion=Fusion(asked.fusion),
        limit=asked.top_k,
    )
    return await rag.matching(request, ask)


def _results(hits: list[Hit], asked: RagSearchIn) -> list[RagHitOut]:
    if not asked.rerank:
        return [RagHitOut.of(hit, hit.rank, None) for hit in hits]
    by_id = {hit.id: hit for hit in hits}
    texts = [Candidate(hit.id, hit.memory["content"], hit.relevance) for hit in hits]
    return [
        RagHitOut.of(by_id[one.candidate.id], rank, one.relevance)
        for rank, one in enumerate(reranked(asked.query, texts), start=1)
    ]
