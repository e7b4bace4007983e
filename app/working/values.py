"""Values as they may be stored: JSON of every kind, each text in it sanitised. Pure."""

from __future__ import annotations

from typing import Any

import msgspec
import orjson

from app.errors import InvalidInput, LociError, TooLarge
from app.kernel.body import DEEPEST
from app.sanitize.labels import clean_word
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import sanitize
from app.working.model import Part

VALUE = "value"
SHORT = 40  # characters of a text that is likely met again


def packed(value: Any, part: Part, policy: SanitizePolicy) -> bytes:
    """A value as compact JSON under a policy.

    Raises InvalidInput where it is none of what the part holds, PiiRefused and ResidueOnly as the
    sanitising step does, each with the path of the text.
    """
    _require_kind(value, part)
    return dumped(cleaned(value, policy, VALUE))


def dumped(value: Any) -> bytes:
    """A value as compact JSON; InvalidInput for a whole number beyond 64 bits."""
    try:
        return orjson.dumps(value)
    except (TypeError, orjson.JSONEncodeError) as error:
        raise InvalidInput(f"value cannot be kept as JSON: {error}", field=VALUE) from None


def cleaned(value: Any, policy: SanitizePolicy, path: str, deep: int = 0) -> Any:
    """A value with every text in it, names of objects too, as it may be stored; numbers stay."""
    if deep > DEEPEST:
        raise InvalidInput(f"{path} is nested too deep", field=path)
    if isinstance(value, str):
        return _text(value, policy, path)
    if isinstance(value, list):
        return [cleaned(one, policy, f"{path}.{at}", deep + 1) for at, one in enumerate(value)]
    if not isinstance(value, dict):
        return value
    made = {}
    for name, one in value.items():
        kept = _text(name, policy, path)
        if kept in made:
            raise InvalidInput(
                f"two names in {path} are the same once they are sanitised", field=path
            )
        made[kept] = cleaned(one, policy, f"{path}.{kept}", deep + 1)
    return made


def unpacked(stored: bytes) -> Any:
    """The value that `packed` wrote."""
    return msgspec.json.decode(stored)


def texts(value: Any) -> list[str]:
    """Every text in a value, names of objects too."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for one in value for text in texts(one)]
    if isinstance(value, dict):
        return [text for name, one in value.items() for text in (name, *texts(one))]
    return []


def require_short(size: int, most: int) -> None:
    """TooLarge (`value`) beyond so many bytes."""
    if size > most:
        raise TooLarge(f"a value has at most {most} bytes, and this one {size}", field=VALUE)


def _text(text: str, policy: SanitizePolicy, path: str) -> str:
    if not text or text.isspace():
        return text
    try:
        if len(text) <= SHORT:
            return clean_word(text, policy)
        return sanitize(text, policy).text
    except LociError as error:
        error.field = path
        raise


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
