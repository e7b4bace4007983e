"""An API says that somebody is answered, and workers know it for two seconds."""

from __future__ import annotations

from app.jobs.foreground import KEY, LASTS, Foreground
from app.jobs.queue import Queue
from app.wiring import Parts
from tests.conftest import Principal


async def test_a_search_and_a_capture_are_seen_and_a_look_at_a_job_is_not(
    opened: Parts, admin: Principal, tenant: str
) -> None:
    pool = await opened.queue.pool()
    for call, seen in (
        (admin.http.get("/v1/jobs"), False),
        (admin.http.post("/v1/search", json={"query": "Where is Ada?"}), True),
        (admin.http.get("/v1/status"), False),
        (
            admin.http.post(
                "/v1/episodes", json={"scope": tenant, "content": "Ada is here.", "session": "s"}
            ),
            True,
        ),
        (admin.http.post("/graphql", json={"query": "{ __typename }"}), True),
    ):
        await opened.foreground.say()  # what another test left
        await pool.delete(KEY)
        assert (await call).is_success
        await opened.foreground.say()
        worker = Foreground(opened.queue)
        await worker.look()
        assert worker.answering is seen
    assert 0 < await pool.pttl(KEY) <= LASTS
    await opened.foreground.say()  # nobody came since
    await pool.delete(KEY)
    await opened.foreground.say()
    assert not await pool.exists(KEY)


async def test_nobody_is_answered_where_valkey_is_away() -> None:
    alone = Foreground(Queue("redis://127.0.0.1:1", "nobody"))
    alone.answering = True
    alone.seen()
    await alone.say()
    await alone.look()
    assert not alone.answering
