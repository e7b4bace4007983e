"""Fusion: one score for each memory out of several ranked legs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2

K = 60  # Cormack, Clarke and Büttcher 2009; the same in seeds 000, 001 and 004


def rrf(
    rankings: Mapping[str, Sequence[str]], weights: Mapping[str, float], k: int = K
) -> dict[str, float]:
    """Reciprocal rank fusion: the sum over legs of ``weight / (k + rank)``, rank from 1.

    A leg of weight 0 takes no part. ValueError for k ≤ 0 or a negative weight.
    """
    _check(weights, k)
    scores: dict[str, float] = {}
    for leg in sorted(rankings):
        weight = weights.get(leg, 1.0)
        if weight == 0:
            continue
        for rank, item in enumerate(rankings[leg], start=1):
            scores[item] = scores.get(item, 0.0) + weight / (k + rank)
    return scores


def weighted(
    scored: Mapping[str, Mapping[str, float]], weights: Mapping[str, float]
) -> dict[str, float]:
    """The weighted mean of each leg's scores, scaled to 0..1 within the leg (min-max)."""
    _check(weights, K)
    total = sum(weights.get(leg, 1.0) for leg in scored) or 1.0
    scores: dict[str, float] = {}
    for leg in sorted(scored):
        weight = weights.get(leg, 1.0)
        if weight == 0:
            continue
        for item, value in scaled(scored[leg]).items():
            scores[item] = scores.get(item, 0.0) + weight * value / total
    return scores


def by_rank(rank: int) -> float:
    """What a place counts whatever is behind it: ``1 / log2(rank + 1)``, rank from 1.

    The discount of DCG (Järvelin and Kekäläinen 2002). It tells nothing of scores, which follow
    from statistics of the whole text index, those of other tenants too.
    """
    return 1 / log2(rank + 1)


def best(scores: Mapping[str, float]) -> list[str]:
    """Everything that has a score, best first and equal scores in the order of ids."""
    return sorted(scores, key=lambda item: (-scores[item], item))


def scaled(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores moved to 0..1; all equal ones become 1."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high == low:
        return dict.fromkeys(scores, 1.0)
    return {item: (value - low) / (high - low) for item, value in scores.items()}


def _check(weights: Mapping[str, float], k: int) -> None:
    if k <= 0 or any(weight < 0 for weight in weights.values()):
        raise ValueError("k must be positive and no weight negative")
