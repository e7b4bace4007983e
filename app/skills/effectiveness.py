"""How well skills work: formulas of seeds 000 and 001 (annex 2.a and 3.a), pure.

Shares are between 0 and 1; None means that nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

UNKNOWN = 0.5
GRAPH_WEIGHT, SUCCESS_WEIGHT, LEARNING_WEIGHT = 0.3, 0.5, 0.2
OUTCOMES_NEEDED = 5  # before an effectiveness is computed anew
TREND_SPAN = timedelta(days=7)
TREND_STEP = 0.05
IDLE = timedelta(days=30)
IDLE_STEP = 0.05
CO_STEP, CO_LEAST, CO_MOST = 0.05, 0.1, 1.0
FAILURE_NEAR = 0.7  # similarity from which a pattern of failure bears on a question
FAILURE_STEP = 0.5
WEAK, WEAK_USES = 0.4, 10
WEAK_CONFIDENCE = 0.9


class Trend(StrEnum):
    """Where the rate of success is going."""

    IMPROVING = "improving"
    STABLE = "stable"
    DECLINING = "declining"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Tally:
    """Outcomes that were counted."""

    successes: int = 0
    failures: int = 0

    @property
    def uses(self) -> int:
        """All of them."""
        return self.successes + self.failures

    @property
    def rate(self) -> float | None:
        """The share that went well; None without any."""
        return self.successes / self.uses if self.uses else None


def skill_effectiveness(
    graph: float | None, success: float | None, learning: float | None
) -> float:
    """`.3 graph confidence + .5 success rate + .2 learning effectiveness`, .5 for what is unknown,
    to four places."""
    parts = (graph, GRAPH_WEIGHT), (success, SUCCESS_WEIGHT), (learning, LEARNING_WEIGHT)
    return round(sum((UNKNOWN if value is None else value) * w for value, w in parts), 4)


def version_effectiveness(tally: Tally) -> float | None:
    """Successes over uses, once there are five."""
    return tally.rate if tally.uses >= OUTCOMES_NEEDED else None


def score(tally: Tally) -> float:
    """Laplace's `(1 + s) / (2 + s + f)` (seed 001): .5 without an outcome."""
    return (1 + tally.successes) / (2 + tally.uses)


def failure_penalty(similar: Sequence[float]) -> float:
    """`1 / (1 + .5 n)` over the patterns of failure of a similarity of .7 or more (seed 001)."""
    near = sum(each >= FAILURE_NEAR for each in similar)
    return 1 / (1 + FAILURE_STEP * near)


def trend(recent: Tally, before: Tally) -> Trend:
    """The last seven days against the seven before: a step of .05 either way counts."""
    if recent.rate is None or before.rate is None:
        return Trend.UNKNOWN
    # To nine places, so that a difference of exactly .05 is not lost to binary fractions.
    change = round(recent.rate - before.rate, 9)
    if change >= TREND_STEP:
        return Trend.IMPROVING
    return Trend.DECLINING if change <= -TREND_STEP else Trend.STABLE


def idle_effectiveness(stored: float, idle: timedelta | None) -> float:
    """`stored - .05` after 30 days without use (None: never used), never below 0."""
    if idle is not None and idle < IDLE:
        return stored
    return max(0.0, round(stored - IDLE_STEP, 6))


def co_use(weight: float, *, success: bool) -> float:
    """The weight of two skills used together after one more outcome: ±.05 within .1 and 1."""
    moved = weight + (CO_STEP if success else -CO_STEP)
    return round(min(max(moved, CO_LEAST), CO_MOST), 6)


def is_weak(uses: int, effectiveness: float) -> bool:
    """Whether a skill has been tried often enough (10 times) to say that it works badly (<.4)."""
    return uses >= WEAK_USES and effectiveness < WEAK


def evolution_confidence(effectiveness: float) -> float:
    """How sure a proposal to renew a weak skill is: `.5 + (.4 - effectiveness)`, from 0 to .9."""
    return round(min(max(0.5 + (WEAK - effectiveness), 0.0), WEAK_CONFIDENCE), 4)


def recent_span(at: datetime) -> tuple[datetime, datetime]:
    """Since when the two spans of the trend are counted: the recent one, and the one before."""
    return at - TREND_SPAN, at - 2 * TREND_SPAN
