"""Letta's agent files (`.af`): agents with their messages, blocks and passages. Pure.

A block becomes a note: what stands in every bundle is for the house to say, not for a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from app.portability.foreign.chats import ROLES
from app.portability.foreign.model import Format, Probe, Reading, Record
from app.portability.foreign.values import is_set, moment, parts, short, text

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
CALL = ("function", "message")
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
    called = next((n for n in ("name", "id") if short(item.get(n))), "name")
    beside = reading.rest(item, (*AGENT, *PASSAGES, called), SETTINGS, "agents.")
    key = reading.name(f"agents.{called}", item.get(called)) or "agent"
    yield reading.session(
        key, started_at=moment(item.get("created_at")), metadata={"from": "letta"}
    )
    yield from reading.whole(_parts(reading, item, key), "agent", beside)


def _parts(reading: Reading, item: dict[str, Any], key: str) -> Iterator[Record]:
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
    if not text(item.get("value")):
        reading.lose("empty blocks")
        return
    changed = "updated_at" if item.get("updated_at") else "created_at"
    at = moment(item.get(changed)) or reading.at
    yield reading.note(
        item["value"],
        id=reading.id("block", item.get("id") or item.get("label"), item["value"]),
        categories=["letta:block"],
        beside=reading.rest(item, (*BLOCK, changed)),
        title=reading.name("blocks.label", item.get("label")),
        entry_type="knowledge",
        valid_from=at,
    )


def _passage(reading: Reading, item: dict[str, Any], session: str) -> Record:
    said = "text" if item.get("text") else "content"
    return reading.episode(
        session,
        item.get(said),
        item.get("metadata"),
        item.get("tags"),
        reading.rest(item, (*PASSAGE, said), VECTORS, "passages."),
        id=reading.id(item.get("id")),
        captured_at=moment(item.get("created_at")),
        ingested_at=moment(item.get("created_at")),
    )


def _message(reading: Reading, item: dict[str, Any], session: str) -> Iterator[Record]:
    role = item.get("role")
    if role == "system":
        reading.lose("system messages")
        return
    where = "content" if "content" in item else "text"
    content, other = parts(item.get(where))
    reading.lose(*(f"{kind} in messages" for kind in other))
    opened, beside = _opened(reading, content)
    beside = reading.rest(item, (*MESSAGE, where)) | beside
    said = [line for line in (opened, *_spoken(reading, item)) if line]
    if not said and (other or content or item.get("tool_calls")):
        reading.lose(*(f"messages.{field}" for field in beside))
        return
    yield reading.episode(
        session,
        "\n".join(said) or None,
        beside=beside,
        id=reading.id(item.get("id")),
        role=ROLES.get(role, role) if isinstance(role, str) else role,
        speaker=reading.name("messages.name", item.get("name")),
        captured_at=moment(item.get("created_at")),
        ingested_at=moment(item.get("created_at")),
    )


def _opened(reading: Reading, content: str | None) -> tuple[str | None, dict[str, Any]]:
    """What was said, out of the JSON in which Letta hands it to a model, and what is beside it."""
    found = _object(content)
    if found is None:
        return content, {}
    if found.get("type") in QUIET:
        reading.lose(f"{found['type']} messages")
        return None, {}
    message = found.get("message")
    if not isinstance(message, str):
        return content, {}
    return message, {"envelope": left} if (left := reading.rest(found, ("message",))) else {}


def _spoken(reading: Reading, item: dict[str, Any]) -> Iterator[str]:
    """What an agent said by calling a tool; other calls are counted as lost."""
    calls = item.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        made = call.get("function") if isinstance(call, dict) else None
        given = _object(made.get("arguments")) if isinstance(made, dict) else None
        said = given.get("message") if given else None
        if isinstance(made, dict) and made.get("name") in SPEAKS and isinstance(said, str):
            further = {n for n, v in (call | (given or {})).items() if n not in CALL and is_set(v)}
            reading.lose(*(f"tool_calls.{name}" for name in sorted(further)))
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
