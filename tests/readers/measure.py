"""How long readers take of processor time, and how that grows with the text.

Each shape is read in a process that is ended where it takes too long: a reader that stands still
costs one shape and not the whole measurement.
"""

from __future__ import annotations

import gc
import random
import resource
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from app.errors import LociError
from tests.readers.registry import READERS
from tests.readers.shapes import names, text_of
from tests.support.pace import pace

KILO = 1000
GROWTH = 1.3  # times what linear growth would be
MOST = 10.0  # seconds for a MiB
# Seconds for a million characters below which growth is noise; as few at a smaller size that a
# reader whose time grows as the square of the text would be below it at a million, too.
EXEMPT = 0.25
NOISE = 0.005  # seconds below which a clock tells nothing


class TooLong(Exception):
    """A reader goes beyond its limit."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of processor time by size in characters; infinite where the limit was reached."""

    reader: str
    shape: str
    seconds: dict[int, float]
    pace: float = 1.0  # of the machine meanwhile, as `tests.support.pace` has it

    def growth(self) -> float:
        """Growth between the two largest sizes, as a multiple of linear growth."""
        small, large = sorted(self.seconds)[-2:]
        if self.seconds[large] <= exempt(large):
            return 1.0
        return self.seconds[large] / max(self.seconds[small], 1e-4) * small / large

    def mebibyte(self) -> float:
        """Seconds for a MiB, as what was measured goes on: growth between the two largest sizes
        that is more than GROWTH allows is taken for a square's."""
        (small, brief), (large, long) = sorted(self.seconds.items())[-2:]
        if long == float("inf"):
            return long
        square = max(0.0, (long / large - GROWTH * brief / small) / (large - small))
        return (long / large - square * large) * 2**20 + square * 2**40

    def bad(self, slack: float = 1.0) -> bool:
        """Whether it grows too fast or takes too long for a MiB; `slack` multiplies both bounds,
        where others use the machine meanwhile. On a slower machine everything takes longer."""
        return self.growth() > slack * GROWTH or self.mebibyte() > slack * MOST * self.pace


def exempt(size: int) -> float:
    """Seconds at a size below which growth is not judged."""
    return max(NOISE, EXEMPT * (size / 1_000_000) ** 2)


def measure(
    reader: str, shape: str, sizes: Iterable[int], limit: float = 30.0, slack: float = 1.0
) -> Measured:
    """One reader on one shape; the least of several tries where growth looks too fast.

    `limit` is in seconds of processor time of the machine on which bounds were set.
    """
    now = pace()
    seconds = {size: _seconds(reader, shape, size, limit * now) for size in sorted(sizes)}
    found = Measured(reader, shape, seconds, now)
    for _ in range(3):
        if not found.bad(slack) or max(seconds.values()) == float("inf"):
            break
        for size in seconds:
            seconds[size] = min(seconds[size], _seconds(reader, shape, size, limit * now))
    return found


def _seconds(reader: str, shape: str, size: int, limit: float) -> float:
    text = text_of(shape, size)
    gc.collect()
    signal.signal(signal.SIGPROF, _end)
    signal.setitimer(signal.ITIMER_PROF, limit)
    # The clock of the process goes by ticks while its timer is set; that of the thread does not.
    start = time.thread_time()
    try:
        with suppress(LociError):  # to refuse a text takes time, too
            READERS[reader](text)
        return time.thread_time() - start
    except TooLong:
        return float("inf")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _end(signum: int, frame: Any) -> None:
    raise TooLong


def drawn(seed: int) -> Iterator[tuple[str, str]]:
    """All pairs of a reader and a shape in the random order of a seed."""
    pairs = [(reader, shape) for reader in READERS for shape in names()]
    yield from random.Random(seed).sample(pairs, len(pairs))


def peak() -> int:
    """The most memory that this process had, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
