"""Questions that point back are searched for with what they point to."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import pytest_asyncio

from app.llm.client import LanguageModel
from app.llm.metered import MeteredModel
from app.llm.model import LlmConfig
from app.turns.rewriting import LONGEST, Rewriting, by_keywords, is_borne_out, points_back
from app.wiring import Parts
from tests.conftest import Principal
from tests.conversations.conftest import append, message
from tests.embeddings.scripted_server import Reply, ScriptedServer, scripted_server
from tests.llm.chat import completion

PUMP = "The new pump for pier seven was ordered from Holm AG."
BACK = "When does it arrive?"


@pytest.mark.parametrize(
    ("question", "points"),
    [
        (BACK, True),
        ("And on Sundays?", True),
        ("What about the crane?", True),
        ("Wann kommt sie an?", True),
        ("Und wie teuer war das?", True),
        ("Why?", False),
        ("Is it ok to deploy?", False),
        ("Ist es erlaubt, hier zu parken?", False),
        ("Is it raining over the harbour of Arbon today?", False),
        ("Where is the spare fuse of the old boiler kept?", False),
        ("Wo liegt die Ersatzsicherung des alten Kessels?", False),
        ("Thanks!", False),
        ("The pump is red.", False),
        ("It is red.", False),
        ("", False),
    ],
)
def test_a_question_points_back_or_stands_by_itself(question: str, points: bool) -> None:
    assert points_back(question) is points
    assert (by_keywords(question, [PUMP]) != question) is points


def test_the_words_of_the_newest_message_come_first_and_names_before_others() -> None:
    assert by_keywords(BACK, [PUMP]) == f"{BACK} Holm AG new pump pier seven"
    words = by_keywords(BACK, [PUMP, "thanks", "The crane of Brandt is stuck."])
    assert words.startswith(f"{BACK} Brandt crane stuck Holm AG")
    assert by_keywords(BACK, []) == BACK
    assert by_keywords(BACK, ["ok", "danke"]) == BACK
    assert by_keywords("And the pump?", ["The pump of Holm is red."]) == "And the pump? Holm red"


@pytest.mark.parametrize(
    ("written", "taken"),
    [
        ("When does the new pump arrive?", True),
        ("When do the pumps arrive at pier seven?", True),
        ("When does the pump of Brandt arrive?", False),
        ("", False),
        ("pump " * LONGEST, False),
    ],
)
def test_what_nobody_said_is_not_taken(written: str, taken: bool) -> None:
    assert is_borne_out(written, BACK, [PUMP]) is taken


async def recall(who: Principal, **body: Any) -> dict[str, Any]:
    """What is recalled for the last message of the talk."""
    answer = await who.http.post("/v1/conversations/talk/recall", json=body)
    assert answer.status_code == 200, answer.text
    done: dict[str, Any] = answer.json()
    return done


async def test_a_question_that_points_back_finds_what_it_means(writer: Principal) -> None:
    for text in ("The pump of Holm AG arrives on the third of May.", "The choir meets at nine."):
        body = {"content": text, "session": "before"}
        assert (await writer.http.post("/v1/episodes", json=body)).status_code == 201
    await append(writer, "talk", PUMP, message("Noted.", role="assistant"), BACK)
    off = await recall(writer, rewrite="off")
    assert off["untrusted"]["query"] == BACK
    assert (await recall(writer))["untrusted"]["query"] == BACK, "nothing is put behind it unasked"
    found = await recall(writer, rewrite="keywords")
    assert found["untrusted"]["query"].startswith(f"{BACK} Holm AG")
    assert found["relevant"]
    assert "third of May" in found["hits"][0]["untrusted"]["text"]
    assert len(found["hits"]) >= len(off["hits"])
    whole = "When does the choir of the harbour meet?"
    plain = await recall(writer, query=whole, rewrite="keywords")
    assert plain["untrusted"]["query"] == "When does the choir of the harbour meet?"
    wrong = await writer.http.post("/v1/conversations/talk/recall", json={"rewrite": "odd"})
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (422, "rewrite")


@pytest.fixture
def endpoint() -> Iterator[ScriptedServer]:
    with scripted_server() as server:
        yield server


@pytest_asyncio.fixture(loop_scope="session")
async def rewriting(
    opened: Parts, endpoint: ScriptedServer
) -> AsyncIterator[Callable[[], Rewriting]]:
    """Makes services with the scripted model."""
    made: list[Rewriting] = []

    def make() -> Rewriting:
        config = LlmConfig("scripted", endpoint.url, retries=0, timeout_s=20, answer_tokens=200)
        model = MeteredModel(opened.graph, LanguageModel.build(config), 1_000_000)
        made.append(Rewriting(model, opened.scopes, 20.0))
        return made[-1]

    yield make
    for service in made:
        await service.aclose()


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ("When does the new pump arrive?", "When does the new pump arrive?"),
        ("When does the pump of Brandt arrive?", f"{BACK} Holm AG new pump pier seven"),
        (None, f"{BACK} Holm AG new pump pier seven"),
    ],
)
async def test_a_model_writes_the_question_anew(
    writer: Principal,
    tenant: str,
    endpoint: ScriptedServer,
    rewriting: Callable[[], Rewriting],
    reply: str | None,
    question: str,
) -> None:
    assert writer.key
    answer = completion(json.dumps({"question": reply}), tokens=20)
    endpoint.replies = [answer if reply else Reply(status=503, body={})]
    service, scope = rewriting(), f"{tenant}/dev"
    assert await service.by_model(BACK, [PUMP], scope) == question
    assert len(endpoint.requests) == 1
    whole = "Where is the spare fuse of the old boiler kept?"
    assert await service.by_model(whole, [PUMP], scope) == whole
    assert len(endpoint.requests) == 1, "a question that stands by itself asks no model"
