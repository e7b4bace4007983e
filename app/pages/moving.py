"""Which files of a folder are pages that lay elsewhere in it before. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

_DEEPEST = 8  # names at the end of a path that are compared


@dataclass(frozen=True, slots=True)
class Placed:
    """A text by the hash of its content, and where it lies; `key` is what the caller calls it."""

    key: str
    path: str
    content_hash: str


def moves(gone: Iterable[Placed], fresh: Iterable[Placed]) -> dict[str, str]:
    """The key of the new place for the key of each text that lies elsewhere now.

    Of several equal texts the longest end of the path decides; what even that does not tell apart
    is no move.
    """
    old, new, found = list(gone), list(fresh), dict[str, str]()
    for depth in range(_DEEPEST, -1, -1):
        pairs = _pairs(old, new, depth)
        taken = set(pairs.values())
        old = [one for one in old if one.key not in pairs]
        new = [one for one in new if one.key not in taken]
        found |= pairs
    return found


def _pairs(old: Sequence[Placed], new: Sequence[Placed], depth: int) -> dict[str, str]:
    """One old and one new text each that are alone in having a hash and an end of that depth."""
    end = partial(_end, depth=depth)
    before, after = Counter(map(end, old)), Counter(map(end, new))
    at = {mark: one.key for one in new if (mark := end(one)) and after[mark] == 1}
    return {
        one.key: at[mark] for one in old if (mark := end(one)) in at and before[mark] == 1
    }  # fmt: skip


def _end(one: Placed, depth: int) -> tuple[str, ...]:
    """The hash with the last names of the path, as many as asked for; empty where it has fewer."""
    names = PurePosixPath(one.path).parts
    return (one.content_hash, *names[len(names) - depth :]) if len(names) >= depth else ()
