"""The block of YAML at the head of a Markdown file: kept as it is, read for titles and tags. Pure.

It comes from outside: a block that is long, repeats a value by an alias, or is no YAML says
nothing, and stays. Values are words: a date, a number or `yes` is a name like any other. YAML can
write them otherwise than they read, so what is said here passes the sanitising step by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import yaml

_BLOCK = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M)
_LONGEST = 20_000  # characters that are read
_BRACKETS = 96  # more of one kind nest too deep for a reader that recurses
_UNWANTED = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # which YAML can write as escapes
_TAG = re.compile(r"\S{1,64}\Z")
_MOST = 64  # aliases, and tags


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a block says of its page; None where it does not say it."""

    title: str | None = None
    aliases: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None


class _Words(yaml.BaseLoader):
    """Reads lists and maps of words, and null as nothing; builds nothing else."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """YAMLError for an alias, which could make a short text a large value."""
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("an alias")
        return super().compose_node(parent, index)


_NULL = "tag:yaml.org,2002:null"
_Words.add_implicit_resolver(_NULL, re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
_Words.add_constructor(_NULL, lambda _loader, _node: None)


def body_start(text: str) -> int:
    """Where the text after the block begins; 0 without a block."""
    match = _BLOCK.match(text)
    return match.end() if match else 0


def read(text: str) -> FrontMatter:
    """What the block of a file says."""
    found = values(text)
    title = found.get("title")
    return FrontMatter(
        title=_text(title) if isinstance(title, str) else None,
        aliases=_texts(found, "aliases", "alias"),
        tags=_tags(found),
    )


def values(text: str) -> dict[str, Any]:
    """Everything that the block of a file says, as words, lists and maps of them."""
    match = _BLOCK.match(text)
    return _values(match["yaml"]) if match else {}


def _values(block: str) -> dict[str, Any]:
    nested = max(block.count("["), block.count("{"))
    if len(block) > _LONGEST or nested > _BRACKETS:
        return {}
    try:
        found = _Words(block).get_single_data()
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return {str(k).lower(): v for k, v in found.items()} if isinstance(found, dict) else {}


def _text(value: str) -> str | None:
    shown = " ".join(_UNWANTED.sub(" ", value).split())[:200]
    return shown or None


def _texts(found: dict[str, Any], *names: str) -> tuple[str, ...] | None:
    value = next((found[name] for name in names if found.get(name) is not None), None)
    if value is None:
        return None
    items: Iterable[Any] = value if isinstance(value, list) else [value]
    shown = (_text(item) for item in items if isinstance(item, str))
    return tuple(item for item in shown if item)[:_MOST]


def _tags(found: dict[str, Any]) -> tuple[str, ...] | None:
    value = found.get("tags", found.get("tag"))
    if value is None:
        return None
    items = re.split(r"[\s,]+", value) if isinstance(value, str) else value
    if not isinstance(items, list):
        return None
    texts = (_text(item) for item in items if isinstance(item, str))
    named = [text.lstrip("#").lower() for text in texts if text]
    return tuple(dict.fromkeys(tag for tag in named if _TAG.match(tag)))[:32]
