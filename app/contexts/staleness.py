"""How stale a memory is: by age, by how long nobody read it, and by how little it matters. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

AGE_WEIGHT, ACCESS_WEIGHT, IMPORTANCE_WEIGHT = 0.4, 0.3, 0.3
AGE_HALVES = 30.0  # days
IDLE_MOST = 60.0  # days until which being unread counts more each day
NEVER_READ = 0.8
UNSET_IMPORTANCE = 0.5
REVIEW, ARCHIVE = 0.7, 0.9
DAY = timedelta(days=1)
# Younger than this nothing is stale, however unread and unimportant: its age adds too little. An
# hour less than that, since scores are rounded.
LEAST_AGE = DAY * AGE_HALVES * math.log2(
    AGE_WEIGHT / (AGE_WEIGHT + ACCESS_WEIGHT + IMPORTANCE_WEIGHT - REVIEW)
) - timedelta(hours=1)


class Verdict(StrEnum):
    """What becomes of a memory that has gone stale."""

    KEEP = "keep"
    REVIEW = "review"
    ARCHIVE = "archive"


@dataclass(frozen=True, slots=True)
class Staleness:
    """The three factors, each between 0 and 1, and what they add up to."""

    age: float
    access: float
    unimportance: float

    @property
    def score(self) -> float:
        """`.4 age + .3 access + .3 unimportance`, between 0 and 1."""
        weighted = (self.age, AGE_WEIGHT), (self.access, ACCESS_WEIGHT)
        rest = self.unimportance * IMPORTANCE_WEIGHT
        return round(sum(factor * weight for factor, weight in weighted) + rest, 6)

    @property
    def verdict(self) -> Verdict:
        """From .7 a review, from .9 the archive."""
        if self.score >= ARCHIVE:
            return Verdict.ARCHIVE
        return Verdict.REVIEW if self.score >= REVIEW else Verdict.KEEP


def staleness(age: timedelta, idle: timedelta | None, importance: float | None) -> Staleness:
    """How stale something is by its age, by how long nobody read it (None: never), and by how
    unimportant it is (None: unknown)."""
    days = max(0.0, age / DAY)
    unread = NEVER_READ if idle is None else min(max(0.0, idle / DAY) / IDLE_MOST, 1.0)
    known = importance if importance is not None and math.isfinite(importance) else UNSET_IMPORTANCE
    return Staleness(1 - 0.5 ** (days / AGE_HALVES), unread, 1 - min(max(known, 0.0), 1.0))
