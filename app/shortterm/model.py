"""Entries of short-term memory. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from app.kernel.clock import FOREVER

TTL = 3600  # seconds of an entry that names none
LONGEST_TTL = 366 * 86_400  # seconds
MOST = 10_000  # entries of one agent that have not run out
OFTEN = 3  # readings from which on an entry is promoted
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
class Draft:
    """An entry to be made; `ttl` None never runs out."""

    session: str
    key: str
    value: Any
    kind: Kind
    ttl: int | None = TTL


@dataclass(frozen=True, slots=True)
class Change:
    """What of an entry is set; UNSET leaves a thing as it is, a `ttl` of None ends never."""

    value: Any = UNSET
    kind: Kind = UNSET
    ttl: int | None = UNSET


def end_of(ttl: int | None, moment: datetime) -> datetime:
    """When an entry runs out that is given its time at `moment`."""
    return FOREVER if ttl is None else moment + timedelta(seconds=ttl)
