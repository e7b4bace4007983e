"""What an entry is worth, and what time makes of it. Pure; each result follows from what is stored
and the moment."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from enum import StrEnum

UNSET_IMPORTANCE, UNSET_CONFIDENCE = 0.5, 1.0
STEP = 0.1  # of one boost or reduction
HIGH_IMPORTANCE, LOW_IMPORTANCE, HIGH_CONFIDENCE = 0.7, 0.3, 0.8
DECAY_RATE = 0.01  # of the importance, a day, where an entry names none
ARCHIVE_BELOW, ARCHIVE_AGE = 0.1, timedelta(days=30)
FAILED_IMPORTANCE = 0.7
TOLD = 0.1  # confidence for each circumstance that an experience tells
CLEAN_BELOW, CLEAN_AGE = 0.2, timedelta(days=90)
DAY = timedelta(days=1)


class Bucket(StrEnum):
    """How much of something there is."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


def recency(rate: float | None, idle: timedelta | None) -> float:
    """Return how fresh an entry is that nobody read for so long: `e^(-rate * days)`, and 1 for one
    that was never read. A rate that is not set is 0."""
    if idle is None:
        return 1.0
    return round(math.exp(-(rate or 0.0) * max(0.0, idle / DAY)), 4)


def relevance(importance: float | None, confidence: float | None, fresh: float) -> float:
    """Return the effective relevance score: importance (.5 unset) x confidence (1 unset) x
    recency, to four digits."""
    weight = UNSET_IMPORTANCE if importance is None else importance
    sure = UNSET_CONFIDENCE if confidence is None else confidence
    return round(weight * sure * fresh, 4)


def boosted(importance: float | None) -> float:
    """Return the importance a step higher, at most 1."""
    return min(round((UNSET_IMPORTANCE if importance is None else importance) + STEP, 6), 1.0)


def reduced(importance: float | None) -> float:
    """Return the importance a step lower, at least 0."""
    return max(round((UNSET_IMPORTANCE if importance is None else importance) - STEP, 6), 0.0)


def importance_bucket(importance: float | None) -> Bucket:
    """Return high from .7 on, low below .3."""
    weight = UNSET_IMPORTANCE if importance is None else importance
    if weight >= HIGH_IMPORTANCE:
        return Bucket.HIGH
    return Bucket.LOW if weight < LOW_IMPORTANCE else Bucket.MEDIUM


def confidence_is_high(confidence: float | None) -> bool:
    """Return whether the confidence is at least .8."""
    return (UNSET_CONFIDENCE if confidence is None else confidence) >= HIGH_CONFIDENCE


def experience_importance(*, failed: bool) -> float:
    """Return what an experience weighs: what failed teaches more."""
    return FAILED_IMPORTANCE if failed else UNSET_IMPORTANCE


def experience_confidence(told: int) -> float:
    """Return how sure an experience is that tells so many of task, run, duration and the agent
    whom it is from: .5, and .1 for each, at most 1."""
    return min(round(0.5 + TOLD * told, 6), 1.0)


def whole_days(since: datetime, until: datetime) -> int:
    """Return how many days have passed in full, never less than none."""
    return max(0, (until - since) // DAY)


def decayed(importance: float | None, rate: float | None, days: int) -> float:
    """Return what so many days leave of an importance: `importance * (1 - rate)^days`, with a rate
    of .01 where none is set."""
    weight = UNSET_IMPORTANCE if importance is None else importance
    return float(weight * (1 - (DECAY_RATE if rate is None else rate)) ** days)


def is_spent(importance: float | None, age: timedelta) -> bool:
    """Return whether an entry goes to the archive: below .1, and older than 30 days."""
    weight = UNSET_IMPORTANCE if importance is None else importance
    return weight < ARCHIVE_BELOW and age > ARCHIVE_AGE


def is_stale_experience(importance: float | None, age: timedelta) -> bool:
    """Return whether an experience is cleaned away: below .2, and older than 90 days."""
    weight = UNSET_IMPORTANCE if importance is None else importance
    return weight < CLEAN_BELOW and age > CLEAN_AGE


def forgotten(importance: float | None) -> float:
    """Return what a soft forgetting leaves: a tenth, at least .01."""
    weight = UNSET_IMPORTANCE if importance is None else importance
    return max(weight * 0.1, 0.01)
