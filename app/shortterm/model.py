"""Entries of short-term memory. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, cast

from app.errors import InvalidInput
from app.kernel.clock import FOREVER
from app.scopes.tuning import tuned

LONGEST_TTL = 366 * 86_400  # seconds
UNSET: Any = object()


class Kind(StrEnum):
    """What an entry is; the last three are other systems' words, which are kept as they are."""

    TASK_CONTEXT = "task_context"
    CONVERSATION = "conversation"
    TOOL_RESULT = "tool_result"
    REFLECTION = "reflection"
    OBSERVATION = "observation"
    GENERAL = "general"
    PLAN = "plan"
    STATE = "state"


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds of an entry that names none, the most of one, entries of one agent that have not run
    out, and readings from which on one is promoted."""

    ttl: int = tuned("short_term.ttl_seconds")
    ttl_most: int = tuned("short_term.ttl_most")
    entries: int = tuned("short_term.entries")
    often: int = tuned("tiers.reads")

    def seconds(self, asked: Any) -> int | None:
        """Return how long an entry lives, None for ever; InvalidInput (`ttl`) beyond the most."""
        if asked is UNSET:
            return min(self.ttl, self.ttl_most)
        if asked is not None and asked > self.ttl_most:
            raise InvalidInput(f"ttl is 1 to {self.ttl_most} seconds", field="ttl")
        return cast(int | None, asked)


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry to be made; `ttl` None never runs out, UNSET lives as the settings say."""

    session: str
    key: str
    value: Any
    kind: Kind
    ttl: int | None = UNSET


@dataclass(frozen=True, slots=True)
class Change:
    """What of an entry is set; UNSET leaves a thing as it is, a `ttl` of None ends never."""

    value: Any = UNSET
    kind: Kind = UNSET
    ttl: int | None = UNSET


def end_of(ttl: int | None, moment: datetime) -> datetime:
    """When an entry runs out that is given its time at `moment`."""
    return FOREVER if ttl is None else moment + timedelta(seconds=ttl)
