"""How the configured model's cosines relate to what people judge: the scales of a calibration.

Sentences whose likeness people judged are split into halves by their ids; each half is fitted, and
judged by the fit of the other. The scales of skills come of topics written for it, of which one
half (`seen`) is fitted.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from app.embeddings.calibration import MIXED, Kinds, calibration
from app.embeddings.model import Embedder, Role
from app.evals.jsonl import rows
from app.kernel.ids import digest

Floats = npt.NDArray[np.float64]
Vectors = Mapping[str, Floats]
Judged = tuple[Floats, Floats, Floats]  # cosines, how alike people find them, weights
BATCH = 64
RANDOM_PAIRS = 2_000
CUTS = (0.80, 0.85, 0.90, 0.925, 0.95, 0.965, 0.975)
LEVELS = (0.1, 0.25, 0.4, 0.5, 0.7, 0.92)
OTHERS = 4  # random pairs for each judged one, which together weigh as much
LANGUAGES = {"en": (("en", "en"),), "de": (("de", "de"),), MIXED: (("en", "de"), ("de", "en"))}
TOPICS = {  # what stands on either side of a pair, and which of them are related
    Kinds.TASK: (("question", "frage"), ("skill", "other", "like")),
    Kinds.LESSON: (("near", "fern"), ("skill", "other")),
    Kinds.SKILLS: (("skill",), ("beside", "like", "again", "other")),
}


async def evaluate(embedder: Embedder, bench: Path, german: Path, topics: Path) -> dict[str, Any]:
    """For each cosine the mean human score (0 to 1) of the pairs above it, by language, and the
    share of contradictions and of random pairs that lie above it; then the fitted scales."""
    judged = list(rows(bench / "sts_de_en" / "dev.jsonl"))
    sick = list(rows(bench / "nli_sick" / "train.jsonl"))
    own = list(rows(german))
    sets = {
        "sick contradictions": _contradictions(sick),
        "german contradictions": _contradictions(own),
        "random": _random([text for row in judged for text in row["en"]]),
    }
    texts = [text for row in judged for language in ("en", "de") for text in row[language]]
    texts += itertools.chain.from_iterable(itertools.chain.from_iterable(sets.values()))
    known = await _vectors(embedder, texts, Role.DOCUMENT)
    found: dict[str, Any] = {"model": embedder.info.name}
    for language in ("en", "de"):
        cosines = np.array([known[row[language][0]] @ known[row[language][1]] for row in judged])
        scores = np.array([row["score"] / 5 for row in judged])
        found[language] = {str(cut): float(scores[cosines >= cut].mean()) for cut in CUTS}
    for name, pairs in sets.items():
        cosines = np.array([known[a] @ known[b] for a, b in pairs])
        found[name] = {str(cut): float((cosines >= cut).mean()) for cut in CUTS}
    return found | _texts(embedder.info.name, judged, known) | await _topics(embedder, topics)


def _texts(model: str, judged: Sequence[dict[str, Any]], known: Vectors) -> dict[str, Any]:
    """Cosines at which people find texts so much alike, fitted on each half, and what the scale in
    use makes of the pairs near a threshold."""
    halves = [[r for r in judged if int(digest(r["id"]), 16) % 2 == half] for half in (0, 1)]
    found: dict[str, Any] = {}
    means = calibration(model)
    for language, pairs in LANGUAGES.items():
        for half, name in enumerate(("one half", "other half")):
            cosines, scores, weights = _judged(halves[half], known, pairs)
            at, alike = _rising(cosines, scores, weights)
            told = {str(level): float(np.interp(level, alike, at)) for level in LEVELS}
            similar = np.array([means.similarity(c, Kinds.TEXTS, pairs[0]) for c in cosines])
            people, chance = weights == 1, weights < 1
            for level in LEVELS[2:]:
                near = people & (abs(similar - level) < 0.08)
                told[f"people of {level}"] = float(scores[near].mean())
                told[f"random from {level}"] = float((similar[chance] >= level).mean())
            found[f"texts, {language}, {name}"] = told
    return found


def _judged(
    half: Sequence[dict[str, Any]], known: Vectors, languages: Sequence[tuple[str, str]]
) -> Judged:
    """Judged pairs and as much weight of random ones, which nobody would call alike."""
    chosen = random.Random(0)
    found: list[tuple[float, float, float]] = []
    for one, other in languages:
        for row in half:
            left = known[row[one][0]]
            found.append((float(left @ known[row[other][1]]), row["score"] / 5, 1.0))
            for stranger in chosen.sample(half, OTHERS):
                if stranger is not row:
                    cosine = float(left @ known[stranger[other][1]])
                    found.append((cosine, 0.0, 1 / OTHERS))
    cosines, scores, weights = np.asarray(found).T
    return cosines, scores, weights


def _rising(x: Floats, y: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Isotonic regression by pooling adjacent violators: means of blocks, both rising."""
    blocks: list[tuple[float, float, float]] = []  # sums of x and y, and weight
    for place in np.argsort(x, kind="stable"):
        w = float(weight[place])
        block = (float(x[place]) * w, float(y[place]) * w, w)
        while blocks and blocks[-1][1] / blocks[-1][2] >= block[1] / block[2]:
            last = blocks.pop()
            block = (last[0] + block[0], last[1] + block[1], last[2] + block[2])
        blocks.append(block)
    return np.array([b[0] / b[2] for b in blocks]), np.array([b[1] / b[2] for b in blocks])


async def _topics(embedder: Embedder, path: Path) -> dict[str, Any]:
    """Quantiles of cosines of related and unrelated pairs, by half and language."""
    found: dict[str, Any] = {}
    topics = list(rows(path))
    for kinds, (left, right) in TOPICS.items():
        role = Role.QUERY if kinds is Kinds.TASK else Role.DOCUMENT
        one = await _vectors(embedder, [t[field] for t in topics for field in left], role)
        other = await _vectors(
            embedder, [t[field] for t in topics for field in right], Role.DOCUMENT
        )
        cosines: dict[str, list[float]] = {}
        for a, b in itertools.product(topics, topics):
            if a["half"] != b["half"]:
                continue
            for x, y in itertools.product(left, right):
                spoken = _language(a, x), _language(b, y)
                between = spoken[0] if spoken[0] == spoken[1] else MIXED
                of = y if a is b else "unrelated"
                name = f"{kinds}, {a['half']}, {between}, {of}"
                cosines.setdefault(name, []).append(float(one[a[x]] @ other[b[y]]))
        for name, values in sorted(cosines.items()):
            cuts = np.quantile(values, (0.05, 0.5, 0.95))
            found[name] = dict(zip(("5 %", "50 %", "95 %"), map(float, cuts), strict=True))
    return found


def _language(topic: Mapping[str, str], field: str) -> str:
    if field in ("question", "frage"):
        return "en" if field == "question" else "de"
    turned = {"en": "de", "de": "en"}
    return turned[topic["language"]] if field in ("other", "fern") else topic["language"]


def _contradictions(pairs: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(row["a"], row["b"]) for row in pairs if row["label"] == "contradiction"]


def _random(texts: list[str]) -> list[tuple[str, str]]:
    chosen = random.Random(0)
    return [(chosen.choice(texts), chosen.choice(texts)) for _ in range(RANDOM_PAIRS)]


async def _vectors(embedder: Embedder, texts: Sequence[str], role: Role) -> Vectors:
    wanted = list(dict.fromkeys(texts))
    made: list[list[float]] = []
    for start in range(0, len(wanted), BATCH):
        made += await embedder.embed(wanted[start : start + BATCH], role)
    return dict(zip(wanted, np.asarray(made), strict=True))
