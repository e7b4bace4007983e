"""How long the steps of an answer took, and how finely that is told to who asked."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

STEP = 5  # milliseconds to which times are told
PLAIN = frozenset({"embed"})  # steps that look at the question alone, and at nothing that is stored


class Stopwatch:
    """Milliseconds of the steps of one search."""

    def __init__(self) -> None:
        self.marks: dict[str, float] = {}
        self._last = time.perf_counter()

    def mark(self, name: str) -> None:
        """Note the time since the last mark."""
        moment = time.perf_counter()
        self.marks[name] = (moment - self._last) * 1000
        self._last = moment


def told(milliseconds: float) -> int:
    """Return milliseconds as they leave in an answer: the next multiple of `STEP`.

    The time of a step that reads an index, without the network and other requests around it, would
    be the best of clocks to tell by whether a rare word is stored out of sight.
    """
    return math.ceil(milliseconds / STEP) * STEP


def told_steps(marks: Mapping[str, float]) -> dict[str, float]:
    """Return the milliseconds of steps as they leave, each as `told`; the time of the embedding,
    which nothing stored changes, to a thousandth."""
    return {name: round(ms, 3) if name in PLAIN else told(ms) for name, ms in marks.items()}
