"""An import as the command line runs it, without a process of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from app.cli.transfer import store_of
from app.kernel.graph import Graph
from app.portability.progress import Progress
from app.portability.service import Order, import_attended
from app.wiring import Parts

Import = Callable[..., Awaitable[dict[str, Any]]]
Count = Callable[[str], Awaitable[dict[str, int]]]


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
