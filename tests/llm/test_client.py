"""The client against a server that answers as told: shapes, errors, retries, time."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest
import pytest_asyncio
from pydantic import BaseModel, ConfigDict

from app.errors import InvalidInput, LlmAnswerUnusable, LlmUnavailable
from app.llm.client import LanguageModel
from app.llm.model import LlmConfig, Question, most_tokens
from tests.embeddings.scripted_server import Reply, ScriptedServer
from tests.llm.chat import completion, streamed

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
QUESTION = Question("city", "1", "Name the city.", "<text>Bremen</text>", SCHEMA)
EVENTS = {"Content-Type": "text/event-stream"}
RIGHT = '{"city": "Bremen"}'
Make = Callable[..., LanguageModel]


class City(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    city: str


@pytest_asyncio.fixture(loop_scope="session")
async def make(endpoint: ScriptedServer) -> AsyncIterator[Make]:
    made: list[LanguageModel] = []

    def build(**more: object) -> LanguageModel:
        config = replace(LlmConfig("scripted", endpoint.url, "secret", retries=2), **more)  # type: ignore[arg-type]
        made.append(LanguageModel.build(config))
        return made[-1]

    yield build
    for model in made:
        await model.aclose()


async def test_an_answer_in_shape_is_asked_for_strictly(
    endpoint: ScriptedServer, make: Make
) -> None:
    endpoint.replies = [completion(RIGHT, tokens=42)]
    answer = await make(temperature=0.0).ask(QUESTION, City)
    assert (answer.value, answer.text, answer.tokens) == (City(city="Bremen"), RIGHT, 42)
    sent = endpoint.requests[0]
    assert sent["auth"] == "Bearer secret"
    assert sent["path"].endswith("/chat/completions")
    wanted = {"name": "city", "schema": SCHEMA, "strict": True}
    assert sent["response_format"] == {"type": "json_schema", "json_schema": wanted}
    assert [m["role"] for m in sent["messages"]] == ["system", "user"]
    assert sent["messages"][1]["content"] == QUESTION.data
    assert (sent["temperature"], sent["max_completion_tokens"]) == (0.0, 1500)


async def test_no_temperature_is_sent_unless_set(endpoint: ScriptedServer, make: Make) -> None:
    endpoint.replies = [completion(RIGHT)]
    await make().ask(QUESTION, City)
    assert "temperature" not in endpoint.requests[0]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (completion("Bremen, of course"), "Invalid JSON"),
        (completion('{"town": "Bremen"}'), "city: Field required"),
        (completion('{"city": 5}'), "city: Input should be a valid string"),
        (completion('{"city": "Bre', finish="length"), "cut off"),
        (completion(""), "it is empty"),
        (completion("", refusal="I will not"), "it was refused"),
    ],
)
async def test_an_answer_out_of_shape_is_sent_back_once_with_the_reason(
    endpoint: ScriptedServer, make: Make, wrong: Reply, told: str
) -> None:
    endpoint.replies = [wrong, completion(RIGHT, tokens=50)]
    answer = await make().ask(QUESTION, City)
    assert (answer.value.city, answer.tokens) == ("Bremen", 150)
    again = endpoint.requests[1]["messages"]
    assert [m["role"] for m in again] == ["system", "user", "assistant", "user"]
    assert told in again[3]["content"]


async def test_twice_out_of_shape_is_an_error_that_tells_what_it_cost(
    endpoint: ScriptedServer, make: Make
) -> None:
    endpoint.replies = [completion("nonsense", tokens=70)]
    with pytest.raises(LlmAnswerUnusable, match="does not fit") as caught:
        await make().ask(QUESTION, City)
    assert (caught.value.tokens, len(endpoint.requests)) == (140, 2)


async def test_a_busy_endpoint_is_asked_again_when_it_says(
    endpoint: ScriptedServer, make: Make
) -> None:
    busy = Reply(429, {"error": {"message": "slow down"}}, {"Retry-After": "0.3"})
    endpoint.replies = [busy, Reply(503, {"error": {"message": "later"}}), completion(RIGHT)]
    assert (await make().ask(QUESTION, City)).value.city == "Bremen"
    assert len(endpoint.requests) == 3
    assert endpoint.at[1] - endpoint.at[0] >= 0.3


async def test_an_endpoint_that_goes_on_failing_is_unavailable(
    endpoint: ScriptedServer, make: Make
) -> None:
    endpoint.replies = [Reply(500, {"error": {"message": "no"}}, {"Retry-After-Ms": "5"})]
    with pytest.raises(LlmUnavailable, match="answered 500") as caught:
        await make().ask(QUESTION, City)
    assert not isinstance(caught.value, LlmAnswerUnusable)
    assert (len(endpoint.requests), caught.value.tokens) == (3, 0)


async def test_a_refused_key_is_not_tried_again(endpoint: ScriptedServer, make: Make) -> None:
    endpoint.replies = [Reply(401, {"error": {"message": "who are you"}})]
    with pytest.raises(LlmUnavailable, match="answered 401"):
        await make().ask(QUESTION, City)
    assert len(endpoint.requests) == 1


async def test_a_hanging_connection_is_given_up(endpoint: ScriptedServer, make: Make) -> None:
    endpoint.replies = [Reply(body={}, delay=6)]
    start = time.monotonic()
    with pytest.raises(LlmUnavailable, match=r"within 0\.2 s"):
        await make(timeout_s=0.2, retries=0).ask(QUESTION, City)
    with pytest.raises(LlmUnavailable, match=r"within 0\.3 s"):
        await make(timeout_s=5, deadline_s=0.3).ask(QUESTION, City)
    assert time.monotonic() - start < 5


async def test_nobody_there_is_unavailable(make: Make) -> None:
    model = make(base_url="http://127.0.0.1:9/v1", retries=0)
    with pytest.raises(LlmUnavailable, match="cannot be reached"):
        await model.ask(QUESTION, City)


@pytest.mark.parametrize("body", ["<html>", {"choices": []}, {"object": "list"}, []])
async def test_something_else_than_a_completion_is_unavailable(
    endpoint: ScriptedServer, make: Make, body: object
) -> None:
    endpoint.replies = [Reply(body=body)]
    with pytest.raises(LlmUnavailable):
        await make(retries=0).ask(QUESTION, City)


def test_a_model_needs_a_name_and_a_door() -> None:
    with pytest.raises(InvalidInput) as nameless:
        LanguageModel.build(LlmConfig("", "http://127.0.0.1:9/v1"))
    with pytest.raises(InvalidInput) as keyless:
        LanguageModel.build(LlmConfig("some"))
    assert (nameless.value.field, keyless.value.field) == ("model", "api_key")


def test_the_key_of_an_answer_is_made_of_all_that_matters() -> None:
    base = QUESTION.key("acme", "m", "text")
    assert base == QUESTION.key("acme", "m", "text")
    others = {
        QUESTION.key("other", "m", "text"),
        QUESTION.key("acme", "n", "text"),
        QUESTION.key("acme", "m", "texts"),
        replace(QUESTION, version="2").key("acme", "m", "text"),
        replace(QUESTION, schema={}).key("acme", "m", "text"),
        replace(QUESTION, instructions="Else.").key("acme", "m", "text"),
    }
    assert len(others | {base}) == 7


def test_what_is_set_aside_is_more_than_two_questions_can_cost() -> None:
    config = LlmConfig("m", answer_tokens=100)
    words = len((QUESTION.instructions + QUESTION.data + json.dumps(SCHEMA)).split())
    assert most_tokens(QUESTION, config) >= 2 * words + 3 * 100


async def test_an_answer_comes_word_by_word_where_that_is_set(
    endpoint: ScriptedServer, make: Make
) -> None:
    endpoint.replies = [streamed('{"ci', 'ty": "Bre', 'men"}', tokens=42)]
    answer = await make(stream=True).ask(QUESTION, City)
    assert (answer.value, answer.text, answer.tokens) == (City(city="Bremen"), RIGHT, 42)
    sent = endpoint.requests[0]
    assert (sent["stream"], sent["stream_options"]) == (True, {"include_usage": True})
    assert sent["response_format"]["json_schema"]["strict"]


async def test_each_word_has_the_time_of_its_own(endpoint: ScriptedServer, make: Make) -> None:
    endpoint.replies = [streamed('{"city": ', '"Br', 'emen"}', gap=0.4)]
    answer = await make(stream=True, timeout_s=1, retries=0).ask(QUESTION, City)
    assert answer.value.city == "Bremen"
    with pytest.raises(LlmUnavailable, match=r"within 0\.1 s"):
        await make(stream=True, timeout_s=0.1, retries=0).ask(QUESTION, City)
    with pytest.raises(LlmUnavailable, match=r"within 0\.3 s"):
        await make(stream=True, timeout_s=5, deadline_s=0.3).ask(QUESTION, City)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (streamed('{"city": "Bre', finish=None), "broke off"),
        (Reply(headers=EVENTS, parts=("data: {nonsense\n\n",)), "no completion"),
        (
            Reply(headers=EVENTS, parts=("data: [DONE]\n\n",)),
            "broke",
        ),
        (Reply(429, {"error": {"message": "slow down"}}, {"Retry-After-Ms": "5"}), "answered 429"),
    ],
)
async def test_a_stream_that_is_no_answer_is_unavailable(
    endpoint: ScriptedServer, make: Make, reply: Reply, told: str
) -> None:
    endpoint.replies = [reply]
    with pytest.raises(LlmUnavailable, match=told):
        await make(stream=True, retries=1).ask(QUESTION, City)


async def test_a_stream_out_of_shape_is_sent_back_once(
    endpoint: ScriptedServer, make: Make
) -> None:
    endpoint.replies = [streamed('{"city": "Bre', finish="length"), streamed(RIGHT, tokens=50)]
    answer = await make(stream=True).ask(QUESTION, City)
    assert (answer.value.city, answer.tokens) == ("Bremen", 150)
    assert "cut off" in endpoint.requests[1]["messages"][3]["content"]
