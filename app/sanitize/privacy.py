"""How private a text is: none < pii < phi < restricted, by the classes of personal data in it.

Identity and health are `phi`, money and secrets `restricted`, everything else that was found is
`pii`. What was redacted counts as well: the text is about it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

Level = Literal["none", "pii", "phi", "restricted"]
LEVELS: tuple[Level, ...] = get_args(Level)
RESTRICTED = frozenset({"iban", "card", "secret"})
PHI = frozenset({"national_id", "passport", "health"})


def level_of(classes: Iterable[str]) -> Level:
    """The level of a text in which these classes were found."""
    found = frozenset(classes)
    if found & RESTRICTED:
        return "restricted"
    if found & PHI:
        return "phi"
    return "pii" if found else "none"


def number(level: Level) -> int:
    """The place of a level in the order, which is what memories hold."""
    return LEVELS.index(level)


def named(stored: int | None) -> Level:
    """The level that a memory holds; `none` where it holds none."""
    return LEVELS[stored or 0]


def highest(*levels: Level | None) -> Level:
    """The highest of some levels, None counting as `none`."""
    return max((level for level in LEVELS if level in levels), key=LEVELS.index, default="none")
