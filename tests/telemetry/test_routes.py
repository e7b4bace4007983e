"""Being operated: health, metrics, status, request ids."""

from __future__ import annotations

import httpx
from litestar import Litestar

from app.kinds import KINDS, TOLD_TO_FEW
from app.wiring import Parts
from tests.communities.conftest import BREMEN
from tests.conftest import MakePrincipal, Principal
from tests.documents.conftest import MakeShelf, shelf
from tests.lifecycle.conftest import Say, say

__all__ = ["say", "shelf"]


async def test_health_and_metrics_need_no_key(app: Litestar) -> None:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://loci") as client:
        live = await client.get("/health/live")
        ready = await client.get("/health/ready")
        metrics = await client.get("/metrics")
    assert live.json() == {"status": "live"}
    assert ready.json() == {"status": "ready", "graph": "ok", "queue": "ok"}
    assert "loci_index_backlog" in metrics.text
    assert 'loci_requests_total{method="GET",route="/health/live",status="200"}' in metrics.text


async def test_a_request_id_is_kept_where_it_is_harmless(writer: Principal) -> None:
    kept = await writer.http.get("/v1/episodes", headers={"X-Request-ID": "abc-123"})
    assert kept.headers["x-request-id"] == "abc-123"
    made = await writer.http.get("/v1/episodes", headers={"X-Request-ID": "a b{};"})
    assert made.headers["x-request-id"] != "a b{};"
    assert len(made.headers["x-request-id"]) == 36


async def test_status_counts_every_kind(
    opened: Parts, admin: Principal, tenant: str, say: Say, shelf: MakeShelf
) -> None:
    await say(tenant, BREMEN)
    await opened.communities.refresh(tenant)
    library = await shelf(admin, name="North")
    document = await library.add("pump.md", "# Pump\n\nThe pump leaks.")
    made = [
        ("/v1/notes", {"content": "The audit of Vega is due in May."}),
        ("/v1/pages", {"title": "Vega", "content": "A page on Vega."}),
        ("/v1/skills", {"name": "Sweep", "body": "With a broom.", "category": "communication"}),
        ("/v1/bad-patterns", {"content": "It was done twice.", "reason": "Nobody looked."}),
    ]
    for path, body in made:
        answer = await admin.http.post(path, json=body)
        assert answer.status_code == 201, answer.text
    block = {"content": "I am Loci."}
    assert (await admin.http.put("/v1/core-blocks/identity", json=block)).status_code == 200
    census = (await admin.http.get("/v1/status")).json()["census"]
    assert set(census) == {
        "BadPattern", "Chunk", "Community", "CoreBlock", "Document", "Entity", "Episode", "Fact",
        "KnowledgeBase", "MemSession", "Note", "Page", "Skill",
    }  # fmt: skip
    assert (census["Document"], census["Page"], census["Skill"], census["Note"]) == (1, 1, 1, 1)
    assert census["Chunk"] >= len(await library.chunks(document["id"])) > 0


async def test_status_counts_every_kind_that_declares_itself(
    opened: Parts, admin: Principal, tenant: str
) -> None:
    """A node of each stands for what its own routes write, as the tests of its slice do."""
    nodes = [
        {"id": f"{tenant}-{kind.name}-{n}", "kind": kind.name, "labels": kind.labels[:1]}
        for place, kind in enumerate(KINDS)
        for n in range(1 + place % 3)
    ]
    made = "UNWIND $nodes AS row CREATE (n:Declared {id: row.id, kind: row.kind, scope: $scope}) "
    await opened.graph.raw(f"CYPHER 25 {made} SET n:$(row.labels)", nodes=nodes, scope=tenant)
    try:
        census = (await admin.http.get("/v1/status")).json()["census"]
    finally:
        await opened.graph.raw("MATCH (n:Declared {scope: $scope}) DELETE n", scope=tenant)
    assert census == {kind.label: 1 + place % 3 for place, kind in enumerate(KINDS)}


async def test_status_counts_nothing_that_others_keep_to_themselves(
    admin: Principal, writer: Principal, principal: MakePrincipal
) -> None:
    """Kinds with readers of their own, and of one agent: only who administers the scope learns how
    much of it there is."""
    home = writer.caller.home
    other = await principal(home, name="other")
    before = (await other.http.get("/v1/status")).json()["census"]
    pool = {"pool_id": "mine", "name": "Mine", "type": "agent_private", "scope": home}
    talk = {"messages": [{"role": "user", "content": "The ferry leaves."}], "scope": home}
    made = [
        await writer.http.post("/v1/pools", json=pool),
        await writer.http.put(f"/v1/pools/mine/data?path=a.b&scope={home}", json={"value": "x y"}),
        await writer.http.post("/v1/conversations/desk/messages", json=talk),
    ]
    assert [answer.status_code // 100 for answer in made] == [2, 2, 2], [a.text for a in made]
    after = (await other.http.get("/v1/status")).json()["census"]
    assert after.pop("Episode") == before.pop("Episode", 0) + 1, "which every reader there sees"
    assert after.pop("MemSession") == before.pop("MemSession", 0) + 1
    assert after == before
    whole = (await admin.http.get("/v1/status")).json()["census"]
    assert {"MemoryPool", "Conversation", "ConversationMessage"} <= whole.keys()


def test_kinds_that_fewer_are_told_of_than_see_their_scope_say_so() -> None:
    assert set(TOLD_TO_FEW) == {
        "pool", "pool_version", "pool_event", "pool_text", "webhook", "webhook_delivery",
        "conversation", "conversation_message", "transcript", "transcript_message",
        "entity_verdict", "context_access",
    }  # fmt: skip


async def test_status_counts_what_the_caller_sees(writer: Principal) -> None:
    for n in range(3):
        body = {"content": f"Line {n}.", "session": f"s{n % 2}"}
        await writer.http.post("/v1/episodes", json=body)
    shown = (await writer.http.get("/v1/status")).json()
    assert shown["census"] == {"Episode": 3, "MemSession": 2}
    assert shown["backlog"]["pending"] >= 3
    assert shown["neo4j"].startswith("2026.")
    assert shown["schema"] >= 3
    assert shown["embedding"]["dimension"] >= 1
