"""Claude's export: conversations, documents of projects, and what Claude remembers. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.portability.foreign.chats import conversation, role_of
from app.portability.foreign.folders import chat_format
from app.portability.foreign.model import Probe, Reading, Record
from app.portability.foreign.values import is_set, moment, parts, text

CHAT = ("uuid", "name", "created_at", "chat_messages")
MESSAGE = ("uuid", "text", "content", "sender", "created_at")
FILES = ("attachments", "files", "files_v2")
MEMORY, PROJECTS = "conversations_memory", "project_memories"
ROOT = "00000000-0000-4000-8000-000000000000"  # the parent of what has none


def is_claude(probe: Probe) -> bool:
    """Whether the first item is a conversation, a project, or what Claude remembers of a user."""
    first = probe.listed("conversations")
    talk = isinstance(first.get("chat_messages"), list)
    return talk or MEMORY in first or {"docs", "prompt_template"} <= first.keys()


def read_claude(reading: Reading, name: str | None, item: dict[str, Any]) -> Iterator[Record]:
    """The records of a conversation, of a project, or of what Claude remembers of a user."""
    reading = reading.of_user(_owner(item))
    if "chat_messages" in item or not {MEMORY, PROJECTS, "docs"} & item.keys():
        yield from _conversation(reading, item)
    elif "docs" in item:
        yield from _project(reading, item)
    else:
        yield from _memories(reading, item)


def _owner(item: dict[str, Any]) -> Any:
    """Whose a conversation, a project or a memory is: an export of an organisation has several."""
    owner = item.get("account") or item.get("creator")
    return item.get("account_uuid") or (owner.get("uuid") if isinstance(owner, dict) else None)


def _conversation(reading: Reading, item: dict[str, Any]) -> Iterator[Record]:
    """A conversation with the messages of the branch that it ends in."""
    beside = reading.rest(item, CHAT)
    key = item.get("uuid") or f"claude-{reading.items}"
    told = reading.name("name", item.get("name")), moment(item.get("created_at"))
    given = item.get("chat_messages")
    branch = _branch(given if isinstance(given, list) else [])
    dropped = len(given) - len(branch) if isinstance(given, list) else 0
    for _ in range(dropped):
        reading.lose("messages of other branches")
    said = (m for message in branch for m in _message(reading, key, message))
    yield from conversation(reading, key, told, said, beside)


def _branch(listed: list[Any]) -> list[Any]:
    """The messages up to the last leaf. A message is an edit or another answer where one that
    comes later has the same parent; a parent that is not there is the message listed before."""
    places = {m.get("uuid"): n for n, m in enumerate(listed) if _is_of_tree(m)}
    if not places:
        return listed
    kept, place = set(), len(listed) - 1
    while place >= 0 and place not in kept:
        kept.add(place)
        message = listed[place]
        parent = message.get("parent_message_uuid") if _is_of_tree(message) else None
        place = -1 if parent == ROOT else places.get(parent, place - 1)
    return [message for n, message in enumerate(listed) if n in kept]


def _is_of_tree(message: Any) -> bool:
    return isinstance(message, dict) and all(
        isinstance(message.get(name), str) for name in ("uuid", "parent_message_uuid")
    )


def _project(reading: Reading, item: dict[str, Any]) -> Iterator[Record]:
    """The documents of a project, each an episode of it; what it is beside stays with the first."""
    beside = reading.rest(item, ("uuid", "name", "created_at", "docs"))
    title = reading.name("projects.name", item.get("name"))
    if isinstance(item.get("uuid"), str) and title:
        reading.names[item["uuid"]] = title
    key = item.get("uuid") or title or "project"
    docs = item.get("docs")
    if not docs:
        beside |= {n: item[n] for n in ("name", "created_at") if is_set(item.get(n))}
    made = (_document(reading, key, doc) for doc in (docs if isinstance(docs, list) else []))
    if docs:
        started = moment(item.get("created_at"))
        yield reading.session(key, started_at=started, metadata={"title": title, "from": "claude"})
    yield from reading.whole(made, "project", beside)


def _document(reading: Reading, key: Any, doc: Any) -> Record:
    doc = doc if isinstance(doc, dict) else {}
    return reading.episode(
        key,
        doc.get("content"),
        categories=["claude:document"],
        beside=reading.rest(doc, ("uuid", "filename", "content", "created_at")),
        id=reading.id("document", key, doc.get("uuid")),
        title=reading.name("projects.docs.filename", doc.get("filename")),
        captured_at=moment(doc.get("created_at")),
        ingested_at=moment(doc.get("created_at")),
    )


def _memories(reading: Reading, item: dict[str, Any]) -> Iterator[Record]:
    """What Claude remembers of a user, and of each project, each a note."""
    own = item.get(PROJECTS)
    by_project = own if isinstance(own, dict) else {}
    beside = reading.rest(item, (MEMORY, PROJECTS, "account_uuid"))
    reading.lose(*(f"memories.{field}" for field in beside))
    account = item.get("account_uuid") or ""
    for project, said in ((None, item.get(MEMORY)), *by_project.items()):
        if not text(said):
            reading.lose(*(["empty memories"] if is_set(said) else []))
            continue
        called = reading.names.get(str(project), str(project)) if project else None
        yield reading.note(
            said,
            categories=["claude:memory"],
            beside={"account_uuid": account} | ({"project": project} if project else {}),
            id=reading.id("memory", account, project or "conversations"),
            title=reading.name("memories.project", called) if called else None,
            entry_type="knowledge",
            valid_from=reading.at,
            updated_at=reading.at,
        )


def _message(reading: Reading, key: Any, message: Any) -> Iterator[Record]:
    if not isinstance(message, dict):
        yield reading.episode(key, None)
        return
    role = role_of(reading, message.get("sender"))
    if role is None:
        return
    content, other = parts(message.get("content"))
    reading.lose(*(f"{kind} in messages" for kind in other))
    beside = reading.rest(message, MESSAGE)
    plain = text(message.get("text"))
    if plain and content and plain != content:  # the same words, with a line for each other part
        reading.lose("chat_messages.text")
    content = content or plain
    if content is None and (pasted := _pasted(message)):
        content = pasted
        beside["attachments"] = [_without_words(one) for one in message["attachments"]]
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


def _without_words(attachment: Any) -> Any:
    if not isinstance(attachment, dict):
        return attachment
    return {name: value for name, value in attachment.items() if name != "extracted_content"}


def _pasted(message: dict[str, Any]) -> str | None:
    """The words of attachments, of a message that has none beside them."""
    given = message.get("attachments")
    listed = given if isinstance(given, list) else []
    found = [text(one.get("extracted_content")) for one in listed if isinstance(one, dict)]
    return "\n\n".join(said for said in found if said) or None


CLAUDE = chat_format(
    "claude",
    is_claude,
    read_claude,
    {"content": "text", "captured_at": "created_at", "role": "sender", "scope": "account"},
    "account",
)
