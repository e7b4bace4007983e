"""Summaries in a model's words, where one is configured and the scope lets it see its texts.

What a model says stands beside the outline, never in its place: words are shown while the outline
says what they were made of, and an erasure takes them with anything that the outline cites.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from app.communities.repository import CommunityRepository
from app.communities.view import CommunityView, viewed
from app.communities.wording import kept, packed, question, words_key
from app.errors import BudgetSpent, LlmUnavailable
from app.kernel.clock import now
from app.kernel.graph import Graph
from app.llm.citing import Spoken
from app.llm.metered import MeteredModel
from app.llm.repository import next_day
from app.scopes.service import ScopeService

log = structlog.get_logger()
AT_ONCE = 20  # communities of one scope in a pass, the largest first
WAIT = timedelta(hours=1)  # after an answer that could not be used
UNKEPT = "no sentence of the model rests on what it cites"


@dataclass(slots=True)
class Wordings:
    """What a pass did; `away` where the model did not answer, which ends the pass."""

    asked: int = 0
    worded: int = 0
    failed: int = 0
    away: bool = False


class SummaryService:
    """Asks the model, outside any transaction, for what has no words yet."""

    def __init__(self, graph: Graph, scopes: ScopeService, model: MeteredModel | None) -> None:
        self._rows = CommunityRepository(graph)
        self._scopes = scopes
        self._model = model

    async def waiting(self) -> list[str]:
        """Scopes with communities that wait for words; none without a model."""
        return [] if self._model is None else await self._rows.wordless(now())

    async def word(self, scope: str) -> Wordings:
        """Give communities of a scope words; where it wants none, those that there are go."""
        done = Wordings()
        if not (await self._scopes.rules(scope)).language_model:
            await self._rows.unword(scope)
            return done
        if self._model is None:
            return done
        ids = await self._rows.unworded(scope, now(), AT_ONCE)
        for view in viewed(await self._rows.read(ids, [scope], now())):
            if view.lines:
                await self._word(self._model, view, done)
            if done.away:
                break
        return done

    async def aclose(self) -> None:
        """Close the model's connections."""
        if self._model is not None:
            await self._model.aclose()

    async def _word(self, model: MeteredModel, view: CommunityView, done: Wordings) -> None:
        lines = [line.text for line in view.lines]
        key = words_key(lines)
        if view.words and view.words_key == key:
            await self._rows.still_worded(view.id, view.scope, now())
            return
        done.asked += 1
        try:
            answer = await model.ask(view.scope, question(lines), Spoken)
        except LlmUnavailable as error:
            await self._failed(view, error.detail, _again(error))
            done.failed += 1
            done.away = True
            return
        words = kept(answer.value, lines, [str(one["name"]) for one in view.central])
        if not words:
            await self._failed(view, UNKEPT, now() + WAIT)
            done.failed += 1
            return
        row = {"words": packed(words), "words_key": key, "worded_by": model.name}
        done.worded += await self._rows.word(view, row, now())

    async def _failed(self, view: CommunityView, reason: str, due_at: datetime) -> None:
        log.warning("summary", community=view.id, reason=reason)
        await self._rows.refuse_words(view.id, view.scope, reason[:300], due_at)


def _again(error: LlmUnavailable) -> datetime:
    return next_day(now()) if isinstance(error, BudgetSpent) else now() + WAIT
