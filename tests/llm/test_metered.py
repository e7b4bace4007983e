"""Questions beside the reading of memories: what they cost, and what they may not cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from app.errors import BudgetSpent, LlmAnswerUnusable, LlmUnavailable
from app.kernel.clock import now
from app.llm.client import LanguageModel
from app.llm.metered import MeteredModel
from app.llm.model import LlmConfig, Question, most_tokens
from app.llm.repository import day_of, usage_id
from app.wiring import Parts
from tests.consolidation.conftest import query
from tests.embeddings.scripted_server import Reply, ScriptedServer, scripted_server
from tests.llm.chat import completion


class Told(BaseModel):
    text: str


ASKED = Question("told", "1", "Tell.", "Where?", Told.model_json_schema())


@pytest.fixture
def endpoint() -> Iterator[ScriptedServer]:
    with scripted_server() as server:
        yield server


async def spent(opened: Parts, scope: str) -> dict[str, Any]:
    rows = await query(
        opened.graph,
        "MATCH (u:ModelUsage {id: $id}) RETURN u {.tokens, .asked, .failed, .scope} AS u",
        id=usage_id(scope, day_of(now())),
    )
    found: dict[str, Any] = rows[0]["u"] if rows else {}
    return found


async def test_what_is_asked_costs_the_scope_and_no_more_than_its_budget(
    opened: Parts, endpoint: ScriptedServer, tenant: str
) -> None:
    config = LlmConfig("m", endpoint.url, retries=0, answer_tokens=100)
    model = LanguageModel.build(config)
    metered = MeteredModel(opened.graph, model, 600 + most_tokens(ASKED, config) - 1)
    endpoint.replies = [completion('{"text": "There."}', tokens=300)]
    answer = await metered.ask(f"{tenant}/dev", ASKED, Told)
    assert (answer.value.text, metered.name) == ("There.", "m")
    assert await spent(opened, f"{tenant}/dev") == {
        "tokens": 300,
        "asked": 1,
        "failed": 0,
        "scope": f"{tenant}/dev",
    }
    await metered.ask(f"{tenant}/dev", ASKED, Told)
    with pytest.raises(BudgetSpent, match=f"{tenant}/dev"):
        await metered.ask(f"{tenant}/dev", ASKED, Told)
    assert len(endpoint.requests) == 2
    assert (await spent(opened, f"{tenant}/dev"))["tokens"] == 600
    await metered.ask(f"{tenant}/ops", ASKED, Told)  # has a budget of its own
    await metered.aclose()


@pytest.mark.parametrize(
    ("reply", "error", "tokens"),
    [
        (Reply(500, {}), LlmUnavailable, 0),
        (completion("no JSON", tokens=40), LlmAnswerUnusable, 80),
    ],
)
async def test_a_failure_costs_what_it_used(
    opened: Parts, endpoint: ScriptedServer, tenant: str, reply: Reply, error: Any, tokens: int
) -> None:
    model = LanguageModel.build(LlmConfig("m", endpoint.url, retries=0, answer_tokens=100))
    metered = MeteredModel(opened.graph, model, 10_000)
    endpoint.replies = [reply]
    with pytest.raises(error):
        await metered.ask(f"{tenant}/dev", ASKED, Told)
    told = await spent(opened, f"{tenant}/dev")
    assert (told["tokens"], told["asked"], told["failed"]) == (tokens, 1, 1)
    await metered.aclose()
