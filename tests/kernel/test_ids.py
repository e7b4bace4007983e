"""Ids of a request that may be made again: each time it has the same, whatever was tried twice."""

from __future__ import annotations

import asyncio

from neo4j.exceptions import TransientError

from app.kernel.clock import now
from app.kernel.graph import Tx
from app.kernel.ids import first_came, new_id, repeatable
from app.wiring import Parts

CAME = now()


async def made(opened: Parts, refusals: int) -> list[str]:
    """Ids of a request with two transactions, the first of which is refused so many times."""
    left = refusals

    async def first(_: Tx) -> list[str]:
        nonlocal left
        given = [new_id(), new_id()]
        if left:
            left -= 1
            raise TransientError("a deadlock")
        return given

    async def second(_: Tx) -> list[str]:
        return [new_id()]

    with repeatable("a request", CAME):
        before = new_id()
        within = await opened.graph.write("a test's own", first)
        return [
            before,
            *within,
            new_id(),
            *await opened.graph.write("a test's own", second),
            new_id(),
        ]


async def test_a_transaction_that_is_run_again_asks_for_the_same_ids(opened: Parts) -> None:
    plain = await made(opened, 0)
    assert await made(opened, 2) == plain
    assert len(set(plain)) == len(plain)
    assert sorted(plain) == plain, "they are in the order of their making"


async def test_two_transactions_at_once_share_no_id(opened: Parts) -> None:
    async def work(_: Tx) -> list[str]:
        return [new_id() for _ in range(3)]

    with repeatable("another request", CAME):
        done = await asyncio.gather(*(opened.graph.write("a test's own", work) for _ in range(5)))
    ids = [i for given in done for i in given]
    assert len(set(ids)) == 15


async def test_what_goes_on_behind_a_transaction_has_ids_of_its_own(opened: Parts) -> None:
    late: list[asyncio.Task[str]] = []
    go_on = asyncio.Event()

    async def later() -> str:
        await go_on.wait()
        return new_id()

    async def work(_: Tx) -> None:
        late.append(asyncio.create_task(later()))

    for _ in range(2):
        with repeatable("a third request", CAME):
            await opened.graph.write("a test's own", work)
            assert first_came() == CAME
    go_on.set()
    assert len(set(await asyncio.gather(*late))) == 2
