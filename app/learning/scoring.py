"""How well a task was resolved: signals to a score, a label and how sure it is. Pure.

The weights, values and bounds are those of MOA's resolution scorer. A signal is None where nothing
is known of it; it drops out, and the weights of the others are scaled to one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

WEIGHTS: Mapping[str, float] = {
    "tool": 0.20,
    "verification": 0.30,
    "continuation": 0.25,
    "self_assessment": 0.15,
    "structural": 0.10,
}
NOTHING_KNOWN = 0.4
RESOLVED, PARTIAL, UNKNOWN, FAILED = 0.70, 0.50, 0.30, 0.10  # least score of each label
PASSED_LEAST, FAILED_MOST = 0.50, 0.49
OVERRULED = 0.9  # confidence where a failure is certain
SAMPLES = 20  # segments without which nothing is told of structure
DIGITS = 4


class Resolution(StrEnum):
    """How a task ended."""

    RESOLVED = "resolved"
    PARTIAL = "partial"
    UNKNOWN = "unknown"
    FAILED = "failed"
    ABANDONED = "abandoned"


class Continuation(StrEnum):
    """What the user said next."""

    CORRECTION = "correction"
    THANKS = "thanks"
    REPHRASE = "rephrase"
    NEW_TASK = "new_task"
    OTHER = "other"


class Assessment(StrEnum):
    """What the agent said of its own work."""

    FAILURE = "failure"
    HEDGING = "hedging"
    CLARIFYING = "clarifying"
    QUESTION = "question"
    DONE = "done"
    OTHER = "other"


class CheckKind(StrEnum):
    """How a result was verified."""

    TEST = "test"
    HEALTH = "health"
    CHECK = "check"
    BUILD = "build"


CONTINUED: Mapping[Continuation, float] = {
    Continuation.CORRECTION: 0.15,
    Continuation.THANKS: 0.85,
    Continuation.REPHRASE: 0.1,
    Continuation.NEW_TASK: 0.75,
    Continuation.OTHER: 0.7,
}
ASSESSED: Mapping[Assessment, float] = {
    Assessment.FAILURE: 0.15,
    Assessment.HEDGING: 0.3,
    Assessment.CLARIFYING: 0.3,
    Assessment.QUESTION: 0.4,
    Assessment.DONE: 0.7,
    Assessment.OTHER: 0.5,
}
Checks = Sequence[tuple[CheckKind, bool]]


@dataclass(frozen=True, slots=True)
class Spread:
    """Figures of earlier segments: how many told one, their mean, and their standard deviation."""

    samples: int = 0
    mean: float = 0.0
    deviation: float = 0.0

    def exceeded(self, value: float) -> bool:
        """Return whether a figure lies more than two standard deviations above the mean."""
        return value > self.mean + 2 * self.deviation


@dataclass(frozen=True, slots=True)
class Overrides:
    """What decides whatever the signals say."""

    cancelled: bool = False
    over_budget: bool = False
    tools_failed: bool = False
    verified: bool | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """A score from 0 to 1, its label, and how sure the label is, both to four places."""

    score: float
    label: Resolution
    confidence: float


def tool_signal(outcomes: Sequence[bool] | None) -> float | None:
    """Return what tool calls say, in their order; None where nothing was told of them."""
    if outcomes is None:
        return None
    if not outcomes:
        return 0.5
    good = sum(outcomes)
    if good == len(outcomes):
        return 0.8
    if good == 0:
        return 0.1
    if not outcomes[-1]:
        return 0.2
    return 0.7 if good > len(outcomes) - good else 0.5


def verification_signal(checks: Checks | None) -> float | None:
    """Return what tests, builds and other checks say; None where nothing was told of them."""
    if checks is None:
        return None
    if not checks:
        return 0.5
    if not all(passed for _, passed in checks):
        return 0.15
    return 0.85 if all(kind is CheckKind.BUILD for kind, _ in checks) else 0.95


def verified(checks: Checks | None) -> bool | None:
    """Return whether everything that was checked passed; None where nothing was."""
    return all(passed for _, passed in checks) if checks else None


def structural_signal(figures: Sequence[tuple[float | None, Spread]]) -> float | None:
    """Return .3 where turns, cost or duration lie far above those of earlier segments, else .6;
    None below 20 of these."""
    known = [
        (value, spread)
        for value, spread in figures
        if value is not None and spread.samples >= SAMPLES
    ]
    if not known:
        return None
    return 0.3 if any(spread.exceeded(value) for value, spread in known) else 0.6


def blended(signals: Mapping[str, float | None]) -> float:
    """Return the weighted mean of the signals that are known; .4 without any."""
    known = {name: value for name, value in signals.items() if value is not None}
    weight = sum(WEIGHTS[name] for name in known)
    if not known:
        return NOTHING_KNOWN
    return sum(WEIGHTS[name] * value for name, value in known.items()) / weight


def label_of(score: float) -> Resolution:
    """Return the label of a score."""
    bounds = (
        (RESOLVED, Resolution.RESOLVED),
        (PARTIAL, Resolution.PARTIAL),
        (UNKNOWN, Resolution.UNKNOWN),
        (FAILED, Resolution.FAILED),
    )
    return next((label for least, label in bounds if score >= least), Resolution.ABANDONED)


def confidence_of(score: float, label: Resolution) -> float:
    """Return how sure a label is by its score."""
    if label in (Resolution.RESOLVED, Resolution.PARTIAL):
        return score
    if label is Resolution.UNKNOWN:
        return min(max(0.60 - abs(score - 0.40), 0.5), 0.6)
    return 1 - score


def scored(signals: Mapping[str, float | None], over: Overrides) -> Scored:
    """Return the score of the signals and what overrules it.

    A verification that passed lifts the score to .5 at least, one that failed holds it below that;
    what was cancelled is abandoned, and what ran out of turns or failed in every tool has failed.
    """
    score = blended(signals)
    if over.verified is not None:
        score = max(score, PASSED_LEAST) if over.verified else min(score, FAILED_MOST)
    score = round(score, DIGITS)
    if over.cancelled:
        return Scored(score, Resolution.ABANDONED, 1.0)
    if over.over_budget or (over.tools_failed and not over.verified):
        return Scored(score, Resolution.FAILED, OVERRULED)
    label = label_of(score)
    return Scored(score, label, round(confidence_of(score, label), DIGITS))
