"""Graph retrieval, contexts and answers over HTTP."""

from __future__ import annotations

from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK

from app.kernel.caller import Caller, Role
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

READS = {"requires": Role.READER}


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
    ) -> RetrievedOut:
        """Seeds, communities within some hops, and passages with the paths that led to them."""
        return RetrievedOut.of(await graph_rag.retrieve(data.to_ask(caller)))

    @post("/context", operation_id="ragContext", opt=READS, status_code=HTTP_200_OK)
    async def build_context(
        self,
        data: JSONBody[ContextIn],
        caller: NamedDependency[Caller],
        graph_rag: NamedDependency[GraphRagService],
    ) -> ContextOut:
        """A context for a prompt: whole paths and summaries under a token budget."""
        found, context = await graph_rag.build_context(data.to_ask(caller), data.token_budget)
        return ContextOut.of(found, context)

    @post("/ask", operation_id="ragAsk", opt=READS, status_code=HTTP_200_OK)
    async def ask(
        self,
        data: JSONBody[AskIn],
        caller: NamedDependency[Caller],
        agentic: NamedDependency[AgenticService],
    ) -> AnswerOut:
        """An answer with its sources, after up to three rounds of search."""
        return AnswerOut.of(await agentic.answer(data.to_ask(caller), data.max_rounds))
