"""What rots and what fades at night: formulas of seed 000 (annex 2.a), pure, nothing stored twice.

Each result follows from what is stored and the moment, so that a job that runs twice changes
nothing more.
"""

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

LEARNING_RATE = 0.003  # of the importance, a day
LEARNING_FLOOR = 0.05
LEARNING_ARCHIVE = 0.1
LEARNING_REST = 7  # days untouched before it fades
LEARNING_AGE = 30  # days

GRACE = 7.0  # days
TRUST_WEEKLY, TRUST_MOST, TRUST_MIDDLE = 0.02, 0.30, 0.5


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
    days = max(0.0, _days(age))
    unread = NEVER_READ if idle is None else min(max(0.0, _days(idle)) / IDLE_MOST, 1.0)
    known = importance if importance is not None and math.isfinite(importance) else UNSET_IMPORTANCE
    return Staleness(1 - 0.5 ** (days / AGE_HALVES), unread, 1 - min(max(known, 0.0), 1.0))


def learning_left(importance: float, untouched: timedelta) -> float:
    """The importance of a learning that nothing touched for so long: `x (1 - .003) ** days`, whole
    days, never below .05; unchanged in its first week, and where it is below the floor already."""
    days = math.floor(_days(untouched))
    if days < LEARNING_REST or importance <= LEARNING_FLOOR:
        return importance
    return max(LEARNING_FLOOR, importance * float((1 - LEARNING_RATE) ** days))


def learning_is_spent(importance: float, untouched: timedelta, age: timedelta) -> bool:
    """Whether a learning has faded below .1 and is older than 30 days."""
    left = learning_left(importance, untouched)
    return left < LEARNING_ARCHIVE and _days(age) > LEARNING_AGE


def idle_trust(trust: float, idle: timedelta) -> float:
    """The trust in an agent that has done nothing for so long: after 7 days it goes towards .5, by
    2 % of the way a week and at most by 30 %."""
    weeks = max(0.0, (_days(idle) - GRACE) / 7)
    return trust + (TRUST_MIDDLE - trust) * min(TRUST_WEEKLY * weeks, TRUST_MOST)


def _days(span: timedelta) -> float:
    return span / timedelta(days=1)
