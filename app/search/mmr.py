"""Maximal marginal relevance: the next hit is the best one that says something new."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def mmr(
    scores: Sequence[float], vectors: npt.NDArray[np.float32], weight: float, limit: int
) -> list[int]:
    """Places of at most `limit` items in the order of choice.

    Each step takes the item with the largest ``weight * score - (1 - weight) * s`` where `s` is
    the largest cosine to an item already taken (Carbonell and Goldstein 1998). `scores` are scaled
    to 0..1 by the largest; `vectors` are unit rows (zeros where an item has none).
    """
    count = len(scores)
    if count == 0:
        return []
    top = max(scores)
    relevance = np.asarray(scores, dtype=np.float32) / (top if top > 0 else 1.0)
    closest = np.zeros(count, dtype=np.float32)
    free = np.ones(count, dtype=bool)
    chosen: list[int] = []
    while len(chosen) < min(limit, count):
        value = np.where(free, weight * relevance - (1.0 - weight) * closest, -np.inf)
        best = int(np.argmax(value))
        chosen.append(best)
        free[best] = False
        closest = np.maximum(closest, vectors @ vectors[best])
    return chosen
