"""An import as the command line runs it, without a process of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.cli.transfer import store_of
from app.kernel.graph import Graph
from app.portability.progress import Progress
from app.portability.service import Order, import_attended
from app.settings import Settings
from app.wiring import Parts, parts
from tests.support.server import EmbeddedPair

Import = Callable[..., Awaitable[dict[str, Any]]]
Count = Callable[[str], Awaitable[dict[str, int]]]


@pytest_asyncio.fixture(loop_scope="session", scope="package")
async def second(settings: Settings) -> AsyncIterator[Parts]:
    """A second store, which `empty` gives to one module after the other: a server of its own costs
    as much as the tests of a module."""
    with EmbeddedPair() as pair:
        door = pair.start_graph()
        graph = settings.graph.model_copy(
            update={"uri": door.uri, "user": door.user, "password": door.password}
        )
        async with parts(settings.model_copy(update={"graph": graph})) as made:
            yield made


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def empty(second: Parts) -> AsyncIterator[Parts]:
    """The second store with nothing but what a start makes."""
    made = await second.graph.raw("MATCH (n) RETURN elementId(n) AS id")
    yield second
    await second.graph.raw(
        "MATCH (n) WHERE NOT elementId(n) IN $made "
        "CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS",
        made=[row["id"] for row in made],
    )


async def untold(progress: Progress, size: int) -> None:
    """Tells nobody."""


@pytest.fixture
def load(opened: Parts) -> Import:
    """`await load(path, target=…)` imports a package as the operator, or as `caller`."""

    async def run(path: Path, **how: Any) -> dict[str, Any]:
        return await import_attended(store_of(opened), Order(path, **how), untold)

    return run


async def held(graph: Graph, tenant: str) -> dict[str, int]:
    """How many nodes of each kind a tenant holds."""
    rows = await graph.raw(
        "MATCH (n) WHERE n.tenant = $tenant OR n.scope STARTS WITH $tenant + '/' "
        "UNWIND labels(n) AS label RETURN label, count(*) AS found",
        tenant=tenant,
    )
    return {row["label"]: row["found"] for row in rows}


@pytest.fixture
def count(opened: Parts) -> Count:
    """`await count(tenant)`: nodes by label."""

    async def run(tenant: str) -> dict[str, int]:
        return await held(opened.graph, tenant)

    return run
