"""Conversations: OpenAI's `messages`, ChatGPT's and Claude's exports. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.portability.foreign.model import Format, Probe, Reading, Record
from app.portability.foreign.values import is_set, moment, parts, text

ROLES = {"user": "user", "human": "user", "assistant": "assistant", "tool": "tool",
         "function": "tool"}  # fmt: skip
MESSAGE = ("role", "content", "name", "metadata")
CHAT = ("title", "create_time", "mapping", "current_node")
NODE = ("message", "parent", "children")
BODY = ("parts", "text", "content_type")
CLAUDE_CHAT = ("uuid", "name", "created_at", "chat_messages")
CLAUDE_MESSAGE = ("uuid", "text", "content", "sender", "created_at")
FILES = ("attachments", "files", "files_v2")
WHOLE = "conversation"  # under which the first message keeps what its conversation has


def is_messages(probe: Probe) -> bool:
    """Whether the first item is a conversation of messages with roles."""
    found = (probe.first or probe.members).get("messages")
    first = found[0] if isinstance(found, list) and found else found
    zep = {"role_type", "uuid", "uuid_"}
    return isinstance(first, dict) and "role" in first and not zep & first.keys()


def read_messages(reading: Reading, name: str | None, item: dict[str, Any]) -> Iterator[Record]:
    """The messages of one line, as a conversation that has the line's number."""
    key, said = f"{reading.format}-{reading.items}", item.get("messages")
    if name == "messages":  # of a file that is one conversation
        key, said = reading.format, [item]
        yield from _said(reading, key, said)
        return
    key = reading.name("id", item.get("id")) or key
    beside = reading.rest(item, ("messages", "id"))
    yield from reading.whole(_said(reading, key, said), WHOLE, beside)


def _said(reading: Reading, key: str, said: Any) -> Iterator[Record]:
    for message in said if isinstance(said, list) else [None]:
        if not isinstance(message, dict):
            yield reading.episode(key, None)
            continue
        role = _role(reading, message.get("role"))
        if role is None:
            continue
        content, other = parts(message.get("content"))
        reading.lose(*(f"messages.content.{kind}" for kind in other))
        beside = reading.rest(message, MESSAGE)
        if not content and (other or message.get("tool_calls")):
            beside |= {"metadata": 1} if is_set(message.get("metadata")) else {}
            reading.lose(*(f"messages.{field}" for field in beside))
            continue
        speaker = reading.name("messages.name", message.get("name"))
        own = message.get("metadata")
        yield reading.episode(key, content, own, beside=beside, role=role, speaker=speaker)


def _role(reading: Reading, given: Any) -> Any:
    """The role; None for what is not imported, an unknown one as it is."""
    if given in ("system", "developer"):
        reading.lose(f"{given} messages")
        return None
    return ROLES.get(given, given) if isinstance(given, str) else str(given)


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
    yield reading.session(key, started_at=started, metadata={"title": title, "from": "chatgpt"})
    branch = _branch(tree, item.get("current_node"))
    for identifier, node in tree.items():
        if not isinstance(node, dict):
            continue
        if identifier not in branch and node.get("message"):
            reading.lose("messages of other branches")
        else:
            left = reading.rest(node, NODE if node.get("id") != identifier else (*NODE, "id"))
            reading.lose(*(f"mapping.{field}" for field in left))
    said = (m for message in branch.values() for m in _chatgpt_message(reading, key, message))
    yield from reading.whole(said, WHOLE, beside)


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


def _chatgpt_message(reading: Reading, key: Any, message: Any) -> Iterator[Record]:
    if message is None:
        return
    if not isinstance(message, dict):
        yield reading.episode(key, None)
        return
    author, body = message.get("author"), message.get("content")
    author = author if isinstance(author, dict) else {}
    body = body if isinstance(body, dict) else {}
    role = _role(reading, author.get("role"))
    if role is None:
        return
    content, other = parts(body.get("parts", body.get("text")))
    reading.lose(*(f"{kind} in messages" for kind in other))
    beside = _chatgpt_beside(reading, message, author, body)
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
        captured_at=moment(message.get("create_time")),
    )


def _chatgpt_beside(reading: Reading, message: Any, author: Any, body: Any) -> dict[str, Any]:
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


def is_claude(probe: Probe) -> bool:
    """Whether the first conversation holds `chat_messages`."""
    return isinstance(probe.listed("conversations").get("chat_messages"), list)


def read_claude(reading: Reading, name: str | None, item: dict[str, Any]) -> Iterator[Record]:
    """A conversation with its messages."""
    beside = reading.rest(item, CLAUDE_CHAT)
    key = item.get("uuid") or f"claude-{reading.items}"
    title, started = reading.name("name", item.get("name")), moment(item.get("created_at"))
    yield reading.session(key, started_at=started, metadata={"title": title, "from": "claude"})
    given = item.get("chat_messages")
    listed = given if isinstance(given, list) else []
    said = (m for message in listed for m in _claude_message(reading, key, message))
    yield from reading.whole(said, WHOLE, beside)


def _claude_message(reading: Reading, key: Any, message: Any) -> Iterator[Record]:
    if not isinstance(message, dict):
        yield reading.episode(key, None)
        return
    role = _role(reading, message.get("sender"))
    if role is None:
        return
    content, other = parts(message.get("content"))
    reading.lose(*(f"{kind} in messages" for kind in other))
    beside = reading.rest(message, CLAUDE_MESSAGE)
    plain = text(message.get("text"))
    if plain and content and plain != content:  # the same words, with a line for each other part
        reading.lose("chat_messages.text")
    content = content or plain
    if content is None and (other or any(message.get(f) for f in FILES)):
        reading.lose(*(f"chat_messages.{field}" for field in beside))
        return
    yield reading.episode(
        key,
        content,
        beside=beside,
        id=reading.id(key, message.get("uuid")),
        role=role,
        captured_at=moment(message.get("created_at")),
    )


MESSAGES = Format(
    "openai-messages",
    is_messages,
    read_messages,
    frozenset([None, "messages"]),
    {"content": "messages.content", "role": "messages.role"},
)
CHATGPT = Format(
    "chatgpt",
    is_chatgpt,
    read_chatgpt,
    frozenset([None, "conversations"]),
    {"content": "content.parts", "captured_at": "create_time", "role": "author.role"},
)
CLAUDE = Format(
    "claude",
    is_claude,
    read_claude,
    frozenset([None, "conversations"]),
    {"content": "text", "captured_at": "created_at", "role": "sender"},
)
