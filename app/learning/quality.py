"""What outcomes say of skills and memories. Pure.

Shares are between 0 and 1; None means that nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

FIRST_RANKS, LOW_RANK_WEIGHT = 3, 0.25
UNKNOWN = 0.5
MOST_BOOST = 0.6
RECENCY_DAYS = 30.0  # half-life of the recency of a skill's use


def quality(uses: Sequence[tuple[int | None, bool]]) -> float:
    """Return MOA's hit quality `(1 + successes) / (2 + uses)`: .5 without a use.

    Each use has its rank and whether the task was resolved; one among the first three, or without a
    rank, counts 1, another one .25.
    """
    weights = [1.0 if rank is None or rank <= FIRST_RANKS else LOW_RANK_WEIGHT for rank, _ in uses]
    good = sum(weight for weight, (_, went) in zip(weights, uses, strict=True) if went)
    return (1 + good) / (2 + sum(weights))


def boost(known: float, weight: float) -> float:
    """Return the factor of a score: `1 + weight · 2 (quality - .5)`, 1 at a quality of .5.

    A weight of at most .6 keeps it between .4 and 1.6.
    """
    return 1 + min(weight, MOST_BOOST) * 2 * (known - UNKNOWN)


def recency(used: datetime | None, at: datetime) -> float:
    """Return `2^(-age / 30 days)` of a last use; 0 where there was none."""
    if used is None:
        return 0.0
    days = max((at - used).total_seconds() / 86_400, 0.0)
    return float(2 ** (-days / RECENCY_DAYS))


def skill_rank(keywords: float, rate: float | None, use: float, recent: float) -> float:
    """Return MOA's rank of a skill, to six places.

    With a rate of resolution `.3 keywords + .4 rate + .2 use + .1 recency`, without one
    `.3 keywords + .5 use + .2 recency`, where `use` is the share of the most used one's uses.
    """
    if rate is None:
        return round(0.3 * keywords + 0.5 * use + 0.2 * recent, 6)
    return round(0.3 * keywords + 0.4 * rate + 0.2 * use + 0.1 * recent, 6)
