"""How the configured model's cosines relate to what people judge, and to contradictions."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np

from app.embeddings.model import Embedder, Role
from app.evals.jsonl import rows

BATCH = 64
RANDOM_PAIRS = 2_000
CUTS = (0.80, 0.85, 0.90, 0.925, 0.95, 0.965, 0.975)

Pairs = list[tuple[str, str]]


async def evaluate(embedder: Embedder, bench: Path, german: Path) -> dict[str, Any]:
    """For each cosine the mean human score (0 to 1) of the pairs above it, by language, and the
    share of contradictions and of random pairs that lie above it."""
    judged = list(rows(bench / "sts_de_en" / "dev.jsonl"))
    sick = list(rows(bench / "nli_sick" / "train.jsonl"))
    own = list(rows(german))
    sets: dict[str, Pairs] = {
        "sick contradictions": _contradictions(sick),
        "german contradictions": _contradictions(own),
        "random": _random([text for row in judged for text in row["en"]]),
    }
    found: dict[str, Any] = {"model": embedder.info.name}
    for language in ("en", "de"):
        cosines = await _cosines(embedder, [tuple(row[language]) for row in judged])
        scores = np.array([row["score"] / 5 for row in judged])
        found[language] = {str(cut): float(scores[cosines >= cut].mean()) for cut in CUTS}
    for name, pairs in sets.items():
        cosines = await _cosines(embedder, pairs)
        found[name] = {str(cut): float((cosines >= cut).mean()) for cut in CUTS}
    return found


def _contradictions(pairs: list[dict[str, Any]]) -> Pairs:
    return [(row["a"], row["b"]) for row in pairs if row["label"] == "contradiction"]


def _random(texts: list[str]) -> Pairs:
    chosen = random.Random(0)
    return [(chosen.choice(texts), chosen.choice(texts)) for _ in range(RANDOM_PAIRS)]


async def _cosines(embedder: Embedder, pairs: Pairs) -> Any:
    texts = list(dict.fromkeys(itertools.chain.from_iterable(pairs)))
    vectors: list[list[float]] = []
    for start in range(0, len(texts), BATCH):
        vectors += await embedder.embed(texts[start : start + BATCH], Role.DOCUMENT)
    known = dict(zip(texts, np.array(vectors), strict=True))
    return np.array([known[a] @ known[b] for a, b in pairs])
