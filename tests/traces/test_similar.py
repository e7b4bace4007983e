"""How was this solved before: by meaning, outcome, agent and tool; in search, and left by erasure.

The model of the tests compares words, and its cosines stand for themselves.
"""

from __future__ import annotations

from typing import Any

import pytest

from app.lifecycle.invariants import broken
from app.traces import similar
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.pools.test_packages import allow, erase
from tests.traces.conftest import Start, calls, complete, posted, steps, whole

TASK = "export the invoices of March as a table"


async def alike(who: Principal, task: str = TASK, **more: Any) -> list[str]:
    """Ids of similar traces."""
    told = await posted(who, "/similar", {"task": task, **more}, 200)
    assert all(item["similarity"] >= told["floor"] for item in told["items"])
    return [item["trace"]["id"] for item in told["items"]]


async def ended(
    who: Principal, start: Start, task: str, outcome: str = "success", tool: str = "csv"
) -> str:
    """A trace that has ended."""
    trace = await start(task, by=who)
    await calls(who, trace, {"tool": tool})
    await complete(who, trace, outcome)
    return trace


async def test_successes_are_found_and_others_when_asked_for(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, start: Start
) -> None:
    other = await principal(f"{tenant}/dev", name="other")
    old = await ended(writer, start, TASK)
    failed = await ended(writer, start, TASK, "failure")
    new = await ended(other, start, TASK, tool="Sheet.write")
    partial = await ended(writer, start, TASK, "partial")
    await ended(writer, start, "water the plants in the hall")
    await start(TASK)
    assert await alike(writer) == [], "without a vector nothing is alike"
    await opened.indexing.drain()
    assert await alike(writer) == [new, old]
    every = ["success", "partial", "failure", "cancelled"]
    assert await alike(writer, outcomes=every) == [new, old, partial, failed]
    assert await alike(writer, outcomes=["failure"]) == [failed]
    assert await alike(writer, agent="other") == [new]
    assert await alike(writer, tool="Sheet.write") == [new]
    assert await alike(writer, tool="csv", limit=1, outcomes=every) == [old]
    near = await alike(writer, "export the invoices of April as a table", floor=0)
    assert near[:2] == [new, old]
    assert len(near) == 3, "the floor is all that keeps the plants out"
    assert await alike(writer, "paint a fence") == []
    nearer = (await posted(writer, "/similar", {"task": TASK}, 200))["items"][0]["similarity"]
    assert nearer > 0.99


async def test_what_is_behind_others_is_found_as_well(
    opened: Parts, writer: Principal, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        await ended(writer, start, TASK, "failure")
    wanted = await ended(writer, start, f"{TASK} please")
    await opened.indexing.drain()
    monkeypatch.setattr(similar, "FIRST", 2)
    assert await alike(writer) == [wanted]


async def test_others_find_nothing(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, start: Start
) -> None:
    mine = await ended(writer, start, TASK)
    await opened.indexing.drain()
    for scope in (f"{tenant}/aside", f"{tenant}y/dev"):
        other = await principal(scope, name="aside")
        assert await alike(other) == []
        assert await alike(other, floor=0) == []
        answer = await other.http.post(
            "/v1/traces/similar", json={"task": TASK, "scope": [f"{tenant}/dev"]}
        )
        assert answer.status_code == 404
    assert await alike(writer, scope=[f"{tenant}/dev"]) == [mine]


async def hits(who: Principal, query: str, **more: Any) -> list[dict[str, Any]]:
    """What a search for traces finds."""
    body = {"query": query, "kinds": ["trace"], **more}
    answer = await who.http.post("/v1/search", json=body)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["hits"]
    return found


async def test_search_finds_traces_that_have_ended(
    opened: Parts, writer: Principal, tenant: str, start: Start
) -> None:
    trace = await start(TASK, session="monday")
    await steps(writer, trace, {"thought": "which table?"})
    await calls(writer, trace, {"tool": "Csv.write"})
    assert await hits(writer, "invoices") == []
    assert await broken(opened.graph, tenant) == []
    await complete(writer, trace, result="done")
    (hit,) = await hits(writer, "invoices")
    assert (hit["id"], hit["kind"], hit["untrusted"]["text"]) == (trace, "trace", TASK)
    assert sorted(hit["untrusted"]["tags"]) == ["csv.write", "success"]
    assert await hits(writer, "invoices", mode="vector") == []
    await opened.indexing.drain()
    assert [one["id"] for one in await hits(writer, "invoices", mode="vector")] == [trace]
    assert [one["id"] for one in await hits(writer, "invoices", session="monday")] == [trace]
    assert await hits(writer, "invoices", session="tuesday") == []
    assert await hits(writer, "invoices", tags=["failure"]) == []
    assert (await writer.http.post("/v1/search", json={"query": "invoices"})).json()["hits"] == []
    assert await broken(opened.graph, tenant) == []


async def test_an_erased_trace_leaves_both_indexes(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, start: Start
) -> None:
    await allow(admin, tenant)
    trace = await ended(writer, start, TASK)
    kept = await ended(writer, start, TASK)
    await opened.indexing.drain()
    await erase(opened, admin, memory=trace)
    assert await alike(writer) == [kept]
    assert [hit["id"] for hit in await hits(writer, "invoices")] == [kept]
    rows = await opened.graph.raw(
        "MATCH (n:Searchable {memory_id: $id}) RETURN n.id AS id", id=trace
    )
    assert rows == []
    assert (await whole(writer, kept))["trace"]["outcome"] == "success"
