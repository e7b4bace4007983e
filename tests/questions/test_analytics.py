"""Questions on the real graph: recorded under policy, counted, erased, let go."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from app.errors import InvalidInput
from app.kernel.caller import Role
from app.kernel.clock import now
from app.questions.analytics import Period
from app.questions.log import QuestionLog
from app.questions.model import Asked, Door, Outcome, Searched
from app.questions.writing import QuestionWriter
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.documents.conftest import MakeShelf, shelf
from tests.lifecycle.conftest import Say, Switch, checked, say, strings_of, switch

__all__ = ["say", "shelf", "switch"]


async def ask(who: Principal, path: str, query: str, **more: Any) -> None:
    answer = await who.http.post(path, json={"query": query, **more})
    assert answer.status_code == 200, answer.text


async def told(who: Principal, **params: Any) -> dict[str, Any]:
    answer = await who.http.get("/v1/rag/analytics", params=params)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def kept(opened: Parts, scope: str) -> list[dict[str, Any]]:
    return await opened.graph.raw(
        "MATCH (q:RagQuery {scope: $scope}) "
        "OPTIONAL MATCH (h:HybridSearchResult)-[:RESULT_OF]->(q) "
        "RETURN q {.*} AS query, count(h) AS searches ORDER BY query.asked_at",
        scope=scope,
    )


async def test_every_door_is_counted_with_its_mode_and_what_it_found(
    opened: Parts, admin: Principal, tenant: str, say: Say, principal: MakePrincipal
) -> None:
    await say(tenant, "Acme GmbH uses Postgres. Jonas Weber works for Acme GmbH.")
    await opened.indexing.drain()
    await opened.question_log.flush()  # what others have asked before
    await ask(admin, "/v1/search", "What does Acme use?", mode="keyword")
    await ask(admin, "/v1/search", "what does  acme USE?", mode="hybrid")
    await ask(admin, "/v1/search", "zzqx", mode="keyword")
    far = {"mode": "vector", "min_score": 1.0, "fallback": False}
    await ask(admin, "/v1/search", "Something far away", **far)
    for path in ("retrieve", "context", "ask"):
        await ask(admin, f"/v1/rag/{path}", "What does Acme GmbH use?")
    await admin.http.get("/api/v1/ai/rag/search", params={"query": "Postgres", "mode": "vector"})
    unseen = await admin.http.post(
        "/v1/rag/ask", json={"query": "x", "knowledge_base_ids": ["nowhere"]}
    )
    assert unseen.status_code == 404
    assert await opened.question_log.flush() == 9
    found = await told(admin)
    totals = found["totals"]
    assert (totals["questions"], totals["failed"], totals["empty"]) == (9, 1, 2)
    assert totals["empty_by_floor"] == 1
    assert (totals["different"], totals["principals"]) == (6, 1)
    assert 0 < totals["quality_score"] <= 100
    doors = {(row["door"], row["strategy"]): row["questions"] for row in found["doors"]}
    assert doors[("answer", "auto")] == 2
    assert doors[("search", "keyword")] == 2
    assert doors[("retrieve", "auto")] == doors[("context", "auto")] == 1
    modes = {row["mode"]: row for row in found["modes"]}
    assert modes["keyword"]["searches"] == 2
    assert modes["keyword"]["empty"] == 1
    assert all(0 < row["average_ms"] <= row["most_ms"] for row in found["modes"])
    assert sorted(one["by_floor"] for one in found["unanswered"]) == [False, True]
    assert all(
        (one["times"], one["untrusted"]["query"]) == (1, None) for one in found["unanswered"]
    )
    period = Period.of(tenant, [tenant], None, None)
    assert await opened.analytics.average_latency("vector", period) is not None
    assert await opened.analytics.average_latency("never", period) is None
    # Nothing of it is seen from another tenant, or from before.
    stranger = await principal(f"{tenant}-other")
    assert (await told(stranger))["totals"]["questions"] == 0
    assert (
        await stranger.http.get("/v1/rag/analytics", params={"scope": tenant})
    ).status_code == 404
    until = (now() - timedelta(hours=1)).isoformat()
    assert (await told(admin, until=until))["totals"]["questions"] == 0
    wrong = await admin.http.get(
        "/v1/rag/analytics", params={"since": now().isoformat(), "until": until}
    )
    assert wrong.status_code == 422
    assert "since" in wrong.text
    with pytest.raises(InvalidInput):
        Period.of(tenant, [], now(), now() - timedelta(days=1))


async def test_questions_are_counted_by_the_knowledge_base_that_they_keep_to(
    opened: Parts, admin: Principal, shelf: MakeShelf, principal: MakePrincipal, tenant: str
) -> None:
    north, south = [(await shelf(admin, name=name)).base for name in ("North", "South")]
    await opened.question_log.flush()
    await ask(admin, "/v1/search", "zzqx", mode="keyword")
    await ask(admin, "/v1/search", "zzqx", mode="keyword", knowledge_bases=[north])
    for path in ("retrieve", "context", "ask"):
        await ask(admin, f"/v1/rag/{path}", "zzqx?", knowledge_base_ids=[north, south])
    body = {"query": "zzqx", "knowledge_base_ids": [south], "mode": "keyword"}
    for path in ("search", "query"):
        shown = {name: value for name, value in body.items() if path == "search" or name != "mode"}
        answer = await admin.http.post(f"/api/v1/ai/rag/{path}", json=shown)
        assert answer.status_code == 200, answer.text
    assert await opened.question_log.flush() == 7
    every, in_north, in_south = [
        await told(admin, **({"knowledge_base_id": base} if base else {}))
        for base in (None, north, south)
    ]
    counts = [found["totals"]["questions"] for found in (every, in_north, in_south)]
    assert counts == [7, 4, 5]
    for found, questions in zip((every, in_north, in_south), counts, strict=True):
        assert sum(row["questions"] for row in found["doors"]) == questions
        assert sum(row["searches"] for row in found["modes"]) >= questions
        assert sum(one["times"] for one in found["unanswered"]) == questions
    stranger = await principal(f"{tenant}-other")
    for who, base in ((admin, "nowhere"), (stranger, north)):
        unseen = await who.http.get("/v1/rag/analytics", params={"knowledge_base_id": base})
        assert unseen.status_code == 404
        assert "knowledge_base_id" in unseen.text


async def test_a_scope_says_what_is_kept_of_its_questions(
    opened: Parts, admin: Principal, tenant: str, switch: Switch, principal: MakePrincipal
) -> None:
    agent = await principal(f"{tenant}/dev", name="scout")
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="other")
    text = "Where is zzqx? Call +49 30 90182015 about it"
    for policy in ("hash", "text", "off"):
        await switch(f"{tenant}/dev", questions=policy)
        await ask(agent, "/v1/search", text, mode="keyword")
        await opened.question_log.flush()
    rows = [row["query"] for row in await kept(opened, f"{tenant}/dev")]
    assert len(rows) == 2
    assert rows[0].get("words") is None
    assert "zzqx" in rows[1]["words"]
    assert "90182015" not in rows[1]["words"]  # sanitised under the scope's policy
    assert rows[0]["fingerprint"] == rows[1]["fingerprint"]
    for who, shown in [(agent, True), (admin, True), (reader, False)]:
        (nothing,) = (await told(who, scope=f"{tenant}/dev"))["unanswered"]
        assert (nothing["untrusted"]["query"] is not None) is shown
        assert nothing["times"] == 2
    # Words that are no longer wanted go with the next sweep, and all of it with its age.
    await opened.analytics.sweep(now() - timedelta(days=1))
    rows = [row["query"] for row in await kept(opened, f"{tenant}/dev")]
    assert [row.get("words") for row in rows] == [None, None]
    wrong = await admin.http.put(
        "/v1/scopes/rules", params={"scope": tenant}, json={"questions": "all"}
    )
    assert wrong.status_code == 422
    assert "questions" in wrong.text


async def test_an_erasure_takes_the_questions_that_showed_or_name_what_goes(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    canary = f"Canarius{tenant.replace('-', 'x')}"
    await switch(tenant, erasure=True, questions="text")
    gone = await say(tenant, f"Ada {canary} lives in Bremen.")
    await say(tenant, "Acme GmbH uses Postgres.", session="other")
    for question in (f"Where does {canary} live?", f"Is {canary} tall?", "Who uses Postgres?"):
        await ask(admin, "/v1/search", question, mode="keyword", limit=1)
    await opened.question_log.flush()
    # Asked before the erasure, and still in the memory of the process when it runs.
    await ask(admin, "/v1/search", "Who lives in Bremen?", mode="keyword", limit=1)
    answer = await admin.http.post("/v1/erasures", json={"memory": gone})
    assert answer.status_code == 200, answer.text
    assert answer.json()["counts"]["questions"] == 2
    await opened.question_log.flush()
    left = [row["query"]["words"] for row in await kept(opened, tenant)]
    assert left == ["Who uses Postgres?"]
    assert await strings_of(opened, canary) == []
    found = await checked(opened, admin, answer.json()["receipt"], canary)
    assert found["clean"], found


async def test_an_author_is_erased_with_what_he_asked(
    opened: Parts, admin: Principal, tenant: str, switch: Switch, principal: MakePrincipal
) -> None:
    await switch(tenant, erasure=True)
    agent = await principal(f"{tenant}/dev", name="scout")
    for _ in range(2):
        await ask(agent, "/v1/search", "anything", mode="keyword")
    await opened.question_log.flush()
    await ask(agent, "/v1/search", "something", mode="keyword")  # waits to be written
    scope = f"{tenant}/dev"
    body = {"author": agent.caller.principal, "scope": scope}
    answer = await admin.http.post("/v1/erasures", json=body)
    assert answer.status_code == 202, answer.text
    assert await opened.runner.run(opened, answer.json()["job"]) == "done"
    receipt = await admin.http.get(f"/v1/erasures/{answer.json()['receipt']}")
    assert receipt.json()["counts"]["questions"] == 2
    await opened.question_log.flush()
    assert await kept(opened, scope) == []


async def test_old_questions_go_with_their_searches(
    opened: Parts, admin: Principal, tenant: str
) -> None:
    await ask(admin, "/v1/search", "one", mode="keyword")
    await opened.question_log.flush()
    await opened.graph.raw(
        "MATCH (q:RagQuery {scope: $scope}) SET q.asked_at = datetime('2020-01-01T00:00:00Z')",
        scope=tenant,
    )
    await opened.analytics.sweep(now() - timedelta(days=90))
    assert await kept(opened, tenant) == []
    rows = await opened.graph.raw(
        "MATCH (h:HybridSearchResult {scope: $scope}) RETURN h.id AS id", scope=tenant
    )
    assert rows == []


async def test_more_than_the_buffer_holds_is_counted_and_left_out(
    opened: Parts, admin: Principal, tenant: str
) -> None:
    log = QuestionLog(QuestionWriter(opened.graph, opened.scopes), most=5)
    found = Outcome.of(Searched("auto", "hybrid", "rrf", 3, ("e1",), 1.0, (0.5,), 2))
    for _ in range(8):
        with log.asking(admin.caller, Asked(Door.SEARCH, "again")) as telling:
            telling.outcome = found
    assert log.dropped == 3
    assert await log.flush() == 5
    assert (await told(admin))["totals"]["questions"] == 5
