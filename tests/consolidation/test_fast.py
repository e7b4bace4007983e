"""What the fast path promises where a worker that the capture woke is faster."""

from __future__ import annotations

import asyncio

import pytest

from app.consolidation.service import ConsolidationService, Tally
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
        async with asyncio.timeout(30):  # a lease that fails is told, not waited for
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
