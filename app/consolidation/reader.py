"""The second reading: a language model reads, after the rules, what they have read.

Turns that are due are taken by windows of a session and asked about outside any transaction, one
call a window. What the model says is kept beside the turns; its memories are written with it, as
far as the guards let them, and turns with claims go through consolidation once more: claims follow
from the text and what was kept, so another pass asks nothing and changes nothing. Whatever goes
wrong leaves what the rules read as it is, and the turns due, with the reason.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

import structlog
from pydantic import ValidationError

from app.consolidation.guards import Answer, Kept, remembered
from app.consolidation.proposals import held_against
from app.consolidation.service import ConsolidationService
from app.consolidation.window import Held, Turn, Window, Wording, question
from app.errors import LlmAnswerUnusable, LlmUnavailable, LociError, SwitchedOff
from app.extraction.predicates import Registry
from app.extraction.proposed import Checked
from app.indexing.analysis import detect_language
from app.jobs.lanes import Due
from app.kernel.clock import FOREVER, now
from app.kernel.graph import Row, Tx
from app.kernel.ids import new_id
from app.kernel.scope import parse_scope
from app.llm.model import Question, most_tokens
from app.llm.repository import Counts, Hold, ReadingRepository, next_day
from app.llm.wording import CURRENT
from app.notes.memories import Place, Plan
from app.notes.remembering import like, remember
from app.sanitize.step import sanitize
from app.scopes.service import ScopeService

if TYPE_CHECKING:  # its library takes half a second to import, for those alone who have a model
    from app.llm.client import LanguageModel

log = structlog.get_logger()
ATTEMPTS = 5  # at an answer that fits; then a person looks
FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=6)
NEW, BEFORE = 16, 6  # turns of a window that are read, and before them
FACTS = 24  # held facts that are shown beside a window
AWAY = 15.0  # seconds in which nobody asks an endpoint that did not answer
SPARE = timedelta(seconds=60)  # of a lease, beyond the longest question
UNREAD = Checked(dropped={"unread": 1})


@dataclass(frozen=True, slots=True)
class Limits:
    """`budget` in tokens a day and scope, `longest` in characters of a window's texts; `patience`
    is how long a turn waits for those that are said soon after it, in seconds."""

    budget: int
    concurrency: int
    longest: int
    patience: float = 0.0


@dataclass(frozen=True, slots=True)
class Parts:
    """What the second reading works with; without a model it does nothing."""

    rows: ReadingRepository
    consolidation: ConsolidationService
    scopes: ScopeService
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
    memories: int = 0
    away: bool = False


class ModelReader:
    """Asks the model about what is due."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.rows = parts.rows
        self.limits = parts.limits
        self._away_until = 0.0

    @property
    def model(self) -> str | None:
        """The name of the model; None where there is none."""
        return self._parts.model.config.model if self._parts.model else None

    async def due(self) -> list[Due]:
        """Return scopes that have something to read; none while the endpoint is away."""
        if self.model is None or time.monotonic() < self._away_until:
            return []
        return [Due(row["scope"], row["tenant"]) for row in await self.rows.due_scopes()]

    async def turn(self, due: Due) -> ReadTally:
        """Read a few windows of one scope, as many as are asked about side by side."""
        tally = await self.read_scope(due.key, windows=1)
        if tally.away:
            self._away_until = time.monotonic() + AWAY
        if tally.taken:
            log.info("model", read=tally.read, failed=tally.failed, accepted=tally.accepted)
        return tally

    async def asking(self, scopes: Collection[str]) -> set[str]:
        """Those of some scopes whose rules let the model be asked."""
        return await self._parts.consolidation.asking(scopes)

    async def read_scope(self, scope: str, windows: int | None = None) -> ReadTally:
        """Read one scope until nothing is due there, its rules switch the model off, or each of
        those that read side by side has read so many windows."""
        total = ReadTally()
        model = self._parts.model
        if model is None:
            return total
        registry = (await self._parts.consolidation.terms(scope)).registry
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.limits.concurrency):
                    group.create_task(
                        _Pass(self._parts, model, registry, total).run(scope, windows)
                    )
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

    async def run(self, scope: str, windows: int | None) -> None:
        """Read window after window, so many at most, until nothing is due or the scope wants no
        model any more."""
        holder = new_id()
        lease = timedelta(seconds=self.model.config.deadline_s) + SPARE
        patience = timedelta(seconds=self.parts.limits.patience)
        # Asked before each window: from the moment of the switch on none is sent any more.
        for _ in count() if windows is None else range(windows):
            if self.tally.away or not await self.parts.consolidation.asking([scope]):
                return
            hold = await self.parts.rows.take(scope, holder, lease, NEW, patience)
            if hold is None:
                return
            self.tally.taken += len(hold.episodes)
            await self._read(hold)

    async def _read(self, hold: Hold) -> None:
        rows = self.parts.rows
        read: list[Row] = []
        later: list[Row] = []
        for episode in hold.episodes:
            if unsent := self._unsent(episode):
                await rows.postpone(hold, [episode], "skipped", unsent, now())
            elif read and _characters([*read, episode]) > self.parts.limits.longest:
                later.append(episode)
            else:
                read.append(episode)
        if later:
            await rows.hand_back(hold, later)
        if read:
            hold = replace(hold, episodes=tuple(read))
            await self._answered(hold, Window.of(read, await self._before(hold)))

    def _unsent(self, episode: Row) -> str | None:
        """Why a text is not sent; None where it is."""
        if episode["expired_at"] < FOREVER:
            return "forgotten"
        return "too long" if len(episode["content"]) > self.parts.limits.longest else None

    async def _before(self, hold: Hold) -> list[Row]:
        """The turns before the new ones, as far as they fit beside them."""
        first = hold.episodes[0]
        if not first["turn"]:
            return []
        found: list[Row] = []
        room = self.parts.limits.longest - _characters(hold.episodes)
        for episode in await self.parts.rows.before(first, BEFORE):
            room -= len(episode["content"])
            if room < 0:
                break
            found.insert(0, episode)
        return found

    async def _answered(self, hold: Hold, window: Window) -> None:
        rules = await self.parts.consolidation.rules(hold.scope)
        wording = Wording(rules.reading_prompt or CURRENT, rules.reading_focus)
        asked = question(window, self.registry, wording)
        key = asked.key(hold.scope, self.model.config.model, window.text)
        kept = await self.parts.rows.kept_answer(key, hold.scope)
        if kept is not None:
            told = (one.split(" ", 1) for one in kept["held"] or ())
            window = replace(window, held=tuple(Held(label, id, "") for label, id in told))
            await self._keep(hold, window, _Reply(key, kept["answer"]), Counts(cached=1))
            return
        window = replace(window, held=await self._held(hold, window))
        await self._ask(hold, window, (key, question(window, self.registry, wording)))

    async def _held(self, hold: Hold, window: Window) -> tuple[Held, ...]:
        """What is held that the window may be about: memories by words, facts by what it names."""
        graph, at = self.parts.rows.graph, now()
        said = "\n".join(turn.episode["content"] for turn in window.new)
        memories = await like(graph, hold.scope, said, detect_language(said), at)
        facts = await self.parts.rows.held_facts(hold, FACTS)
        shown = [Held(f"m{n}", row["id"], row["text"]) for n, row in enumerate(memories, 1)]
        return (*shown, *(Held(f"f{n}", row["id"], row["text"]) for n, row in enumerate(facts, 1)))

    async def _ask(self, hold: Hold, window: Window, asked: tuple[str, Question]) -> None:
        rows, (key, sent) = self.parts.rows, asked
        reserved = most_tokens(sent, self.model.config)
        if not await rows.reserve(hold, reserved, self.parts.limits.budget):
            await rows.postpone(hold, hold.episodes, "due", "budget", next_day(now()))
            return
        start = time.perf_counter()
        try:
            answer = await self.model.ask(sent, Answer)
        except LlmUnavailable as error:
            await rows.count(hold, error.tokens - reserved, Counts(asked=1, failed=1))
            await self._refused(hold, error)
            return
        spent = round((time.perf_counter() - start) * 1000)
        await rows.count(hold, answer.tokens - reserved, Counts())
        reply = _Reply(key, answer.text, sent.digest, answer.tokens, spent, sent.version)
        await self._keep(hold, window, reply, Counts(asked=1))

    async def _keep(self, hold: Hold, window: Window, reply: _Reply, counts: Counts) -> None:
        kept = await self._remembered(hold, window, reply.answer)
        claims = await self._checked(window.new, reply.answer)
        accepted = sum(len(checked.statements) for checked in claims.values())
        dropped = sum(sum(checked.dropped.values()) for checked in claims.values())
        place = Place(hold.scope, parse_scope(hold.scope).tenant, now(), self.model.config.model)
        reading = reply.row(window, place)
        merge = [
            turn.episode["id"]
            for turn in window.new
            if claims[turn.label].statements or turn.episode["had"]
        ]

        shown = {
            "turns": [{"id": t.episode["id"], "label": t.label} for t in window.new],
            "beside": [
                *({"id": t.episode["id"], "label": t.label} for t in window.turns if not t.new),
                *({"id": held.id, "label": held.label} for held in window.held),
            ],
            "merge": merge,
        }

        async def work(tx: Tx) -> tuple[dict[str, bool], Plan]:
            read = await self.parts.rows.keep(tx, hold, reading, **shown)
            ours = [turn for turn, done in read.items() if done]
            memories = [m for m in kept.memories if not set(m.turns).isdisjoint(ours)]
            return read, await remember(tx, memories, ours, place)

        read, made = await self.parts.rows.graph.write("model.keep", work)
        accepted += len(kept.memories)
        dropped += sum(kept.dropped.values())
        told = Counts(counts.asked, counts.cached, 0, accepted, dropped)
        await self.parts.rows.count(hold, 0, told)
        self.tally.read += sum(read.values())
        self.tally.merged += sum(read.get(episode, False) for episode in merge)
        self.tally.accepted += accepted
        self.tally.dropped += dropped
        self.tally.memories += len(made.made)

    async def _remembered(self, hold: Hold, window: Window, text: str) -> Kept:
        """The memories that the turns bear out, sanitised as any text that is stored; one that
        reads like an order to a model is none."""
        try:
            answer = Answer.model_validate_json(text)
        except ValidationError:
            return Kept()
        kept = await asyncio.to_thread(remembered, answer, window)
        policy = await self.parts.scopes.policy(hold.scope)
        dropped = Counter(kept.dropped)
        memories = []
        for memory in kept.memories:
            try:
                clean = await asyncio.to_thread(sanitize, memory.text, policy)
            except LociError:
                dropped["refused"] += 1
                continue
            if clean.marker_ids:
                dropped["order"] += 1
                continue
            memories.append(replace(memory, text=clean.text, pii=tuple(sorted(clean.tags))))
        return Kept(tuple(memories), dict(dropped))

    async def _checked(self, turns: Sequence[Turn], answer: str) -> dict[str, Checked]:
        """What each turn bears out, by its label: nothing of one that the rules do not get
        through."""
        work = partial(held_against, self.model.config.model, answer)
        texts = [{**turn.episode, "label": turn.label} for turn in turns]
        apart = self.parts.consolidation.reader
        found = await apart.each(work, texts, self.registry, _go_on)
        named = zip(turns, found, strict=True)
        return {t.label: UNREAD if isinstance(one, Exception) else one for t, one in named}

    async def _refused(self, hold: Hold, error: LlmUnavailable) -> None:
        attempts = max(int(e.get("model_attempts") or 0) for e in hold.episodes) + 1
        unusable = isinstance(error, LlmAnswerUnusable)
        state = "failed" if unusable and attempts >= ATTEMPTS else "due"
        due_at = now() + min(FIRST_WAIT * 2 ** min(attempts - 1, 16), LONGEST_WAIT)
        await self.parts.rows.postpone(hold, hold.episodes, state, error.detail[:300], due_at)
        self.tally.failed += 1
        self.tally.away = self.tally.away or not unusable
        log.warning("model.refused", episode=hold.episodes[0]["id"], attempts=attempts)


async def _go_on() -> None:
    """A lease that lasts as long as the answer: no text of a window takes longer to read."""


@dataclass(frozen=True, slots=True)
class _Reply:
    """An answer with what it cost; of a kept one only the answer is told."""

    key: str
    answer: str
    asked: str = ""
    tokens: int = 0
    milliseconds: int = 0
    prompt: str = ""

    def row(self, window: Window, place: Place) -> Row:
        """The properties of a reading: enough to replay it, and to see what it cost."""
        return {
            "id": self.key,
            "scope": place.scope,
            "tenant": place.tenant,
            "model": place.model,
            "answer": self.answer,
            "asked": self.asked,
            "tokens": self.tokens,
            "milliseconds": self.milliseconds,
            "prompt": self.prompt,
            "held": [f"{held.label} {held.id}" for held in window.held],
            "asked_at": place.at,
        }


def _characters(episodes: Sequence[Row]) -> int:
    return sum(len(episode["content"]) for episode in episodes)
