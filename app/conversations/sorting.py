"""An agent's answers as notes of the four namespaces, one conversation at a time, behind the turn.

A conversation keeps the number of the last message whose answer was sorted. A note's id follows
from its turn and its words, and it is written where nothing of that id is: a pass that is killed
or run twice writes each note once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

import structlog

from app.conversations.answers import (
    Answer,
    Placing,
    answers,
    by_model,
    by_rules,
    labelled,
    question,
)
from app.conversations.model import Conversation
from app.conversations.namespaces import MOST, Sorted
from app.errors import InvalidInput, LlmUnavailable, LociError, NotFound
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.ids import new_id
from app.llm.metered import MeteredModel
from app.notes.model import Draft, Origin, Source
from app.notes.service import NoteService
from app.scopes.service import ScopeService

log = structlog.get_logger()
PAGE = 100  # conversations
MESSAGES = 100  # of a conversation in one step
LEASE = timedelta(minutes=10)  # longer than a question with all its attempts
BEFORE = 8  # messages before a step that tell what led to its first answer
UNTRUSTED = "what led to it is not trusted"
REQUEST = "conversations.sort"


@dataclass(slots=True)
class SortReceipt:
    """What a pass did, or would do: `answers` read, `notes` written, `waiting` of them for a
    curator, `known` sentences that were notes already, `refused` by the scope's policy."""

    dry_run: bool
    answers: int = 0
    notes: int = 0
    waiting: int = 0
    known: int = 0
    refused: int = 0
    asked: int = 0
    tokens: int = 0

    def told(self) -> dict[str, Any]:
        """Return the figures."""
        return asdict(self)


class _Lost(Exception):
    """Another pass has taken the scope over."""


@dataclass(frozen=True, slots=True)
class _Hold:
    """One pass's hold of a scope, by a lease that is renewed at each answer: a pass that was killed
    lets go when it runs out."""

    graph: Graph
    scope: str
    holder: str

    async def renew(self) -> bool:
        """Take the scope or hold it on; false where another pass has it."""
        at = now()
        taken = await self.graph.optional(
            Q.conversations.hold_sorting,
            scope=self.scope,
            holder=self.holder,
            at=at,
            until=at + LEASE,
        )
        return taken is not None

    async def release(self) -> None:
        """Let the next pass have the scope."""
        await self.graph.rows(Q.conversations.release_sorting, scope=self.scope, holder=self.holder)


class AnswerSorter:
    """Sorts what agents said since the last pass, where a rule of the scope wants it."""

    def __init__(
        self, graph: Graph, scopes: ScopeService, notes: NoteService, model: MeteredModel | None
    ) -> None:
        self.graph = graph
        self._scopes = scopes
        self._notes = notes
        self._model = model

    async def run(self, scopes: Sequence[str] | None, *, dry_run: bool) -> SortReceipt:
        """Sort the answers in conversations of some scopes, or of all; one that is refused holds
        up no other, and is tried again by the next pass. A scope in which another pass is at work
        is left to it."""
        receipt, holder = SortReceipt(dry_run), new_id()
        for row in await self.graph.rows(Q.conversations.unsorted_scopes, scopes=scopes):
            hold = _Hold(self.graph, row["scope"], holder)
            if dry_run or await hold.renew():
                try:
                    await self._scope(hold, receipt)
                finally:
                    if not dry_run:
                        await hold.release()
        return receipt

    async def _scope(self, hold: _Hold, receipt: SortReceipt) -> None:
        after = ""
        while rows := await self.graph.rows(
            Q.conversations.unsorted, scope=hold.scope, after=after, limit=PAGE
        ):
            for row in rows:
                talk = Conversation.of(row["conversation"])
                try:
                    await self._conversation(talk, hold, receipt)
                except _Lost:
                    return
                except LociError as error:
                    log.warning("conversations.not_sorted", talk=talk.id, reason=error.detail)
            after = rows[-1]["conversation"]["id"]

    async def aclose(self) -> None:
        """Close the model's connections."""
        if self._model is not None:
            await self._model.aclose()

    async def _conversation(self, talk: Conversation, hold: _Hold, receipt: SortReceipt) -> None:
        rules = await self._scopes.rules(talk.scope)
        done, said = talk.extracted, talk.said
        while rules.sorted_answers and done < said:
            rows = await self._said(talk, done)
            last = rows[-1]["seq"] if rows and rows[-1]["seq"] > done else said
            for answer in answers(rows, done, rules.external_origins):
                if not receipt.dry_run and not await hold.renew():
                    raise _Lost
                await self._answer(talk, answer, receipt, asks=rules.language_model)
            done = last
            if not receipt.dry_run:
                await self._move(talk, done)
        if not receipt.dry_run:
            await self._move(talk, said)

    async def _said(self, talk: Conversation, after: int) -> list[Row]:
        return await self.graph.rows(
            Q.conversations.said_around,
            id=talk.id,
            scope=talk.scope,
            after=max(-1, after - BEFORE),
            limit=BEFORE + MESSAGES,
        )

    async def _move(self, talk: Conversation, done: int) -> None:
        """Keep how far a conversation is sorted; another pass may have come further."""
        await self.graph.rows(Q.conversations.sorted_to, id=talk.id, scope=talk.scope, done=done)

    async def _answer(
        self, talk: Conversation, answer: Answer, receipt: SortReceipt, *, asks: bool
    ) -> None:
        found = await self._sorted(talk.scope, answer, receipt, asks=asks)
        receipt.answers += 1
        for one in found[:MOST]:
            if receipt.dry_run:
                receipt.notes += 1
                receipt.waiting += not answer.trusted
            else:
                await self._note(talk, answer, one, receipt)

    async def _sorted(
        self, scope: str, answer: Answer, receipt: SortReceipt, *, asks: bool
    ) -> list[Sorted]:
        """Where the sentences belong: by a model where there is one, else and where it does not
        answer by the rules. A dry run asks no model."""
        sentences = labelled(answer)
        if self._model is None or not asks or receipt.dry_run or not sentences:
            return by_rules(answer)
        receipt.asked += 1
        try:
            told = await self._model.ask(scope, question(sentences), Placing)
        except LlmUnavailable as error:
            log.warning("conversations.sorted_by_rules", scope=scope, reason=error.detail)
            receipt.tokens += error.tokens
            return by_rules(answer)
        receipt.tokens += told.tokens
        return by_model(sentences, told.value)

    async def _note(
        self, talk: Conversation, answer: Answer, one: Sorted, receipt: SortReceipt
    ) -> None:
        draft = Draft(
            content=one.text,
            namespace=one.namespace,
            scope=talk.scope,
            source=Source.AGENT,
            valid_from=answer.at,
        )
        origin = Origin(answer.episode, "" if answer.trusted else UNTRUSTED)
        try:
            done = await self._notes.write(_agent(talk), draft, origin)
        except (InvalidInput, NotFound):  # the policy refuses it, or turn or scope are gone
            receipt.refused += 1
            return
        receipt.known += done.status == "duplicate"
        receipt.waiting += done.status == "quarantined"
        receipt.notes += done.status != "duplicate"


def _agent(talk: Conversation) -> Caller:
    """Return the agent of a conversation as it writes in its scope."""
    return Caller(
        principal=talk.agent,
        kind="agent",
        name=talk.agent,
        tenant=talk.scope.partition("/")[0],
        home=talk.scope,
        key="",
        roles={talk.scope: Role.WRITER},
        request=f"{REQUEST}:{new_id()}",
    )
