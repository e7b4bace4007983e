"""Letta's agent files (`.af`): agents with their messages, blocks and passages. Pure.

A block becomes a note: what stands in every bundle is for the house to say, not for a file.
An export numbers its agents, messages and blocks anew (`message-0`), so that such an id says
nothing beyond its file: what they are follows from the agent's name, the moment and the words, and
a block is the one of its label that the agent has, whatever it says. A former file is one agent,
whose name and first moment tell it from those of other files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.kernel.ids import digest
from app.portability.foreign.chats import ROLES
from app.portability.foreign.model import Format, Probe, Reading, Record, of_file
from app.portability.foreign.speaking import calls_to_speak, is_receipt, opened, spoken
from app.portability.foreign.values import moment, number_of, parts, short, text, whole

AGENT = ("messages", "core_memory", "memory_blocks", "created_at")
MESSAGE = ("id", "role", "name", "created_at", "tool_calls")
BLOCK = ("id", "label", "value")
PASSAGE = ("id", "created_at", "metadata", "tags")
# What an agent is told, and which of its parts it holds, which are read themselves.
SETTINGS = ("system", "block_ids", "in_context_message_ids", "message_ids")
VECTORS = ("embedding", "embedding_config")
PASSAGES = ("passages", "archival_memory", "archival_passages")
OLD = ("messages", "core_memory", "memory_blocks", *PASSAGES)  # members of the former file
LISTS = frozenset(["agents", "blocks", *OLD])
NUMBERED = re.compile(r"[a-z_]+-\d{1,9}\Z", re.A)
# What is learnt, as names: the agent whose words are calls; whether that of a former file is one,
# and its first message; whose a block is, and what the block of a label says.
BY_TOOL, SPEAKS, FIRST = "speaks by tool", "this file speaks by tool", "the first message"
OWNER, SAYS = "owner of", "block of"


def recognises(probe: Probe) -> bool:
    """Whether an object holds agents and blocks, or is one agent with its core memory."""
    if probe.shape != "object":
        return False
    keys = probe.members.keys()
    return "agents" in keys or {"core_memory", "messages"} <= keys or "agent_type" in keys


def learn(reading: Reading, name: str | None, item: dict[str, Any]) -> None:
    """Remember whose each block is; of a former file's agent its first message, and whether it
    speaks by a tool."""
    if name == "agents":
        given = item.get("block_ids")
        for block in given if isinstance(given, list) else ():
            reading.names.setdefault(f"{OWNER} {block}", short(item.get(_called(item))) or "agent")
    elif name == "messages":
        if FIRST not in reading.names:
            first = item.get("created_at") or item.get("content", item.get("text"))
            reading.names[FIRST] = digest("first", whole(repr(first)))
        if calls_to_speak(item):
            reading.names[SPEAKS] = "yes"


def _former(reading: Reading) -> str:
    """What the one agent of a former file goes by: its name, and since when it is, or how its
    messages begin; a name of its own is what other files' agents may have as well."""
    called = short(reading.names.get(of_file("name"))) or "agent"
    begun = reading.names.get(of_file("created_at")) or reading.names.get(FIRST, "")
    key = f"{called}-{digest('agent', whole(begun))[:8]}"
    if SPEAKS in reading.names:
        reading.names[BY_TOOL] = key
    return key


def read(reading: Reading, name: str | None, item: dict[str, Any]) -> Iterator[Record]:
    """The records of an agent, a block, a passage or a message."""
    if name == "agents":
        yield from _agent(reading, item)
    elif name == "blocks":
        yield from _block(reading, item, reading.names.get(f"{OWNER} {item.get('id')}"))
    elif name in ("core_memory", "memory_blocks"):
        yield from _block(reading, item, _former(reading))
    elif name in PASSAGES:
        yield _passage(reading, item, _former(reading))
    else:
        yield from _message(reading, item, _former(reading))


def _agent(reading: Reading, item: dict[str, Any]) -> Iterator[Record]:
    called = _called(item)
    beside = reading.rest(item, (*AGENT, *PASSAGES, called), SETTINGS, "agents.")
    key = reading.name(f"agents.{called}", item.get(called)) or "agent"
    yield reading.session(
        key, started_at=moment(item.get("created_at")), metadata={"from": "letta"}
    )
    yield from reading.whole(_parts(reading, item, key), "agent", beside)


def _called(item: dict[str, Any]) -> str:
    """By which of its fields an agent goes."""
    numbered = NUMBERED.match(str(item.get("id"))) is not None
    names = ("name",) if numbered else ("name", "id")
    return next((name for name in names if short(item.get(name))), "name")


