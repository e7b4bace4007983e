"""Letta's agent files (`.af`): agents with their messages, blocks and passages. Pure.

A block becomes a note: what stands in every bundle is for the house to say, not for a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from app.portability.foreign.chats import ROLES
from app.portability.foreign.model import Format, Probe, Reading, Record
from app.portability.foreign.values import moment, parts, short, tags, text

AGENT = ("id", "name", "messages", "core_memory", "memory_blocks", "block_ids", "created_at",
         "in_context_message_ids")  # fmt: skip
MESSAGE = ("id", "role", "content", "text", "name", "created_at", "tool_calls", "tool_returns",
           "tool_call_id", "agent_id", "model", "type")  # fmt: skip
BLOCK = ("id", "label", "value", "description", "created_at", "updated_at")
PASSAGE = ("id", "text", "content", "created_at", "updated_at", "embedding", "embedding_config",
           "metadata", "tags")  # fmt: skip
PASSAGES = ("passages", "archival_memory", "archival_passages")
OLD = ("messages", "core_memory", "memory_blocks", *PASSAGES)  # members of the former file
LISTS = frozenset(["agents", "blocks", *OLD])
SPEAKS = ("send_message",)  # tools whose `message` is what the agent says
QUIET = ("heartbeat", "login", "system_alert")


def recognises(probe: Probe) -> bool:
    """Whether an object holds agents and blocks, or is one agent with its core memory."""
    if probe.shape != "object":
        return False
    keys = probe.members.keys()
    return "agents" in keys or {"core_memory", "messages"} <= keys or "agent_type" in keys


def read(reading: Reading, name: str | None, item: dict[str, Any]) -> Iterator[Record]:
    """The records of an agent, a block, a passage or a message."""
    if name == "agents":
        yield from _agent(reading, item)
    elif name in ("blocks", "core_memory", "memory_blocks"):
        yield from _block(reading, item)
    elif name in PASSAGES:
        yield _passage(reading, item, "passages")
    else:
        yield from _message(reading, item, "messages")


def _agent(reading: Reading, item: dict[str, Any]) -> Iterator[Record]:
    reading.rest(item, (*AGENT, *PASSAGES), "agents.")
    key = short(item.get("name")) or short(item.get("id")) or "agent"
    yield reading.session(
        key, started_at=moment(item.get("created_at")), metadata={"from": "letta"}
    )
    for block in _listed(item, "core_memory", "memory_blocks"):
        yield from _block(reading, block)
    for message in _listed(item, "messages"):
        yield from _message(reading, message, key)
    for passage in _listed(item, *PASSAGES):
        yield _passage(reading, passage, key)


def _listed(item: dict[str, Any], *names: str) -> Iterator[dict[str, Any]]:
    for name in names:
        found = item.get(name)
        for one in found if isinstance(found, list) else ():
            yield one if isinstance(one, dict) else {"content": one}


def _block(reading: Reading, item: dict[str, Any]) -> Iterator[Record]:
    reading.rest(item, BLOCK, "blocks.")
    if not text(item.get("value")):
        reading.lose("empty blocks")
        return
    at = moment(item.get("updated_at") or item.get("created_at")) or reading.at
    yield reading.note(
        item["value"],
        id=reading.id("block", item.get("id") or item.get("label"), item["value"]),
        title=short(item.get("label")),
        entry_type="knowledge",
        valid_from=at,
        tags=tags(["letta:block"]),
    )


def _passage(reading: Reading, item: dict[str, Any], session: str) -> Record:
    reading.rest(item, PASSAGE, "passages.")
    return reading.episode(
        session,
        item.get("text") or item.get("content"),
        item.get("metadata"),
        item.get("tags"),
        id=reading.id(item.get("id")),
        captured_at=moment(item.get("created_at")),
        ingested_at=moment(item.get("created_at")),
    )


def _message(reading: Reading, item: dict[str, Any], session: str) -> Iterator[Record]:
    reading.rest(item, MESSAGE, "messages.")
    role = item.get("role")
    if role == "system":
        reading.lose("system messages")
        return
    content, other = parts(item.get("content", item.get("text")))
    reading.lose(*(f"{kind} in messages" for kind in other))
    said = [line for line in (_opened(reading, content), *_spoken(reading, item)) if line]
    if not said and (other or content or item.get("tool_calls")):
        return
    yield reading.episode(
        session,
        "\n".join(said) or None,
        id=reading.id(item.get("id")),
        role=ROLES.get(role, role) if isinstance(role, str) else role,
        speaker=short(item.get("name")),
        captured_at=moment(item.get("created_at")),
        ingested_at=moment(item.get("created_at")),
    )


def _opened(reading: Reading, content: str | None) -> str | None:
    """What was said, out of the JSON in which Letta hands it to a model."""
    found = _object(content)
    if found is None:
        return content
    if found.get("type") in QUIET:
        reading.lose(f"{found['type']} messages")
        return None
    message = found.get("message")
    return message if isinstance(message, str) else content


def _spoken(reading: Reading, item: dict[str, Any]) -> Iterator[str]:
    """What an agent said by calling a tool; other calls are counted as lost."""
    calls = item.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        made = call.get("function") if isinstance(call, dict) else None
        given = _object(made.get("arguments")) if isinstance(made, dict) else None
        said = given.get("message") if given else None
        if isinstance(made, dict) and made.get("name") in SPEAKS and isinstance(said, str):
            yield said
        else:
            reading.lose("tool calls")


def _object(given: Any) -> dict[str, Any] | None:
    if not isinstance(given, str) or not given.lstrip().startswith("{"):
        return None
    try:
        found = orjson.loads(given)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


LETTA = Format(
    "letta",
    recognises,
    read,
    LISTS,
    {"captured_at": "created_at", "ingested_at": "created_at", "valid_from": "created_at"},
)
