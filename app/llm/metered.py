"""Questions to the model beside the reading of memories, counted against the same daily budget."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING

from app.errors import BudgetSpent, LlmUnavailable
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.kernel.scope import parse_scope
from app.llm.model import Answer, Question, T, most_tokens
from app.llm.repository import Counts, day_of, usage_id

if TYPE_CHECKING:  # its library takes half a second to import, for those alone who have a model
    from app.llm.client import LanguageModel


class MeteredModel:
    """A model whose answers cost the budget of the scope that asks; `budget` in tokens a day."""

    def __init__(self, graph: Graph, model: LanguageModel, budget: int) -> None:
        self._graph = graph
        self._model = model
        self._budget = budget

    @property
    def name(self) -> str:
        """What the endpoint calls the model."""
        return self._model.config.model

    async def ask(self, scope: str, question: Question, shape: type[T]) -> Answer[T]:
        """One answer in the given shape, at the cost of a scope.

        The most that it may cost is set aside before, and what it did not cost is given back.
        Raises BudgetSpent where the day's budget has not that much left, LlmUnavailable and
        LlmAnswerUnusable as the model does.
        """
        reserved = most_tokens(question, self._model.config)
        usage = usage_id(scope, day_of(now()))
        if not await self._reserve(scope, usage, reserved):
            raise BudgetSpent(f"the budget of {scope} for the language model is spent for today")
        used, failed = reserved, 1
        try:
            answer = await self._model.ask(question, shape)
            used, failed = answer.tokens, 0
        except LlmUnavailable as error:
            used = error.tokens
            raise
        finally:
            # An impatient caller may be gone by now, and what was set aside must still go back.
            await asyncio.shield(self._settle(usage, used - reserved, failed))
        return answer

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._model.aclose()

    async def _reserve(self, scope: str, usage: str, tokens: int) -> bool:
        row = await self._graph.optional(
            Q.llm.reserve_in,
            scope=scope,
            tenant=parse_scope(scope).tenant,
            usage=usage,
            day=day_of(now()),
            tokens=tokens,
            budget=self._budget,
            at=now(),
        )
        return row is not None

    async def _settle(self, usage: str, tokens: int, failed: int) -> None:
        counts = asdict(Counts(asked=1, failed=failed))
        await self._graph.rows(Q.llm.count_usage, usage=usage, tokens=tokens, counts=counts)
