"""Floors, reranking and HyDE over HTTP: what they do, and what is told where they cannot."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
import pytest_asyncio

from app.llm.client import LanguageModel
from app.llm.metered import MeteredModel
from app.llm.model import LlmConfig
from app.search.imagining import Imagination
from app.search.judging import RerankStep
from app.search.reranker import Reranker, RerankerConfig
from app.search.schemas import FoundOut, SearchIn
from app.search.service import SearchService
from app.wiring import Parts
from tests.conftest import Principal
from tests.embeddings.scripted_server import Reply, ScriptedServer, scripted_server
from tests.llm.chat import completion
from tests.search.test_service import capture, ids, search

Drain = Callable[[], Awaitable[int]]
QUESTION = "Which hangar does the old wombat sleep in?"


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with scripted_server() as running:
        yield running


async def four(writer: Principal, drain: Drain) -> list[str]:
    """Texts that answer QUESTION less and less."""
    texts = (
        "The old wombat sleeps in hangar nine.",
        "A wombat eats clover.",
        "The hangar has a new roof since the storm.",
        "Pears ripen in autumn.",
    )
    known = [await capture(writer, text, session=f"s{n}") for n, text in enumerate(texts)]
    await drain()
    return known


async def test_each_hit_says_how_relevant_it_is_and_a_floor_holds_back_the_rest(
    writer: Principal, drain: Drain
) -> None:
    known = await four(writer, drain)
    whole = await search(writer, QUESTION)
    told = {hit["id"]: hit for hit in whole["hits"]}
    assert told[known[0]]["relevance"] > 0.8
    assert told[known[3]]["relevance"] < 0.3
    assert all(0 < hit["similarity"] < 1 for hit in whole["hits"])  # also where words found it
    assert (whole["floor"], whole["empty"], whole["steps"]) == (None, None, [])

    strict = await search(writer, QUESTION, min_score=0.8)
    assert ids(strict) == [known[0]]
    assert strict["floor"]["match"] == "semantic"
    assert strict["floor"]["held_back"] == 3
    assert strict["floor"]["best_held_back"] < 0.8
    nothing = await search(writer, "Who won the chess tournament in Oslo?", min_score=0.65)
    assert (ids(nothing), nothing["empty"]) == ([], "below_floor")
    assert nothing["floor"]["match"] == "none"


async def test_where_nothing_reaches_the_floor_lower_steps_follow_and_are_named(
    writer: Principal, drain: Drain
) -> None:
    known = await four(writer, drain)
    fallback = await search(writer, QUESTION, min_score=1.0)
    assert fallback["floor"]["match"] == "semantic_fallback"
    assert known[0] in ids(fallback)
    refused = await search(writer, QUESTION, min_score=1.0, fallback=False)
    assert (ids(refused), refused["empty"]) == ([], "below_floor")
    # Words alone, without a vector: the floor holds there too.
    worded = await search(writer, QUESTION, mode="keyword", min_score=0.8)
    assert ids(worded) == [known[0]]
    assert worded["hits"][0]["similarity"] is None


async def test_an_empty_answer_says_why(writer: Principal, drain: Drain) -> None:
    await four(writer, drain)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"mode": "keyword", "query": "zeppelin"}, "nothing_found"),
        ({"limit": 0}, "limit"),
        ({"token_budget": 1}, "over_budget"),
        ({"min_score": 1.0, "fallback": False}, "below_floor"),
    ]
    for more, reason in cases:
        found = await search(writer, **{"query": QUESTION, **more})
        assert (ids(found), found["empty"]) == ([], reason), more


@pytest.mark.parametrize(
    ("body", "field"),
    [({"min_score": 1.1}, "min_score"), ({"rerank": "magic"}, "rerank"), ({"hyde": "?"}, "hyde")],
)
async def test_a_bad_wish_names_the_field(
    writer: Principal, body: dict[str, Any], field: str
) -> None:
    answer = await writer.http.post("/v1/search", json={"query": "x", **body})
    assert answer.status_code == 422
    assert any(e["field"].split(".")[0] == field for e in answer.json()["errors"])


async def test_reranking_by_features_asks_nobody(writer: Principal, drain: Drain) -> None:
    known = await four(writer, drain)
    for wish in (True, "features"):
        found = await search(writer, QUESTION, rerank=wish)
        assert found["steps"] == [{"name": "rerank", "state": "done", "reason": None}]
        assert ids(found)[0] == known[0]
        assert set(ids(found)) == set(known)
    worded = await search(writer, QUESTION, mode="keyword", rerank="features")
    assert [step["state"] for step in worded["steps"]] == ["skipped"]
    assert ids(worded) == ids(await search(writer, QUESTION, mode="keyword"))


async def test_without_models_the_steps_are_skipped_and_say_so(
    writer: Principal, drain: Drain
) -> None:
    known = await four(writer, drain)
    found = await search(writer, QUESTION, rerank="model", hyde=True)
    assert [(step["name"], step["state"]) for step in found["steps"]] == [
        ("hyde", "skipped"),
        ("rerank", "skipped"),
    ]
    assert ids(found) == ids(await search(writer, QUESTION))
    assert ids(found)[0] == known[0]


# --- models on loopback -------------------------------------------------------------------------


@pytest_asyncio.fixture(loop_scope="session")
async def with_models(opened: Parts, server: ScriptedServer) -> AsyncIterator[SearchService]:
    """The session's search with a reranker and a language model that the test scripts."""
    model = LanguageModel.build(LlmConfig("m", server.url, retries=0, answer_tokens=100))
    metered = MeteredModel(opened.graph, model, 50_000)
    reranker = Reranker.build(RerankerConfig(f"{server.url}/rerank", timeout_s=20.0))
    made = SearchService(
        replace(
            opened.searches.made,
            reranking=RerankStep(reranker, opened.scopes),
            imagination=Imagination(metered, opened.scopes, 20.0),
        )
    )
    yield made
    await made.aclose()


