"""JSON in which the name of a field tells that its value is a secret.

`hunter2` is a word as any other; as the value of `password` it is none. What looks like a secret by
itself is found by `sanitize_tree`, before or after this.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from app.errors import PiiRefused
from app.sanitize.policy import PLACEHOLDERS, Action, SanitizePolicy

PLACEHOLDER = PLACEHOLDERS["secret"]
# The last words of a name in lower case with `_` between them; numbers count only where the name
# tells of a password, since `max_tokens` has one, too.
_PASSWORD = re.compile(
    r"(?:^|_)(?:pass(?:word|wort|wd|phrase|code)?s?|pwd|kennwort|pin|psk|otp|totp|cvc|cvv)$"
)
_SECRET = re.compile(
    r"(?:^|_)(?:secrets?|token|jwt|bearer|auth|authorization|credentials?|cookies?|set_cookie"
    r"|signature|(?:api|access|private|secret|encryption|signing|account|master|shared|ssh|auth)_?"
    r"keys?|apikeys?|connection_?string|dsn)$"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BETWEEN = re.compile(r"[^a-z0-9]+")
NAMING = ("name", "key", "header")  # fields of an object that name what its `value` is


def redact_fields(value: Any, policy: SanitizePolicy, field: str) -> Any:
    """Return a JSON value with what stands under the name of a secret replaced by `[secret]`.

    Raises PiiRefused (`field`) where the policy refuses secrets; it may also leave them.
    """
    action = policy.action("secret")
    if action not in (Action.REDACT, Action.REFUSE):
        return value
    made = _redacted(value)
    if action is Action.REFUSE and made != value:
        raise PiiRefused(f"{field} holds data of the class secret, refused here", field=field)
    return made


def is_secret(name: str, value: Any = "") -> bool:
    """Return whether the name of a field tells that such a value is a secret."""
    if isinstance(value, bool) or value is None:
        return False
    ways = [_BETWEEN.sub("_", way.lower()).strip("_") for way in (name, _HUMP.sub("_", name))]
    shapes = (_PASSWORD,) if isinstance(value, int | float) else (_PASSWORD, _SECRET)
    return any(shape.search(way) for shape in shapes for way in ways)


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return _within(value)
    if isinstance(value, list):
        return [
            _hidden(each) if at and _flag(value[at - 1]) else _redacted(each)
            for at, each in enumerate(value)
        ]
    if not isinstance(value, dict):
        return value
    told = [value[name] for name in NAMING if isinstance(value.get(name), str)]
    pair = any(map(is_secret, told))
    return {
        name: _hidden(inner)
        if is_secret(name, inner) or (pair and name == "value")
        else _redacted(inner)
        for name, inner in value.items()
    }


def _flag(before: Any) -> bool:
    """Return whether a word of a command line, such as `--password`, has a secret after it."""
    return isinstance(before, str) and before.startswith("-") and is_secret(before)


def _hidden(value: Any) -> Any:
    """Return the value with every string and number replaced."""
    if isinstance(value, dict):
        return {name: _hidden(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_hidden(each) for each in value]
    return value if value is None or value == "" or isinstance(value, bool) else PLACEHOLDER


def _within(text: str) -> str:
    """Return a text that is JSON itself with its secrets replaced; any other as it is."""
    if text[:1] not in ("{", "["):
        return text
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    made = _redacted(value)
    return text if made == value else orjson.dumps(made).decode()
