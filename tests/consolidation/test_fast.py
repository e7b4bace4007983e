"""What the fast path promises where a worker that the capture woke is faster."""

from __future__ import annotations

import asyncio

import pytest

from app.consolidation.service import ConsolidationService, Tally
from app.episodes import service
from app.errors import GraphBusy
from app.wiring import Parts
from tests.conftest import Principal


async def test_what_a_worker_took_first_is_settled_before_the_answer(
    opened: Parts, writer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = ConsolidationService.consolidate_now
    begun = asyncio.Event()
    taken = asyncio.Event()

    async def late(self: ConsolidationService, scope: str, ids: list[str]) -> Tally:
        begun.set()
        async with asyncio.timeout(60):  # a lease that fails is told, not waited for
            await taken.wait()
        return await at_once(self, scope, ids)

    async def work() -> None:
        await begun.wait()
        (episode,) = await opened.consolidation._parts.rows.lease(
            writer.caller.home, writer.caller.tenant, "another", 1
        )
        taken.set()
        await asyncio.sleep(0.5)  # the work goes on after the answer's own attempt
        setting = await opened.consolidation.setting(writer.caller.home)
        await opened.consolidation._held([episode], setting, "another", Tally())
        await opened.consolidation._parts.rows.release(writer.caller.home, "another")

    monkeypatch.setattr(ConsolidationService, "consolidate_now", late)
    working = asyncio.create_task(work())
    answer = await writer.http.post(
        "/v1/facts:remember",
        json={
            "statement": {
                "subject": {"name": "Nova", "type": "project"},
                "predicate": "status",
                "object": {"value": "active"},
            }
        },
    )
    await working
    assert answer.status_code == 200, answer.text
    (fact,) = answer.json()["facts"]
    assert fact["untrusted"]["statement"] == "Nova has the status active"


NIGHTJAR = {
    "statement": {
        "subject": {"name": "Nightjar", "type": "project"},
        "predicate": "status",
        "object": {"value": "active"},
    }
}


async def test_the_same_again_waits_for_the_reading_of_the_first(
    opened: Parts, writer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the first answer was lost, or its own reading gave way to another writer."""

    async def busy(self: ConsolidationService, scope: str, ids: list[str]) -> Tally:
        raise GraphBusy

    with monkeypatch.context() as patched:
        patched.setattr(ConsolidationService, "consolidate_now", busy)
        assert (await writer.http.post("/v1/facts:remember", json=NIGHTJAR)).status_code == 503
        again = asyncio.create_task(writer.http.post("/v1/facts:remember", json=NIGHTJAR))
        await asyncio.sleep(0.2)
        await opened.consolidation.consolidate(writer.caller.home)
    answer = await again
    assert answer.status_code == 200, answer.text
    (fact,) = answer.json()["facts"]
    assert fact["untrusted"]["statement"] == "Nightjar has the status active"


async def test_what_nobody_reads_in_time_is_told_as_stored_and_unread(
    opened: Parts, writer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def taken(self: ConsolidationService, scope: str, ids: list[str]) -> Tally:
        return Tally()

    monkeypatch.setattr(service, "WAIT_LIMIT", 0.2)
    with monkeypatch.context() as patched:
        patched.setattr(ConsolidationService, "consolidate_now", taken)
        answer = await writer.http.post("/v1/facts:remember", json=NIGHTJAR)
    assert (answer.status_code, answer.json()["code"]) == (503, "NotReadYet"), answer.text
    await opened.consolidation.consolidate(writer.caller.home)
    answer = await writer.http.post("/v1/facts:remember", json=NIGHTJAR)
    assert (answer.status_code, answer.json()["status"]) == (200, "duplicate")
    assert len(answer.json()["facts"]) == 1
