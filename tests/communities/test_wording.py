"""Summaries in a model's words: pure checks, and a scripted model over a real connection."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from app.communities.summaries import SummaryService
from app.communities.wording import kept, opened, packed, words_key
from app.llm.citing import Cited, Said, Spoken
from app.llm.client import LanguageModel
from app.llm.metered import MeteredModel
from app.llm.model import LlmConfig
from app.wiring import Parts
from tests.communities.conftest import BREMEN, Say, Switch
from tests.communities.test_service import listed
from tests.conftest import Principal
from tests.embeddings.scripted_server import Reply, ScriptedServer, scripted_server
from tests.lifecycle.conftest import strings_of
from tests.llm.chat import completion

LINES = ["Acme GmbH uses Postgres 17.", "Ada Berger works for Acme GmbH."]


@pytest.mark.parametrize(
    ("text", "cited", "stands"),
    [
        ("Acme runs Postgres 17.", [1], True),
        ("Ada works with Postgres.", [1, 2], True),
        ("Acme runs Postgres 18.", [1], False),  # a number that no line has
        ("Ada Berger runs Postgres.", [1], False),  # a name that the cited line has not
        ("Acme runs Postgres.", [], False),
        ("Acme runs Postgres.", [9, 0], False),
        ("  ", [1], False),
        ("x" * 500, [1], False),
    ],
)
def test_a_sentence_stands_where_its_lines_bear_it(
    text: str, cited: list[int], stands: bool
) -> None:
    spoken = Spoken(sentences=[Said(text=text, lines=cited)])
    assert bool(kept(spoken, LINES, ["Ada Berger", "Acme"])) is stands


def test_words_are_read_back_and_belong_to_their_lines() -> None:
    words = (Cited("Both.", (0, 1)), Cited("One.", (1,)))
    assert opened(packed(words)) == words
    assert opened(None) == ()
    assert words_key(LINES) != words_key([*LINES, "More."]) != words_key(LINES[:1])


@pytest.fixture
def endpoint() -> Iterator[ScriptedServer]:
    with scripted_server() as server:
        yield server


@pytest_asyncio.fixture(loop_scope="session")
async def wording(opened: Parts, endpoint: ScriptedServer) -> AsyncIterator[SummaryService]:
    config = LlmConfig("m", base_url=endpoint.url, retries=0)
    model = MeteredModel(opened.graph, LanguageModel.build(config), 100_000)
    service = SummaryService(opened.graph, opened.scopes, model)
    yield service
    await service.aclose()


def says(text: str, lines: list[int]) -> Reply:
    return completion(json.dumps({"sentences": [{"text": text, "lines": lines}]}))


async def test_words_stand_beside_the_lines_and_never_outlive_them(
    opened: Parts,
    admin: Principal,
    tenant: str,
    say: Say,
    switch: Switch,
    endpoint: ScriptedServer,
    wording: SummaryService,
) -> None:
    await switch(tenant, erasure=True)
    source = await say(tenant, BREMEN)
    await opened.communities.refresh(tenant)
    assert tenant in await wording.waiting()
    # A word without a figure: a number that no line has would not stand.
    canary = "glorious" + tenant.translate(str.maketrans("0123456789-", "ghijklmnopq"))

    endpoint.replies = [Reply(500, {"error": "away"})]
    done = await wording.word(tenant)
    assert (done.asked, done.failed, done.away) == (1, 1, True)
    (one,) = await listed(admin, tenant)
    assert (one["by"], one["untrusted"]["summary"]) == ("extract", [])
    assert "500" in one["note"]
    # It is not asked again before its time, unless the community says something else.
    assert (await wording.word(tenant)).asked == 0
    assert tenant not in await wording.waiting()
    await say(tenant, "Ada Berger lives in Bremen.", session="town")
    await opened.communities.refresh(tenant, whole=True)

    endpoint.replies = [says(f"A {canary} firm.", [1]), says("Nothing.", [])]
    done = await wording.word(tenant)
    assert (done.asked, done.worded) == (1, 1)
    (one,) = await listed(admin, tenant)
    assert (one["by"], one["note"]) == ("m", "")
    assert one["untrusted"]["summary"] == [{"text": f"A {canary} firm.", "lines": [0]}]
    assert one["untrusted"]["lines"]
    asked = endpoint.requests[-1]["messages"]
    assert "Acme" not in asked[0]["content"]
    assert (await wording.word(tenant)).asked == 0
    found = await admin.http.post("/v1/rag/context", json={"query": "What are the main themes?"})
    assert canary in found.json()["context"]

    # What the lines rest on goes: so do the words, in the same transaction.
    answer = await admin.http.post("/v1/erasures", json={"memory": source})
    assert answer.status_code == 200, answer.text
    assert await strings_of(opened, canary) == []


async def test_a_scope_that_keeps_its_texts_has_no_words_of_a_model(
    opened: Parts,
    admin: Principal,
    tenant: str,
    say: Say,
    switch: Switch,
    endpoint: ScriptedServer,
    wording: SummaryService,
) -> None:
    await say(tenant, BREMEN)
    await opened.communities.refresh(tenant)
    endpoint.replies = [says("A firm.", [1])]
    assert (await wording.word(tenant)).worded == 1
    await switch(tenant, language_model=False)
    assert (await wording.word(tenant)).asked == 0
    (one,) = await listed(admin, tenant)
    assert (one["by"], one["note"]) == ("extract", "")
    assert len(endpoint.requests) == 1
