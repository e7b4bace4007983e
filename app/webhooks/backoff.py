"""When a delivery that failed is tried again. Pure."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits of `first` seconds that double, `most` at the longest."""

    first: float
    most: float

    def wait(self, attempts: int, chance: float | None = None) -> float:
        """Seconds until the next attempt after so many, at least one: exponential back-off with
        equal jitter, half of it fixed and half by chance (0 to 1)."""
        whole = min(self.most, self.first * 2.0 ** min(attempts - 1, 64))
        drawn = random.random() if chance is None else chance
        return whole / 2 + drawn * whole / 2
