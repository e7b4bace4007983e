"""The tools of the agent's own conversations, which only the profile `conversations` lists."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from app.conversations.model import LONGEST_WINDOW
from app.conversations.schemas import (
    AppendedOut,
    ClearedOut,
    ConversationMessagesIn,
    ConversationMessagesOut,
    ConversationOut,
)
from app.kernel.caller import Caller, Role
from app.kernel.wire import ShortText, WireModel
from app.mcp import telling
from app.mcp.services import Services
from app.mcp.tool import Told, Tool

Named = Annotated[ShortText, Field(description="Your own name of the conversation.")]


class AppendIn(ConversationMessagesIn):
    """What was said in a conversation, in order."""

    conversation: Named


class ConversationNamedIn(WireModel):
    """A conversation of the agent's own."""

    conversation: Named
    scope: str | None = Field(None, description="Scope path; the agent's leaf or home if unset.")


class WindowIn(ConversationNamedIn):
    """How much of a conversation is read."""

    limit: Annotated[int, Field(ge=1, le=LONGEST_WINDOW)] = LONGEST_WINDOW


async def append(services: Services, caller: Caller, given: AppendIn) -> Told:
    """Store what was said and keep it in the buffer."""
    seen = caller
    caller, talk = await services.conversations.opened(seen, given.conversation, given.scope)
    if caller is not seen:
        services.access.keys.forget()
    done = await services.conversations.append(
        caller, talk, given.to_captures(talk), begins=given.begins
    )
    shown = AppendedOut.of(done)
    kept = telling.counted(shown.buffered, "message is", "messages are")
    return Told(shown, f"{kept} in the buffer, {len(shown.left)} left it.")


async def buffer(services: Services, caller: Caller, given: ConversationNamedIn) -> Told:
    """Read the buffer."""
    talk = await services.conversations.seen(caller, given.conversation, given.scope)
    shown = ConversationMessagesOut.of(talk, await services.conversations.buffer(talk))
    return _messages(shown)


async def window(services: Services, caller: Caller, given: WindowIn) -> Told:
    """Read the last messages since the conversation began."""
    talk = await services.conversations.seen(caller, given.conversation, given.scope)
    shown = ConversationMessagesOut.of(talk, await services.conversations.window(talk, given.limit))
    return _messages(shown)


def _messages(shown: ConversationMessagesOut) -> Told:
    says = telling.counted(len(shown.messages), "message.", "messages.")
    return Told(shown, telling.data(says, shown))


async def clear(services: Services, caller: Caller, given: ConversationNamedIn) -> Told:
    """Clear the buffer."""
    talk = await services.conversations.seen(caller, given.conversation, given.scope)
    shown = ClearedOut(talk.id, await services.conversations.clear(caller, talk))
    left = telling.counted(shown.moved, "message", "messages")
    return Told(shown, f"{left} left the buffer; searches find them.")


async def stats(services: Services, caller: Caller, given: ConversationNamedIn) -> Told:
    """Tell the figures of a conversation."""
    talk = await services.conversations.seen(caller, given.conversation, given.scope)
    figures = await services.conversations.figures(talk)
    shown = ConversationOut.of(talk, figures, services.conversations.bounds.messages)
    return Told(shown, telling.data(f"{shown.messages} messages were said.", shown))


CONVERSATIONS = (
    Tool(
        "conversation_append",
        "Append messages",
        "Store what was said in a conversation of your own and keep it in the buffer of the last "
        "messages; the oldest beyond it leave, and are found by searches.",
        AppendIn,
        AppendedOut,
        append,
        requires=Role.WRITER,
        again=False,
    ),
    Tool(
        "conversation_buffer",
        "Read the buffer",
        "Read the last messages of a conversation that are in the buffer, oldest first.",
        ConversationNamedIn,
        ConversationMessagesOut,
        buffer,
    ),
    Tool(
        "conversation_window",
        "Read the window",
        "Read the last messages since the conversation began, in the buffer or not.",
        WindowIn,
        ConversationMessagesOut,
        window,
    ),
    Tool(
        "conversation_clear",
        "Clear the buffer",
        "Clear the buffer, since a conversation begins; what was in it is found by searches.",
        ConversationNamedIn,
        ClearedOut,
        clear,
        requires=Role.WRITER,
        destructive=True,
    ),
    Tool(
        "conversation_stats",
        "Figures of a conversation",
        "Count the messages of a conversation: in the buffer, in mid-term memory, kept, discarded.",
        ConversationNamedIn,
        ConversationOut,
        stats,
    ),
)
