"""Entries of short-term memory. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, cast

from app.errors import InvalidInput
from app.kernel.clock import FOREVER
from app.scopes.tuning import tuned

LONGEST_TTL = 366 * 86_400  # seconds
DAY = 86_400  # seconds
IMPORTANCE, READ = 0.5, 0.05  # of a new entry; what a reading adds, once in a day
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
    out, readings from which on one is promoted, what of its time an entry loses in a day, and days
    after which an entry is gone that has a time."""

    ttl: int = tuned("short_term.ttl_seconds")
    ttl_most: int = tuned("short_term.ttl_most")
    entries: int = tuned("short_term.entries")
    often: int = tuned("tiers.reads")
    fade: float = tuned("short_term.fade", default=0.01)
    days: int = tuned("short_term.days", default=7)

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


def lasting(ttl: int, fade: float) -> float:
    """Return the seconds after which a time to live is over that shrinks each day to
    `ttl * (1 - fade * days)`, for the whole days since it began: the first moment at which no more
    is left of it than has gone by."""
    days = 0
    while (left := ttl * (1 - fade * days)) >= (days + 1) * DAY:
        days += 1
    return max(left, days * DAY)


def end_of(ttl: int | None, began: datetime, written: datetime, limits: Limits) -> datetime:
    """Return when an entry runs out whose time began at a moment, and whose value was written at
    one: as its time shrinks, and after `days` of its value at the latest."""
    if ttl is None:
        return FOREVER
    shrunk = began + timedelta(seconds=round(lasting(ttl, limits.fade), 3))
    return min(shrunk, written + timedelta(days=limits.days))


def anew(
    held: Mapping[str, Any], change: Change, at: datetime, limits: Limits
) -> dict[str, datetime | int | None]:
    """Return what a change sets of the time of an entry that runs at a moment: nothing where it
    sets neither `ttl` nor value. No end lies in the past, and none comes sooner than it would have
    but by a `ttl` that is shorter; raises InvalidInput (`ttl`)."""
    given, valued = change.ttl is not UNSET, change.value is not UNSET
    if not given and not valued:
        return {}
    ttl = limits.seconds(change.ttl) if given else held.get("ttl")
    began = at if given else held.get("began_at") or held["ingested_at"]
    end = end_of(ttl, began, at if valued else _written(held, at, limits), limits)
    if not given:
        return {"expires_at": max(end, held["expires_at"])}
    return {"ttl": ttl, "began_at": at, "expires_at": end}


def refreshed(
    held: Mapping[str, Any], at: datetime, limits: Limits
) -> dict[str, datetime | int | None]:
    """Return what a refresh sets of the time of an entry: an end that is no sooner than before."""
    end = end_of(held.get("ttl"), at, _written(held, at, limits), limits)
    return {"began_at": at, "expires_at": max(end, held["expires_at"])}


def _written(held: Mapping[str, Any], at: datetime, limits: Limits) -> datetime:
    """When the days of a value began: with the time that is given to an entry that had none, and so
    late that they end no sooner than the entry does already."""
    if held.get("ttl") is None:
        return at
    written: datetime = held["updated_at"]
    end: datetime = held["expires_at"]
    return max(written, end - timedelta(days=limits.days))
