"""Which conflict comes first (seed 000): `weight x clamp(days / 30, 1, 3) x (1 + similarity)`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from app.skills.vocabulary import Severity

# The document's weights; the code of the seed has others, which its cases are computed with.
WEIGHTS: Mapping[Severity, int] = {
    Severity.LOW: 1,
    Severity.MEDIUM: 2,
    Severity.HIGH: 4,
    Severity.CRITICAL: 8,
}
CODE_WEIGHTS: Mapping[Severity, int] = {
    Severity.LOW: 1,
    Severity.MEDIUM: 2,
    Severity.HIGH: 3,
    Severity.CRITICAL: 4,
}
TABLES = {"document": WEIGHTS, "code": CODE_WEIGHTS}
MONTH = timedelta(days=30)
OLDEST = 3.0


def priority(
    severity: Severity,
    age: timedelta,
    similarity: float | None,
    weights: Mapping[Severity, int] = WEIGHTS,
) -> float:
    """The priority of a conflict, to four places; a similarity of None counts as 0."""
    waited = min(max(age / MONTH, 1.0), OLDEST)
    return round(weights[severity] * waited * (1 + (similarity or 0.0)), 4)
