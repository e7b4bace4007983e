from __future__ import annotations

import math

import numpy as np
import pytest

from app.embeddings.model import unit_rows
from app.embeddings.provider import CONSTRUCTORS, EmbeddingConfig, Role, build_embedder
from app.errors import EmbedderUnavailable, InvalidInput, ModelMismatch

HASH = EmbeddingConfig(provider="hash", dimension=64, max_tokens=50, allow_test=True)


@pytest.mark.parametrize(
    ("config", "field"),
    [
        (EmbeddingConfig(provider="word2vec"), "provider"),
        (EmbeddingConfig(provider="hash"), "provider"),
        (EmbeddingConfig(provider="e5", threads=0), "threads"),
        (EmbeddingConfig(provider="openai"), "model"),
        (EmbeddingConfig(provider="openai", model="m"), "api_key"),
        (EmbeddingConfig(provider="voyage", api_key="k"), "model"),
        (EmbeddingConfig(provider="voyage", model="m"), "api_key"),
        (EmbeddingConfig(provider="cohere", model="m"), "api_key"),
        (EmbeddingConfig(provider="gemini", model="m"), "api_key"),
        (EmbeddingConfig(provider="jina", model="m"), "api_key"),
        (EmbeddingConfig(provider="ollama"), "model"),
    ],
)
def test_a_bad_setting_is_named(config: EmbeddingConfig, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        build_embedder(config)
    assert caught.value.field == field


def test_an_unknown_provider_is_told_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match=", ".join(CONSTRUCTORS)):
        build_embedder(EmbeddingConfig(provider="E5"))


async def test_hashing_is_deterministic_and_brings_shared_words_near() -> None:
    embedder = build_embedder(HASH)
    texts = ["the red house", "a red house", "quarterly tax report", "", "!?"]
    first = await embedder.embed(texts, Role.DOCUMENT)
    assert first == await embedder.embed(texts, Role.QUERY)
    assert np.dot(first[0], first[1]) > np.dot(first[0], first[2])
    assert all(math.isclose(np.linalg.norm(v), 1.0, abs_tol=1e-6) for v in first)
    assert len(embedder.windows("word " * 200)) > 4
    await embedder.aclose()


def test_vectors_are_scaled_and_rounded_to_32_bits() -> None:
    ((x, y),) = unit_rows([[3.0, 4.0]], (1, 2))
    assert (x, y) == (float(np.float32(0.6)), float(np.float32(0.8)))
    assert unit_rows([], (0, 2)) == []


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ([[1.0, 0.0]], EmbedderUnavailable),
        ([[1.0], [1.0]], ModelMismatch),
        ([[0.0, 0.0], [1.0, 0.0]], EmbedderUnavailable),
        ([[math.nan, 0.0], [1.0, 0.0]], EmbedderUnavailable),
        ([["a", "b"], [1.0, 0.0]], EmbedderUnavailable),
    ],
)
def test_vectors_that_cannot_be_right_are_refused(rows: list, error: type[Exception]) -> None:
    with pytest.raises(error):
        unit_rows(rows, (2, 2))
