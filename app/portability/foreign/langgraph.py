"""What a LangGraph store holds, and LangMem in it: items of namespace, key and value. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from app.portability.foreign.model import Format, Probe, Reading, Record
from app.portability.foreign.values import moment, text

USED = ("key", "value", "created_at")
DROPPED = ("score",)  # of the search that the answer is of
TEXTS = ("content", "text", "memory", "data")


def recognises(probe: Probe) -> bool:
    """Whether the first item has a namespace, a key and a value."""
    first = probe.listed("items", "memories", "results")
    return {"key", "value"} <= first.keys() and bool({"namespace", "prefix"} & first.keys())


def read(reading: Reading, name: str | None, item: dict[str, Any]) -> Iterator[Record]:
    """An item as an episode of its namespace."""
    where = "namespace" if "namespace" in item else "prefix"
    beside = reading.rest(item, (*USED, where), DROPPED)
    space = item.get(where)
    path = "/".join(map(str, space)) if isinstance(space, list) else str(space or "")
    value = item.get("value")
    content, further = _said(value)
    yield reading.episode(
        path,
        content,
        further,
        beside=beside,
        id=reading.id(path, item.get("key")),
        captured_at=moment(item.get("created_at")),
        ingested_at=moment(item.get("created_at")),
    )


def _said(value: Any) -> tuple[Any, dict[str, Any]]:
    """The text of a value and what stands beside it; a profile, which has no text, as JSON."""
    if not isinstance(value, dict):
        return value, {}
    inner = value.get("content")
    if isinstance(inner, dict):  # LangMem: {"kind": "Memory", "content": {"content": "…"}}
        content, further = _said(inner)
        return content, {**further, **{k: v for k, v in value.items() if k != "content"}}
    for name in TEXTS:
        if text(value.get(name)):
            return value[name], {k: v for k, v in value.items() if k != name}
    return (_json(value), {}) if value else (None, {})


def _json(value: dict[str, Any]) -> str | None:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except (TypeError, orjson.JSONEncodeError):
        return None


LANGGRAPH = Format(
    "langgraph",
    recognises,
    read,
    frozenset([None, "items", "memories", "results"]),
    {"content": "value", "captured_at": "created_at", "ingested_at": "created_at"},
)
