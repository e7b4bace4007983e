"""Graph retrieval, contexts and answers over HTTP."""

from __future__ import annotations

from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK

from app.kernel.caller import Caller, Role
from app.kernel.departures import READS as ONLY_READS
from app.questions.log import QuestionLog
from app.rag.answering import AgenticService
from app.rag.schemas import (
    AnswerOut,
    AskIn,
    ContextIn,
    ContextOut,
    RetrievedOut,
    RetrieveIn,
)
from app.rag.service import GraphRagService
from app.rag.telling import answered, contexted, retrieved

READS = {"requires": Role.READER, ONLY_READS: True}


class RagController(Controller):
    """What the graph has on a question."""

    path = "/v1/rag"
    tags = ("RAG",)

    @post("/retrieve", operation_id="ragRetrieve", opt=READS, status_code=HTTP_200_OK)
    async def retrieve(
        self,
        data: JSONBody[RetrieveIn],
        caller: NamedDependency[Caller],
        graph_rag: NamedDependency[GraphRagService],
        question_log: NamedDependency[QuestionLog],
    ) -> RetrievedOut:
        """Seeds, communities within some hops, and passages with the paths that led to them."""
        ask = data.to_ask(caller)
        return RetrievedOut.of(await retrieved(graph_rag, question_log, caller, ask))

    @post("/context", operation_id="ragContext", opt=READS, status_code=HTTP_200_OK)
    async def build_context(
        self,
        data: JSONBody[ContextIn],
        caller: NamedDependency[Caller],
        graph_rag: NamedDependency[GraphRagService],
        question_log: NamedDependency[QuestionLog],
    ) -> ContextOut:
        """A context for a prompt: whole paths and summaries under a token budget."""
        ask, budget = data.to_ask(caller), data.token_budget
        found, context = await contexted(graph_rag, question_log, caller, ask, budget)
        return ContextOut.of(found, context)

    @post("/ask", operation_id="ragAsk", opt=READS, status_code=HTTP_200_OK)
    async def ask(
        self,
        data: JSONBody[AskIn],
        caller: NamedDependency[Caller],
        agentic: NamedDependency[AgenticService],
        question_log: NamedDependency[QuestionLog],
    ) -> AnswerOut:
        """An answer with its sources, after up to three rounds of search."""
        ask = data.to_ask(caller)
        answer = await answered(agentic, question_log, caller, ask, data.max_rounds)
        return AnswerOut.of(answer)
