"""Turns of consolidation: a capture wakes them, and what breaks one off costs its texts nothing."""

from __future__ import annotations

import asyncio

import pytest

from app.consolidation.service import ConsolidationService
from app.errors import GraphBusy
from app.jobs.lanes import Due
from app.wiring import INDEX_TASK, Parts
from app.worker import WAKES, Desk
from tests.conftest import Principal
from tests.consolidation.conftest import Said, capture, query

TOLD = (
    "MATCH (e:Episode {scope: $scope}) RETURN e.consolidation_state AS state, e.attempts AS tries"
)


@pytest.fixture
def nothing_else_waits(opened: Parts, writer: Principal, monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests left to be read is nobody's turn: an answer waits for 20 s at most."""
    everything = opened.consolidation.due

    async def own() -> list[Due]:
        return [due for due in await everything() if due.tenant == writer.caller.tenant]

    monkeypatch.setattr(opened.consolidation, "due", own)


@pytest.mark.usefixtures("nothing_else_waits")
async def test_a_capture_wakes_consolidation_and_its_answer_may_wait_for_it(
    opened: Parts, writer: Principal
) -> None:
    # What is asked for the first time is planned, and the answer waits for 20 s at most.
    await capture(opened, writer.caller, Said(0, "Tom Berg lives in Ulm."))
    await opened.consolidation.turn(Due(writer.caller.home, writer.caller.tenant))
    desk, body = Desk(opened), {"content": "Nora Feld lives in Bremen.", "session": "s"}
    pool = await opened.queue.pool()
    await pool.delete(opened.queue.name)
    opened.wakeup.start()
    waiting = asyncio.create_task(
        writer.http.post("/v1/episodes", params={"wait": "consolidated"}, json=body)
    )
    async with asyncio.timeout(60):
        while not await pool.queued_jobs():  # noqa: ASYNC110 - what is looked at is the queue
            await asyncio.sleep(0.02)
    assert {job.function for job in await pool.queued_jobs()} == {INDEX_TASK}
    await opened.wakeup.stop()
    desk.wake(*WAKES[INDEX_TASK])  # what the worker does for such an entry
    assert (await waiting).json()["consolidated"] is True
    await desk.close()


async def test_a_pass_that_others_held_up_is_handed_back_at_once(
    opened: Parts, writer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = writer.caller.home
    await capture(opened, writer.caller, Said(1, "Priya Sundar lives in Bremen."))
    service = ConsolidationService(opened.consolidation._parts)

    async def held_up(*given: object) -> None:
        raise GraphBusy("DeadlockDetected")

    with monkeypatch.context() as patched:
        patched.setattr(service, "_write", held_up)
        with pytest.raises(GraphBusy):
            await service.turn(Due(scope, writer.caller.tenant))
    assert await query(opened.graph, TOLD, scope=scope) == [{"state": "raw", "tries": None}]
    assert scope in {due.key for due in await service.due()}
    assert await service.turn(Due(scope, writer.caller.tenant))
    assert await query(opened.graph, TOLD, scope=scope) == [
        {"state": "consolidated", "tries": None}
    ]


async def test_a_scope_that_another_works_on_is_not_due(opened: Parts, writer: Principal) -> None:
    scope, rows = writer.caller.home, opened.consolidation_rows
    for hour in (1, 2):
        await capture(opened, writer.caller, Said(hour, f"The gate {hour} is open."))
    assert await rows.lease(scope, writer.caller.tenant, "another", 1)
    assert scope not in {due.key for due in await opened.consolidation.due()}
    assert await opened.consolidation.turn(Due(scope, writer.caller.tenant)) is False
    await rows.release(scope, "another")
    assert scope in {due.key for due in await opened.consolidation.due()}
