"""A request that works on and on lets other tenants' queries go first."""

from __future__ import annotations

import asyncio
import time

import pytest

from app.access.service import operator
from app.facts.service import Moments
from app.graphql.loading import UNHURRIED, Loading
from app.graphql.relations import EPISODE
from app.kernel.cypher import Q
from app.kernel.graph import Graph, asking_for
from app.wiring import Parts
from tests.support.graphs import another

WORK = 4 * UNHURRIED  # seconds that a request has worked between two batches
ALONE = WORK / 2  # most seconds of a batch that nobody waits for


@pytest.fixture
def shared(opened: Parts) -> Graph:
    """The database as requests of several parties ask it, two at once."""
    graph = another(opened)
    graph.share(2)
    return graph


async def batch(loading: Loading, work: float = 0.0) -> float:
    """Seconds of one more batch of a request that has worked so long since the former."""
    await asyncio.sleep(work)
    start = time.monotonic()
    assert await loading.one(EPISODE, "ep_none", Moments.of(None, None)) is None
    return time.monotonic() - start


async def asked_by(graph: Graph, party: str) -> None:
    asking_for.set(party)
    await graph.rows(Q.health.server)


async def test_a_batch_rests_as_long_as_the_request_worked_beside_others(
    shared: Graph, tenant: str
) -> None:
    asking_for.set("many")
    await batch(Loading(shared, operator(tenant, [tenant])))  # so that its plan is known
    await asyncio.create_task(asked_by(shared, "few"))
    loading = Loading(shared, operator(tenant, [tenant]))
    assert await batch(loading) < ALONE, "it has just begun"
    await asyncio.create_task(asked_by(shared, "few"))
    assert WORK <= await batch(loading, WORK) < 2 * WORK
    await asyncio.create_task(asked_by(shared, "few"))
    assert await batch(loading) < ALONE, "its rest counts as no work"


async def test_a_request_that_is_alone_never_rests(shared: Graph, tenant: str) -> None:
    asking_for.set("many")
    loading = Loading(shared, operator(tenant, [tenant]))
    await batch(loading)
    for _ in range(2):
        assert await batch(loading, WORK) < ALONE
