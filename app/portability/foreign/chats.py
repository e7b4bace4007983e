"""Conversations of OpenAI's `messages`, and what all exports of chats share. Pure.

A line has no id, mostly: its conversation goes by what is said in it, so that those of two files
stay apart, and the same one is the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from app.kernel.ids import digest
from app.portability.foreign.model import Format, Probe, Reading, Record
from app.portability.foreign.values import is_set, parts

ROLES = {"user": "user", "human": "user", "assistant": "assistant", "tool": "tool",
         "function": "tool"}  # fmt: skip
MESSAGE = ("role", "content", "name", "metadata")
# What a message without words is: calls of tools, of former and present ones, and a refusal.
CALLS = ("tool_calls", "function_call", "refusal", "audio")
WHOLE = "conversation"  # under which the first message keeps what its conversation has


def is_messages(probe: Probe) -> bool:
    """Whether the first item is a conversation of messages with roles."""
    found = (probe.first or probe.members).get("messages")
    first = found[0] if isinstance(found, list) and found else found
    zep = {"role_type", "uuid", "uuid_"}
    return isinstance(first, dict) and "role" in first and not zep & first.keys()


def learn_messages(reading: Reading, name: str | None, item: dict[str, Any]) -> None:
    """Take a message of a file that is one conversation into what that goes by."""
    if name == "messages":
        reading.names[WHOLE] = _key(reading, reading.names.get(WHOLE, ""), item)


def read_messages(reading: Reading, name: str | None, item: dict[str, Any]) -> Iterator[Record]:
    """The messages of one line, as a conversation that goes by its id, or by what is said."""
    said = item.get("messages")
    if name == "messages":  # of a file that is one conversation
        yield from _said(reading, reading.names.get(WHOLE, reading.format), [item])
        return
    key = reading.name("id", item.get("id")) or _key(reading, said)
    beside = reading.rest(item, ("messages", "id"))
    yield from reading.whole(_said(reading, key, said), WHOLE, beside)


def _key(reading: Reading, *said: Any) -> str:
    try:
        whole = orjson.dumps(said, option=orjson.OPT_SORT_KEYS).decode()
    except (TypeError, orjson.JSONEncodeError):  # what no text is: the import refuses it
        whole = repr(said)
    return f"{reading.format}-{digest('conversation', whole)[:16]}"


def _said(reading: Reading, key: str, said: Any) -> Iterator[Record]:
    for message in said if isinstance(said, list) else [None]:
        if not isinstance(message, dict):
            yield reading.episode(key, None)
            continue
        role = role_of(reading, message.get("role"))
        if role is None:
            continue
        content, other = parts(message.get("content"))
        reading.lose(*(f"messages.content.{kind}" for kind in other))
        beside = reading.rest(message, MESSAGE)
        if not content and (other or any(is_set(message.get(call)) for call in CALLS)):
            beside |= {"metadata": 1} if is_set(message.get("metadata")) else {}
            reading.lose(*(f"messages.{field}" for field in beside))
            continue
        speaker = reading.name("messages.name", message.get("name"))
        own = message.get("metadata")
        yield reading.episode(key, content, own, beside=beside, role=role, speaker=speaker)


def role_of(reading: Reading, given: Any) -> Any:
    """The role; None for what is not imported, an unknown one as it is."""
    if given in ("system", "developer"):
        reading.lose(f"{given} messages")
        return None
    return ROLES.get(given, given) if isinstance(given, str) else str(given)


MESSAGES = Format(
    "openai-messages",
    is_messages,
    read_messages,
    frozenset([None, "messages"]),
    {"content": "messages.content", "role": "messages.role"},
    learn_messages,
)
