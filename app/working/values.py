"""Values as they may be stored: JSON of every kind, each text in it sanitised. Pure."""

from __future__ import annotations

from typing import Any

import msgspec
import orjson

from app.errors import InvalidInput, TooLarge
from app.sanitize.policy import SanitizePolicy
from app.sanitize.tree import sanitize_tree
from app.working.model import Part

VALUE = "value"


def packed(value: Any, part: Part, policy: SanitizePolicy) -> bytes:
    """A value as compact JSON under a policy.

    Raises InvalidInput where it is none of what the part holds, PiiRefused and ResidueOnly as the
    sanitising step does, each with the path of the text.
    """
    _require_kind(value, part)
    return dumped(sanitize_tree(value, policy, VALUE))


def dumped(value: Any) -> bytes:
    """A value as compact JSON; InvalidInput for a whole number beyond 64 bits."""
    try:
        return orjson.dumps(value)
    except (TypeError, orjson.JSONEncodeError) as error:
        raise InvalidInput(f"value cannot be kept as JSON: {error}", field=VALUE) from None


def unpacked(stored: bytes) -> Any:
    """The value that `packed` wrote."""
    return msgspec.json.decode(stored)


def require_short(size: int, most: int) -> None:
    """TooLarge (`value`) beyond so many bytes."""
    if size > most:
        raise TooLarge(f"a value has at most {most} bytes, and this one {size}", field=VALUE)


def _require_kind(value: Any, part: Part) -> None:
    if part is Part.SCRATCH_PAD and not isinstance(value, str):
        raise InvalidInput("a scratch pad is a text", field=VALUE)
    if part is Part.CONVERSATION:
        if not isinstance(value, list):
            raise InvalidInput("a conversation is a list of messages", field=VALUE)
        for at, one in enumerate(value):
            require_message(one, f"{VALUE}.{at}")


def require_message(value: Any, path: str) -> None:
    """InvalidInput (`path`) for a message that is no object."""
    if not isinstance(value, dict):
        raise InvalidInput("a message is an object, such as {role, content}", field=path)
