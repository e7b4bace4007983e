"""What readers of other programs' formats share: moments, texts, names, tags. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from app.kernel.ids import digest
from app.kernel.wire import NUMBER

SHORT = 200  # characters of a name
TAG = 64
MOST_TAGS = 32
MILLISECONDS = 10**11  # seconds since 1970 beyond this lie after the year 5138
_ZONE = re.compile(r"\[[^\]]{0,60}\]\Z")  # as Java writes a zone: 2026-03-02T09:00Z[UTC]
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.A)
_NOT_TAG = re.compile(r"\s+")


def moment(given: Any) -> Any:
    """The moment in ISO 8601 and UTC, of text or of seconds or milliseconds since 1970.

    Text without an offset counts as UTC. What is no moment is given back, so that the import
    refuses it by name; what is empty is None.
    """
    if given is None or given == "":
        return None
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return given
    try:
        return _moment(given).astimezone(UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return str(given)[:SHORT]


def number_of(given: Any) -> Any:
    """The number that a text is of which it is known that it may be one, such as a member of a
    file; anything else as it is."""
    if isinstance(given, str) and NUMBER.match(given.strip()):
        with suppress(ValueError):
            return float(given)
    return given


def _moment(given: int | float | str) -> datetime:
    if not isinstance(given, str):
        seconds = given / 1000 if abs(given) > MILLISECONDS else given
        return datetime.fromtimestamp(seconds, UTC)
    if NUMBER.match(given.strip()):
        raise ValueError(given)
    found = datetime.fromisoformat(_ZONE.sub("", given.strip()))
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def shifted(at: Any, count: int) -> Any:
    """A moment as `moment` gives it, so many microseconds later: the order of what one moment is
    known of."""
    if not count or not isinstance(at, str):
        return at
    try:
        return (datetime.fromisoformat(at) + timedelta(microseconds=count)).isoformat()
    except (ValueError, OverflowError):
        return at


def lapsed(given: Any) -> Any:
    """Until when what lapses holds: a moment, or the end of a day."""
    until = moment(given)
    if not isinstance(given, str) or not _DAY.match(given.strip()) or not isinstance(until, str):
        return until
    with suppress(ValueError, OverflowError):
        return (datetime.fromisoformat(until) + timedelta(days=1)).isoformat()
    return until


def changed_field(item: Mapping[str, Any]) -> str:
    """The field that says since when an item says what it says: `updated_at` where it is a moment
    other than `created_at`."""
    changed, made = moment(item.get("updated_at")), moment(item.get("created_at"))
    return "updated_at" if changed and changed != made else "created_at"


def text(given: Any) -> str | None:
    """A text that says something; None for anything else."""
    return given if isinstance(given, str) and given.strip() else None


def whole(given: Any) -> str:
    """The text of a value with question marks for what is no character: half of a pair."""
    return str(given).encode(errors="replace").decode()


def short(given: Any) -> str | None:
    """A name of at most 200 characters: a longer one is cut and told apart by its hash."""
    if isinstance(given, bool) or not isinstance(given, str | int):
        return None
    name = " ".join(whole(given).split())
    if len(name) <= SHORT:
        return name or None
    return f"{name[: SHORT - 17]}-{digest(name)[:16]}"


def cut(given: Any) -> bool:
    """Whether `short` takes nothing of a value, or not the whole."""
    if not is_set(given) or (isinstance(given, str) and not given.strip()):
        return False
    found = short(given)
    return found is None or (len(str(given)) > SHORT and found != " ".join(whole(given).split()))


def is_set(given: Any) -> bool:
    """Whether a field says anything."""
    return given is not None and given not in ("", [], {})


def tagged(given: Any) -> tuple[list[str], list[Any]]:
    """Tags out of a list of texts, or one text: lower case, hyphens for blanks, at most 32; and
    the values that became none."""
    items = given if isinstance(given, list | tuple) else [given]
    found: dict[str, None] = {}
    left = []
    for item in items:
        tag = _tag(item) if isinstance(item, str) else ""
        if tag in found:
            continue
        if tag and len(tag) <= TAG and len(found) < MOST_TAGS:
            found[tag] = None
        elif tag or (is_set(item) and not isinstance(item, str)):
            left.append(item)
    return list(found), left


def tags(given: Any, *more: str) -> list[str]:
    """Tags out of a list of texts, and of further ones; what becomes none is left out."""
    items: Iterable[Any] = given if isinstance(given, list | tuple) else ()
    return tagged([*items, *more])[0]


def _tag(item: str) -> str:
    return _NOT_TAG.sub("-", item.strip().lower())


def labels(given: Mapping[str, Any]) -> list[str]:
    """Plain values of further fields as tags of the form `name:value`, as far as they are short."""
    plain = {n: v for n, v in given.items() if is_set(v) and isinstance(v, str | int | float)}
    return [tag for n, v in plain.items() if len(tag := _tag(f"{n}:{v}")) <= TAG]


def filled(**fields: Any) -> dict[str, Any]:
    """The fields that are set."""
    return {name: value for name, value in fields.items() if value is not None and value != []}


def parts(content: Any) -> tuple[str | None, list[str]]:
    """The text of a message whose content is a text or a list of parts; the kinds of the parts that
    are none, and what parts of text have beside it."""
    if isinstance(content, str):
        return text(content), []
    said, other = [], []
    for part in content if isinstance(content, list) else [content] if is_set(content) else []:
        found = _part(part)
        if found is None:
            other.append(_named(part) if isinstance(part, dict) else "part")
            continue
        said.append(found)
        if isinstance(part, dict):
            further = (n for n, v in part.items() if n not in PART and is_set(v))
            other += [f"{_named(part)}.{name}" for name in further]
    return text("\n".join(said)), other


PART = ("type", "content_type", "text")


def _named(part: dict[str, Any]) -> str:
    """What a part is; ChatGPT's exports call it otherwise than the APIs do."""
    return str(part.get("type") or part.get("content_type") or "part")


def _part(part: Any) -> str | None:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and part.get("type", "text") in ("text", "input_text", "output_text"):
        return part.get("text") if isinstance(part.get("text"), str) else None
    return None
