"""Conversations of OpenAI's `messages`, and what all exports of chats share. Pure.

A line has no id, mostly: its conversation goes by how it begins, up to the first answer, so that
those of two files stay apart, and one that has gone on since is the same. A message is what is said
in it, and by whom.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from app.kernel.ids import digest
from app.portability.foreign.model import Format, Probe, Reading, Record
from app.portability.foreign.values import is_set, parts

ROLES = {"user": "user", "human": "user", "assistant": "assistant", "tool": "tool",
         "function": "tool"}  # fmt: skip
MESSAGE = ("role", "content", "name", "metadata")
UNSAID = ("system", "developer")
# What a message without words is: calls of tools, of former and present ones, and a refusal.
CALLS = ("tool_calls", "function_call", "refusal", "audio")
SAID = ("role", "name", "content", *CALLS)
WHOLE = "conversation"  # under which the first message keeps what its conversation has
ANSWERED = "answered"  # in the names that are learnt: whether the beginning has been read


def is_messages(probe: Probe) -> bool:
    """Whether the first item is a conversation of messages with roles."""
    found = (probe.first or probe.members).get("messages")
    first = found[0] if isinstance(found, list) and found else found
    zep = {"role_type", "uuid", "uuid_"}
    return isinstance(first, dict) and "role" in first and not zep & first.keys()


def learn_messages(reading: Reading, name: str | None, item: dict[str, Any]) -> None:
    """Take a message of a file that is one conversation into what that goes by."""
    if name == "messages" and ANSWERED not in reading.names:
        reading.names[WHOLE] = _key(reading, reading.names.get(WHOLE, ""), item)
        reading.names |= {ANSWERED: "yes"} if _is_answer(item) else {}


def read_messages(reading: Reading, name: str | None, item: dict[str, Any]) -> Iterator[Record]:
    """The messages of one line, as a conversation that goes by its id, or by how it begins."""
    said = item.get("messages")
    if name == "messages":  # of a file that is one conversation
        yield from _said(reading, reading.names.get(WHOLE, reading.format), [item])
        return
    key = reading.name("id", item.get("id")) or _begun(reading, said)
    beside = reading.rest(item, ("messages", "id"))
    yield from reading.whole(_said(reading, key, said), WHOLE, beside)


def _begun(reading: Reading, said: Any) -> str:
    """What a conversation goes by: all that is said until the first answer with it."""
    key = ""
    for message in said if isinstance(said, list) else [said]:
        key = _key(reading, key, message)
        if _is_answer(message):
            break
    return key or reading.format


def _key(reading: Reading, key: str, message: Any) -> str:
    """The key of a conversation with one message more; what a model is told nobody says."""
    if isinstance(message, dict) and message.get("role") in UNSAID:
        return key
    own = {n: message.get(n) for n in SAID} if isinstance(message, dict) else message
    try:
        whole = orjson.dumps([key, own], option=orjson.OPT_SORT_KEYS).decode()
    except (TypeError, orjson.JSONEncodeError):  # what no text is: the import refuses it
        whole = repr([key, own])
    return f"{reading.format}-{digest('conversation', whole)[:16]}"


def _is_answer(message: Any) -> bool:
    is_of_model = isinstance(message, dict) and message.get("role") == "assistant"
    return is_of_model and parts(message.get("content"))[0] is not None


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
        yield reading.episode(
            key,
            content,
            own,
            beside=beside,
            id=reading.id(key, message.get("role"), speaker or "", content),
            role=role,
            speaker=speaker,
        )


def conversation(
    reading: Reading,
    key: Any,
    told: tuple[str | None, Any],
    said: Iterable[Record],
    beside: Mapping[str, Any],
) -> Iterator[Record]:
    """A conversation of an export with what is said in it: `told` is its title and when it began,
    `beside` what it has of its own, which stays with its first message."""
    title, started = told
    metadata = {"title": title, "from": reading.format}
    yield reading.session(key, started_at=started, metadata=metadata)
    yield from reading.whole(said, WHOLE, beside)


def role_of(reading: Reading, given: Any) -> Any:
    """The role; None for what is not imported, an unknown one as it is."""
    if given in UNSAID:
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
