"""How sure the word of several attesters makes a fact: a Beta posterior (seed 001, annex 3.a)."""

from __future__ import annotations

import math
from collections.abc import Iterable

UNKNOWN = 0.5  # reliability of one of whom nothing is known
AGREEMENT = 0.25  # weight of a fact that somebody else supports as well
CONTRADICTION = 1.0  # weight of a fact that a curator rejected


def posterior(reliabilities: Iterable[float]) -> float:
    """The mean of Beta(1 + sum r, 1 + sum(1 - r)) over distinct attesters, between 0 and 1.

    A reliability that is no number counts as unknown; others are held between 0 and 1.
    """
    rs = [_bounded(r) for r in reliabilities]
    alpha, beta = 1 + sum(rs), 1 + sum(1 - r for r in rs)
    return alpha / (alpha + beta)


def reliability(agreements: int, contradictions: int) -> float:
    """What a principal's record says of its word: .5 for none, towards 1 or 0 with the record."""
    good, bad = AGREEMENT * agreements, CONTRADICTION * contradictions
    return (1 + good) / (2 + good + bad)


def _bounded(r: float) -> float:
    return UNKNOWN if not math.isfinite(r) else min(1.0, max(0.0, r))
