"""How long readers take of processor time, and how that grows with the text.

Each shape is read in a process that is ended where it takes too long: a reader that stands still
costs one shape and not the whole measurement.
"""

from __future__ import annotations

import gc
import resource
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.readers.registry import READERS
from tests.readers.shapes import text_of

KILO = 1000
GROWTH = 1.3  # times what linear growth would be
MOST = 10.0  # seconds for a MiB
EXEMPT = 0.25  # seconds at the larger size below which growth is noise


class TooLong(Exception):
    """A reader goes beyond its limit."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of processor time by size in characters; infinite where the limit was reached."""

    reader: str
    shape: str
    seconds: dict[int, float]

    def growth(self) -> float:
        """Growth between the two largest sizes, as a multiple of linear growth."""
        small, large = sorted(self.seconds)[-2:]
        if self.seconds[large] <= EXEMPT:
            return 1.0
        return self.seconds[large] / max(self.seconds[small], 1e-4) * small / large

    def bad(self) -> bool:
        """Whether it grows too fast or takes too long for a MiB."""
        size, seconds = max(self.seconds.items())
        return self.growth() > GROWTH or seconds * 2**20 / size > MOST


def measure(reader: str, shape: str, sizes: Iterable[int], limit: float = 30.0) -> Measured:
    """One reader on one shape; the least of several tries where growth looks too fast."""
    seconds = {size: _seconds(reader, shape, size, limit) for size in sorted(sizes)}
    found = Measured(reader, shape, seconds)
    for _ in range(3):
        if not found.bad() or max(seconds.values()) == float("inf"):
            break
        for size in seconds:
            seconds[size] = min(seconds[size], _seconds(reader, shape, size, limit))
    return found


def _seconds(reader: str, shape: str, size: int, limit: float) -> float:
    text = text_of(shape, size)
    gc.collect()
    signal.signal(signal.SIGPROF, _end)
    signal.setitimer(signal.ITIMER_PROF, limit)
    start = time.process_time()
    try:
        READERS[reader](text)
        return time.process_time() - start
    except TooLong:
        return float("inf")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _end(signum: int, frame: Any) -> None:
    raise TooLong


def offenders(
    readers: Iterable[str], shapes: Iterable[str], sizes: Iterable[int], limit: float = 30.0
) -> Iterator[Measured]:
    """What is bad, of all that are given."""
    shapes, sizes = list(shapes), list(sizes)
    for reader in readers:
        for shape in shapes:
            found = measure(reader, shape, sizes, limit)
            if found.bad():
                yield found


def peak() -> int:
    """The most memory that this process had, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
