"""Decay: how much of an importance is left, computed when it is asked for and never stored.

`stored x 0.5 ** (elapsed / half_life)` (seed 001, annex 3.a).
"""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from app.extraction.predicates import Registry

EPISODE = timedelta(days=7)
FACT = timedelta(days=365)
HALF_LIVES = {"episode": EPISODE, "fact": FACT, "note": FACT}


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
    kind: str, predicate: str | None = None, registry: Registry | None = None
) -> timedelta:
    """The half-life of a kind of memory; of a fact that of its predicate, where one is known."""
    if kind == "fact" and predicate is not None and registry is not None:
        return timedelta(days=registry.get(predicate).half_life)
    return HALF_LIVES.get(kind, FACT)


def importance_at(
    memory: dict[str, object], moment: datetime, registry: Registry | None = None
) -> float:
    """The decayed importance of a memory's properties at a moment.

    Time counts from when it was last used, else from when it was said or became true.
    """
    stored = memory.get("importance")
    since = memory.get("last_access") or memory.get("captured_at") or memory.get("ingested_at")
    if not isinstance(stored, float | int) or not isinstance(since, datetime):
        return 0.0
    kind, predicate = str(memory.get("kind")), memory.get("predicate")
    lasts = half_life(kind, str(predicate) if predicate else None, registry)
    return decayed(float(stored), moment - since, lasts, pinned=bool(memory.get("is_pinned")))
