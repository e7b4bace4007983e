"""Cohere, Gemini, Jina and models that Ollama serves, each answered for by a server on loopback in
the shape that its provider documents."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from app.embeddings.calibration import AS_IT_IS, calibration
from app.embeddings.known import KNOWN, USUAL, completed
from app.embeddings.provider import EmbeddingConfig, Role, build_embedder, provider_of
from app.errors import EmbedderUnavailable, InvalidInput, ModelMismatch
from app.settings import read_settings
from app.wiring import embedding_config, further_models
from tests.embeddings.scripted_server import Reply, ScriptedServer, vectors

TEXTS = ["one", "two"]
ROWS = [[3.0, 4.0], [0.0, 2.0]]
SHAPES: dict[str, Any] = {
    "cohere": {"id": "x", "embeddings": {"float": ROWS}, "texts": TEXTS, "meta": {}},
    "gemini": {"embeddings": [{"values": row} for row in ROWS]},
    "jina": vectors(*ROWS),
    "ollama": {"model": "m", "embeddings": ROWS, "total_duration": 1, "prompt_eval_count": 2},
    "voyage": vectors(*ROWS),
}
PROVIDERS = tuple(SHAPES)


def config(provider: str, url: str, **changes: Any) -> EmbeddingConfig:
    base = EmbeddingConfig(
        provider=provider, model="m", api_key="k", dimension=2, timeout_s=5, max_retries=2
    )
    return replace(base, base_url=url, **changes)


async def ask(
    provider: str, endpoint: ScriptedServer, role: Role = Role.QUERY, **changes: Any
) -> list[list[float]]:
    embedder = build_embedder(config(provider, endpoint.url, **changes))
    try:
        return await embedder.embed(TEXTS, role)
    finally:
        await embedder.aclose()


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_vectors_are_read_and_scaled(provider: str, endpoint: ScriptedServer) -> None:
    endpoint.replies = [Reply(200, SHAPES[provider])]
    assert np.allclose(await ask(provider, endpoint), [[0.6, 0.8], [0, 1]])


@pytest.mark.parametrize(
    ("provider", "path", "said"),
    [
        (
            "cohere",
            "/v1/v2/embed",
            {"texts": TEXTS, "embedding_types": ["float"], "truncate": "NONE"},
        ),
        ("jina", "/v1/embeddings", {"input": TEXTS, "embedding_type": "float", "truncate": False}),
        ("ollama", "/v1/api/embed", {"input": TEXTS, "truncate": False}),
    ],
)
async def test_a_request_is_as_the_provider_has_it(
    provider: str, path: str, said: dict[str, Any], endpoint: ScriptedServer
) -> None:
    roles = {
        "cohere": [{"input_type": "search_query"}, {"input_type": "search_document"}],
        "jina": [{"task": "retrieval.query"}, {"task": "retrieval.passage"}],
        "ollama": [{}, {}],
    }[provider]
    endpoint.replies = [Reply(200, SHAPES[provider])]
    for role in Role:
        await ask(provider, endpoint, role)
    common = {"path": path, "auth": "Bearer k", "model": "m"}
    assert endpoint.requests == [{**common, **said, **role} for role in roles]


async def test_gemini_is_told_the_role_by_field_or_by_words(endpoint: ScriptedServer) -> None:
    endpoint.replies = [Reply(200, SHAPES["gemini"])]
    await ask("gemini", endpoint, Role.QUERY, model="gemini-embedding-001", request_dimension=True)
    await ask("gemini", endpoint, Role.DOCUMENT, model="gemini-embedding-2")
    first, later = endpoint.requests
    assert first["path"] == "/v1/models/gemini-embedding-001:batchEmbedContents"
    assert first["requests"][0] == {
        "model": "models/gemini-embedding-001",
        "content": {"parts": [{"text": "one"}]},
        "taskType": "RETRIEVAL_QUERY",
        "outputDimensionality": 2,
    }
    assert later["requests"][1] == {
        "model": "models/gemini-embedding-2",
        "content": {"parts": [{"text": "title: none | text: two"}]},
    }
    assert endpoint.keys == ["k", "k"]
    assert [request["auth"] for request in endpoint.requests] == [None, None]


@pytest.mark.parametrize(
    ("provider", "field"),
    [("cohere", "output_dimension"), ("jina", "dimensions"), ("ollama", "dimensions")],
)
async def test_a_length_is_asked_for(provider: str, field: str, endpoint: ScriptedServer) -> None:
    endpoint.replies = [Reply(200, SHAPES[provider])]
    await ask(provider, endpoint, request_dimension=True)
    assert endpoint.requests[0][field] == 2


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_busy_endpoint_is_asked_again(provider: str, endpoint: ScriptedServer) -> None:
    busy = Reply(429, {"message": "slow down"}, {"Retry-After": "0.2"})
    endpoint.replies = [busy, Reply(200, SHAPES[provider])]
    await ask(provider, endpoint)
    assert len(endpoint.requests) == 2
    assert endpoint.at[1] - endpoint.at[0] >= 0.19


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(500, {"error": "no"}), "answered 500"),
        (Reply(403, {"error": {"code": 403, "message": "no"}}), "answered 403"),
        (Reply(200, "{not json"), "no list of embeddings"),
        (Reply(200, {"embeddings": {"int8": [[1]]}, "data": [{"index": 0}]}), "no list of|sent an"),
        (Reply(200, []), "no list of embeddings"),
        (Reply(200, "null"), "no list of embeddings"),
    ],
    ids=str,
)
async def test_what_goes_wrong_is_said_without_the_key(
    provider: str, reply: Reply, reason: str, endpoint: ScriptedServer
) -> None:
    endpoint.replies = [reply]
    with pytest.raises(EmbedderUnavailable, match=reason) as caught:
        await ask(provider, endpoint, max_retries=0, api_key="sk-hidden")
    assert "sk-hidden" not in str(caught.value)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_another_length_is_a_mismatch(provider: str, endpoint: ScriptedServer) -> None:
    endpoint.replies = [Reply(200, SHAPES[provider])]
    with pytest.raises(ModelMismatch):
        await ask(provider, endpoint, dimension=3)


async def test_a_model_that_ollama_lacks_is_said_with_what_fetches_it(
    endpoint: ScriptedServer,
) -> None:
    endpoint.replies = [Reply(404, {"error": 'model "m" not found, try pulling it first'})]
    with pytest.raises(EmbedderUnavailable, match="`ollama pull m`"):
        await ask("ollama", endpoint)
    assert len(endpoint.requests) == 1


@contextmanager
def narrow_ollama(characters: int) -> Iterator[tuple[str, list[list[str]]]]:
    """A server that refuses texts beyond so many characters, as Ollama refuses tokens; the vector
    of a text is its share of a and of b."""
    asked: list[list[str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            asked.append(texts)
            fits = all(len(text) <= characters for text in texts)
            rows = [[text.count("a"), text.count("b") or 0.001] for text in texts]
            told = {"error": "the input length exceeds the context length"}
            body = json.dumps({"embeddings": rows} if fits else told).encode()
            self.send_response(200 if fits else 400)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_port}", asked
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


async def test_a_text_of_more_tokens_than_counted_is_embedded_by_halves() -> None:
    long = "aa " * 20 + "bb " * 20  # 120 characters
    with narrow_ollama(70) as (url, asked):
        embedder = build_embedder(config("ollama", url, max_retries=0))
        rows = await embedder.embed(["a", long, "b"], Role.DOCUMENT)
        await embedder.aclose()
    assert np.allclose(rows[0], [1, 0.001], atol=1e-5)
    assert np.allclose(rows[2], [0, 1])
    assert np.allclose(rows[1], [0.7071, 0.7071], atol=0.05)  # neither half is lost
    assert "".join(
        texts[0]
        for texts in asked
        if len(texts) == 1 and texts[0] in long[:-1] + " " and 40 < len(texts[0]) <= 70
    ).replace(" ", "") == long.replace(" ", "")


async def test_a_refusal_of_every_length_ends() -> None:
    with narrow_ollama(0) as (url, asked):
        embedder = build_embedder(config("ollama", url, max_retries=0))
        with pytest.raises(EmbedderUnavailable, match="answered 400"):
            await embedder.embed(["word " * 100], Role.DOCUMENT)
        await embedder.aclose()
    assert len(asked) < 10


REFUSALS = [
    ("cohere", 400, {"message": "invalid request: texts[0] is too long: too many tokens"}),
    ("jina", 400, {"detail": "Input text exceeds maximum length of 8194 tokens"}),
    ("jina", 422, {"detail": "the input is too long"}),
]


@pytest.mark.parametrize(("provider", "status", "body"), REFUSALS)
async def test_a_refusal_for_the_length_halves_the_text(
    provider: str, status: int, body: dict[str, Any], endpoint: ScriptedServer
) -> None:
    one = {"embeddings": {"float": [[1, 0]]}} if provider == "cohere" else vectors([1, 0])
    endpoint.replies = [Reply(status, body), Reply(200, one)]
    embedder = build_embedder(config(provider, endpoint.url))
    assert await embedder.embed(["word " * 20], Role.DOCUMENT) == [[1, 0]]
    await embedder.aclose()
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize(("provider", "status", "body"), REFUSALS)
async def test_a_text_is_halved_four_times_at_most(
    provider: str, status: int, body: dict[str, Any], endpoint: ScriptedServer
) -> None:
    endpoint.replies = [Reply(status, body)]
    embedder = build_embedder(config(provider, endpoint.url))
    with pytest.raises(EmbedderUnavailable, match=f"answered {status}"):
        await embedder.embed(["word " * 4000], Role.DOCUMENT)
    await embedder.aclose()
    assert len(endpoint.requests) == 5


@pytest.mark.parametrize("provider", ["cohere", "jina"])
async def test_an_exceeded_plan_is_asked_once(provider: str, endpoint: ScriptedServer) -> None:
    endpoint.replies = [Reply(400, {"message": "you have exceeded the calls of your plan"})]
    with pytest.raises(EmbedderUnavailable, match="answered 400"):
        await ask(provider, endpoint)
    assert len(endpoint.requests) == 1


async def test_cohere_gets_96_texts_at_once(endpoint: ScriptedServer) -> None:
    bodies = [{"embeddings": {"float": [[1, 0]] * count}} for count in (96, 4)]
    endpoint.replies = [Reply(200, body) for body in bodies]
    embedder = build_embedder(config("cohere", endpoint.url, batch_size=500))
    assert len(await embedder.embed(["x"] * 100, Role.DOCUMENT)) == 100
    await embedder.aclose()
    assert [len(request["texts"]) for request in endpoint.requests] == [96, 4]


@pytest.mark.parametrize("provider", USUAL)
def test_a_provider_alone_names_a_model_with_its_figures(provider: str) -> None:
    settings = read_settings(
        {
            "LOCI_EMBEDDING__PROVIDER": provider,
            **{f"{provider.upper()}_API_KEY": "k" for _ in (1,) if provider != "ollama"},
        }
    )
    made = embedding_config(settings)
    known = KNOWN[provider][USUAL[provider]]
    assert (made.model, made.dimension, made.max_tokens) == (
        USUAL[provider], known.dimension, known.max_tokens
    )  # fmt: skip
    assert not made.request_dimension
    assert build_embedder(made).info.version == provider


def test_a_tag_of_ollama_is_a_size_of_the_same_model() -> None:
    made = completed(EmbeddingConfig(provider="ollama", model="all-minilm:33m"), dimension=None)
    assert (made.model, made.dimension, made.max_tokens) == ("all-minilm:33m", 384, 128)


def test_a_shorter_length_is_asked_of_the_endpoint_and_others_are_refused() -> None:
    shorter = completed(EmbeddingConfig(provider="cohere", model="embed-v4.0"), dimension=512)
    assert (shorter.dimension, shorter.request_dimension) == (512, True)
    for provider, model in (("cohere", "embed-v4.0"), ("ollama", "bge-m3"), ("gemini", "")):
        with pytest.raises(InvalidInput, match="length") as caught:
            completed(EmbeddingConfig(provider=provider, model=model), dimension=77)
        assert caught.value.field == "dimension"


def test_a_model_that_is_not_known_has_the_figures_that_it_is_given() -> None:
    made = completed(EmbeddingConfig(provider="ollama", model="own"), dimension=77)
    assert (made.dimension, made.request_dimension, made.max_tokens) == (77, False, 8000)


def test_a_named_model_has_a_space_and_a_calibration_of_its_own() -> None:
    further = '{"gem": {"provider": "gemini", "api_key": "k", "dimension": 768}}'
    (build,) = further_models(read_settings({"LOCI_EMBEDDING__FURTHER": further})).values()
    info = build().info
    assert (info.name, info.version, info.dimension) == ("gemini-embedding-001", "gemini", 768)
    assert provider_of(info.name, info.version) == "gemini"
    assert calibration(info.name) is AS_IT_IS
