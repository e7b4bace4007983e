"""What the figures of reviews suggest. Pure.

A share of one half and less suggests nothing, so that never both sides are suggested.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.interventions.model import SuggestedAction


@dataclass(frozen=True, slots=True)
class Rule:
    """How many reviews it takes, and which share of them must be decided alike (0.5 to 1)."""

    least: int
    rate: float


def suggested(accepted: int, rejected: int, rule: Rule) -> SuggestedAction | None:
    """Return what so many reviews suggest; None for too few, or where they were not alike."""
    decided = accepted + rejected
    if decided < max(rule.least, 1) or accepted == rejected:
        return None
    if accepted >= rule.rate * decided:
        return SuggestedAction.AUTO_ACCEPT
    if rejected >= rule.rate * decided:
        return SuggestedAction.AUTO_REJECT
    return None
