"""What rots and what fades at night: formulas of seed 000 (annex 2.a), pure, nothing stored twice.

Each result follows from what is stored and the moment, so that a job that runs twice changes
nothing more.
"""

from __future__ import annotations

import math
from datetime import timedelta

LEARNING_RATE = 0.003  # of the importance, a day
LEARNING_FLOOR = 0.05
LEARNING_ARCHIVE = 0.1
LEARNING_REST = 7  # days untouched before it fades
LEARNING_AGE = 30  # days

GRACE = 7.0  # days
TRUST_WEEKLY, TRUST_MOST, TRUST_MIDDLE = 0.02, 0.30, 0.5


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
