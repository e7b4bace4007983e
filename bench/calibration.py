"""What the configured model's cosines say of questions and texts: the curve behind relevance.

For each question its answers, the ten nearest other texts and ten random ones; an answer weighs as
much as all the others together, near and random ones in equal parts, and every data set the same.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from app.embeddings.calibration import calibration
from app.embeddings.model import Embedder, Role
from app.indexing.analysis import analyse
from app.indexing.compose import line
from app.indexing.neighbours import WINDOW_BEFORE, window_text
from app.search.relevance import Asked, joint
from bench import locomo, longmemeval, passages
from bench.recall import Corpus, Record

Floats = npt.NDArray[np.float64]
NEAR, RANDOM = 10, 10  # other texts of each question
FLOORS = (0.5, 0.65, 0.8)
BATCH, STEPS, CALM = 64, 50, 1e-7  # of embedding; Newton's steps and ridge of the fit
KINDS = {"vector": ("cosine",), "words": ("share",), "vector and words": ("cosine", "share")}
SETS = ("hotpotqa_train100", "musique_train100", "2wiki")


@dataclass(frozen=True, slots=True)
class Embedded:
    """A corpus with the vectors of its texts and questions, and the terms of each text."""

    corpus: Corpus
    texts: Floats
    questions: Floats
    terms: list[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Questions and texts: cosine, share of the question's words, whether it is an answer, how
    much the pair weighs, and which data set it is of."""

    cosine: Floats
    share: Floats
    answer: Floats
    weight: Floats
    of: npt.NDArray[np.str_]


async def evaluate(embedder: Embedder, bench: Path) -> dict[str, Any]:
    """The curve fitted on all data sets, each judged by a fit on the others, and what floors on
    the relevance that searches give let through of answers and of other sets' questions."""
    found = [await embedded(embedder, corpus) for corpus in _corpora(bench)]
    return await asyncio.to_thread(_measured, embedder.info.name, found)


async def embedded(embedder: Embedder, corpus: Corpus) -> Embedded:
    """Vectors as the index and a search make them; a long text counts by its first window."""
    texts = [_first(embedder, text) for text in _composed(corpus.records)]
    questions = [question.text for question in corpus.questions]
    return Embedded(
        corpus,
        await _vectors(embedder, texts, Role.DOCUMENT),
        await _vectors(embedder, questions, Role.QUERY),
        [_terms(record) for record in corpus.records],
    )


def _corpora(bench: Path) -> list[Corpus]:
    sets = [passages.load(bench / name) for name in SETS if (bench / name).is_dir()]
    return [*sets, *locomo.load(bench / "locomo"), longmemeval.load(bench / "longmemeval_pool")]


def _composed(records: Sequence[Record]) -> list[str]:
    lines = [line({"title": r.title, "content": r.text, "speaker": r.speaker}) for r in records]
    found = []
    for place, record in enumerate(records):
        before = [
            lines[n]
            for n in range(place - 1, max(-1, place - 1 - WINDOW_BEFORE), -1)
            if record.session and records[n].session == record.session
        ]
        found.append(window_text(lines[place], before))
    return found


def _first(embedder: Embedder, text: str) -> str:
    span = embedder.windows(text)[0]
    return text[span.start : span.end]


async def _vectors(embedder: Embedder, texts: Sequence[str], role: Role) -> Floats:
    rows: list[list[float]] = []
    for start in range(0, len(texts), BATCH):
        rows += await embedder.embed(texts[start : start + BATCH], role)
    return np.asarray(rows)


def _terms(record: Record) -> dict[str, str]:
    about = f"{record.speaker} {record.title}"
    return {"terms": " ".join(analyse(record.text)), "about_terms": " ".join(analyse(about))}


def _measured(model: str, sets: Sequence[Embedded]) -> dict[str, Any]:
    pairs = _joined([_pairs(one) for one in sets])
    names = sorted(set(pairs.of))
    every = np.ones(len(pairs.of), bool)
    told: dict[str, Any] = {"model": model}
    for kind, columns in KINDS.items():
        told[f"{kind}, factors and offset"] = _fit(_columns(pairs, columns), pairs, every)
    for name in names:
        here = pairs.of == name
        for kind, columns in KINDS.items():
            x = _columns(pairs, columns)
            judged = 1 / (1 + np.exp(-x @ np.asarray(_fit(x, pairs, ~here))))
            told[f"{name}, {kind}, fitted on the others"] = _quality(judged, pairs, here)
    told["relevance"] = {one.corpus.name: _floors(model, one, sets) for one in sets}
    return told


