"""A model with the figure that was measured for it."""

from __future__ import annotations

import pytest

from app.embeddings.hashing import HashEmbedder
from app.embeddings.measured import Measured
from app.entities.likeness import DISTANCES
from app.retrieval.synonyms import COSINES


def test_only_a_model_that_was_measured_has_a_figure() -> None:
    embedder = HashEmbedder(64, 200)
    name = embedder.info.name
    assert Measured.of(embedder, {name: 0.5}) == Measured(embedder, 0.5)
    assert Measured.of(embedder, {f"{name}-other": 0.5}) is None


@pytest.mark.parametrize("figures", [COSINES, DISTANCES])
def test_the_test_model_is_not_among_those_that_were_measured(figures: dict[str, float]) -> None:
    assert Measured.of(HashEmbedder(64, 200), figures) is None


def test_a_vector_is_known_by_its_model_and_what_the_model_reads() -> None:
    model = Measured(HashEmbedder(64, 200), 0.5)
    long = "word " * 5_000
    fitting = model.fitting(long)
    assert long.startswith(fitting)
    assert len(fitting) < len(long)
    assert model.fitting("Ada Roth") == "Ada Roth"
    assert model.hash("Ada Roth") == model.hash("Ada Roth") != model.hash("Ada Rot")
