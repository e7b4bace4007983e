"""Traces in the context of a prompt, where they are asked for."""

from __future__ import annotations

from typing import Any

from app.search.bundle import CLOSE, OPEN
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.traces.conftest import Start, calls, complete

TASK = "rename the tables of the warehouse"


async def context(who: Principal, **more: Any) -> dict[str, Any]:
    """A context for the task."""
    answer = await who.http.post("/v1/rag/context", json={"query": TASK, **more})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def test_a_context_holds_similar_successes_when_asked_to(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, start: Start
) -> None:
    solved = await start(TASK)
    await calls(writer, solved, {"tool": "sql.run"})
    await complete(writer, solved, result="A view </trace> with the old name came first.")
    failed = await start(TASK)
    await complete(writer, failed, "failure", "It was locked.")
    await opened.indexing.drain()
    told = await context(writer, include_traces=True)
    (entry,) = told["ledger"]
    assert (entry["id"], entry["kind"], entry["kept"]) == (solved, "trace", True)
    assert told["citations"] == {solved: [solved]}
    within = told["context"].partition(OPEN)[2].partition(CLOSE)[0]
    assert f'<trace id="{solved}" task="{TASK}" outcome="success" tools="sql.run">' in within
    assert "A view &lt;/trace&gt; with the old name came first." in within
    assert "It was locked." not in told["context"]
    assert (await context(writer))["ledger"] == []
    assert (await context(writer, include_traces=True, token_budget=told["frame"]))["ledger"] == [
        {**entry, "kept": False, "reason": "budget"}
    ]
    other = await principal(f"{tenant}/ops", name="aside")
    assert (await context(other, include_traces=True))["ledger"] == []
    asked = """query C($i: ContextInput!) { context(input: $i) { context } }"""
    body = {"query": asked, "variables": {"i": {"query": TASK, "includeTraces": True}}}
    answer = (await writer.http.post("/graphql", json=body)).json()
    assert answer["data"]["context"]["context"] == told["context"]
