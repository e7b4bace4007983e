"""How Letta's agents say what they say: in JSON for a model, and by calling a tool. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from app.portability.foreign.model import Reading
from app.portability.foreign.values import is_set

CALL = ("function", "message")
SPEAKS = ("send_message",)  # tools whose `message` is what the agent says
RECEIPTS = ("", "None", "Sent message successfully.")  # what such a tool answers
QUIET = ("heartbeat", "login", "system_alert")


def is_receipt(reading: Reading, item: dict[str, Any], content: str | None) -> bool:
    """Whether a message only says that a tool has run which says what the agent says."""
    if item.get("role") not in ("tool", "function"):
        return False
    call = item.get("tool_call_id")
    known = isinstance(call, str) and f"call {call}" in reading.names
    found = _object(content) or {}
    said = found.get("message") if "status" in found else None
    return known or item.get("name") in SPEAKS or (isinstance(said, str) and said in RECEIPTS)


def opened(reading: Reading, content: str | None) -> tuple[str | None, dict[str, Any]]:
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


def spoken(reading: Reading, item: dict[str, Any]) -> Iterator[str]:
    """What an agent said by calling a tool; other calls are counted as lost."""
    for call in _calls(item):
        made = call.get("function") if isinstance(call, dict) else None
        given = _object(made.get("arguments")) if isinstance(made, dict) else None
        said = given.get("message") if given else None
        if isinstance(made, dict) and made.get("name") in SPEAKS and isinstance(said, str):
            further = {n for n, v in (call | (given or {})).items() if n not in CALL and is_set(v)}
            reading.lose(*(f"tool_calls.{name}" for name in sorted(further)))
            reading.names[f"call {call.get('id')}"] = made["name"]
            yield said
        else:
            reading.lose("tool calls")


def _calls(item: dict[str, Any]) -> list[Any]:
    found = item.get("tool_calls")
    return found if isinstance(found, list) else []


def calls_to_speak(item: dict[str, Any]) -> bool:
    made = (call.get("function") for call in _calls(item) if isinstance(call, dict))
    return any(isinstance(one, dict) and one.get("name") in SPEAKS for one in made)


def _object(given: Any) -> dict[str, Any] | None:
    if not isinstance(given, str) or not given.lstrip().startswith("{"):
        return None
    try:
        found = orjson.loads(given)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None
