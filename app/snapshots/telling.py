"""Asks a model for the summary of a day, where one is configured and the scope lets it be asked."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial

import structlog

from app.errors import BudgetSpent, LlmAnswerUnusable, LlmUnavailable
from app.kernel.graph import Row
from app.llm.citing import Spoken
from app.llm.metered import MeteredModel
from app.sanitize.policy import SanitizePolicy
from app.scopes.service import ScopeService
from app.snapshots.wording import Sent, Words, kept

log = structlog.get_logger()
MOST_ASKED = 200  # pages of one pass
UNKEPT = "too few of its sentences rest on what was said"


@dataclass(slots=True)
class Asking:
    """What a pass asks: `away` once the model did not answer, `spent` the scopes without budget,
    both of which end its questions."""

    asked: int = 0
    worded: int = 0
    failed: int = 0
    away: bool = False
    spent: set[str] = field(default_factory=set)

    def over(self, scope: str) -> bool:
        """Return whether the pass asks nothing more of a scope."""
        return self.away or scope in self.spent or self.asked >= MOST_ASKED

    def told(self) -> Row:
        """Return what the record of a job tells; nothing where no model was asked."""
        if not self.asked:
            return {}
        return {"model": {"asked": self.asked, "worded": self.worded, "failed": self.failed}}


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms a scope shows its texts: whether at all, and by which sanitising policy."""

    allowed: bool
    policy: SanitizePolicy


class DayTeller:
    """Asks the model, outside any transaction; without a model it says nothing."""

    def __init__(self, scopes: ScopeService, model: MeteredModel | None) -> None:
        self._scopes = scopes
        self._model = model

    async def terms(self, scope: str) -> Terms:
        """Return on which terms a scope shows its texts."""
        rules = await self._scopes.rules(scope)
        return Terms(rules.language_model, await self._scopes.policy(scope))

    def asks(self, scope: str, terms: Terms, asking: Asking) -> bool:
        """Return whether the model may be asked about a scope in this pass."""
        return self._model is not None and terms.allowed and not asking.over(scope)

    async def ask(self, scope: str, sent: Sent, terms: Terms, asking: Asking) -> Words | None:
        """Return what the model says of lines; None where it is to be asked another time.

        An answer of which nothing stands is one: the same lines are not asked about again.
        """
        if self._model is None or not self.asks(scope, terms, asking):
            return None
        asking.asked += 1
        try:
            answer = await self._model.ask(scope, sent.question, Spoken)
        except LlmUnavailable as error:
            return _failed(scope, sent, error, asking)
        text = await asyncio.to_thread(partial(kept, answer.value, sent, terms.policy))
        if not text:
            return _failed(scope, sent, LlmAnswerUnusable(UNKEPT), asking)
        asking.worded += 1
        return Words(sent.key, text, self._model.name)

    async def aclose(self) -> None:
        """Close the model's connections."""
        if self._model is not None:
            await self._model.aclose()


def _failed(scope: str, sent: Sent, error: LlmUnavailable, asking: Asking) -> Words | None:
    log.warning("day summary", scope=scope, reason=error.detail)
    asking.failed += 1
    match error:
        case LlmAnswerUnusable():
            return Words(sent.key)
        case BudgetSpent():
            asking.spent.add(scope)
        case _:
            asking.away = True
    return None
