"""What becomes of messages that left their buffers: kept or discarded, and written as memories.

Rules decide first, and alone where no model is configured, where the scope's rules want none, or
where an exchange is short. Each message has one claim: who holds it alone writes its verdict, with
the memories, in one transaction. A process that dies leaves a claim that runs out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import Any

import structlog

from app.conversations.exchange import Exchange, Item, Judged, Verdicts, exchanges
from app.conversations.kind import MESSAGE
from app.conversations.model import RULES, Message, Verdict
from app.errors import BudgetSpent, LlmAnswerUnusable, LlmUnavailable, LociError
from app.kernel import audit
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import new_id
from app.kernel.scope import parse_scope
from app.llm.metered import MeteredModel
from app.notes.memories import Memory, Place
from app.notes.remembering import remember
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import sanitize
from app.scopes.service import ScopeService
from app.scopes.tuning import tuned

log = structlog.get_logger()
LEASE = timedelta(minutes=10)  # longer than a question with all its attempts
TRIED, ASKED = 50, 5  # messages on which other limits are tried, and exchanges for a model


@dataclass(frozen=True, slots=True)
class Limits:
    """`items` of one pass, the characters of an exchange below which no model is asked, what a
    million tokens cost, and what a model is told of which messages to keep."""

    items: int = tuned("conversations.items")
    least: int = tuned("conversations.model_least")
    price: float | None = tuned("conversations.price", default=None)
    prompt: str = tuned("conversations.prompt", default="")


@dataclass(slots=True)
class Receipt:
    """What a pass did, or would do: `items` names each message with its verdict, no words of it;
    `postponed` are messages for whose exchange a model that is away is to be asked."""

    agent: str
    dry_run: bool
    judged: int = 0
    kept: int = 0
    discarded: int = 0
    memories: int = 0
    asked: int = 0
    tokens: int = 0
    postponed: int = 0

    def told(self) -> dict[str, Any]:
        """Return the figures."""
        return asdict(self)


Tell = Callable[[dict[str, Any]], Awaitable[None]]


class JudgingService:
    """Passes over what waits, one agent at a time; run again at once, one changes nothing."""

    def __init__(
        self, graph: Graph, scopes: ScopeService, model: MeteredModel | None, limits: Limits
    ) -> None:
        self.graph = graph
        self.limits = limits
        self._scopes = scopes
        self._model = model

    async def agents(self) -> list[Row]:
        """Return agents with something that waits: `agent`, `tenant`, `scopes`."""
        return await self.graph.rows(Q.conversations.agents, at=now())

    async def scopes_of(self, agent: str, scopes: Sequence[str]) -> list[str]:
        """Return those of some scopes in which an agent has something that waits."""
        rows = await self.graph.rows(Q.conversations.waiting_in, agent=agent, scopes=list(scopes))
        return [row["scope"] for row in rows]

    async def preview(self, agent: str, scopes: Sequence[str]) -> tuple[Receipt, list[Row]]:
        """Return what a pass would do by rules, and for which exchanges it would ask a model;
        nothing is written."""
        receipt, told = Receipt(agent, dry_run=True), []
        rows = await self.graph.rows(
            Q.conversations.waiting,
            agent=agent,
            scopes=list(scopes),
            at=now(),
            limit=await self._items(scopes),
        )
        for exchange in exchanges(map(Item.of, rows)):
            limits = await self._scopes.limits(self.limits, exchange.scope)
            asks = await self._asks(exchange, limits)
            receipt.asked += asks
            _count(receipt, exchange.by_rules())
            told += _told(exchange.by_rules(), "model" if asks else None)
        return receipt, told

    async def run(self, agent: str, scopes: Sequence[str], tell: Tell) -> tuple[Receipt, list[Row]]:
        """Judge what waits longest, as many messages as one pass takes."""
        receipt, told, holder = Receipt(agent, dry_run=False), [], new_id()
        at = now()
        rows = await self.graph.rows(
            Q.conversations.claim,
            agent=agent,
            scopes=list(scopes),
            at=at,
            until=at + LEASE,
            holder=holder,
            limit=await self._items(scopes),
        )
        away = False
        for exchange in exchanges(map(Item.of, rows)):
            judged = None if away else await self._judged(exchange, receipt)
            if judged is None:
                away = True
                await self._postpone(exchange, holder, receipt)
                continue
            done = await self._settle(exchange, judged, holder)
            _count(receipt, done)
            told += _told(done)
            await tell({"judged": receipt.judged})
        return receipt, told

    async def foreseen(self, coming: Mapping[str, Limits]) -> tuple[int, list[str]]:
        """Return on how many of the messages that were judged last other limits are tried, which
        are given by scope, and the ids of those that would get another verdict; nothing is
        written.

        A model is asked of a few exchanges, and those for which it is not asked are left out.
        """
        rows = await self.graph.rows(Q.conversations.judged, scopes=sorted(coming), limit=TRIED)
        looked_at, differs, asked = 0, [], 0
        for exchange in exchanges(map(Item.of, rows)):
            limits = coming[exchange.scope]
            asks = await self._asks(exchange, limits)
            if asks and asked == ASKED:
                continue
            asked += asks
            tried = await self._tried(exchange, limits) if asks else exchange.by_rules()
            if tried is None:
                continue
            looked_at += len(tried.messages)
            pairs = zip(exchange.items, tried.messages, strict=True)
            differs += [new.id for item, new in pairs if item.message.verdict != new.verdict]
        return looked_at, differs

    async def _tried(self, exchange: Exchange, limits: Limits) -> Judged | None:
        """Return what a model would say; None where it does not answer."""
        assert self._model is not None
        try:
            question = exchange.question(limits.prompt)
            answer = await self._model.ask(exchange.scope, question, Verdicts)
        except (BudgetSpent, LlmAnswerUnusable, LlmUnavailable) as error:
            log.warning("conversations.not_tried", scope=exchange.scope, reason=error.detail)
            return None
        return exchange.by_model(answer.value, self._model.name)

    async def aclose(self) -> None:
        """Close the model's connections."""
        if self._model is not None:
            await self._model.aclose()

    async def _items(self, scopes: Sequence[str]) -> int:
        """How many messages one pass takes: as few as any of its scopes has it."""
        bounds = [await self._scopes.limits(self.limits, scope) for scope in scopes]
        return min((one.items for one in bounds), default=self.limits.items)

    async def _asks(self, exchange: Exchange, limits: Limits) -> bool:
        if self._model is None or exchange.characters < limits.least or not exchange.useful:
            return False
        return (await self._scopes.rules(exchange.scope)).language_model

    async def _judged(self, exchange: Exchange, receipt: Receipt) -> Judged | None:
        """Return the verdicts; None where a model is to be asked that is away."""
        limits = await self._scopes.limits(self.limits, exchange.scope)
        if self._model is None or not await self._asks(exchange, limits):
            return exchange.by_rules()
        receipt.asked += 1
        question = exchange.question(limits.prompt)
        try:
            answer = await self._model.ask(exchange.scope, question, Verdicts)
        except (BudgetSpent, LlmAnswerUnusable) as error:
            log.warning("conversations.judged_by_rules", scope=exchange.scope, reason=error.detail)
            receipt.tokens += error.tokens
            return _priced(exchange.by_rules(), error.tokens, limits)
        except LlmUnavailable as error:
            log.warning("conversations.postponed", scope=exchange.scope, reason=error.detail)
            return None
        receipt.tokens += answer.tokens
        judged = exchange.by_model(answer.value, self._model.name)
        return _priced(judged, answer.tokens, limits)

    async def _postpone(self, exchange: Exchange, holder: str, receipt: Receipt) -> None:
        ids = [item.message.id for item in exchange.items]
        receipt.postponed += len(ids)
        await self.graph.rows(Q.conversations.release, ids=ids, scope=exchange.scope, holder=holder)

    async def _settle(self, exchange: Exchange, judged: Judged, holder: str) -> Judged:
        """Write verdicts and memories, as far as the claim still holds; what was written."""
        policy = await self._scopes.policy(exchange.scope)
        clean = await asyncio.to_thread(_clean, judged, policy)
        at, scope = now(), exchange.scope

        async def work(tx: Tx) -> Judged:
            ids = [message.id for message in clean.messages]
            rows = await tx.many(
                Q.conversations.ours, Message, ids=ids, scope=scope, holder=holder, at=at
            )
            ours = {message.id for message in rows}
            turns = [m.memory for m in clean.messages if m.id in ours]
            memories = [one for one in clean.memories if set(one.turns) <= set(turns)]
            by = next((m.judged_by for m in clean.messages if m.judged_by != RULES), RULES)
            place = Place(scope, parse_scope(scope).tenant, at, by or RULES)
            await remember(tx, memories, turns, place, ends=False)
            written = [
                message.model_copy(update={"judged_at": at, "memories": _rests(message, memories)})
                for message in clean.messages
                if message.id in ours
            ]
            await tx.rows(Q.kinds.change, rows=[MESSAGE.row(message) for message in written])
            await tx.rows(Q.conversations.release, ids=sorted(ours), scope=scope, holder=holder)
            if gone := [m.memory for m in written if m.verdict is Verdict.DISCARD]:
                await tx.rows(Q.conversations.mark_days, scope=scope, episodes=gone, at=at)
            done = Judged(tuple(written), tuple(memories))
            if written:
                await tx.rows(Q.conversations.tell, events=[_event(done, holder)])
            return done

        return await self.graph.write("conversations.settle", work)


