"""How fast the configured embedding model is on this machine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import numpy as np

from app.embeddings.model import Embedder, Role

Row = dict[str, float]


async def evaluate(embedder: Embedder, questions: Sequence[str], texts: Sequence[str]) -> Row:
    """Milliseconds of one question alone and beside a batch, and documents a second.

    Questions must be distinct: repeated ones come from the model's memory.
    """
    half = len(questions) // 2
    texts = [text[: embedder.windows(text)[0].end] for text in texts]
    await embedder.embed(["a first call, to have everything loaded"], Role.QUERY)
    alone = await _latencies(embedder, questions[:half])
    start = time.perf_counter()
    await embedder.embed(texts, Role.DOCUMENT)
    rate = len(texts) / (time.perf_counter() - start)
    batch = asyncio.create_task(embedder.embed(texts, Role.DOCUMENT))
    beside = await _latencies(embedder, questions[half:])
    await batch
    return {
        **_quantiles("query_ms", alone),
        **_quantiles("query_beside_batch_ms", beside),
        "documents_per_s": rate,
        "characters_per_document": float(np.mean([len(text) for text in texts])),
    }


async def _latencies(embedder: Embedder, questions: Sequence[str]) -> list[float]:
    taken = []
    for question in questions:
        start = time.perf_counter()
        await embedder.embed([question], Role.QUERY)
        taken.append((time.perf_counter() - start) * 1000)
    return taken


def _quantiles(name: str, values: list[float]) -> Row:
    return {f"{name}_p{q}": float(np.percentile(values, q)) for q in (50, 95)}
