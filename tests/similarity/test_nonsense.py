"""Nonsense is relevant to nothing, alone or in a sentence, whatever language the store is of; and
what is asked in the other language of it is found. By the model that ships."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_asyncio

from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.similarity.test_answers import ENGLISH, GERMAN

STORES = {"en": ENGLISH, "de": GERMAN, "both": [*ENGLISH, *GERMAN]}
NONSENSE = [
    "xyzzy plugh quux", "frobnikator", "blorf wibble",
    "what is xyzzy plugh quux?", "What is a frobnikator?", "Where is the blorf of the quux?",
    "was ist ein frobnikator?", "Was ist ein Frobnikator?", "Wo ist der Blorf?",
    "Wer hat den Plugh und die Xyzzy?",
]  # fmt: skip
RELEVANT = 0.5
ACROSS = 0.75  # least share of questions in the other language whose text is relevant


@pytest_asyncio.fixture(loop_scope="session", params=STORES)
async def store(
    request: pytest.FixtureRequest, opened: Parts, principal: MakePrincipal, tenant: str
) -> tuple[str, Principal]:
    who = await principal(tenant)
    for number, (text, *_) in enumerate(STORES[request.param]):
        body = {"content": text, "session": str(number), "role": "user"}
        answer = await who.http.post("/v1/episodes", json=body)
        assert answer.status_code == 201, answer.text
    await opened.indexing.drain()
    return request.param, who


async def hits(who: Principal, question: str) -> list[dict[str, Any]]:
    body = {"query": question, "kinds": ["episode"], "limit": 10}
    answer = await who.http.post("/v1/search", json=body)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["hits"]
    return found


async def test_nonsense_is_relevant_to_nothing_and_what_is_asked_across_is_found(
    store: tuple[str, Principal],
) -> None:
    name, who = store
    best = {
        question: max((hit["relevance"] for hit in await hits(who, question)), default=0.0)
        for question in NONSENSE
    }
    assert {question: top for question, top in best.items() if top >= RELEVANT} == {}
    missed = []
    for text, _, across, _ in STORES[name]:
        found = {hit["untrusted"]["text"]: hit["relevance"] for hit in await hits(who, across)}
        if found.get(text, 0.0) < RELEVANT:
            missed.append((across, found.get(text)))
    assert len(missed) <= (1 - ACROSS) * len(STORES[name]), missed
