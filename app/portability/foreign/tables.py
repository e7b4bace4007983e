"""Tables (CSV) and lines of JSON, of which a mapping says which column is which field. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from app.errors import InvalidInput
from app.portability.foreign.model import Format, Probe, Reading, Record
from app.portability.foreign.values import is_set, moment, short

FIELDS = (
    "content", "id", "session", "role", "speaker", "user", "title", "tags", "captured_at",
    "ingested_at",
)  # fmt: skip
# Names that say by themselves what a column is, where no mapping is given.
USUAL: Mapping[str, tuple[str, ...]] = {
    "content": ("content", "text", "memory", "message", "body", "note"),
    "id": ("id", "uuid"),
    "session": ("session", "session_id", "thread", "thread_id", "conversation", "conversation_id"),
    "role": ("role",),
    "speaker": ("speaker", "user", "user_id", "name", "sender"),
    "user": ("user_id", "user"),
    "title": ("title", "subject"),
    "tags": ("tags", "categories", "labels"),
    "captured_at": ("captured_at", "created_at", "timestamp", "date", "time"),
}
MOST = 65_536  # bytes of a mapping
_SINCE = re.compile(r"\d{9,13}\Z", re.A)
_NUMBER = re.compile(r"\d{1,6}\Z", re.A)
_BETWEEN = re.compile(r"[;,|]")


def mapping_of(path: Path) -> dict[str, str]:
    """A mapping file: a JSON object of a field of ours to the name there, dots for what is within,
    numbers for what is within a list.

    Raises InvalidInput (`mapping`) for what is none, or maps a field that there is not.
    """
    try:
        with path.open("rb") as source:
            found = orjson.loads(source.read(MOST))
    except (OSError, orjson.JSONDecodeError) as error:
        raise InvalidInput(f"{path.name} is no mapping in JSON", field="mapping") from error
    return checked_mapping(found)


def checked_mapping(found: Any) -> dict[str, str]:
    """A mapping; InvalidInput (`mapping`) for what is none, or maps a field that there is not."""
    if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
        raise InvalidInput("a mapping is an object of texts", field="mapping")
    unknown = sorted(found.keys() - set(FIELDS))
    if unknown:
        known = ", ".join(FIELDS)
        raise InvalidInput(f"there is no field {unknown[0]!r}; known: {known}", field="mapping")
    if "content" not in found:
        raise InvalidInput("a mapping names where `content` stands", field="mapping")
    return found


def is_table(probe: Probe) -> bool:
    """Whether a table has a column whose name says that it is the text."""
    return probe.shape == "table" and "content" in _usual(probe.first)


def is_lines(probe: Probe) -> bool:
    """Never by itself: lines of any shape are read where a mapping is given."""
    return False


def _usual(item: Mapping[str, Any]) -> dict[str, str]:
    by_name = {name.lower(): name for name in reversed(list(item))}
    found = {
        field: next((by_name[n] for n in names if n in by_name), None)
        for field, names in USUAL.items()
    }
    return {field: name for field, name in found.items() if name is not None}


def read(reading: Reading, name: str | None, item: dict[str, Any]) -> Iterator[Record]:
    """A row as an episode; columns that nothing maps become tags, or are counted as lost. Whose it
    is, is kept beside it as well, unless it is the speaker."""
    mapping = reading.mapping or _usual(item)
    found = {field: _at(item, path) for field, path in mapping.items()}
    reading = reading.of_user(found.get("user"))
    said = [path for field, path in mapping.items() if field != "user"]
    given = found.get("tags")
    session = short(found.get("session"))
    yield reading.episode(
        session,
        found.get("content"),
        _without(item, said),
        _BETWEEN.split(given) if isinstance(given, str) else given,
        id=reading.id(session or "", found["id"]) if found.get("id") else None,
        role=found.get("role") or None,
        speaker=reading.name(mapping.get("speaker", ""), found.get("speaker")),
        title=reading.name(mapping.get("title", ""), found.get("title")),
        captured_at=moment(_when(found.get("captured_at"))),
        ingested_at=moment(_when(found.get("ingested_at"))),
    )


def _when(given: Any) -> Any:
    """Seconds or milliseconds since 1970 as a number, as which no table holds them: 9 to 13
    digits, so that 20260302 is none."""
    seconds = isinstance(given, str) and _SINCE.match(given)
    return int(given) if seconds else given


def _at(item: Any, path: str) -> Any:
    if isinstance(item, dict) and path in item:
        return item[path]
    for step in path.split("."):
        place = _place(item, step)
        item = None if place is None else item[place]
    return item


def _place(held: Any, step: str) -> str | int | None:
    """By what a step leads into a value: a name of an object, or a number of a list from 0 on; None
    where it leads nowhere."""
    if isinstance(held, dict):
        return step if step in held else None
    number = int(step) if isinstance(held, list) and _NUMBER.match(step) else -1
    return number if 0 <= number < len(held) else None


def _without(item: dict[str, Any], paths: Iterable[str]) -> dict[str, Any]:
    """The item without the fields at some paths."""
    left, touched = dict(item), set()
    for path in paths:
        first, _, rest = path.partition(".")
        if path in left:
            del left[path]
        elif rest and first in left:
            left[first] = _emptied(left[first], rest.split("."))
            touched.add(first)
    left |= {name: _left(left[name]) for name in touched if name in left}
    return {name: value for name, value in left.items() if is_set(value)}


def _emptied(held: Any, steps: Sequence[str]) -> Any:
    """A value with None where some steps lead to: what stands behind it in a list keeps its place,
    since another path may lead there."""
    place = _place(held, steps[0]) if steps else None
    if place is None:
        return held if steps else None
    made = held.copy()
    made[place] = _emptied(held[place], steps[1:])
    return made


def _left(held: Any) -> Any:
    """What of a value says something."""
    if isinstance(held, dict):
        found = {name: _left(value) for name, value in held.items()}
        return {name: value for name, value in found.items() if is_set(value)}
    if isinstance(held, list):
        return [found for value in held if is_set(found := _left(value))]
    return held


OF_USER = "`user` of a mapping"
FIELDS_OF = {"scope": "user"}
TABLE = Format("csv", is_table, read, fields=FIELDS_OF, user=f"user_id, user or {OF_USER}")
MAPPED = Format("jsonl", is_lines, read, fields=FIELDS_OF, user=OF_USER)
