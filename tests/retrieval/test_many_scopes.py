"""Whoever sees many scopes has their graphs made a few at a time."""

from __future__ import annotations

import asyncio

from app.kernel.graph import Row
from app.retrieval.graphs import AT_ONCE, FEW, GraphCache
from app.retrieval.model import Revision
from app.retrieval.repository import RetrievalRepository
from app.wiring import Parts
from tests.conftest import Principal
from tests.retrieval.test_linking import capture

SCOPES = FEW + 2


class Counting(RetrievalRepository):
    """Reads as ever, and counts how much is read at once."""

    running = 0
    most = 0
    told = 0

    async def revisions(self, scopes: list[str]) -> dict[str, Revision]:
        self.told += 1
        return await super().revisions(scopes)

    async def linked_since(self, scope: str, after: int, upto: int) -> list[Row]:
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await asyncio.sleep(0.02)  # the others have begun by then, if they may
            return await super().linked_since(scope, after, upto)
        finally:
            self.running -= 1


async def test_the_graphs_of_a_tenant_are_made_a_few_at_a_time(
    opened: Parts, admin: Principal, tenant: str
) -> None:
    scopes = [f"{tenant}/w{n}" for n in range(SCOPES)]
    for scope in scopes:
        assert (await admin.http.post("/v1/scopes", json={"scope": scope})).is_success
    for scope in scopes:
        await capture(admin, "It was made by Ada Roth.", "Long Mile Film", scope)
        assert await opened.linking.link((scope, tenant))
    rows = Counting(opened.walks.rows.graph)
    cache = GraphCache(rows, 1 << 30, 20.0)
    graphs, complete = await cache.graphs(scopes)
    assert complete
    assert graphs.keys() == set(scopes)
    assert 1 < rows.most <= AT_ONCE

    await cache.graphs(scopes)
    assert rows.told == 1, "what has not changed is not read again"
    await capture(admin, "It was made by Otto Brandt.", "Short Mile Film", scopes[-1])
    assert await opened.linking.link((scopes[-1], tenant))
    before = len(graphs[scopes[-1]].parts)
    graphs, _ = await cache.graphs(scopes)
    assert len(graphs[scopes[-1]].parts) == before + 1
    assert rows.told == 2