def _parts(reading: Reading, item: dict[str, Any], key: str) -> Iterator[Record]:
    if any(calls_to_speak(message) for message in _listed(item, "messages")):
        reading.names[BY_TOOL] = key
    for block in _listed(item, "core_memory", "memory_blocks"):
        yield from _block(reading, block, key)
    for message in _listed(item, "messages"):
        yield from _message(reading, message, key)
    for passage in _listed(item, *PASSAGES):
        yield _passage(reading, passage, key)


def _listed(item: dict[str, Any], *names: str) -> Iterator[dict[str, Any]]:
    for name in names:
        found = item.get(name)
        for one in found if isinstance(found, list) else ():
            yield one if isinstance(one, dict) else {"content": one}


def _block(reading: Reading, item: dict[str, Any], owner: str | None) -> Iterator[Record]:
    """A block that says something, as its file does: since it was changed, or was exported."""
    if not text(item.get("value")):
        reading.lose("empty blocks")
        return
    changed = "updated_at" if item.get("updated_at") else "created_at"
    exported = moment(number_of(reading.names.get(of_file("created_at"))))
    at = moment(item.get(changed)) or exported or reading.at
    yield reading.note(
        item["value"],
        id=_block_id(reading, item, owner),
        categories=["letta:block"],
        beside=reading.rest(item, (*BLOCK, changed)),
        title=reading.name("blocks.label", item.get("label")),
        entry_type="knowledge",
        valid_from=at,
        ingested_at=at,
        updated_at=at,
    )


def _block_id(reading: Reading, item: dict[str, Any], owner: str | None) -> str | None:
    """The id of a block, which stays where its text is another one later: its own, or its label
    with whose it is. A second one of a label, and one of nobody, is what it says."""
    own, label, value = _own(item), item.get("label"), item["value"]
    if own:
        return reading.id("block", own)
    key = f"{SAYS} {owner} {label}"
    if owner and label and reading.names.setdefault(key, value) == value:
        return reading.id("block of", owner, label)
    return reading.id("block", label, value)


def _passage(reading: Reading, item: dict[str, Any], session: str) -> Record:
    said = "text" if item.get("text") else "content"
    return reading.episode(
        session,
        item.get(said),
        item.get("metadata"),
        item.get("tags"),
        reading.rest(item, (*PASSAGE, said), VECTORS, "passages."),
        id=_id(reading, session, item, item.get(said)),
        captured_at=moment(item.get("created_at")),
        ingested_at=moment(item.get("created_at")),
    )


def _own(item: dict[str, Any]) -> Any:
    """The id of a thing, where it is not the number that an export gave it."""
    given = item.get("id")
    return None if isinstance(given, str) and NUMBERED.match(given) else given


def _id(reading: Reading, session: str, item: dict[str, Any], said: Any) -> str | None:
    """The id of a message or a passage: it says the same in each export of its agent."""
    own = _own(item)
    if own:
        return reading.id(own)
    return reading.id(session, item.get("created_at") or "", item.get("role") or "", said)


def _message(reading: Reading, item: dict[str, Any], session: str) -> Iterator[Record]:
    role = item.get("role")
    if role == "system":
        reading.lose("system messages")
        return
    where = "content" if "content" in item else "text"
    content, other = parts(item.get(where))
    reading.lose(*(f"{kind} in messages" for kind in other))
    if is_receipt(reading, item, content):
        reading.lose("receipts of what was said")
        return
    words, beside = opened(reading, content)
    thought = role == "assistant" and reading.names.get(BY_TOOL) == session
    if thought and words:  # such an agent says nothing but by its tool
        words, beside = None, {**beside, "inner_monologue": words}
    beside = reading.rest(item, (*MESSAGE, where)) | beside
    said = [line for line in (words, *spoken(reading, item)) if line]
    if not said and (other or content or item.get("tool_calls")):
        reading.lose(*(f"messages.{field}" for field in beside))
        return
    whole = "\n".join(said) or None
    yield reading.episode(
        session,
        whole,
        beside=beside,
        id=_id(reading, session, item, whole),
        role=ROLES.get(role, role) if isinstance(role, str) else role,
        speaker=reading.name("messages.name", item.get("name")),
        captured_at=moment(item.get("created_at")),
        ingested_at=moment(item.get("created_at")),
    )


LETTA = Format(
    "letta",
    recognises,
    read,
    LISTS,
    {
        "captured_at": "created_at",
        "ingested_at": "created_at",
        "valid_from": "created_at",
        "updated_at": "created_at",
    },
    learn,
    tells=frozenset(["name", "created_at"]),
)