def _pairs(one: Embedded) -> Pairs:
    """The pairs of one corpus; conversations are one data set."""
    chosen = random.Random(0)
    at = {record.id: place for place, record in enumerate(one.corpus.records)}
    rows: list[tuple[float, float, float, float]] = []
    for number, question in enumerate(one.corpus.questions):
        cosines, asked = one.texts @ one.questions[number], Asked.of(question.text)
        gold = {at[name] for name in question.gold if name in at}
        order = (int(place) for place in np.argsort(-cosines, kind="stable"))
        near = [place for place in order if place not in gold][:NEAR]
        others = set(chosen.sample(range(len(at)), min(RANDOM, len(at)))) - gold
        for places, weight in ((gold, 0.5), (near, 0.25), (others, 0.25)):
            for place in places:
                share = asked.held(one.terms[place]) / max(1, len(asked.words))
                answer = float(places is gold)
                rows.append((float(cosines[place]), share, answer, weight / len(places)))
    cosine, share_of_words, answers, weights = np.asarray(rows).T
    name = "locomo" if one.corpus.name.startswith("conv-") else one.corpus.name
    return Pairs(cosine, share_of_words, answers, weights, np.asarray([name] * len(rows)))


def _joined(parts: Sequence[Pairs]) -> Pairs:
    """All pairs, every data set of the same weight."""
    cosine, share, answer, weight = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("cosine", "share", "answer", "weight")
    )
    of = np.concatenate([part.of for part in parts])
    for name in set(of):
        weight[of == name] /= weight[of == name].sum()
    return Pairs(cosine, share, answer, weight, of)


def _columns(pairs: Pairs, names: Sequence[str]) -> Floats:
    return np.stack([*(getattr(pairs, name) for name in names), np.ones_like(pairs.cosine)], axis=1)


def _fit(columns: Floats, pairs: Pairs, among: npt.NDArray[np.bool_]) -> list[float]:
    """Logistic regression by Newton's method: the factors of the columns, the offset last."""
    x, y, weight = columns[among], pairs.answer[among], pairs.weight[among]
    factors = np.zeros(x.shape[1])
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-x @ factors))
        gradient = x.T @ (weight * (p - y)) + CALM * factors
        curvature = (x * (weight * p * (1 - p))[:, None]).T @ x + CALM * np.eye(len(factors))
        factors -= np.linalg.solve(curvature, gradient)
    return [float(factor) for factor in factors]


def _quality(judged: Floats, pairs: Pairs, here: npt.NDArray[np.bool_]) -> dict[str, float]:
    """Calibration error over ten bins, and how often an answer stands above another text."""
    p, y, weight = judged[here], pairs.answer[here], pairs.weight[here]
    bins = np.minimum((p * 10).astype(int), 9)
    gap = 0.0
    for number in range(10):
        share = weight[bins == number]
        if share.sum() > 0:
            gap += abs(float((share * (p - y)[bins == number]).sum()))
    return {"error": gap / float(weight.sum()), "auc": _auc(p, y, weight)}


def _auc(p: Floats, y: Floats, weight: Floats) -> float:
    order = np.argsort(p, kind="stable")
    right, wrong = (weight * y)[order], (weight * (1 - y))[order]
    below = np.cumsum(wrong) - wrong / 2
    return float((below * right).sum() / (right.sum() * wrong.sum()))


def _floors(model: str, one: Embedded, sets: Sequence[Embedded]) -> Mapping[str, float]:
    """Shares of questions by floor: with an answer that reaches it, and, asked of texts of other
    kinds that cannot answer, with anything among the ten nearest that does."""
    own = [_best_answer(model, one, number) for number in range(len(one.corpus.questions))]
    talk = one.corpus.name.startswith("conv-")
    strangers = [
        _best_near(model, other, number, one)
        for other in sets
        if other.corpus.name.startswith("conv-") != talk and other.corpus.name != one.corpus.name
        for number in range(0, len(other.corpus.questions), 5)
    ]
    told = {f"answer reaches {floor}": float(np.mean(np.array(own) >= floor)) for floor in FLOORS}
    return told | {
        f"stranger reaches {floor}": float(np.mean(np.array(strangers) >= floor))
        for floor in FLOORS
    }


def _best_answer(model: str, one: Embedded, number: int) -> float:
    gold = one.corpus.questions[number].gold
    places = [place for place, record in enumerate(one.corpus.records) if record.id in gold]
    cosines = one.texts[places] @ one.questions[number]
    return _best(model, Asked.of(one.corpus.questions[number].text), one, places, cosines)


def _best_near(model: str, asker: Embedded, number: int, among: Embedded) -> float:
    cosines = among.texts @ asker.questions[number]
    places = [int(place) for place in np.argsort(-cosines)[:NEAR]]
    asked = Asked.of(asker.corpus.questions[number].text)
    return _best(model, asked, among, places, cosines[places])


def _best(model: str, asked: Asked, one: Embedded, places: Sequence[int], cosines: Floats) -> float:
    told = calibration(model)
    return max(
        joint(asked.held(one.terms[place]) / max(1, len(asked.words)), told.similarity(cosine))
        for place, cosine in zip(places, cosines.tolist(), strict=True)
    )
