"""JSON cut to a size and a depth, so that what is left says what is missing. Pure.

Of an object or a list that is too large, small members stay whole and large ones share what is left
alike; a text keeps its beginning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from app.errors import InvalidInput
from app.scopes.tuning import tuned

LEAST = 48  # bytes that a mark of what was cut has room in
TAIL = "[cut]"  # the field of an object that tells how many are missing


@dataclass(frozen=True, slots=True)
class Bounds:
    """Most bytes of a value as JSON, and most objects and lists inside each other."""

    bytes: int = tuned("traces.json_bytes")
    depth: int = tuned("traces.json_depth")


def storable(value: Any, field: str) -> None:
    """Raise InvalidInput for numbers beyond 64 bits and halves of characters."""
    try:
        orjson.dumps(value)
    except TypeError:
        raise InvalidInput(
            f"{field} holds a number beyond 64 bits or half of a character", field=field
        ) from None


def bounded(value: Any, bounds: Bounds) -> tuple[Any, bool]:
    """Return the value within its bounds, and whether anything was cut."""
    made = _fitted(_shallow(value, bounds.depth), bounds.bytes)
    return made, made != value


def size_of(value: Any) -> int:
    """Return the bytes of a value as JSON."""
    return len(orjson.dumps(value))


def _shallow(value: Any, depth: int) -> Any:
    if not isinstance(value, dict | list):
        return value
    if depth == 0:
        return f"[cut: {'an object' if isinstance(value, dict) else 'a list'} of {len(value)}]"
    if isinstance(value, list):
        return [_shallow(each, depth - 1) for each in value]
    return {name: _shallow(each, depth - 1) for name, each in value.items()}


def _fitted(value: Any, room: int) -> Any:
    """Return the value in at most so many bytes, of which there are `LEAST` at least."""
    if size_of(value) <= room:
        return value
    if isinstance(value, str):
        return _beginning(value, room)
    if isinstance(value, list):
        return _list(value, room)
    return _object(value, room) if isinstance(value, dict) else "[cut: a number]"


def _beginning(text: str, room: int) -> str:
    """Return the longest beginning of a text that has room with the mark behind it."""
    low, high = 0, min(len(text), room)
    while low < high:
        middle = (low + high + 1) // 2
        if size_of(_marked(text, middle)) <= room:
            low = middle
        else:
            high = middle - 1
    return _marked(text, low)


def _marked(text: str, kept: int) -> str:
    return f"{text[:kept]}[cut: {len(text) - kept} characters]"


def _list(items: list[Any], room: int) -> list[Any]:
    room -= 2 + LEAST  # brackets, and the mark at the end
    kept = items[: max(room // (LEAST + 1), 0)]
    shares = _shares([size_of(each) + 1 for each in kept], room)
    made = [_fitted(each, share - 1) for each, share in zip(kept, shares, strict=True)]
    missing = len(items) - len(kept)
    return [*made, f"[cut: {missing} more]"] if missing else made


def _object(given: dict[str, Any], room: int) -> dict[str, Any]:
    room -= 2 + LEAST
    names = list(given)[: max(room // (LEAST + 8), 0)]
    sizes = {name: size_of(name) + 2 for name in names}  # with colon and comma
    shares = _shares([sizes[name] + size_of(given[name]) for name in names], room)
    made: dict[str, Any] = {}
    for name, share in zip(names, shares, strict=True):
        left = share - sizes[name]
        if left >= min(LEAST, size_of(given[name])):
            made[name] = _fitted(given[name], left)
    missing = len(given) - len(made)
    return {**made, TAIL: f"{missing} more"} if missing else made


def _shares(sizes: list[int], room: int) -> list[int]:
    """Share bytes out: whoever needs less than an even share has what he needs, and the others
    have what is left alike."""
    shares = [0] * len(sizes)
    waiting = len(sizes)
    for place in sorted(range(len(sizes)), key=sizes.__getitem__):
        shares[place] = min(sizes[place], room // waiting)
        room -= shares[place]
        waiting -= 1
    return shares
