"""ChatGPT's export: trees of messages, in one file or several, each read along a branch. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from app.portability.foreign.chats import conversation, role_of
from app.portability.foreign.folders import chat_format
from app.portability.foreign.model import Probe, Reading, Record
from app.portability.foreign.values import is_set, moment, parts, text

CHAT = ("title", "create_time", "mapping", "current_node")
NODE = ("message", "parent", "children")
BODY = ("parts", "text", "content_type")
# `1. [2025-03-02]. Keeps bees.`, a line or more of each.
_ENTRY = re.compile(r"^[ \t]*\d{1,4}\.[ \t]+(?:\[(?P<day>\d{4}-\d{2}-\d{2})\]\.?[ \t]*)?", re.M)


def is_chatgpt(probe: Probe) -> bool:
    """Whether the first conversation is a tree of messages."""
    return isinstance(probe.listed("conversations").get("mapping"), dict)


def read_chatgpt(reading: Reading, name: str | None, item: dict[str, Any]) -> Iterator[Record]:
    """A conversation along its current branch; other branches are counted as lost."""
    tree = item.get("mapping")
    tree = tree if isinstance(tree, dict) else {}
    called = "conversation_id" if item.get("conversation_id") else "id"
    beside = reading.rest(item, (*CHAT, called))
    if beside.get("id") == item.get(called):
        beside.pop("id", None)
    key = item.get(called) or f"chatgpt-{reading.items}"
    title = reading.name("title", item.get("title"))
    started = moment(item.get("create_time"))
    branch = _branch(tree, item.get("current_node"))
    for identifier, node in tree.items():
        if not isinstance(node, dict):
            continue
        if identifier not in branch and node.get("message"):
            reading.lose("messages of other branches")
        else:
            left = reading.rest(node, NODE if node.get("id") != identifier else (*NODE, "id"))
            reading.lose(*(f"mapping.{field}" for field in left))
    said = _spoken(reading, key, branch.values(), started)
    yield from conversation(reading, key, (title, started), said, beside)


def _spoken(reading: Reading, key: Any, messages: Iterable[Any], started: Any) -> Iterator[Record]:
    """The records of a branch. A message without a time has the last one that is known."""
    last = started
    for message in messages:
        given = moment(message.get("create_time")) if isinstance(message, dict) else None
        last = given or last
        yield from _message(reading, key, message, last)


def _branch(tree: dict[str, Any], last: Any) -> dict[str, Any]:
    """Messages from the root to a node by the ids of their nodes; a ring is left where it closes.

    Without a current node, the branch ends at the last node that has no children.
    """
    if not isinstance(last, str) or last not in tree:
        leaves = (k for k, n in tree.items() if isinstance(n, dict) and not n.get("children"))
        last = next(reversed(list(leaves)), None)
    found: dict[str, Any] = {}
    while isinstance(last, str) and last not in found and isinstance(tree.get(last), dict):
        found[last] = tree[last].get("message")
        last = tree[last].get("parent")
    return dict(reversed(found.items()))


def _message(reading: Reading, key: Any, message: Any, said_at: Any) -> Iterator[Record]:
    if message is None:
        return
    if not isinstance(message, dict):
        yield reading.episode(key, None)
        return
    author, body = message.get("author"), message.get("content")
    author = author if isinstance(author, dict) else {}
    body = body if isinstance(body, dict) else {}
    role = role_of(reading, author.get("role"))
    if role is None:
        return
    if text(body.get("model_set_context")):
        yield from _memories(reading, message, said_at)
        return
    if (unsaid := _unsaid(message)) is not None:
        reading.lose(unsaid)
        return
    content, other = parts(body.get("parts", body.get("text")))
    reading.lose(*(f"{kind} in messages" for kind in other))
    beside = _beside(reading, message, author, body)
    if content is None and (other or _empty(reading, body)):
        reading.lose(*(f"message.{field}" for field in beside))
        return
    yield reading.episode(
        key,
        content,
        beside=beside,
        id=reading.id(key, message.get("id")),
        role=role,
        speaker=reading.name("author.name", author.get("name")),
        captured_at=said_at,
    )


def _unsaid(message: dict[str, Any]) -> str | None:
    """As what a message counts that nobody said or saw; None for all others."""
    own = message.get("metadata")
    if isinstance(own, dict) and own.get("is_visually_hidden_from_conversation") is True:
        return "hidden messages"
    to = message.get("recipient")
    return "messages to tools" if isinstance(to, str) and to not in ("all", "") else None


def _memories(reading: Reading, message: dict[str, Any], said_at: Any) -> Iterator[Record]:
    """What ChatGPT itself remembers of the user, which it sets before a conversation: each entry a
    note, once a file however many conversations begin with it."""
    body = message["content"]
    left = reading.rest(message, ("content", "create_time"))
    left |= reading.rest(body, ("model_set_context",))
    reading.lose(*(f"model_editable_context.{name}" for name in left))
    for said, day in _entries(body["model_set_context"]):
        identifier = reading.id("memory", said)
        if identifier is None or identifier in reading.names:
            continue
        reading.names[identifier] = ""
        since = moment(day) or said_at or reading.at
        yield reading.note(
            said,
            categories=["chatgpt:memory"],
            id=identifier,
            entry_type="knowledge",
            valid_from=since,
            ingested_at=since,
        )


def _entries(whole: str) -> Iterator[tuple[str, str | None]]:
    """The texts of a numbered list and their days; the whole of what is none."""
    found = list(_ENTRY.finditer(whole))
    if not found or whole[: found[0].start()].strip():
        yield whole.strip(), None
        return
    ends = [match.start() for match in found[1:]] + [len(whole)]
    for match, end in zip(found, ends, strict=True):
        if said := whole[match.end() : end].strip():
            yield said, match["day"]


def _beside(reading: Reading, message: Any, author: Any, body: Any) -> dict[str, Any]:
    """What a message has beside its words: its own metadata, and of its content what says what the
    words are, such as the language of code or the address of a page that is quoted."""
    own = message.get("metadata")
    inner = own if isinstance(own, dict) else {}
    used = ("id", "author", "create_time", "content", *(["metadata"] if inner else []))
    found = {k: v for k, v in inner.items() if is_set(v)} | reading.rest(message, used)
    other = {"author": reading.rest(author, ("role", "name")), "content": reading.rest(body, BODY)}
    if body.get("content_type") not in ("text", None):
        other["content"]["content_type"] = body["content_type"]
    if "parts" in body and is_set(body.get("text")):
        other["content"]["text"] = body["text"]
    return found | {name: value for name, value in other.items() if value}


def _empty(reading: Reading, body: dict[str, Any]) -> bool:
    """Whether a message has no words, as those have that only call a tool; what it is else."""
    kind = body.get("content_type")
    if kind not in ("text", None):
        reading.lose(f"{kind} in messages")
        return True
    return body.get("parts") in (None, [], [""])


CHATGPT = chat_format(
    "chatgpt",
    is_chatgpt,
    read_chatgpt,
    {"content": "content.parts", "captured_at": "create_time", "role": "author.role"},
)
