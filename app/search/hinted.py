"""What was said in the place of a memory, as a writer hinted: it stands above it, and the memory
says so. Pure; a hint says nothing of what is true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.facts.service import Moments
from app.indexing.entry import time_key
from app.kernel.graph import Row
from app.search.judging import placed
from app.search.model import Candidate


def hints_of(memory: Row, moments: Moments) -> tuple[str, ...]:
    """Ids of what was said in the place of a memory up to one moment and known at the other, the
    newest first."""
    said, known = time_key(moments.as_of), time_key(moments.known_at)
    hints = memory.get("hints") or ()
    return tuple(one for at, ingested, one in hints if at <= said and ingested <= known)


def hinted_first(
    pool: Sequence[Candidate], hints: Mapping[str, Sequence[str]], memories: Mapping[str, Row]
) -> list[Candidate]:
    """The same candidates, each below those that were said in its place."""
    order = [candidate.id for candidate in pool]
    lower = [memory for memory in order if not set(hints[memory]).isdisjoint(order)]
    if not lower:
        return list(pool)
    # What was taken in last goes first, so that of three the oldest goes below its successor.
    for memory in sorted(lower, key=lambda one: memories[one]["ingested_at"], reverse=True):
        last = max(order.index(one) for one in hints[memory] if one in order)
        place = order.index(memory)
        if place < last:
            order.insert(last, order.pop(place))
    return placed(pool, order)
