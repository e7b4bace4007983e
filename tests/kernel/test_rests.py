"""A process in the background rests after long transactions, while others are answered."""

from __future__ import annotations

import asyncio
import time

import pytest

import app.kernel.rests as rests_module
from app.kernel.cypher import Q
from app.kernel.graph import Tx
from app.kernel.rests import SHORT, Rests
from app.wiring import Parts
from tests.support.graphs import another


async def took(rests: Rests, *seconds: float) -> float:
    """Seconds of the longest rest after transactions that ended at once."""
    start = time.monotonic()
    await asyncio.gather(*(rests.after(one) for one in seconds))
    return time.monotonic() - start


async def test_a_rest_is_so_many_times_as_long_as_what_it_follows() -> None:
    assert 0.2 <= await took(Rests(2.0, lambda: True), SHORT + 0.1) < 0.4


async def test_those_that_end_side_by_side_rest_one_after_the_other() -> None:
    assert 0.3 <= await took(Rests(1.0, lambda: True), *[SHORT + 0.1] * 3) < 0.6


@pytest.mark.parametrize(
    ("factor", "wanted", "seconds"), [(2.0, True, SHORT), (2.0, False, 1.0), (0.0, True, 1.0)]
)
async def test_nobody_rests_where_it_helps_nobody(
    factor: float, wanted: bool, seconds: float
) -> None:
    assert await took(Rests(factor, lambda: wanted), seconds) < 0.1


async def test_no_rest_is_longer_than_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rests_module, "LONGEST", 0.1)
    assert await took(Rests(20.0, lambda: True), *[60.0] * 20) < 0.3


async def test_a_short_transaction_goes_on_while_a_long_one_is_rested_after(opened: Parts) -> None:
    graph = another(opened)
    graph.limit(1, Rests(20.0, lambda: True))

    async def long(tx: Tx) -> None:
        await tx.rows(Q.health.server)
        await asyncio.sleep(0.1)

    resting = asyncio.create_task(graph.write("a test's own", long))
    await asyncio.sleep(0.5)
    assert not resting.done()
    assert await asyncio.wait_for(graph.one(Q.health.server), 1)
    await resting
