"""The buffer of a conversation: appended to, read, cleared; and the last messages beyond it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from app.conversations.buffer import Bounds, Flow, flow
from app.conversations.kind import CONVERSATION, MESSAGE
from app.conversations.model import LONGEST_NAME, LONGEST_WINDOW, Conversation, Message, Verdict
from app.episodes.model import Capture, Receipt
from app.episodes.service import EpisodeService
from app.errors import InvalidInput, LociError
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope
from app.sanitize.labels import require_plain
from app.sanitize.normalise import visible
from app.scopes.service import ScopeService, own_leaf


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of each message, the conversation, how many messages its buffer holds, and the
    episodes that left it for mid-term memory."""

    receipts: list[Receipt]
    talk: Conversation
    buffered: int = 0
    left: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Entering:
    """Takes what a capture stores into a buffer, in its transaction."""

    caller: Caller
    talk: Conversation
    bounds: Bounds
    begins: bool = False
    done: Flow | None = None

    async def before(self, tx: Tx) -> None:
        """Lock the conversation, which is made where it is not there yet."""
        self.talk = await held(tx, self.talk)

    async def behind(self, tx: Tx, captured: list[Row]) -> None:
        """Let the episodes come in, and what is too much leave."""
        episodes = [row["id"] for row in captured]
        current = await _flow(tx, self.talk, episodes)
        at = now()
        if self.begins:
            current.clear(at, self.bounds)
        current.take(episodes, at, self.bounds)
        await save(tx, current)
        await _tell(tx, self.caller, current, "conversation.append", messages=len(episodes))
        self.done = current


