"""Who waits for the lock of an item that is deleted meanwhile finds none, and changes nothing."""

from __future__ import annotations

import asyncio

from app.kernel.cypher import Q
from app.kernel.graph import Tx
from app.wiring import Parts
from tests.conftest import Principal
from tests.workitems.conftest import Make


async def test_a_change_that_waited_for_a_deletion_finds_nothing(
    opened: Parts, writer: Principal, make: Make
) -> None:
    made = await make("Replace the pump")
    gone, go_on = asyncio.Event(), asyncio.Event()

    async def delete(tx: Tx) -> None:
        await tx.rows(Q.kinds.drop, ids=[made["id"]])
        gone.set()
        await go_on.wait()

    deleting = asyncio.create_task(opened.graph.write("test.delete", delete))
    await gone.wait()
    url = f"/v1/work-items/{made['id']}"
    changing = asyncio.create_task(writer.http.patch(url, json={"title": "Paint a wall"}))
    for _ in range(400):
        if await _waits(opened):
            break
        await asyncio.sleep(0.05)
    go_on.set()
    await deleting
    assert (await changing).status_code == 404
    rows = await opened.graph.raw("MATCH (n:Declared {id: $id}) RETURN n.id", id=made["id"])
    assert rows == []


async def _waits(opened: Parts) -> bool:
    rows = await opened.graph.raw(
        "SHOW TRANSACTIONS YIELD status, currentQuery WHERE status STARTS WITH 'Blocked' "
        "RETURN count(*) AS waiting"
    )
    return bool(rows[0]["waiting"])
