"""What differs between two texts, line by line. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence

_MOST = 4_000_000  # pairs of lines that are compared; beyond that a stretch counts as replaced
_CONTEXT = 3


def unified(before: str, after: str, names: tuple[str, str]) -> str:
    """A unified diff; empty for equal texts. Its cost is bounded, whatever the texts are."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    if len(old) * len(new) <= _MOST:
        return "".join(_ended(difflib.unified_diff(old, new, *names, n=_CONTEXT)))
    return "".join(_ended(_replaced(old, new, names)))


def _replaced(old: Sequence[str], new: Sequence[str], names: tuple[str, str]) -> Iterator[str]:
    """One hunk: what lies between the equal lines of both ends goes, and the other comes."""
    front = _shared(old, new)
    back = _shared(old[front:][::-1], new[front:][::-1])
    gone, made = old[front : len(old) - back], new[front : len(new) - back]
    if gone or made:
        yield from (f"--- {names[0]}\n", f"+++ {names[1]}\n")
        yield f"@@ -{front + 1},{len(gone)} +{front + 1},{len(made)} @@\n"
        yield from (f"-{line}" for line in gone)
        yield from (f"+{line}" for line in made)


def _shared(one: Sequence[str], two: Sequence[str]) -> int:
    """How many lines both begin with."""
    pairs = enumerate(zip(one, two, strict=False))
    return next((i for i, (mine, theirs) in pairs if mine != theirs), min(len(one), len(two)))


def _ended(lines: Iterable[str]) -> Iterator[str]:
    """Every line with an end; the last one of a text may lack it, which the diff then says."""
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
