"""What a LangGraph store holds, and LangMem in it: items of namespace, key and value. Pure.

What is put under a key again keeps `created_at`: the words are of `updated_at`. A namespace names
no user by itself; by custom one of its first two parts does, beside a word of WORDS.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import orjson

from app.portability.foreign.model import Format, Probe, Reading, Record
from app.portability.foreign.values import changed_field, lapsed, moment, text

USED = ("key", "value")
WORDS = frozenset(
    ("memories", "memory", "facts", "profile", "profiles", "preferences", "user", "users")
)
DROPPED = ("score",)  # of the search that the answer is of
TEXTS = ("content", "text", "memory", "data")


def recognises(probe: Probe) -> bool:
    """Whether the first item has a namespace, a key and a value."""
    first = probe.listed("items", "memories", "results")
    return {"key", "value"} <= first.keys() and bool({"namespace", "prefix"} & first.keys())


def read(reading: Reading, name: str | None, item: dict[str, Any]) -> Iterator[Record]:
    """An item as an episode of its namespace."""
    where = "namespace" if "namespace" in item else "prefix"
    since = changed_field(item)
    beside = reading.rest(item, (*USED, where, since), DROPPED)
    space = item.get(where)
    reading = reading.of_user(_user(space))
    path = "/".join(map(str, space)) if isinstance(space, list) else str(space or "")
    value = item.get("value")
    content, further = _said(value)
    yield reading.episode(
        path,
        content,
        further,
        beside=beside,
        id=reading.id(path, item.get("key")),
        captured_at=moment(item.get(since)),
        ingested_at=moment(item.get(since)),
        expired_at=lapsed(item.get("expires_at")),
    )


def _user(space: Any) -> Any:
    """The user of a namespace, in a list or with dots between; None where none can be told.

    What stands behind `user` or `users` is one, wherever that is.
    """
    steps = space.split(".") if isinstance(space, str) else space
    if isinstance(steps, list):
        for step, after in pairwise(steps):
            if isinstance(step, str) and step.lower() in ("user", "users"):
                return after
    first, second = [*steps, None, None][:2] if isinstance(steps, list) else (None, None)
    named = [isinstance(step, str) and step.lower() in WORDS for step in (first, second)]
    return second if named[0] and not named[1] else first if named[1] and not named[0] else None


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
    {
        "content": "value",
        "captured_at": "created_at",
        "ingested_at": "created_at",
        "expired_at": "expires_at",
        "scope": "namespace",
    },
    user="namespace",
)
