"""A/B tests of versions: who gets which, and who wins (seed 000, annex 2.a), pure."""

from __future__ import annotations

from app.kernel.ids import digest
from app.skills.effectiveness import Tally, version_effectiveness

SHARE, LEAST, MOST = 0.2, 0.01, 0.99
PARTS = 1 << 32


def clamped(share: float) -> float:
    """The share of uses that a variant may get: between .01 and .99."""
    return min(max(share, LEAST), MOST)


def gets_variant(experiment: str, unit: str, share: float) -> bool:
    """Whether a unit (a task, a session, an agent) is given the variant: always the same one."""
    return int(digest("experiment", experiment, unit)[:8], 16) < share * PARTS


def variant_wins(control: Tally, variant: Tally) -> bool:
    """Whether the variant is strictly better, both by five outcomes at least."""
    held, tried = version_effectiveness(control), version_effectiveness(variant)
    return tried is not None and held is not None and tried > held
