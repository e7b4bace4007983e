"""What a worker looks at each few seconds costs by what waits, not by the scopes that there are."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import timedelta
from functools import partial

import pytest
import pytest_asyncio

from app.consolidation.repository import ConsolidationRepository
from app.indexing.repository import IndexRepository
from app.jobs.repository import JobRepository
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.lifecycle.condensing import CondensingService
from app.llm.repository import ReadingRepository
from app.pages.due import DuePages
from app.retrieval.repository import RetrievalRepository
from app.wiring import Parts
from tests.support.profiled import Profiled

IDLE = 300
# Scopes in tenants of their own, with one of everything that a look could be led by, all done.
STORE = """
UNWIND range(1, $many) AS number
WITH $prefix + toString(number) AS scope, $at AS at
CREATE (:Scope {path: scope, tenant: scope})
CREATE (:ConsolidationCursor {scope: scope, tenant: scope, condensed_at: at + duration('PT1H')})
CREATE (:PassageGraph {scope: scope, tenant: scope, revision: 1, alike_rev: 0,
                       called_at: at + duration('PT1H')})
CREATE (:Entity {id: scope + '-e', scope: scope, tenant: scope, keys: ['a', 'b'], touched_at: at})
CREATE (:Name {id: scope + '-n', scope: scope, tenant: scope, alike_state: 'done'})
CREATE (:Page {id: scope + '-g', scope: scope, tenant: scope, passage_state: 'done',
               touched_at: at})
CREATE (:Passage:Memory {id: scope + '-p', scope: scope, tenant: scope, ingested_at: at,
                         consolidation_state: 'consolidated', index_state: 'done',
                         link_state: 'linked', model_state: 'read', model_due_at: at})
"""
DROP = "MATCH (n) WHERE n.tenant STARTS WITH $prefix DETACH DELETE n"


@pytest.fixture
def profiled(opened: Parts) -> Profiled:
    """A graph that counts."""
    return Profiled(opened.graph)


@pytest.fixture
def looks(opened: Parts, profiled: Profiled) -> Mapping[str, Callable[[], Awaitable[object]]]:
    """Every look of the worker that a statement answers, by name."""
    names, index = RetrievalRepository(profiled), IndexRepository(profiled)
    return {
        "consolidation": ConsolidationRepository(profiled).due_scopes,
        "model": ReadingRepository(profiled).due_scopes,
        "linking": names.due,
        "newly called": partial(names.newly_called, 1000),
        "unbegun": partial(names.unbegun, 1000),
        "uncompared": names.uncompared,
        "pages": DuePages(profiled, opened.due_pages._passages).due,
        "newest to index": partial(index.newest, 32),
        "oldest to index": partial(index.oldest, 32),
        "condensing": CondensingService(profiled, opened.scopes).due,
        "webhooks": partial(profiled.rows, Q.webhooks.due, at=now(), limit=200),
        "their tenants": partial(profiled.rows, Q.webhooks.tenants),
        "jobs": JobRepository(profiled, timedelta(seconds=60)).due,
    }


@pytest_asyncio.fixture(loop_scope="session")
async def idle(opened: Parts, tenant: str) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Makes the idle scopes; they are gone at the end."""

    async def make() -> None:
        at = now() - timedelta(days=2)
        await written(opened.graph, STORE, many=IDLE, prefix=f"{tenant}-idle", at=at)

    yield make
    await written(opened.graph, DROP, prefix=f"{tenant}-idle")


async def written(graph: Graph, text: str, **given: object) -> None:
    async with graph.driver.session() as session:
        await (await session.run(text, given)).consume()  # type: ignore[arg-type]


async def test_idle_scopes_cost_nothing(
    profiled: Profiled,
    looks: Mapping[str, Callable[[], Awaitable[object]]],
    idle: Callable[[], Awaitable[None]],
) -> None:
    async def cost() -> dict[str, int]:
        costs = {}
        for name, look in looks.items():
            await look()  # from now on it knows what other tests left to be done
            profiled.hits = 0
            await look()
            costs[name] = profiled.hits
        return costs

    before = await cost()
    await idle()
    after = await cost()
    grown = {name: (before[name], after[name]) for name in looks}
    # Anything that visits scopes or tenants hits the store three times for each at least.
    assert {name: pair for name, pair in grown.items() if pair[1] > pair[0] + IDLE // 4} == {}
