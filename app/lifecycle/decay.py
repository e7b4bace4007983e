"""Decay: how much of an importance is left, computed when it is asked for and never stored.

`stored x 0.5 ** (elapsed / half_life)` (seed 001, annex 3.a).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime, timedelta

from app.extraction.predicates import Registry
from app.notes.model import Namespace

EPISODE = timedelta(days=7)
FACT = timedelta(days=365)
HALF_LIVES = {"episode": EPISODE, "fact": FACT, "note": FACT}
# The days of seed 003, which takes them for the time in which a value falls to 1/e; here, halves.
NOTES: Mapping[object, timedelta] = {
    Namespace.METHODS: timedelta(days=180),
    Namespace.LEARNINGS: timedelta(days=120),
    Namespace.PROJECT_STATE: timedelta(days=21),
}


def decayed(
    stored: float, elapsed: timedelta, half_life: timedelta, *, pinned: bool = False
) -> float:
    """What is left of a value in [0, 1].

    Unchanged where the memory is pinned, the value is not finite, no time has passed, or the
    half-life is not positive.
    """
    unmoved = pinned or not math.isfinite(stored)
    if unmoved or elapsed <= timedelta(0) or half_life <= timedelta(0):
        return stored
    return float(stored * 0.5 ** (elapsed / half_life))


def half_life(
    kind: str,
    predicate: str | None = None,
    registry: Registry | None = None,
    namespace: object = None,
) -> timedelta:
    """The half-life of a kind of memory; of a fact that of its predicate, where one is known, and
    of a note that of its namespace."""
    if kind == "fact" and predicate is not None and registry is not None:
        return timedelta(days=registry.get(predicate).half_life)
    return NOTES.get(namespace) or HALF_LIVES.get(kind, FACT)


def importance_at(
    memory: Mapping[str, object], moment: datetime, registry: Registry | None = None
) -> float:
    """The decayed importance of a memory's properties at a moment."""
    stored = memory.get("importance")
    if not isinstance(stored, float | int) or _last_used(memory) is None:
        return 0.0
    return float(stored) * share_left(memory, moment, registry)


def share_left(
    memory: Mapping[str, object], moment: datetime, registry: Registry | None = None
) -> float:
    """What share of its importance a memory has at a moment, above 0 and at most 1.

    Time counts from when it was last used. Before it was, that of an episode counts from when it
    was said, and that of anything else from when it was learnt, if that is later than when it
    became true: what was learnt yesterday of the year 1990 has not lain idle since.
    """
    since = _last_used(memory)
    if since is None:
        return 1.0
    kind, predicate = str(memory.get("kind")), memory.get("predicate")
    named = str(predicate) if predicate else None
    lasts = half_life(kind, named, registry, memory.get("namespace"))
    return decayed(1.0, moment - since, lasts, pinned=bool(memory.get("is_pinned")))


def _last_used(memory: Mapping[str, object]) -> datetime | None:
    used, told, learnt = (memory.get(n) for n in ("last_access", "captured_at", "ingested_at"))
    first = [used or told or learnt]
    if not used and memory.get("kind") != "episode":
        first = [told, learnt]
    return max((m for m in first if isinstance(m, datetime)), default=None)
