"""Scores along chains of skills and along paths of the graph: seed 000 (annex 2.a), pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

SEED_LEAST = 0.4  # similarity: a distance of .6
DEEPEST = 3
FADE, DESCRIBED = 0.15, 0.1
TOKENS, LETTERS = 2000, 4
HUB = 5
PATH_FADE = 0.2
DEGREES = 20  # from which on more edges do not count
QUALITY_CONFIDENCE, QUALITY_MENTIONS, QUALITY_DEGREE = 0.5, 0.3, 0.2


def chained(seed: float, depth: int, *, described: bool) -> float:
    """`seed (1 - .15 depth)`, and .1 more for a skill that has a description."""
    return round(seed * (1 - FADE * depth) + (DESCRIBED if described else 0.0), 6)


def fitting(pieces: Sequence[str], room: int) -> list[str]:
    """The first pieces that, one line break between two of them, fit into so many letters."""
    kept: list[str] = []
    for piece in pieces:
        room -= len(piece) + bool(kept)
        if room < 0:
            break
        kept.append(piece)
    return kept


def path_score(seed: float, strengths: Sequence[float]) -> float:
    """`seed x mean strength / (1 + .2 (depth - 1))`; the strength of an edge is its weight times
    its confidence, and the depth the number of edges. A path without an edge is its seed."""
    if not strengths:
        return seed
    mean = sum(strengths) / len(strengths)
    return round(seed * mean / (1 + PATH_FADE * (len(strengths) - 1)), 6)


def node_quality(confidence: float, mentions: int, degree: int) -> float:
    """`.5 confidence + .3 min(log10(mentions + 1) / 3, 1) + .2 min(degree / 20, 1)`."""
    return round(
        QUALITY_CONFIDENCE * confidence
        + QUALITY_MENTIONS * min(math.log10(mentions + 1) / 3, 1.0)
        + QUALITY_DEGREE * min(degree / DEGREES, 1.0),
        4,
    )


def density(edges: int, nodes: int) -> float:
    """`edges / (nodes (nodes - 1))`, 0 below two nodes."""
    return edges / (nodes * (nodes - 1)) if nodes > 1 else 0.0


def mean_degree(edges: int, nodes: int) -> float:
    """`2 edges / nodes`."""
    return 2 * edges / nodes if nodes else 0.0
