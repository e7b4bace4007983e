"""The fit behind relevance: what is known comes back, and its measures say what they should."""

from __future__ import annotations

import numpy as np
import pytest

from app.embeddings.hashing import HashEmbedder
from app.embeddings.model import EmbeddingConfig
from bench import calibration
from bench.calibration import Pairs, embedded
from bench.recall import Corpus, Question, Record


def pairs(count: int = 4000) -> Pairs:
    """Answers whose odds are 30 for a cosine of 1 more, even at 0.8, and 4 for all words."""
    random = np.random.default_rng(1)
    cosine, share = random.uniform(0.7, 0.9, count), random.uniform(0, 1, count)
    odds = 30 * (cosine - 0.8) + 4 * (share - 0.5)
    answer = (random.uniform(0, 1, count) < 1 / (1 + np.exp(-odds))).astype(float)
    of = np.where(np.arange(count) % 2 == 0, "even", "odd")
    return Pairs(cosine, share, answer, np.full(count, 1 / count), of)


def test_a_fit_finds_the_factors_that_made_the_answers() -> None:
    made = pairs()
    every = np.ones(len(made.of), bool)
    columns = calibration._columns(made, ("cosine", "share"))
    slope, words, offset = calibration._fit(columns, made, every)
    assert slope == pytest.approx(30, rel=0.15)
    assert words == pytest.approx(4, rel=0.15)
    assert -offset / slope == pytest.approx(0.8 + 2 / 30, abs=0.01)


def test_what_was_fitted_on_one_half_holds_on_the_other() -> None:
    made = pairs()
    columns = calibration._columns(made, ("cosine", "share"))
    factors = np.asarray(calibration._fit(columns, made, made.of == "even"))
    judged = 1 / (1 + np.exp(-columns @ factors))
    told = calibration._quality(judged, made, made.of == "odd")
    assert told["error"] < 0.05
    assert told["auc"] > 0.85
    backwards = calibration._quality(1 - judged, made, made.of == "odd")
    assert backwards["auc"] == pytest.approx(1 - told["auc"])
    assert backwards["error"] > 0.3


async def test_pairs_of_a_corpus_weigh_answers_and_others_alike() -> None:
    records = tuple(
        Record(f"r{n}", f"The wombat counted {n} stars.", session="s") for n in range(30)
    )
    questions = (Question("q", "Who counted 7 stars?", frozenset(["r7"])),)
    embedder = HashEmbedder.build(EmbeddingConfig(provider="hash", allow_test=True))
    one = await embedded(embedder, Corpus("tiny", records, questions))
    found = calibration._pairs(one)
    assert found.answer.sum() == 1
    assert found.weight[found.answer == 1].sum() == pytest.approx(0.5)
    assert found.weight.sum() == pytest.approx(1)
    assert found.share[found.answer == 1] == pytest.approx(1.0)
    assert set(found.of) == {"tiny"}
