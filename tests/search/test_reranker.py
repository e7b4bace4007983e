"""Rerankers over HTTP: what each service is sent, what it answers, and what is made of trouble.

The good answers have the forms that the services document; the services themselves were not asked.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from app.errors import InvalidInput, RerankerUnavailable
from app.search.reranker import Reranker, RerankerConfig, Shape
from tests.embeddings.scripted_server import Reply, ScriptedServer, scripted_server

TEXTS = ["Bremen lies on the Weser.", "Pears ripen in autumn.", "The Weser meets the sea."]
COHERE = {
    "id": "07734bd2-2473-4f07-94e1-0d9f0e6843cf",
    "results": [{"index": 2, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.7}],
    "meta": {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}},
}
VOYAGE = {
    "object": "list",
    "data": [{"relevance_score": 0.9, "index": 2}, {"relevance_score": 0.7, "index": 0}],
    "model": "rerank-2.5-lite",
    "usage": {"total_tokens": 26},
}
TEI = [{"index": 2, "score": 0.9}, {"index": 0, "score": 0.7}]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with scripted_server() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def reranker(server: ScriptedServer) -> AsyncIterator[Reranker]:
    made = Reranker.build(RerankerConfig(f"{server.url}/rerank", timeout_s=1))
    yield made
    await made.aclose()


@pytest.mark.parametrize(
    ("shape", "body", "sent"),
    [
        (Shape.COMMON, COHERE, {"documents": TEXTS, "top_n": 3}),
        (Shape.VOYAGE, VOYAGE, {"documents": TEXTS, "top_k": 3}),
        (Shape.TEI, TEI, {"texts": TEXTS}),
    ],
)
async def test_each_service_is_asked_and_read_in_its_own_form(
    server: ScriptedServer, shape: Shape, body: Any, sent: dict[str, Any]
) -> None:
    server.replies = [Reply(body=body)]
    made = Reranker.build(RerankerConfig(f"{server.url}/rerank", "m", "secret", shape))
    assert await made.rank("Where does the Weser end?", TEXTS) == {2: 0.9, 0: 0.7}
    await made.aclose()
    (request,) = server.requests
    assert request == {
        "path": "/v1/rerank",
        "auth": "Bearer secret",
        "query": "Where does the Weser end?",
        "model": "m",
        **sent,
    }


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(500, {}), "500"),
        (Reply(429, {}, {"Retry-After": "60"}), "429"),
        (Reply(302, {}, {"Location": "/other"}), "302"),
        (Reply(body="no JSON"), "no ranking"),
        (Reply(body={"error": "model not found"}), "no ranking"),
        (Reply(body={"results": None}), "no ranking"),
        (Reply(body={"results": [{"index": 0}]}), "no ranking"),
        (Reply(body={"results": [{"index": 0, "relevance_score": "high"}]}), "no ranking"),
        (Reply(body={"results": []}), "other texts"),
        (Reply(body={"results": [{"index": 3, "relevance_score": 1}]}), "other texts"),
        (Reply(body={"results": [{"index": -1, "relevance_score": 1}]}), "other texts"),
        (Reply(body='{"results": [{"index": 0, "relevance_score": NaN}]}'), "other texts"),
        (Reply(body={"results": [{"index": 0, "relevance_score": 1}] * 2}), "other texts"),
        (Reply(body=COHERE, delay=2), "within 1 s"),
    ],
)
async def test_trouble_is_one_error_that_says_what_happened(
    server: ScriptedServer, reranker: Reranker, reply: Reply, reason: str
) -> None:
    server.replies = [reply]
    with pytest.raises(RerankerUnavailable, match=reason):
        await reranker.rank("Where?", TEXTS)


async def test_an_endpoint_that_is_not_there() -> None:
    made = Reranker.build(RerankerConfig("http://127.0.0.1:9/rerank"))
    with pytest.raises(RerankerUnavailable, match="reached"):
        await made.rank("Where?", TEXTS)
    await made.aclose()


@pytest.mark.parametrize(
    ("config", "field"),
    [
        (RerankerConfig("rerank.example"), "url"),
        (RerankerConfig("https://rerank.example/v1", shape=Shape.VOYAGE), "model"),
    ],
)
def test_what_cannot_be_asked_names_the_field(config: RerankerConfig, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Reranker.build(config)
    assert caught.value.field == field
