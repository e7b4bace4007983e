from __future__ import annotations

from app.embeddings.provider import EmbeddingConfig, build_embedder
from bench.embedding import evaluate


async def test_every_figure_is_there_and_positive() -> None:
    embedder = build_embedder(EmbeddingConfig(provider="hash", dimension=32, allow_test=True))
    figures = await evaluate(embedder, [f"question {n}" for n in range(8)], ["a text"] * 5)
    assert set(figures) == {
        "query_ms_p50",
        "query_ms_p95",
        "query_beside_batch_ms_p50",
        "query_beside_batch_ms_p95",
        "documents_per_s",
        "characters_per_document",
    }
    assert all(value > 0 for value in figures.values())
    assert figures["characters_per_document"] == 6
