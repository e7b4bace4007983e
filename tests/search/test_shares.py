"""Searches under way at once: a tenant with many of them waits for its own, nobody else does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace

from app.kernel.graph import asking_for
from app.kernel.turns import Shares
from app.search.schemas import SearchIn
from app.search.service import SearchService
from app.wiring import Parts
from tests.conftest import Principal
from tests.search.test_service import capture

Drain = Callable[[], Awaitable[int]]
PATIENCE = 20.0  # seconds


async def test_a_tenants_search_is_answered_while_another_has_many(
    opened: Parts, writer: Principal, drain: Drain
) -> None:
    known = await capture(writer, "The wombat sleeps in hangar nine.")
    await drain()
    shares = Shares(1, alone=2)
    service = SearchService(replace(opened.searches.made, shares=shares))

    async def search(party: str, **more: object) -> list[str]:
        asking_for.set(party)
        wish = SearchIn.model_validate({"query": "Where does the wombat sleep?", **more})
        found = await service.search(wish.to_request(writer.caller))
        return [hit.id for hit in found.hits]

    async with AsyncExitStack() as held:
        for _ in range(2):
            await held.enter_async_context(shares.turn("many"))
        waiting = [asyncio.create_task(search("many")) for _ in range(3)]
        async with asyncio.timeout(PATIENCE):
            assert known in await asyncio.create_task(search("few"))
            # what waits for a model has no turn that it could keep from others
            assert known in await asyncio.create_task(search("many", hyde=True))
            assert known in await asyncio.create_task(search("many", rerank="model"))
        assert not any(task.done() for task in waiting)
    async with asyncio.timeout(PATIENCE):
        assert all(known in found for found in await asyncio.gather(*waiting))
