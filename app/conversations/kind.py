"""What the engines need to know of conversations and their messages."""

from __future__ import annotations

from app.conversations.model import Conversation, Message
from app.kernel.kind import Kind
from app.kernel.vocab import Label

CONVERSATION = Kind(
    "conversation",
    Conversation,
    Label.CONVERSATION,
    identity=("agent", "conversation"),
    sanitised=("conversation",),
    changed="changed_at",
    narrow=True,
)
MESSAGE = Kind(
    "conversation_message",
    Message,
    Label.CONVERSATION_MESSAGE,
    identity=("agent", "conversation", "memory"),
    sanitised=("conversation", "reason"),
    part_of=CONVERSATION,
    changed="entered_at",
)
