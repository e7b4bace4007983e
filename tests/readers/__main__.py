"""`python -m tests.readers [--pairs N] [--seed N] [--shapes NAMES] [reader …]`: readers on shapes,
up to a million characters; all of both, those named, or so many pairs of them drawn at random.

Prints what grows faster than the text or takes more than ten seconds for a MiB, then a table with
the worst of each slice. Exit code 1 where a reader does not hold.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice

from tests.readers.measure import Measured, drawn, measure, peak
from tests.readers.registry import READERS
from tests.readers.shapes import names
from tests.support.seeds import SEED

SIZES = (1_000, 10_000, 100_000, 1_000_000)
HEAD = ("slice", "readers", "texts", "growth at most", "seconds for a MiB at most", "bad")


def main() -> int:
    """Measure; 1 where a reader does not hold."""
    start, found = time.monotonic(), defaultdict(list)
    asked = _asked()
    gc.freeze()  # what the rules are made of is not looked through before each text
    for reader, shape in _pairs(asked):
        one = measure(reader, shape, SIZES)
        found[reader.split(".")[0]].append(one)
        if one.bad():
            _tell(f"{reader} {shape} {one.growth():.2f} {one.mebibyte():.2f} {one.seconds}")
    for line in table(found):
        _tell(line)
    count = sum(map(len, found.values()))
    took = round(time.monotonic() - start)
    _tell(f"\n{count} texts in {took} s, seed {asked.seed}, {peak() // 1024} MiB")
    return int(any(one.bad() for some in found.values() for one in some))


def table(found: dict[str, list[Measured]]) -> Iterator[str]:
    """The worst of each slice and of all, as a table of a page."""
    yield _row(HEAD)
    yield _row("---" for _ in HEAD)
    every = [one for some in found.values() for one in some]
    for name, some in (*sorted(found.items()), ("all", every)):
        growth = max(some, key=lambda one: one.growth())
        longest = max(some, key=lambda one: one.mebibyte())
        yield _row((
            name,
            len({one.reader for one in some}),
            len(some),
            f"{growth.growth():.2f} ({growth.shape})",
            f"{longest.mebibyte():.2f} ({longest.shape})",
            sum(one.bad() for one in some),
        ))  # fmt: skip


def _row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.readers", description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="reader")
    parser.add_argument("--pairs", type=int, help="so many, drawn at random; all if unset")
    parser.add_argument("--shapes", type=_shapes, help="parted by commas; all if unset")
    parser.add_argument("--seed", type=int, default=SEED, help="of what is drawn")
    return parser.parse_args()


def _pairs(asked: argparse.Namespace) -> Iterator[tuple[str, str]]:
    wanted = {*asked.readers} or READERS.keys()
    shapes = asked.shapes or names()
    if asked.pairs is None:
        return ((reader, shape) for reader in READERS if reader in wanted for shape in shapes)
    fit = (one for one in drawn(asked.seed) if one[0] in wanted and one[1] in shapes)
    return islice(fit, asked.pairs)


def _shapes(given: str) -> list[str]:
    """The names of shapes in an argument. ArgumentTypeError: there is none of that name."""
    asked, known = given.split(","), set(names())
    if unknown := [name for name in asked if name not in known]:
        raise argparse.ArgumentTypeError(f"no such shapes: {', '.join(unknown)}")
    return asked


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
