"""The JSON of a pool: paths, changes, who wrote what, and what is left without somebody. Pure.

Who wrote a value is told by the nearest mark at or above its path. Of two marks on one path the
later stands, and a mark under one of the same writer is not kept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from app.errors import InvalidInput, TooLarge
from app.kernel.wire import Moment, WireModel

Data = dict[str, Any]
Path = tuple[str, ...]

DEEPEST = 16  # objects and lists inside each other
LONGEST_KEY = 255  # characters of a name in an object
MOST_MARKS = 10_000  # places of one pool that are told apart by who wrote them
BULLETIN = "agent_bulletin"
SURROGATE = re.compile("[\ud800-\udfff]")


class Mark(WireModel):
    """Who wrote what stands at a path and below, and when last."""

    path: tuple[str, ...]
    by: str
    at: Moment


class Changed(NamedTuple):
    """New data, and the paths that were written."""

    data: Data
    paths: list[Path]


def parse_path(text: str) -> Path:
    """Return the steps of a dotted path such as `a.b`; InvalidInput (`path`) where it is none."""
    steps = tuple(text.split("."))
    if len(steps) > DEEPEST or any(not step or len(step) > LONGEST_KEY for step in steps):
        raise InvalidInput(
            f"path is names with dots between them, such as a.b, at most {DEEPEST} of at most "
            f"{LONGEST_KEY} characters",
            field="path",
        )
    return steps


def read_at(data: Data, path: Path) -> Any:
    """Return the value at a path; KeyError where there is none."""
    value: Any = data
    for step in path:
        if not isinstance(value, dict):
            raise KeyError(step)
        value = value[step]
    return value


def put(data: Data, path: Path, value: Any) -> Changed:
    """Set the value at a path; objects on the way are made, the whole data for an empty path.

    Raises InvalidInput (`path`) where something on the way is no object.
    """
    if not path:
        names = [n for n in sorted({*data, *value}) if not _alike(data, value, n)]
        return Changed(value, [(name,) for name in names])
    return Changed(_put(data, path, value, 0), [path])


def _alike(data: Data, other: Data, name: str) -> bool:
    return name in data and name in other and same(data[name], other[name])


def _put(data: Any, path: Path, value: Any, at: int) -> Any:
    if at == len(path):
        return value
    if not isinstance(data, dict):
        raise InvalidInput(f"{'.'.join(path[:at])} is no object", field="path")
    inner = data.get(path[at], {})
    return {**data, path[at]: _put(inner, path, value, at + 1)}


def merge(data: Data, part: Data) -> Changed:
    """Write a part by its keys: objects are merged at any depth, anything else is replaced."""
    paths: list[Path] = []
    return Changed(_merged(data, part, (), paths), paths)


def _merged(data: Data, part: Data, at: Path, paths: list[Path]) -> Data:
    made = dict(data)
    for name, value in part.items():
        old = data.get(name)
        if isinstance(old, dict) and isinstance(value, dict):
            made[name] = _merged(old, value, (*at, name), paths)
        elif name not in data or not same(old, value):
            made[name] = value
            paths.append((*at, name))
    return made


def remove(data: Data, path: Path) -> Changed:
    """Take out what stands at a path; KeyError where there is nothing."""
    read_at(data, path)
    head, *rest = path
    left = {name: value for name, value in data.items() if name != head}
    if rest:
        inner = remove(data[head], tuple(rest)).data
        left = {name: (inner if name == head else value) for name, value in data.items()}
    return Changed(left, [path])


def nested(part: Data) -> Data:
    """Return a part in which dotted names at the top are paths: `{"a.b": 1}` is `{"a": {"b": 1}}`.

    Raises InvalidInput (`path`) where two of them meet in something that is no object.
    """
    made: Data = {}
    for name, value in part.items():
        path = parse_path(name)
        here = _found(made, path)
        both = isinstance(here, dict) and isinstance(value, dict)
        made = put(made, path, merge(here, value).data if both else value).data
    return made


def _found(data: Data, path: Path) -> Any:
    try:
        return read_at(data, path)
    except KeyError:
        return None


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal, `1`, `1.0` and `true` told apart."""
    return packed(one) == packed(other)


