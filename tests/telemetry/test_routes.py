"""Being operated: health, metrics, status, request ids."""

from __future__ import annotations

import httpx
from litestar import Litestar

from tests.conftest import Principal


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
