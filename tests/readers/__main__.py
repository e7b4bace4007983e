"""`python -m tests.readers [reader …]`: every reader on every shape, up to a million characters.

Prints what grows faster than the text, or takes more than ten seconds for a MiB.
"""

from __future__ import annotations

import sys

from tests.readers.measure import offenders, peak
from tests.readers.registry import READERS
from tests.readers.shapes import names

SIZES = (1_000, 10_000, 100_000, 1_000_000)


def main() -> int:
    """Measure; 1 where a reader does not hold."""
    wanted = sys.argv[1:] or list(READERS)
    bad = 0
    for reader in wanted:
        for found in offenders([reader], names(), SIZES):
            bad += 1
            growth = round(found.growth(), 2)
            sys.stdout.write(f"{found.reader} {found.shape} {growth} {found.seconds}\n")
        sys.stdout.write(f"{reader}: {len(names())} shapes read, {peak() // 1024} MiB\n")
        sys.stdout.flush()
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
