"""What a detector returns, and how finds that overlap are settled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Find(NamedTuple):
    """`[start, end)` in characters of the text looked at, and the class of what is there."""

    start: int
    end: int
    kind: str


def settle(finds: Iterable[Find]) -> list[Find]:
    """Finds in order and free of overlaps: earliest start, then longest.

    Of a find that only partly overlaps an earlier one the uncovered tail stays, as its own find.
    """
    kept: list[Find] = []
    covered = 0
    for find in sorted(finds, key=lambda find: (find.start, -find.end, find.kind)):
        if find.end > covered:
            kept.append(find._replace(start=max(find.start, covered)))
            covered = find.end
    return kept