def _priced(judged: Judged, tokens: int, limits: Limits) -> Judged:
    """The same with what the answer cost, at the first message of the exchange."""
    cost = None if limits.price is None else round(tokens * limits.price / 1_000_000, 6)
    first = judged.messages[0].model_copy(update={"tokens": tokens, "cost": cost})
    return replace(judged, messages=(first, *judged.messages[1:]))


def _clean(judged: Judged, policy: SanitizePolicy) -> Judged:
    """The same as it may be stored: a memory that reads like an order to a model is none."""
    messages = [
        message.model_copy(update={"reason": _reason(message.reason or "", policy)})
        for message in judged.messages
    ]
    memories = [clean for memory in judged.memories if (clean := _memory(memory, policy))]
    return Judged(tuple(messages), tuple(memories))


def _memory(memory: Memory, policy: SanitizePolicy) -> Memory | None:
    try:
        clean = sanitize(memory.text, policy)
    except LociError:
        return None
    if clean.marker_ids:
        return None
    return replace(memory, text=clean.text, pii=tuple(sorted(clean.tags)))


def _reason(reason: str, policy: SanitizePolicy) -> str | None:
    try:
        return sanitize(reason, policy).text or None
    except LociError:
        return None


def _rests(message: Message, memories: Sequence[Memory]) -> int:
    return sum(message.memory in memory.turns for memory in memories)


def _count(receipt: Receipt, judged: Judged) -> None:
    receipt.judged += len(judged.messages)
    receipt.kept += judged.kept
    receipt.discarded += sum(one.verdict is Verdict.DISCARD for one in judged.messages)
    receipt.memories += len(judged.memories)


def _told(judged: Judged, by: str | None = None) -> list[Row]:
    return [
        {
            "message": message.id,
            "memory": message.memory,
            "scope": message.scope,
            "verdict": message.verdict,
            "by": by or message.judged_by,
            "memories": _rests(message, judged.memories),
        }
        for message in judged.messages
    ]


def _event(judged: Judged, holder: str) -> Row:
    first = judged.messages[0]
    discarded = sum(one.verdict is Verdict.DISCARD for one in judged.messages)
    told = {"kept": judged.kept, "discarded": discarded, "memories": len(judged.memories)}
    event = audit.record(
        "conversation.judge",
        tenant=first.scope.partition("/")[0],
        scope=first.scope,
        actor=first.agent,
        request=holder,
        payload={**told, "by": first.judged_by},
    )
    return {**event, "target": MESSAGE.whole_of(first)}
