"""A value on its way into an answer, and the moments at which it is seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.facts.service import Moments


@dataclass(frozen=True, slots=True)
class Seen:
    """A wire value of the HTTP routes; what hangs on it is read at the same moments."""

    value: Any
    moments: Moments


def shifted(moments: Moments, args: Mapping[str, Any]) -> Moments:
    """The moments of a field: those that it was given, else those from above."""
    as_of: datetime | None = args.get("as_of")
    known_at: datetime | None = args.get("known_at")
    return Moments.of(as_of or moments.as_of, known_at or moments.known_at)


def member(value: Any, name: str) -> Any:
    """A member of a structure or of a bag; None where a bag lacks it."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name)


def within(value: Any, moments: Moments) -> Any:
    """A structure, or each of a list, as seen at these moments."""
    if value is None:
        return None
    if isinstance(value, list | tuple):
        return [Seen(each, moments) for each in value]
    return Seen(value, moments)
