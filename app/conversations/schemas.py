"""Wire types of conversations. What was said stands under `untrusted`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field, StringConstraints, WrapValidator

from app.conversations.model import Conversation, Message
from app.conversations.service import Appended
from app.episodes.model import Capture
from app.episodes.schemas import BATCH_LIMIT, SPOKE, ReceiptOut
from app.errors import LociError
from app.kernel.graph import Row
from app.kernel.ids import first_came
from app.kernel.wire import Moment, ShortText, WireModel, each


class ConversationMessageIn(WireModel):
    """One message of a conversation."""

    content: Annotated[str, StringConstraints(min_length=1)] = Field(description="What was said.")
    role: Literal["user", "assistant", "tool", "system"] | None = Field(None, description=SPOKE)
    speaker: ShortText | None = Field(None, description="Name of the person or agent who spoke.")
    at: Moment | None = Field(None, description="When it was said; the moment it comes if unset.")


class ConversationMessagesIn(WireModel):
    """What was said, in order."""

    messages: Annotated[
        tuple[Annotated[ConversationMessageIn, WrapValidator(each)], ...],
        Field(min_length=1, max_length=BATCH_LIMIT),
    ]
    scope: str | None = Field(
        None, description="Scope path to write to; the agent's own leaf if unset."
    )
    begins: bool = Field(False, description="The conversation begins: its buffer is cleared first.")

    def to_captures(self, talk: Conversation) -> list[Capture | LociError]:
        """Return the captures that this describes, and in the place of a bad one what is wrong.

        Each has a moment, so that equal texts are messages of their own.
        """
        return [
            item if isinstance(item, LociError) else _capture(item, talk) for item in self.messages
        ]


def _capture(item: ConversationMessageIn, talk: Conversation) -> Capture:
    return Capture(
        content=item.content,
        session=talk.conversation,
        role=item.role or "",
        scope=talk.scope,
        speaker=item.speaker,
        captured_at=item.at or first_came(),
    )


class AppendedOut(msgspec.Struct, frozen=True):
    """What became of each message; `left` are episodes that left the buffer, and which searches
    find from now on."""

    id: str
    scope: str
    receipts: list[ReceiptOut]
    buffered: int
    left: list[str]

    @classmethod
    def of(cls, done: Appended) -> AppendedOut:
        """Return the wire form of what was appended."""
        receipts = [ReceiptOut.of(receipt) for receipt in done.receipts]
        return cls(done.talk.id, done.talk.scope, receipts, done.buffered, done.left)


class BufferedOut(msgspec.Struct, frozen=True):
    """A message by the id of its episode."""

    id: str
    role: str
    at: datetime
    buffered: bool
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> BufferedOut:
        """Return the wire form of a message with its episode."""
        said = row["episode"]
        return cls(
            id=said["id"],
            role=said["role"],
            at=said["captured_at"],
            buffered=row["state"] == "buffered",
            untrusted={"content": said["content"], "speaker": said.get("speaker")},
        )


class ConversationMessagesOut(msgspec.Struct, frozen=True):
    """Messages of a conversation, oldest first."""

    id: str
    scope: str
    messages: list[BufferedOut]

    @classmethod
    def of(cls, talk: Conversation, rows: Sequence[Row]) -> ConversationMessagesOut:
        """Return the wire form of a buffer or a window."""
        return cls(talk.id, talk.scope, [BufferedOut.of(row) for row in rows])


class ClearedOut(msgspec.Struct, frozen=True):
    """How many messages left the buffer."""

    id: str
    moved: int


class ConversationOut(msgspec.Struct, frozen=True):
    """The figures of a conversation: where its messages are, and what became of those in mid-term
    memory. `began_at` is null while nothing was said."""

    id: str
    scope: str
    agent: str
    began_at: datetime | None
    changed_at: datetime | None
    messages: int
    buffered: int
    buffer_most: int
    mid_term: int
    waiting: int
    kept: int
    discarded: int

    @classmethod
    def of(cls, talk: Conversation, figures: Row, most: int) -> ConversationOut:
        """Return the wire form of a conversation."""
        said = talk.said > 0
        return cls(
            id=talk.id,
            scope=talk.scope,
            agent=talk.agent,
            began_at=talk.began_at if said else None,
            changed_at=talk.changed_at if said else None,
            buffer_most=most,
            **figures,
        )


class MidTermOut(msgspec.Struct, frozen=True):
    """A message in mid-term memory, by the id of its episode, with the verdict on it: by whom, why,
    and what a model's answer about its exchange cost. `verdict` is null while it waits."""

    id: str
    memory: str
    scope: str
    left_at: datetime | None
    verdict: str | None
    judged_at: datetime | None
    judged_by: str | None
    memories: int
    tokens: int
    cost: float | None
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, message: Message) -> MidTermOut:
        """Return the wire form of a message."""
        return cls(
            id=message.id,
            memory=message.memory,
            scope=message.scope,
            left_at=message.left_at,
            verdict=message.verdict.value if message.verdict else None,
            judged_at=message.judged_at,
            judged_by=message.judged_by,
            memories=message.memories,
            tokens=message.tokens,
            cost=message.cost,
            untrusted={"conversation": message.conversation, "reason": message.reason},
        )


class MidTermsOut(msgspec.Struct, frozen=True):
    """A page of mid-term memory; `next` is the cursor of the one after it."""

    items: list[MidTermOut]
    next: str | None


class PassIn(WireModel):
    """A pass over what waits."""

    dry_run: bool = Field(False, description="Tell what would become of it, and change nothing.")
    scopes: tuple[str, ...] | None = Field(
        None, description="Scopes to look through; all that the agent may write to if unset."
    )
