"""The second reading: a language model reads, after the rules, what they have read.

Episodes that are due are taken one by one, asked about outside any transaction, and what the model
says is kept beside the episode, which then goes through consolidation once more: its claims follow
from the text and what was kept, so another pass asks nothing and changes nothing. Whatever goes
wrong leaves what the rules read as it is, and the episode due, with the reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

import structlog

from app.consolidation.proposals import borne_out, utterance_of
from app.consolidation.service import ConsolidationService
from app.errors import LlmAnswerUnusable, LlmUnavailable, LociError, SwitchedOff
from app.extraction.asking import question
from app.extraction.extract import extract
from app.extraction.predicates import Registry
from app.extraction.proposed import Checked, Proposal
from app.kernel.clock import FOREVER, now
from app.kernel.ids import new_id
from app.llm.client import LanguageModel
from app.llm.model import Question, most_tokens
from app.llm.repository import Counts, Hold, ReadingRepository, next_day

log = structlog.get_logger()
ATTEMPTS = 5  # at an answer that fits; then a person looks
FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=6)
SPARE = timedelta(seconds=60)  # of a lease, beyond the longest question


@dataclass(frozen=True, slots=True)
class Limits:
    """`budget` in tokens a day and scope, `longest` in characters of a text."""

    budget: int
    concurrency: int
    longest: int


@dataclass(frozen=True, slots=True)
class Parts:
    """What the second reading works with; without a model it does nothing."""

    rows: ReadingRepository
    consolidation: ConsolidationService
    model: LanguageModel | None
    limits: Limits


@dataclass(slots=True)
class ReadTally:
    """What a pass did; `away` where the endpoint did not answer, which ends the pass."""

    taken: int = 0
    read: int = 0
    merged: int = 0
    failed: int = 0
    accepted: int = 0
    dropped: int = 0
    away: bool = False


class ModelReader:
    """Asks the model about what is due."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.rows = parts.rows
        self.limits = parts.limits

    @property
    def model(self) -> str | None:
        """The name of the model; None where there is none."""
        return self._parts.model.config.model if self._parts.model else None

    async def drain(self) -> ReadTally:
        """Every scope that has something due, until none has or the endpoint is away."""
        tally = ReadTally()
        while self.model and not tally.away and (due := await self.rows.due_scopes()):
            before = tally.taken
            for scope in due:
                await self.read_scope(scope, tally)
            if tally.taken == before:
                break
        return tally

    async def asking(self, scopes: Collection[str]) -> set[str]:
        """Those of some scopes whose rules let the model be asked."""
        return await self._parts.consolidation.asking(scopes)

    async def read_scope(self, scope: str, tally: ReadTally | None = None) -> ReadTally:
        """One scope until nothing is due there, or its rules switch the model off; several
        episodes at a time."""
        total = tally or ReadTally()
        model = self._parts.model
        if model is None:
            return total
        registry = (await self._parts.consolidation.terms(scope)).registry
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.limits.concurrency):
                    group.create_task(_Pass(self._parts, model, registry, total).run(scope))
        except* LociError as errors:
            raise errors.exceptions[0] from None
        return total

    async def ask_again(self, scope: str) -> int:
        """Have the model read everything of a scope once more; how much that is.

        Raises SwitchedOff where no model is configured, or the scope's rules want none.
        """
        if self.model is None:
            raise SwitchedOff("no language model is configured", field="again")
        if not await self.asking([scope]):
            raise SwitchedOff(f"the rules of {scope} switch the language model off", field="again")
        return await self.rows.ask_again(scope)

    async def aclose(self) -> None:
        """Closes the connections to the model."""
        if self._parts.model is not None:
            await self._parts.model.aclose()


@dataclass(frozen=True, slots=True)
class _Pass:
    """One of those who read a scope at a time."""

    parts: Parts
    model: LanguageModel
    registry: Registry
    tally: ReadTally

    async def run(self, scope: str) -> None:
        holder = new_id()
        lease = timedelta(seconds=self.model.config.deadline_s) + SPARE
        # Asked before each text: from the moment of the switch on none is sent any more.
        while not self.tally.away and await self.parts.consolidation.asking([scope]):
            hold = await self.parts.rows.take(scope, holder, lease)
            if hold is None:
                return
            self.tally.taken += 1
            await self._read(hold)

    async def _read(self, hold: Hold) -> None:
        text = hold.episode["content"]
        if unsent := self._unsent(hold):
            await self.parts.rows.postpone(hold, "skipped", unsent, now())
            return
        asked = question(text, self.registry)
        key = asked.key(hold.scope, self.model.config.model, text)
        kept = await self.parts.rows.kept_answer(key, hold.scope)
        if kept is not None:
            await self._keep(hold, key, kept, Counts(cached=1))
            return
        await self._ask(hold, key, asked)

    def _unsent(self, hold: Hold) -> str | None:
        """Why a text is not sent; None where it is."""
        if hold.episode["expired_at"] < FOREVER:
            return "forgotten"
        return "too long" if len(hold.episode["content"]) > self.parts.limits.longest else None

    async def _ask(self, hold: Hold, key: str, asked: Question) -> None:
        rows, reserved = self.parts.rows, most_tokens(asked, self.model.config)
        if not await rows.reserve(hold, reserved, self.parts.limits.budget):
            await rows.postpone(hold, "due", "budget", next_day(now()))
            return
        try:
            answer = await self.model.ask(asked, Proposal)
        except LlmUnavailable as error:
            await rows.count(hold, error.tokens - reserved, Counts(asked=1, failed=1))
            await self._refused(hold, error)
            return
        await rows.count(hold, answer.tokens - reserved, Counts())
        await self._keep(hold, key, answer.text, Counts(asked=1))

    async def _keep(self, hold: Hold, key: str, answer: str, counts: Counts) -> None:
        model = self.model.config.model
        checked = self._checked(hold, {"model": model, "answer": answer})
        accepted, dropped = len(checked.statements), sum(checked.dropped.values())
        reading = {
            "id": key,
            "scope": hold.scope,
            "tenant": hold.episode["tenant"],
            "model": model,
            "answer": answer,
            "asked_at": now(),
        }
        merge = accepted > 0 or hold.episode["had"] > 0
        done = await self.parts.rows.keep(hold, reading, merge=merge)
        told = Counts(counts.asked, counts.cached, 0, accepted, dropped)
        await self.parts.rows.count(hold, 0, told)
        self.tally.read += done
        self.tally.merged += done and merge
        self.tally.accepted += accepted
        self.tally.dropped += dropped

    def _checked(self, hold: Hold, answer: dict[str, str]) -> Checked:
        utterance = utterance_of(hold.episode)
        found = extract(utterance, self.registry)
        return borne_out(answer, utterance, self.registry, found)

    async def _refused(self, hold: Hold, error: LlmUnavailable) -> None:
        attempts = int(hold.episode.get("model_attempts") or 0) + 1
        unusable = isinstance(error, LlmAnswerUnusable)
        state = "failed" if unusable and attempts >= ATTEMPTS else "due"
        due_at = now() + min(FIRST_WAIT * 2 ** min(attempts - 1, 16), LONGEST_WAIT)
        await self.parts.rows.postpone(hold, state, error.detail[:300], due_at)
        self.tally.failed += 1
        self.tally.away = self.tally.away or not unusable
        log.warning("model.refused", episode=hold.episode["id"], attempts=attempts)
