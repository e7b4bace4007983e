"""Folders of exports of chats: conversations in one file or several, and what lies beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from app.portability.foreign import stream
from app.portability.foreign.files import BOM, elements, items_of, probe
from app.portability.foreign.model import FILE, Format, Probe, Reader

# `conversations.json`, or since 2026 `conversations-000.json` and further ones.
_TALKS = re.compile(r"conversations(?:-\d{1,6})?\.json\Z", re.A)
# Read before the conversations, in this order: projects tell the names of which memories speak.
_FIRST = (
    re.compile(r"projects(?:\.json|/[^/]+\.json)\Z"),
    re.compile(r"memories(?:\.json|/[^/]+\.json)\Z"),
)
WITHIN = ("projects", "memories")  # folders of which each file is read


def talks_in(path: Path) -> list[str]:
    """The files of conversations of a folder, in their order."""
    return sorted(one.name for one in path.iterdir() if one.is_file() and _TALKS.match(one.name))


def chat_names(path: Path) -> list[str]:
    """What lies in an export: projects, memories, conversations, then all that is not read."""
    if not path.is_dir():
        return [path.name]
    inner = [one for name in WITHIN if (path / name).is_dir() for one in (path / name).iterdir()]
    found = [one for one in (*path.iterdir(), *inner) if not one.name.startswith(".")]
    names = (str(one.relative_to(path)) for one in found if one.name not in WITHIN or one.is_file())
    return sorted(names, key=lambda name: (_rank(name), name))


def _rank(name: str) -> int:
    known = (*_FIRST, _TALKS)
    return next((n for n, pattern in enumerate(known) if pattern.match(name)), len(known))


def chat_items(path: Path) -> Iterator[tuple[int, str | None, Any]]:
    """The items of an export; a file of a folder that is not read is one item, under its name."""
    if not path.is_dir():
        yield from items_of(probe(path))
        return
    for number, name in enumerate(chat_names(path)):
        if _rank(name) > len(_FIRST):
            yield number * FILE + 1, _kept_out(path / name), True
        else:
            yield from _of(path / name, number, whole=name.partition("/")[0] in WITHIN)


def _of(path: Path, number: int, *, whole: bool) -> Iterator[tuple[int, str | None, Any]]:
    """The items of one file; one that is an object as a whole is one item."""
    if whole and (found := whole_of(path)) is not None:
        yield number * FILE + 1, None, found
        return
    for place, member, value in elements(path):
        yield number * FILE + place, member, value


def whole_of(path: Path) -> dict[str, Any] | None:
    """The object that a file is; None for anything else, and for one beyond the longest piece."""
    with path.open("rb") as source:
        text = source.read(stream.LONGEST + 1)
    with suppress(orjson.JSONDecodeError):
        found = orjson.loads(text.removeprefix(BOM)) if len(text) <= stream.LONGEST else None
        return found if isinstance(found, dict) else None
    return None


def place_of(path: Path) -> Path:
    """The file within a folder by which its export is known, or the path itself."""
    if not path.is_dir():
        return path
    names = [*talks_in(path), *(f"{name}.json" for name in WITHIN)]
    return next((path / name for name in names if (path / name).is_file()), path)


def chat_format(
    name: str,
    recognises: Callable[[Probe], bool],
    read: Reader,
    fields: Mapping[str, str],
    user: str | None = None,
) -> Format:
    """The format of an export of chats, in a file or a folder: a list, or an object around it."""
    lists = frozenset([None, "conversations"])
    return Format(
        name, recognises, read, lists, fields, items=chat_items, names=chat_names, user=user
    )


def _kept_out(path: Path) -> str:
    """As what a file counts that is not read: JSON by its name, others by their kind."""
    if path.is_dir():
        return f"{path.name}/"
    return path.name if path.suffix == ".json" else f"files (*{path.suffix})"
