"""Tiers, and a value that one of them holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

ROUTER_TTL = 1800  # seconds that working memory keeps what is written here without a time


class Tier(StrEnum):
    """Where something is kept, in the order in which a key is looked for."""

    WORKING = "working"
    SHORT_TERM = "short_term"
    LONG_TERM = "long_term"
    SHARED = "shared"


# Other systems' words, which are accepted.
SYNONYMS = {
    "short": Tier.SHORT_TERM,
    "stm": Tier.SHORT_TERM,
    "long": Tier.LONG_TERM,
    "ltm": Tier.LONG_TERM,
    "pool": Tier.SHARED,
}


def tier_of(word: str | None) -> Tier | None:
    """Return the tier of a word; None for no word, and for one that is none of ours."""
    if word is None:
        return None
    return SYNONYMS.get(word) or (Tier(word) if word in set(Tier) else None)


@dataclass(frozen=True, slots=True)
class Address:
    """What a key means: in a session, and in a pool where the shared tier is asked."""

    key: str
    session: str | None = None
    pool: str | None = None


@dataclass(frozen=True, slots=True)
class Value:
    """A value with where it stands: `id` is its entry's, or the pool's; `task` and `session` go by
    the same name. `expires_at` None never runs out."""

    tier: Tier
    id: str | None
    scope: str
    value: Any
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Near:
    """A value like a question, with its calibrated similarity."""

    value: Value
    key: str
    similarity: float
