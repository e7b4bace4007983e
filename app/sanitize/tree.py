"""JSON values: each string in them, names of fields too, is sanitised as a text is."""

from __future__ import annotations

from typing import Any

from app.errors import InvalidInput, LociError
from app.kernel.body import DEEPEST
from app.sanitize.labels import clean_word
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import sanitize

SHORT = 40  # characters of a text that is likely met again


def sanitize_tree(value: Any, policy: SanitizePolicy, field: str, deep: int = 0) -> Any:
    """Return the value as it may be stored; what refuses it names the place, such as `data.a.0`.

    Blank strings and numbers stay as they are. Raises what `sanitize` raises, and InvalidInput
    where two names of one object become the same, or beyond `DEEPEST` levels.
    """
    if deep > DEEPEST:
        raise InvalidInput(f"{field} is nested too deep", field=field)
    if isinstance(value, str):
        return _clean(value, policy, field)
    if isinstance(value, list):
        return [
            sanitize_tree(each, policy, f"{field}.{at}", deep + 1) for at, each in enumerate(value)
        ]
    if not isinstance(value, dict):
        return value
    made: dict[str, Any] = {}
    for name, inner in value.items():
        kept = _clean(name, policy, field)
        if kept in made:
            raise InvalidInput(f"two names in {field} are the same once sanitised", field=field)
        made[kept] = sanitize_tree(inner, policy, f"{field}.{kept}", deep + 1)
    return made


def _clean(text: str, policy: SanitizePolicy, field: str) -> str:
    if not text or text.isspace():
        return text
    try:
        return clean_word(text, policy) if len(text) <= SHORT else sanitize(text, policy).text
    except LociError as error:
        error.field = field
        raise
