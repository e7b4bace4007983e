from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.embeddings.hosted import pause
from app.embeddings.provider import EmbeddingConfig, Role, build_embedder
from app.errors import EmbedderUnavailable, ModelMismatch
from tests.embeddings.scripted_server import Reply, ScriptedServer, vectors

VOYAGE = EmbeddingConfig(
    provider="voyage", model="voyage-3.5", api_key="k", dimension=2, timeout_s=5, max_retries=2
)


async def ask(endpoint: ScriptedServer, **changes: object) -> list[list[float]]:
    embedder = build_embedder(replace(VOYAGE, base_url=endpoint.url, **changes))
    try:
        return await embedder.embed(["one", "two"], Role.QUERY)
    finally:
        await embedder.aclose()


async def test_role_and_key_are_sent_and_vectors_scaled(endpoint: ScriptedServer) -> None:
    endpoint.replies = [Reply(200, vectors([3, 4], [0, 2]))]
    rows = await ask(endpoint, request_dimension=True)
    assert np.allclose(rows, [[0.6, 0.8], [0, 1]])
    assert endpoint.requests == [
        {
            "path": "/v1/embeddings",
            "auth": "Bearer k",
            "model": "voyage-3.5",
            "input": ["one", "two"],
            "input_type": "query",
            "truncation": False,
            "output_dimension": 2,
        }
    ]


async def test_a_busy_endpoint_is_asked_again(endpoint: ScriptedServer) -> None:
    busy = Reply(429, {"detail": "rate limit"}, {"Retry-After": "0.3"})
    endpoint.replies = [busy, Reply(503, {}), Reply(200, vectors([1, 0], [0, 1]))]
    assert await ask(endpoint) == [[1, 0], [0, 1]]
    assert endpoint.at[1] - endpoint.at[0] >= 0.29


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(500, {}), "answered 500"),
        (Reply(401, {"detail": "bad key"}), "answered 401"),
        (Reply(200, "{not json"), "no list of embeddings"),
        (Reply(200, {"data": [{"index": 0}]}), "no list of embeddings"),
        (Reply(200, []), "no list of embeddings"),
        (Reply(200, vectors([1, 0])), "1 vectors for 2 texts"),
    ],
    ids=str,
)
async def test_what_goes_wrong_is_said(endpoint: ScriptedServer, reply: Reply, reason: str) -> None:
    endpoint.replies = [reply]
    with pytest.raises(EmbedderUnavailable, match=reason):
        await ask(endpoint, max_retries=0)


async def test_a_refusal_is_not_repeated(endpoint: ScriptedServer) -> None:
    endpoint.replies = [Reply(400, {"detail": "too many tokens"})]
    with pytest.raises(EmbedderUnavailable, match="answered 400"):
        await ask(endpoint)
    assert len(endpoint.requests) == 1


async def test_a_wrong_dimension_is_a_mismatch(endpoint: ScriptedServer) -> None:
    endpoint.replies = [Reply(200, vectors([1, 0, 0], [0, 1, 0]))]
    with pytest.raises(ModelMismatch):
        await ask(endpoint)


async def test_a_silent_endpoint_times_out(endpoint: ScriptedServer) -> None:
    endpoint.replies = [Reply(200, vectors([1, 0], [0, 1]), delay=1.0)]
    with pytest.raises(EmbedderUnavailable, match="in time"):
        await ask(endpoint, timeout_s=0.1, max_retries=1)
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize(
    ("asked", "attempt", "seconds"),
    [("3", 0, 3.0), ("-1", 0, 0.0), ("9999", 0, 20.0), ("Wed, 21 Oct", 2, 2.0), (None, 1, 1.0)],
)
def test_pauses(asked: str | None, attempt: int, seconds: float) -> None:
    assert pause(asked, attempt) == seconds