async def asked(service: SearchService, who: Principal, **more: Any) -> dict[str, Any]:
    """The answer as it goes over the wire."""
    wish = SearchIn.model_validate({"query": QUESTION, **more})
    out = FoundOut.of(await service.search(wish.to_request(who.caller)), wish)
    return {"ids": [hit.id for hit in out.hits], "steps": out.steps, "hits": out.hits}


def ranking(*scores: float) -> Reply:
    rows = [{"index": n, "relevance_score": s} for n, s in enumerate(scores)]
    return Reply(body={"results": rows})


async def test_a_reranker_ranks_and_its_failure_leaves_the_ranking_as_it_was(
    writer: Principal, drain: Drain, with_models: SearchService, server: ScriptedServer
) -> None:
    await four(writer, drain)
    plain = (await asked(with_models, writer))["ids"]
    server.replies = [ranking(0.1, 0.2, 0.3, 0.4)]
    found = await asked(with_models, writer, rerank="model")
    assert found["ids"] == plain[::-1]
    assert [hit.legs["rerank"].rank for hit in found["hits"]] == [1, 2, 3, 4]
    assert server.requests[0]["query"] == QUESTION
    assert len(server.requests[0]["documents"]) == 4
    server.replies = [Reply(503, {})]
    found = await asked(with_models, writer, rerank="model")
    (step,) = found["steps"]
    assert (step.state, step.reason) == ("failed", "the reranker answered 503")
    assert found["ids"] == plain


async def test_hyde_searches_by_a_passage_and_goes_on_without_one(
    writer: Principal, drain: Drain, with_models: SearchService, server: ScriptedServer
) -> None:
    known = await four(writer, drain)
    server.replies = [completion(json.dumps({"passage": "Pears ripen in autumn."}), tokens=50)]
    found = await asked(with_models, writer, mode="vector", hyde=True)
    assert [(s.name, s.state) for s in found["steps"]] == [("hyde", "done")]
    plain = await asked(with_models, writer, mode="vector")
    assert found["ids"].index(known[3]) < plain["ids"].index(known[3])
    by_id = {hit.id: hit for hit in plain["hits"]}
    # How like an answer a text is follows from the question, whatever it was found by.
    assert all(hit.similarity == by_id[hit.id].similarity for hit in found["hits"])
    again = await asked(with_models, writer, mode="vector", hyde=True)
    assert again["ids"] == found["ids"]
    assert len(server.requests) == 1  # the passage is remembered
    server.replies = [completion("no JSON", tokens=50)]
    other = "Where is the roof that the storm took off?"
    failed = await asked(with_models, writer, query=other, hyde=True)
    assert [s.state for s in failed["steps"]] == ["failed"]
    assert failed["ids"] == (await asked(with_models, writer, query=other))["ids"]
    short = await asked(with_models, writer, query="wombat", hyde=True)
    assert [(s.state, s.reason) for s in short["steps"]] == [("skipped", "the question is short")]


async def test_what_a_scope_keeps_from_models_is_sent_to_none(
    admin: Principal, drain: Drain, with_models: SearchService, server: ScriptedServer
) -> None:
    await four(admin, drain)
    scope = admin.caller.home
    put = await admin.http.put(
        "/v1/scopes/rules", params={"scope": scope}, json={"language_model": False}
    )
    assert put.status_code == httpx.codes.OK
    server.replies = [ranking(1.0)]
    found = await asked(with_models, admin, rerank="model", hyde=True)
    assert [s.state for s in found["steps"]] == ["skipped", "skipped"]
    assert server.requests == []
    assert len(found["ids"]) == 4