class ConversationService:
    """Every operation on the caller's own conversations: nobody else sees one, whatever his role.

    A conversation is known by its name in a scope. Where no scope is given it is the one in which
    the agent has a conversation of that name, its own leaf before its home; else its own leaf.
    """

    def __init__(
        self, graph: Graph, scopes: ScopeService, episodes: EpisodeService, bounds: Bounds
    ) -> None:
        self.graph = graph
        self.bounds = bounds
        self.scopes = scopes
        self._episodes = episodes

    async def append(
        self,
        caller: Caller,
        talk: Conversation,
        captures: Sequence[Capture | LociError],
        *,
        begins: bool = False,
    ) -> Appended:
        """Capture messages and let them into the buffer, in one transaction; a bad one gets a
        receipt that says why. With `begins` the buffer is cleared first."""
        entering = Entering(caller, talk, await self.bounds_of(talk.scope), begins)
        receipts = await self._episodes.capture_batch(caller, captures, entering)
        done = entering.done
        if done is None:
            return Appended(receipts, talk)
        return Appended(receipts, done.conversation, len(done.held), done.left)

    async def opened(
        self, caller: Caller, name: str, scope: str | None
    ) -> tuple[Caller, Conversation]:
        """Return a conversation that may be written to, as it is or as it will be made, and the
        caller as it sees the scope: its own leaf is made where it is needed.

        Raises NotFound and Forbidden by the scope, InvalidInput for a name that tells too much.
        """
        if scope is None:
            found = await self._found(caller, name)
            if found is not None:
                return caller, found
            caller = await self.scopes.with_own_leaf(caller)
            scope = own_leaf(caller)
        scope = caller.require(str(parse_scope(scope)), Role.WRITER)
        require_plain(name, "conversation", await self.scopes.policy(scope))
        return caller, self.blank(caller, name, scope)

    async def seen(self, caller: Caller, name: str, scope: str | None) -> Conversation:
        """Return a conversation for reading; one in which nothing was said is empty.

        Raises NotFound for a scope that is not visible.
        """
        if scope is None:
            return await self._found(caller, name) or self.blank(caller, name, caller.home)
        scope = caller.require(str(parse_scope(scope)), Role.READER)
        blank = self.blank(caller, name, scope)
        found = await self.graph.many(
            Q.conversations.find, Conversation, ids=[blank.id], scopes=[scope]
        )
        return found[0] if found else blank

    async def buffer(self, talk: Conversation) -> list[Row]:
        """Return what is in the buffer, oldest first: `seq`, `state`, `episode`."""
        return await self.graph.rows(Q.conversations.said_in_buffer, id=talk.id, scope=talk.scope)

    async def window(self, talk: Conversation, limit: int) -> list[Row]:
        """Return the last messages since the conversation began, oldest first, those that have
        left the buffer among them."""
        rows = await self.graph.rows(
            Q.conversations.said_lately,
            id=talk.id,
            scope=talk.scope,
            after=talk.began,
            limit=min(limit, LONGEST_WINDOW),
        )
        return rows[::-1]

    async def clear(self, caller: Caller, talk: Conversation) -> int:
        """Let all messages leave the buffer, since a conversation begins; how many that were."""
        caller.require(talk.scope, Role.WRITER)
        bounds = await self.bounds_of(talk.scope)

        async def work(tx: Tx) -> int:
            found = await tx.many(
                Q.conversations.follow, Conversation, id=talk.id, scope=talk.scope, at=now()
            )
            if not found:
                return 0  # nothing was said there: nothing is made of its name
            current = await _flow(tx, found[0], [])
            current.clear(now(), bounds)
            await save(tx, current)
            await _tell(tx, caller, current, "conversation.clear", messages=len(current.gone))
            return len(current.gone)

        return await self.graph.write("conversations.clear", work)

    async def figures(self, talk: Conversation) -> Row:
        """Return how many messages are where, and what became of them."""
        return await self.graph.one(Q.conversations.figures, id=talk.id, scope=talk.scope)

    async def mid_term(
        self, caller: Caller, scopes: list[str], verdict: Verdict | None, after: str, limit: int
    ) -> list[Message]:
        """Return the caller's messages in mid-term memory, by id."""
        return await self.graph.many(
            Q.conversations.page,
            Message,
            agent=caller.principal,
            scopes=scopes,
            verdict=verdict,
            after=after,
            limit=limit,
        )

    async def bounds_of(self, scope: str) -> Bounds:
        """Return how much a buffer holds in a scope, and for how long."""
        return await self.scopes.limits(self.bounds, scope)

    def blank(self, caller: Caller, name: str, scope: str) -> Conversation:
        """Return a conversation in which nothing was said yet.

        Raises InvalidInput for a name of which nothing is seen, or too much.
        """
        shown, at = visible(name), now()
        if not shown.strip() or len(shown) > LONGEST_NAME:
            reason = f"the name of a conversation has 1 to {LONGEST_NAME} characters that are seen"
            raise InvalidInput(reason, field="conversation")
        return CONVERSATION.placed(
            Conversation(
                id="new",
                scope=scope,
                agent=caller.principal,
                conversation=shown,
                began_at=at,
                changed_at=at,
                open_until=at,
            )
        )

    async def _found(self, caller: Caller, name: str) -> Conversation | None:
        places = list(dict.fromkeys((own_leaf(caller), caller.home)))
        ids = [self.blank(caller, name, place).id for place in places]
        found = await self.graph.many(
            Q.conversations.find, Conversation, ids=[*ids, name], scopes=caller.visible
        )
        return next((one for one in found if one.agent == caller.principal), None)


async def held(tx: Tx, talk: Conversation) -> Conversation:
    """Return a conversation whose lock is held, made where it was not there."""
    row = await tx.one(Q.conversations.hold, properties=CONVERSATION.row(talk), at=now())
    return Conversation.of(row["conversation"])


async def _flow(tx: Tx, talk: Conversation, episodes: Sequence[str]) -> Flow:
    identity = (talk.agent, talk.conversation)
    ids = [MESSAGE.id_of(talk.scope, *identity, episode) for episode in episodes]
    inside = await tx.many(Q.conversations.buffered, Message, id=talk.id, scope=talk.scope)
    known = await tx.many(Q.conversations.known, Message, ids=ids, scope=talk.scope)
    return flow(talk, [*inside, *known])


async def save(tx: Tx, done: Flow) -> None:
    """Write a conversation, whose lock is held, and the messages of it that changed."""
    rows = [CONVERSATION.row(done.conversation), *(MESSAGE.row(one) for one in done.old)]
    await tx.rows(Q.kinds.change, rows=rows)
    await tx.rows(Q.kinds.restore, rows=[MESSAGE.new(one) for one in done.new])


async def _tell(tx: Tx, caller: Caller, done: Flow, kind: str, **payload: Any) -> None:
    talk = done.conversation
    left = {"left": len(done.left), "buffered": len(done.held)}
    event = audit.event(caller, kind, talk.scope, conversation=talk.id, **payload, **left)
    await tx.rows(Q.conversations.tell, events=[{**event, "target": talk.id}])