def packed(value: Any) -> bytes:
    """Return JSON with sorted names."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def size_of(value: Any) -> int:
    """Return the bytes of a value as JSON."""
    return len(orjson.dumps(value))


def check(value: Any, field: str, *, depth: int = 0) -> None:
    """Raise InvalidInput, naming the place, for what is too deep, has a name that is too long, or
    cannot be kept as it is: numbers beyond 64 bits, halves of characters."""
    if isinstance(value, dict | list) and depth >= DEEPEST:
        raise InvalidInput(f"{field} is nested more than {DEEPEST} deep", field=field)
    _check_leaf(value, field)
    if isinstance(value, list):
        for each in value:
            check(each, field, depth=depth + 1)
    elif isinstance(value, dict):
        for name, each in value.items():
            _check_leaf(name, field)
            if not name or len(name) > LONGEST_KEY:
                raise InvalidInput(
                    f"a name in {field} has 1 to {LONGEST_KEY} characters", field=field
                )
            check(each, f"{field}.{name}", depth=depth + 1)


def _check_leaf(value: Any, field: str) -> None:
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise InvalidInput(f"{field} holds a whole number beyond 64 bits", field=field)
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(f"{field} holds a number that is not finite", field=field)
    if isinstance(value, str) and SURROGATE.search(value):
        raise InvalidInput(f"{field} holds half of a character", field=field)


def keys_of(changed: Changed) -> list[str]:
    """Return the dotted keys that a change is told by: bulletins one by one."""
    keys: set[str] = set()
    for path in changed.paths:
        value = _found(changed.data, path)
        if path == (BULLETIN,) and isinstance(value, dict) and value:
            keys.update(f"{BULLETIN}.{name}" for name in value)
        else:
            keys.add(".".join(path))
    return sorted(keys)


# --- who wrote what ---------------------------------------------------------------------------


def marked(marks: Sequence[Mark], changed: Changed, by: str, at: datetime) -> tuple[Mark, ...]:
    """Return the marks after a change by somebody; TooLarge beyond `MOST_MARKS`."""
    known = {mark.path: mark for mark in marks}
    written = set(changed.paths)
    for path in [p for p in known if any(p[:n] in written for n in range(1, len(p) + 1))]:
        del known[path]
    for path in changed.paths:
        if _found(changed.data, path) is None and not _has(changed.data, path):
            continue  # it was taken out
        above = _nearest(known, path)
        place = above.path if above is not None and above.by == by else path
        known[place] = Mark(path=place, by=by, at=at)
    if len(known) > MOST_MARKS:
        raise TooLarge(
            f"at most {MOST_MARKS} values of a pool are told apart by who wrote them", field="data"
        )
    return tuple(known[path] for path in sorted(known))


def _has(data: Data, path: Path) -> bool:
    try:
        read_at(data, path)
    except KeyError:
        return False
    return True


def _nearest(known: Mapping[Path, Mark], path: Path) -> Mark | None:
    steps = (path[:length] for length in range(len(path), 0, -1))
    return next((known[step] for step in steps if step in known), None)


def ages(data: Data, marks: Iterable[Mark], since: datetime) -> dict[str, datetime]:
    """Return when each key at the top was written last; `since` where no mark tells."""
    found: dict[str, datetime] = {}
    for mark in marks:
        head = mark.path[0]
        found[head] = max(mark.at, found.get(head, mark.at))
    return {name: found.get(name, since) for name in data}


def trimmed(marks: Iterable[Mark], data: Data) -> tuple[Mark, ...]:
    """Return the marks of what is still there."""
    return tuple(mark for mark in marks if _has(data, mark.path))


_NOTHING: Any = object()


def without(
    data: Data,
    marks: Iterable[Mark],
    wrote: Callable[[str], bool],
    named: Callable[[str], bool],
) -> Data:
    """Return the data without what somebody wrote, and without strings and names that tell of
    somebody; objects and lists that this leaves empty go too."""
    known = {mark.path: mark for mark in marks}

    def kept(value: Any, path: Path | None, by: str) -> Any:
        """`path` is None inside a list, where no mark can be."""
        if path is not None and path in known:
            by = known[path].by
        if isinstance(value, dict):
            inner = {
                name: left
                for name, each in value.items()
                if not named(name)
                and (left := kept(each, None if path is None else (*path, name), by))
                is not _NOTHING
            }
            gone = not inner and (bool(value) or wrote(by))
            return _NOTHING if gone else inner
        if wrote(by):
            return _NOTHING
        if isinstance(value, list):
            left_over = [left for each in value if (left := kept(each, None, by)) is not _NOTHING]
            return _NOTHING if value and not left_over else left_over
        return _NOTHING if isinstance(value, str) and named(value) else value

    left = kept(data, (), "")
    return {} if left is _NOTHING else left
