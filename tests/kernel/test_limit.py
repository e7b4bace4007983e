"""A process that works in the background has few transactions at once."""

from __future__ import annotations

import asyncio

import pytest

import app.kernel.graph as graph_module
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Tx, in_bulk
from app.wiring import Parts
from tests.support.graphs import another


@pytest.fixture
def limited(opened: Parts) -> Graph:
    """One transaction at a time, over the driver of the others."""
    graph = another(opened)
    graph.limit(1)
    return graph


async def test_one_waits_for_the_other_and_what_it_asks_meanwhile_does_not(
    limited: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_module, "TURN", 60.0)
    at_once, most = 0, 0

    async def work(tx: Tx) -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await tx.rows(Q.health.server)
        await limited.rows(Q.health.server)
        await asyncio.sleep(0.05)
        at_once -= 1

    await asyncio.wait_for(
        asyncio.gather(*(limited.write("a test's own", work) for _ in range(4))), 10
    )
    assert most == 1


async def test_what_is_long_leaves_a_turn_to_others(
    opened: Parts, limited: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_module, "TURN", 60.0)
    limited.limit(2)
    over, under_way, begun = asyncio.Event(), asyncio.Event(), 0

    async def work(tx: Tx) -> None:
        nonlocal begun
        begun += 1
        under_way.set()
        await tx.rows(Q.health.server)
        await over.wait()

    with in_bulk():
        long = [asyncio.create_task(limited.write("a test's own", work)) for _ in range(3)]
    await asyncio.wait_for(under_way.wait(), 10)
    assert await asyncio.wait_for(limited.one(Q.health.server), 10)
    assert begun == 1
    over.set()
    await asyncio.gather(*long)
    assert begun == 3


async def test_what_is_long_waits_for_its_like_beyond_a_turn_and_not_for_good(
    limited: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three writers of an import, each of which takes longer than a turn."""
    monkeypatch.setattr(graph_module, "TURN", 0.05)
    limited.limit(2)
    over, under_way, begun = asyncio.Event(), asyncio.Event(), 0

    async def work(tx: Tx) -> None:
        nonlocal begun
        begun += 1
        under_way.set()
        await tx.rows(Q.health.server)
        await over.wait()

    with in_bulk():
        long = [asyncio.create_task(limited.write("a test's own", work)) for _ in range(3)]
    await asyncio.wait_for(under_way.wait(), 10)
    for _ in range(5):
        assert await asyncio.wait_for(limited.one(Q.health.server), 10)
        await asyncio.sleep(0.1)  # twice a turn
    assert begun == 1
    over.set()
    await asyncio.gather(*long)
    over.clear()
    monkeypatch.setattr(graph_module, "BULK_TURN", 0.1)
    with in_bulk():
        first = asyncio.create_task(limited.write("a test's own", work))
        await asyncio.sleep(0.05)
        assert await asyncio.wait_for(limited.one(Q.health.server), 10)
    over.set()
    await first


async def test_a_long_one_holds_nobody_up_for_good(
    limited: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_module, "TURN", 0.1)
    over = asyncio.Event()

    async def work(tx: Tx) -> None:
        await tx.rows(Q.health.server)
        await over.wait()

    long = asyncio.create_task(limited.write("a test's own", work))
    await asyncio.sleep(0.05)
    assert await asyncio.wait_for(limited.one(Q.health.server), 10)
    over.set()
    await long
    monkeypatch.setattr(graph_module, "TURN", 60.0)
    assert await asyncio.wait_for(limited.one(Q.health.server), 10)


async def test_who_is_broken_off_gives_its_turn_back(limited: Graph) -> None:
    async def work(tx: Tx) -> None:
        await asyncio.sleep(60)

    long = asyncio.create_task(limited.write("a test's own", work))
    waiting = asyncio.create_task(limited.one(Q.health.server))
    await asyncio.sleep(0.1)
    for task in (waiting, long):
        task.cancel()
    await asyncio.gather(waiting, long, return_exceptions=True)
    assert await asyncio.wait_for(limited.one(Q.health.server), 1)
