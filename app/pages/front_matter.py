"""The block of YAML at the head of a Markdown file: kept as it is, read for titles and tags. Pure.

It comes from outside: a block that is long, has anchors, or is no YAML says nothing, and stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import yaml

_BLOCK = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M)
_LONGEST = 20_000  # characters that are read
_ANCHOR = re.compile(r"(?:^|[\s\[{,:-])[&*]\w|<<", re.M)  # could make a short text a large value
_BRACKETS = 96  # more of one kind nest too deep for a reader that recurses
_TAG = re.compile(r"\S{1,64}\Z")
_MOST = 64  # aliases, and tags


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a block says of its page; None where it does not say it."""

    title: str | None = None
    aliases: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None


def body_start(text: str) -> int:
    """Where the text after the block begins; 0 without a block."""
    match = _BLOCK.match(text)
    return match.end() if match else 0


def read(text: str) -> FrontMatter:
    """What the block of a file says."""
    match = _BLOCK.match(text)
    found = _values(match["yaml"]) if match else {}
    title = found.get("title")
    return FrontMatter(
        title=_text(title) if isinstance(title, str | int) else None,
        aliases=_texts(found, "aliases", "alias"),
        tags=_tags(found),
    )


def _values(block: str) -> dict[str, Any]:
    nested = max(block.count("["), block.count("{"))
    if len(block) > _LONGEST or nested > _BRACKETS or _ANCHOR.search(block):
        return {}
    try:
        found = yaml.safe_load(block)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return {str(k).lower(): v for k, v in found.items()} if isinstance(found, dict) else {}


def _text(value: Any) -> str | None:
    shown = " ".join(str(value).split())[:200]
    return shown or None


def _texts(found: dict[str, Any], *names: str) -> tuple[str, ...] | None:
    value = next((found[name] for name in names if found.get(name) is not None), None)
    if value is None:
        return None
    items: Iterable[Any] = value if isinstance(value, list) else [value]
    shown = (_text(item) for item in items if isinstance(item, str | int))
    return tuple(item for item in shown if item)[:_MOST]


def _tags(found: dict[str, Any]) -> tuple[str, ...] | None:
    value = found.get("tags", found.get("tag"))
    if value is None:
        return None
    items = re.split(r"[\s,]+", value) if isinstance(value, str) else value
    if not isinstance(items, list):
        return None
    named = [str(item).strip().lstrip("#").lower() for item in items if item is not None]
    return tuple(dict.fromkeys(tag for tag in named if _TAG.match(tag)))[:32]
