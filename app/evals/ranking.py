"""How good a ranking is that has to bring some gold: pure. Values from 0 to 1."""

from __future__ import annotations

import math
from collections.abc import Sequence


def recall(found: Sequence[frozenset[int]], gold: int, k: int) -> float:
    """Share of `gold` things among the first `k` hits; each hit names those that it brings."""
    return len(frozenset[int]().union(*found[:k])) / gold


def all_gold(found: Sequence[frozenset[int]], gold: int, k: int) -> float:
    """1 where the first `k` hits bring everything, else 0."""
    return float(recall(found, gold, k) == 1.0)


def ndcg(found: Sequence[frozenset[int]], gold: int, k: int) -> float:
    """Normalised discounted cumulative gain of the first `k` (Järvelin and Kekäläinen 2002).

    A thing counts where it is brought first; a hit gains nothing by what came before it.
    """
    known: frozenset[int] = frozenset()
    gain = 0.0
    for place, brings in enumerate(found[:k]):
        gain += len(brings - known) / math.log2(place + 2)
        known |= brings
    best = sum(1 / math.log2(place + 2) for place in range(min(gold, k)))
    return min(1.0, gain / best)


def metrics(found: Sequence[frozenset[int]], gold: int, cuts: Sequence[int]) -> dict[str, float]:
    """Recall and all-gold at each cut, nDCG at the largest."""
    values = {f"R@{k}": recall(found, gold, k) for k in cuts}
    values |= {f"all@{k}": all_gold(found, gold, k) for k in cuts}
    return values | {f"nDCG@{max(cuts)}": ndcg(found, gold, max(cuts))}
