"""Which episodes nearly repeat another one of their scope: pure.

Candidates are what the vector index has next to an episode. Vectors of turns take in the turns
before them, so what is compared in the end is each text by itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import mul

from app.embeddings.calibration import Calibration, Kinds
from app.kernel.graph import Row

LEAST = 0.95  # calibrated similarity of a near repeat
NEAR = 16  # neighbours that are looked at, the near-duplicate probe of the seeds takes 8
CLOSE = 0.5  # calibrated similarity with the turns around, from which texts are compared
SHARED = 0.5  # least share of words (Jaccard) that two near repeats have in common
_BESIDE = re.compile(r"[^\w\s?]+")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts of one scope, each a row with `id`, `content`, `language`, `terms` and
    `ingested_at`; `older` was taken in first."""

    older: Row
    newer: Row


def pairs_of(rows: Iterable[Row], means: Calibration) -> list[Pair]:
    """What may nearly repeat what, of rows of `indexing.near_episodes`."""
    found = {}
    for row in rows:
        for other in row["near"]:
            pair = _in_order(row["episode"], other)
            if pair.newer["kind"] == "episode" and _may_repeat(pair, other["cosine"], means):
                found[pair.older["id"], pair.newer["id"]] = pair
    return list(found.values())


def repeats(
    pairs: Iterable[Pair], vectors: Mapping[str, Sequence[float]], means: Calibration, least: float
) -> list[Row]:
    """Rows `id`, `other` of the episodes that repeat another with a calibrated similarity of
    `least`: the most similar one, and of those the first. `vectors` go by text."""
    best: dict[str, tuple[float, Row]] = {}
    for pair in sorted(pairs, key=lambda p: (p.older["ingested_at"], p.older["id"])):
        share = _share(pair, vectors, means)
        if share >= least and share > best.get(pair.newer["id"], (0.0,))[0]:
            best[pair.newer["id"]] = (share, pair.older)
    return [{"id": newer, "other": older["id"]} for newer, (_, older) in sorted(best.items())]


def _share(pair: Pair, vectors: Mapping[str, Sequence[float]], means: Calibration) -> float:
    """How alike two texts are; vectors take small letters for more than they are."""
    if _plain(pair.older["content"]) == _plain(pair.newer["content"]):
        return 1.0
    one, other = vectors.get(pair.older["id"]), vectors.get(pair.newer["id"])
    if one is None or other is None:
        return 0.0
    return _similarity(pair, _cosine(one, other), means)


def _plain(text: str) -> str:
    """The words in small letters, and the question marks, which make another text of it."""
    return " ".join(_BESIDE.sub(" ", text.casefold()).split())


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    product: float = sum(map(mul, one, other))
    return product / (math.hypot(*one) * math.hypot(*other) or 1.0)


def _in_order(one: Row, other: Row) -> Pair:
    keys = [(row["ingested_at"], row["id"]) for row in (one, other)]
    return Pair(one, other) if keys[0] < keys[1] else Pair(other, one)


def _similarity(pair: Pair, cosine: float, means: Calibration) -> float:
    languages = (pair.older["language"] or "en", pair.newer["language"] or "en")
    return means.similarity(cosine, Kinds.TEXTS, languages)


def _may_repeat(pair: Pair, cosine: float, means: Calibration) -> bool:
    """Whether two texts are close, share words and name the same numbers."""
    if _similarity(pair, cosine, means) < CLOSE:
        return False
    words = [set(row["terms"].split()) for row in (pair.older, pair.newer)]
    shared, both = len(words[0] & words[1]), len(words[0] | words[1])
    numbers = [sorted(_NUMBER.findall(row["content"])) for row in (pair.older, pair.newer)]
    return numbers[0] == numbers[1] and shared >= SHARED * both
