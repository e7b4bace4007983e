"""Moments on their way to the database and back, as Python's own.

The driver makes of each one a value in nanoseconds with a zone of pytz: 0.1 ms in either direction,
a third of all that the API computes (decision 0071). It has no setting for that, so two of its
functions are replaced where they lie. A driver that no longer has them there is left as it is: then
it is slow, and as right as before.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

PLACE = "neo4j._codec.hydration.bolt.v2.temporal"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

Function = Callable[..., Any]


def received(theirs: Function) -> Function:
    """The driver's function, made to give moments in UTC to the microsecond, as `plain` does.

    What has no zone, or lies beyond the years that Python knows, is left to the driver.
    """

    def hydrate(seconds: int, nanoseconds: int, tz: int | str | None = None) -> Any:
        if tz is None:
            return theirs(seconds, nanoseconds)
        try:
            return EPOCH + timedelta(seconds=seconds, microseconds=nanoseconds // 1000)
        except OverflowError:
            return theirs(seconds, nanoseconds, tz)

    return hydrate


def sent(theirs: Function, structure: Function) -> Function:
    """The driver's function, made to write moments in UTC itself; all others are the driver's."""

    def dehydrate(value: Any) -> Any:
        if type(value) is not datetime or value.tzinfo is not UTC:
            return theirs(value)
        seconds, rest = divmod((value - EPOCH) // MICROSECOND, 1_000_000)
        return structure(b"I", seconds, rest * 1000, 0)

    return dehydrate


def use_own_moments() -> bool:
    """Have each driver that this process opens from now on treat moments so; whether it does."""
    try:
        place: Any = importlib.import_module(PLACE)
        theirs = place.hydrate_datetime, place.dehydrate_datetime, place.Structure
    except (ImportError, AttributeError):
        return False
    if theirs[0].__module__ == PLACE:
        place.hydrate_datetime = received(theirs[0])
        place.dehydrate_datetime = sent(theirs[1], theirs[2])
    return True
