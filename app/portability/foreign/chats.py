"""Conversations: OpenAI's `messages`, ChatGPT's and Claude's exports. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.portability.foreign.model import Format, Probe, Reading, Record
from app.portability.foreign.values import moment, parts, short, text

ROLES = {"user": "user", "human": "user", "assistant": "assistant", "tool": "tool",
         "function": "tool"}  # fmt: skip
MESSAGE = ("role", "content", "name", "tool_call_id")
CHAT = ("id", "conversation_id", "title", "create_time", "update_time", "mapping", "current_node")
CLAUDE_CHAT = ("uuid", "name", "created_at", "updated_at", "chat_messages")
CLAUDE_MESSAGE = ("uuid", "text", "content", "sender", "created_at", "updated_at")
FILES = ("attachments", "files", "files_v2")


def is_messages(probe: Probe) -> bool:
    """Whether the first item is a conversation of messages with roles."""
    found = (probe.first or probe.members).get("messages")
    first = found[0] if isinstance(found, list) and found else found
    return isinstance(first, dict) and "role" in first and "role_type" not in first


def read_messages(reading: Reading, name: str | None, item: dict[str, Any]) -> Iterator[Record]:
    """The messages of one line, as a conversation that has the line's number."""
    key, said = f"{reading.format}-{reading.items}", item.get("messages")
    if name == "messages":  # of a file that is one conversation
        key, said = reading.format, [item]
    else:
        reading.rest(item, ("messages", "id"))
        key = short(item.get("id")) or key
    for message in said if isinstance(said, list) else [None]:
        if not isinstance(message, dict):
            yield reading.episode(key, None)
            continue
        role = _role(reading, message.get("role"))
        content, other = parts(message.get("content"))
        reading.lose(*(f"messages.content.{kind}" for kind in other))
        reading.rest(message, MESSAGE, "messages.")
        if role and (content or not (other or message.get("tool_calls"))):
            yield reading.episode(key, content, role=role, speaker=short(message.get("name")))


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
    reading.rest(item, CHAT)
    tree = item.get("mapping")
    tree = tree if isinstance(tree, dict) else {}
    key = item.get("conversation_id") or item.get("id") or f"chatgpt-{reading.items}"
    title = short(item.get("title"))
    started = moment(item.get("create_time"))
    yield reading.session(key, started_at=started, metadata={"title": title, "from": "chatgpt"})
    branch = _branch(tree, item.get("current_node"))
    for identifier, node in tree.items():
        if identifier not in branch and isinstance(node, dict) and node.get("message"):
            reading.lose("messages of other branches")
    for message in branch.values():
        if message is not None:
            yield from _chatgpt_message(reading, key, message)


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
    if not isinstance(message, dict):
        yield reading.episode(key, None)
        return
    author, body = message.get("author"), message.get("content")
    author = author if isinstance(author, dict) else {}
    body = body if isinstance(body, dict) else {}
    role = _role(reading, author.get("role"))
    content, other = parts(body.get("parts", body.get("text")))
    reading.lose(*(f"{kind} in messages" for kind in other))
    if role is None or (content is None and (other or _empty(reading, body))):
        return
    yield reading.episode(
        key,
        content,
        id=reading.id(key, message.get("id")),
        role=role,
        speaker=short(author.get("name")),
        captured_at=moment(message.get("create_time")),
    )


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
    reading.rest(item, CLAUDE_CHAT)
    key = item.get("uuid") or f"claude-{reading.items}"
    title, started = short(item.get("name")), moment(item.get("created_at"))
    yield reading.session(key, started_at=started, metadata={"title": title, "from": "claude"})
    said = item.get("chat_messages")
    for message in said if isinstance(said, list) else ():
        yield from _claude_message(reading, key, message)


def _claude_message(reading: Reading, key: Any, message: Any) -> Iterator[Record]:
    if not isinstance(message, dict):
        yield reading.episode(key, None)
        return
    reading.rest(message, CLAUDE_MESSAGE, "chat_messages.")
    content, other = parts(message.get("content"))
    reading.lose(*(f"{kind} in messages" for kind in other))
    content = content or text(message.get("text"))
    role = _role(reading, message.get("sender"))
    if role is None or (content is None and (other or any(message.get(f) for f in FILES))):
        return
    yield reading.episode(
        key,
        content,
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
