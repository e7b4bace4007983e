"""Wire types of turns."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Literal

import msgspec
from pydantic import Field, StringConstraints, WrapValidator

from app.conversations.model import Conversation
from app.conversations.schemas import BufferedOut
from app.episodes.model import Capture
from app.episodes.schemas import BATCH_LIMIT, SPOKE, EpisodeIn, ReceiptOut
from app.errors import LociError
from app.kernel.wire import Moment, ShortText, TagName, WireModel, each
from app.sanitize.aside import READ, aside
from app.search.bundle import LONGEST, SNIPPET, snippet, standing
from app.search.floors import Floor
from app.search.model import Hit
from app.search.relevance import Asked
from app.search.schemas import LIMIT_DEFAULT, LIMIT_MOST, QUERY_MOST, ContextIn, FoundOut, SearchIn
from app.turns.recalling import Recalled, Rewrite, Wanted
from app.turns.service import Turn

BUDGET = 2000  # tokens of what is recalled, unless more or less is asked for


class MessageIn(WireModel):
    """One message of a conversation."""

    content: Annotated[str, StringConstraints(min_length=1)] = Field(description="What was said.")
    role: Literal["user", "assistant", "tool", "system"] | None = Field(None, description=SPOKE)
    speaker: ShortText | None = Field(None, description="Name of the person or agent who spoke.")
    captured_at: Moment | None = Field(
        None, description="When it was said; a given moment makes equal texts distinct."
    )


class TurnIn(WireModel):
    """What was said since the last reply, and how much may be recalled for the next one."""

    messages: Annotated[
        tuple[Annotated[MessageIn, WrapValidator(each)], ...],
        Field(min_length=1, max_length=BATCH_LIMIT),
    ]
    session: ShortText = Field(description="Your own name of the conversation.")
    scope: str | None = Field(None, description="Scope path to write to; the key's home if unset.")
    tags: tuple[TagName, ...] = Field((), max_length=32, description="Labels to filter by.")
    query: (
        Annotated[
            str, StringConstraints(min_length=1, max_length=QUERY_MOST, strip_whitespace=True)
        ]
        | None
    ) = Field(
        None, description="What to recall; the last message of a user, or without a role, if unset."
    )
    scopes: tuple[str, ...] | None = Field(
        None, description="Scopes to read; all visible if unset."
    )
    token_budget: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        BUDGET, description="Most tokens (o200k) of all hits together."
    )
    limit: Annotated[int, Field(ge=0, le=LIMIT_MOST)] = LIMIT_DEFAULT
    begins: bool = Field(False, description="The conversation begins: its buffer is cleared first.")
    snippet: Annotated[int, Field(ge=60, le=LONGEST)] | None = Field(
        None, description=f"Most characters of a hit in the bundle; {SNIPPET} if unset."
    )
    min_score: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None,
        description="Least `relevance` of a hit, 0 for all. If unset nothing is recalled where "
        "nothing reaches `conversations.relevance` of the settings, and with what does all else "
        "that reaches a fifth of it. "
        "Where the message names a person, half of it is enough of a hit that says the name, and "
        "0.65 is needed of others.",
    )
    fallback: bool = Field(
        False,
        description="Where nothing reaches `min_score`: what reaches 0.5, then what holds half of "
        "the question's words.",
    )

    form: Literal["both", "relevant_context"] = Field(
        "both", description="`relevant_context` gives a block by scope in place of hits and bundle."
    )
    context: ContextIn | None = Field(
        None, description="Weights and length of `relevant_context`; its own if unset."
    )

    def to_captures(self) -> list[Capture | LociError]:
        """The captures that this describes, and in the place of a bad one what is wrong with it."""
        return [
            item if isinstance(item, LociError) else self._episode(item).to_capture("http")
            for item in self._read()
        ]

    def to_search(self) -> SearchIn | None:
        """What is recalled; None where no user said anything and nothing is asked."""
        query = self.query or self._last_of_user()
        if not query:
            return None
        return SearchIn(
            query=query,
            form=self.form,
            context=self.context,
            scopes=self.scopes,
            token_budget=self.token_budget,
            limit=self.limit,
            snippet=self.snippet,
            min_score=self.min_score or None,
            fallback=self.fallback,
        )

    def known_by(self, relevance: float) -> Floor | None:
        """By what a subject counts as known where the turn names no `min_score`: one hit of this
        relevance."""
        if self.min_score is not None or not relevance:
            return None
        return Floor(relevance, relax=self.fallback, whole=True)

    def _read(self) -> Iterable[MessageIn | LociError]:
        return self.messages

    def _episode(self, message: MessageIn) -> EpisodeIn:
        return EpisodeIn(**dict(message), session=self.session, scope=self.scope, tags=self.tags)

    def _last_of_user(self) -> str:
        """The end of the last message of a user, or without a role, that says something, as long as
        a query may be."""
        said = [
            item.content.strip()
            for item in self._read()
            if isinstance(item, MessageIn) and item.role in ("user", None)
        ]
        return next((text for text in reversed(said) if text), "")[-QUERY_MOST:].strip()


class TalkOut(msgspec.Struct, frozen=True):
    """The conversation of a turn: how many messages its buffer holds, none of which is recalled,
    and the episodes that left it for mid-term memory."""

    id: str
    scope: str
    buffered: int
    left: list[str]


class TakenOut(msgspec.Struct, frozen=True):
    """What became of each message, and what is recalled beside them: `recalled.bundle` is ready for
    the prompt of the next reply. Null where no user said anything and nothing was asked."""

    receipts: list[ReceiptOut]
    recalled: FoundOut | None
    conversation: TalkOut

    @classmethod
    async def of(cls, turn: Turn, asked: SearchIn | None, block: str | None) -> TakenOut:
        """The wire form of a turn, with the block of context that was made of it."""
        recalled = None
        if turn.found is not None and asked is not None:
            recalled = await FoundOut.made(turn.found, asked, block)
        done = turn.appended
        talk = TalkOut(done.talk.id, done.talk.scope, done.buffered, done.left)
        return cls([ReceiptOut.of(receipt) for receipt in done.receipts], recalled, talk)


class RecallIn(WireModel):
    """The message that is to be answered, and how much may be recalled for it."""

    query: Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)] | None = Field(
        None, max_length=20_000, description="The message; the user's last one if unset."
    )
    scope: str | None = Field(
        None, description="Scope of the conversation; the agent's leaf or home if unset."
    )
    scopes: tuple[str, ...] | None = Field(
        None, description="Scopes to read; all visible if unset."
    )
    hits: Annotated[int, Field(ge=1, le=50)] | None = Field(
        None, description="Most hits; as the settings say if unset."
    )
    relevance: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None, description="Least relevance of a hit; as the settings say if unset."
    )

    rewrite: Rewrite = Field(
        Rewrite.OFF,
        description="What becomes of a question that points to what was said before it: nothing "
        "(`off`), `keywords` of the last messages behind it, or written anew by a `model` where "
        "there is one.",
    )

    def to_wanted(self) -> Wanted:
        """Return what is wanted."""
        return Wanted(self.query, self.scopes, self.hits, self.relevance, self.rewrite)


class RecallHitOut(msgspec.Struct, frozen=True):
    """One hit, cut short."""

    id: str
    kind: str
    scope: str
    relevance: float
    captured_at: datetime
    untrusted: dict[str, str]

    @classmethod
    def of(cls, hit: Hit, asked: Asked, size: int) -> RecallHitOut:
        """Return the wire form of a hit, with so many characters of it."""
        memory = hit.memory
        return cls(
            id=hit.id,
            kind=memory["kind"],
            scope=memory["scope"],
            relevance=round(hit.relevance, 4),
            captured_at=memory["captured_at"],
            untrusted={"text": snippet(memory["content"], hit.span, asked, size), **standing(hit)},
        )


class RecalledOut(msgspec.Struct, frozen=True):
    """What matters of the buffer, oldest first, and what is remembered beside it.

    `text` is ready for the prompt where something is `relevant`; else it is the agreed phrase,
    which no prompt needs. `searched` is false where nothing is held that could be found.
    `untrusted.query` is what was searched for.
    """

    conversation: str
    searched: bool
    relevant: bool
    buffer: list[BufferedOut]
    hits: list[RecallHitOut]
    text: str
    untrusted: dict[str, str]

    @classmethod
    async def made(cls, talk: Conversation, done: Recalled, size: int) -> RecalledOut:
        """Return the same as `of`, in a thread where long texts are cut."""
        texts = [hit.memory["content"] for hit in done.found.hits] if done.found else []
        return await aside(texts, lambda: cls.of(talk, done, size), READ)

    @classmethod
    def of(cls, talk: Conversation, done: Recalled, size: int) -> RecalledOut:
        """Return the wire form of what was recalled."""
        hits, asked = done.found.hits if done.found else [], Asked.of(done.query)
        return cls(
            conversation=talk.id,
            searched=done.found is not None,
            relevant=bool(hits),
            buffer=[BufferedOut.of(row) for row in done.chosen],
            hits=[RecallHitOut.of(hit, asked, size) for hit in hits],
            text=done.text,
            untrusted={"query": done.query},
        )
