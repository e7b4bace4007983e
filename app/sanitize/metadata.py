"""What another program said beside a text, as JSON that is kept with the memory. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import orjson
from pydantic import AfterValidator, Field

from app.errors import InvalidInput
from app.kernel.body import deeper
from app.sanitize.policy import SanitizePolicy
from app.sanitize.tree import sanitize_tree

MOST = 65_536  # bytes that a record holds
ROOM = 16_384  # bytes that a reader of another program's format keeps of one item
DEEPEST = 8  # lists and objects inside each other


def _checked(given: dict[str, Any]) -> dict[str, Any]:
    if deeper(given, DEEPEST):
        raise ValueError(f"must be nested at most {DEEPEST} deep")
    if (size_of(given) or MOST + 1) > MOST:
        raise ValueError(f"must hold at most {MOST} bytes of JSON")
    return given


Metadata = Annotated[
    dict[str, Any],
    AfterValidator(_checked),
    Field(description="What its source said beside it, as JSON of at most 64 KiB, 8 deep."),
]


def size_of(given: Any) -> int | None:
    """The bytes of a value as JSON; None for one that JSON cannot hold."""
    try:
        return len(orjson.dumps(given))
    except (TypeError, orjson.JSONEncodeError):
        return None


def kept(
    fields: Iterable[tuple[str, str, Any]], room: int = ROOM
) -> tuple[dict[str, Any], list[str]]:
    """The fields that there is room for, by name, and the paths of those that are lost: too large,
    too deep, no JSON, or of a name that a later one has too. A field is its path, name and value.
    """
    found: dict[str, tuple[str, Any]] = {}
    lost = []
    for path, name, value in fields:
        taken = size_of({name: value})
        # One level is left for the name of a whole, such as a conversation, above the field.
        if taken is None or taken > room or deeper({name: value}, DEEPEST - 1):
            lost.append(path)
            continue
        room -= taken
        if name in found:
            lost.append(found[name][0])
        found[name] = (path, value)
    return {name: value for name, (_, value) in found.items()}, lost


def packed(given: Mapping[str, Any], policy: SanitizePolicy) -> dict[str, str]:
    """The property of a node that holds metadata, sanitised; none where there is nothing.

    Raises InvalidInput (`metadata`) for what is too large once it is sanitised.
    """
    return stored(sanitize_tree(dict(given), policy, "metadata"))


def stored(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the property of sanitised metadata, with the same errors."""
    if not given:
        return {}
    said = orjson.dumps(given, option=orjson.OPT_SORT_KEYS)
    if len(said) > MOST:
        raise InvalidInput(f"metadata holds at most {MOST} bytes of JSON", field="metadata")
    return {"metadata": said.decode()}


def opened(node: Mapping[str, Any]) -> dict[str, Any] | None:
    """The metadata of a node; None without any."""
    said = node.get("metadata")
    return orjson.loads(said) if said else None
