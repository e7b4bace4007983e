"""Keys of what waits, found without reading what doesn't."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator

import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.kernel.skipscan import END, LARGEST_PAGE, PAGE, SkipScan, spans_around
from app.wiring import Parts
from tests.support.profiled import Profiled

STORE = """
UNWIND $rows AS row UNWIND range(1, row[2]) AS _
CREATE (:Page {id: randomUUID(), tenant: row[0], scope: row[0],
               passage_state: row[1], touched_at: datetime()})
"""
DROP = "MATCH (p:Page) WHERE p.tenant STARTS WITH $prefix DETACH DELETE p"
MARK = "MATCH (p:Page {tenant: $tenant}) SET p.passage_state = $state"
STATES = ["due", "uncut"]


@given(st.sets(st.text(min_size=1).filter(lambda key: key < END)), st.text())
def test_spans_hold_each_string_once_and_each_known_key_alone(keys: set[str], other: str) -> None:
    spans = spans_around(keys)
    for key in {*keys, other}:
        assert sum(low <= key < high for low, high in spans) == (key < END)
    assert all(any(low == key < high <= f"{key}\0" for low, high in spans) for key in keys)
    assert spans == sorted(spans)


@pytest_asyncio.fixture(loop_scope="session")
async def prefix(opened: Parts, tenant: str) -> AsyncIterator[str]:
    """What all tenants of one test begin with; their pages go with it."""
    yield tenant
    async with opened.graph.driver.session() as session:
        await (await session.run(DROP, prefix=tenant)).consume()


async def run(graph: Graph, text: str, **given: object) -> None:
    async with graph.driver.session() as session:
        await (await session.run(text, given)).consume()  # type: ignore[arg-type]


def scan(graph: Graph) -> SkipScan:
    return SkipScan(graph, query=Q.pages.waiting_tenants, states=STATES)


async def waiting(one: SkipScan, prefix: str) -> list[str]:
    return [key for key in await one.keys() if key.startswith(prefix)]


async def test_it_finds_what_waits_however_much_of_each_there_is(
    opened: Parts, prefix: str
) -> None:
    rng, one = random.Random(prefix), scan(opened.graph)
    many = [0, 1, 2, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE, LARGEST_PAGE + 1]
    rows = [
        (f"{prefix}-{number:02}", state, rng.choice(many))
        for number in range(40)
        for state in ("due", "uncut", "done")
    ]
    await run(opened.graph, STORE, rows=rows)
    expected = sorted({row[0] for row in rows if row[1] in STATES and row[2]})
    assert await waiting(one, prefix) == expected
    assert await waiting(one, prefix) == expected  # this time it knows them
    gone, new = rng.choice(expected), f"{prefix}-05-new"
    await run(opened.graph, MARK, tenant=gone, state="done")
    await run(opened.graph, STORE, rows=[(new, "uncut", 2 * LARGEST_PAGE)])
    changed = sorted({*expected, new} - {gone})
    assert await waiting(one, prefix) == changed
    assert await waiting(scan(opened.graph), prefix) == changed


async def test_a_long_backlog_of_one_key_is_not_read(opened: Parts, prefix: str) -> None:
    profiled = Profiled(opened.graph)
    one = scan(profiled)
    await run(opened.graph, STORE, rows=[(f"{prefix}-b", "due", 1)])
    costs = []
    for more in (1, 3_000):
        await run(opened.graph, STORE, rows=[(f"{prefix}-a", "uncut", more)])
        await one.keys()
        profiled.hits = 0
        assert await waiting(one, prefix) == [f"{prefix}-a", f"{prefix}-b"]
        costs.append(profiled.hits)
    assert costs[1] <= costs[0] + 2 * PAGE
