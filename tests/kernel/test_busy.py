"""What fails since others write to the same is named so, and is not the server's absence."""

from __future__ import annotations

import asyncio

import pytest
from neo4j.exceptions import TransientError

from app.errors import GraphBusy, GraphUnavailable
from app.kernel.graph import _translated
from app.wiring import Parts


async def test_a_deadlock_is_named_and_is_no_absence_of_the_server(
    opened: Parts, tenant: str
) -> None:
    lock = "MERGE (e:Scope {path: $path}) SET e.touched_at = datetime()"
    ends = [f"{tenant}/left", f"{tenant}/right"]

    async def cross(first: str, second: str, both: asyncio.Barrier) -> None:
        async with opened.graph.driver.session() as session:
            tx = await session.begin_transaction()
            async with tx:
                await (await tx.run(lock, path=first)).consume()
                await both.wait()
                with _translated():
                    await (await tx.run(lock, path=second)).consume()

    both = asyncio.Barrier(2)
    ended = await asyncio.gather(
        cross(*ends, both), cross(*reversed(ends), both), return_exceptions=True
    )
    (error,) = [one for one in ended if one is not None]
    assert isinstance(error, GraphBusy)
    assert "DeadlockDetected" in str(error)


async def test_another_passing_failure_is_the_servers() -> None:
    away = TransientError("the database is not up")
    with pytest.raises(GraphUnavailable), _translated():
        raise away
