"""Parties that ask at once share the turns equally; none waits behind all of another's."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter

import pytest

from app.kernel.cypher import Q
from app.kernel.graph import Tx, asking_for
from app.kernel.turns import Shares
from app.wiring import Parts
from tests.support.graphs import another


class Work:
    """What runs under turns, and the most that each party had at once."""

    def __init__(self, most: int, alone: int | None = None) -> None:
        self.shares = Shares(most, alone)
        self.running: Counter[str] = Counter()
        self.peak: Counter[str] = Counter()
        self.done: list[tuple[str, int]] = []

    async def one(self, party: str, number: int, steps: int = 3) -> None:
        async with self.shares.turn(party):
            self.running[party] += 1
            self.peak[party] = max(self.peak[party], self.running[party])
            for _ in range(steps):
                await asyncio.sleep(0)
            self.running[party] -= 1
        self.done.append((party, number))


async def test_who_is_alone_has_all_turns_and_no_more() -> None:
    work = Work(4)
    await asyncio.gather(*(work.one("a", n) for n in range(20)))
    assert work.peak == {"a": 4}
    assert [n for _, n in work.done] == sorted(n for _, n in work.done)


async def test_one_request_does_not_wait_behind_all_of_anothers() -> None:
    work = Work(4)
    many = asyncio.gather(*(work.one("many", n) for n in range(200)))
    await asyncio.sleep(0)
    await work.one("few", 0)
    assert len(work.done) < 10
    work.peak.clear()
    await asyncio.gather(many, *(work.one("few", n) for n in range(20)))
    assert len(work.done) == 221
    assert work.running.total() == 0


async def test_who_is_alone_may_have_more_than_all_together() -> None:
    work = Work(2, alone=4)
    await asyncio.gather(*(work.one("many", n) for n in range(20)))
    assert work.peak == {"many": 4}
    many = asyncio.gather(*(work.one("many", n) for n in range(40)))
    await work.one("few", 0)
    work.peak.clear()
    await asyncio.gather(many, *(work.one("few", n) for n in range(20)))
    assert work.peak == {"many": 1, "few": 1}


async def timed(shares: Shares, party: str, seconds: float) -> float:
    """How long a turn of so many seconds took with what came before it."""
    start = time.monotonic()
    async with shares.turn(party):
        await asyncio.sleep(seconds)
    return time.monotonic() - start


async def test_a_long_turn_beside_others_is_followed_by_a_rest_of_that_party_alone() -> None:
    shares = Shares(2, rest=2.0)
    assert await timed(shares, "few", 0) < 0.2
    assert 0.2 <= await timed(shares, "many", 0.2) < 0.4, "its answer goes out at once"
    assert await timed(shares, "few", 0) < 0.1, "others do not wait"
    assert await timed(shares, "many", 0) > 0.2, "its next turn waits"


async def test_nobody_rests_after_short_turns_nor_alone() -> None:
    shares = Shares(2, rest=2.0)
    for _ in range(3):
        assert await timed(shares, "many", 0.1) < 0.2
    await timed(shares, "few", 0)
    assert await timed(shares, "many", 0.01) < 0.1
    assert await timed(shares, "many", 0) < 0.1


async def test_where_rests_are_for_the_queued_a_party_with_one_request_at_a_time_has_none() -> None:
    shares = Shares(2, rest=2.0, queued=True)
    await timed(shares, "few", 0)
    await timed(shares, "one", 0.2)
    assert await timed(shares, "one", 0) < 0.1
    await timed(shares, "few", 0)
    start = time.monotonic()
    await asyncio.gather(*(timed(shares, "many", 0.2) for _ in range(2)))
    assert time.monotonic() - start > 0.6, "0.2 of work, 0.3 of rest, 0.2 of work"
    await timed(shares, "few", 0)
    assert await timed(shares, "many", 0) < 0.1, "none of it waited behind the last"


async def test_who_gives_way_rests_beside_others_alone() -> None:
    shares = Shares(2)

    async def given(seconds: float) -> float:
        start = time.monotonic()
        await shares.give_way(seconds)
        return time.monotonic() - start

    await timed(shares, "many", 0)
    assert await given(0.5) < 0.1
    await timed(shares, "few", 0)
    assert 0.2 <= await given(0.2) < 0.4
    assert await given(30.0) < 1.5


async def test_each_of_more_parties_than_turns_has_one() -> None:
    work = Work(4)
    await asyncio.gather(*(work.one(f"p{n % 8}", n) for n in range(160)))
    assert set(work.peak) == {f"p{n}" for n in range(8)}
    assert sum(1 for party in work.peak if work.peak[party] > 4) == 0
    assert Counter(party for party, _ in work.done) == {f"p{n}": 20 for n in range(8)}


@pytest.mark.parametrize("seed", range(20))
async def test_whoever_is_broken_off_leaves_no_turn_behind(seed: int) -> None:
    chance, work = random.Random(seed), Work(3)
    tasks = [asyncio.create_task(work.one(chance.choice("ab"), n, 5)) for n in range(60)]
    for _ in range(40):
        await asyncio.sleep(0)
        chance.choice(tasks).cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    work.running.clear()  # of those that were broken off within
    after = [work.one(party, n) for n in range(30) for party in "ab"]
    async with asyncio.timeout(60):
        await asyncio.gather(*after)
    assert len([n for n in work.done if n]) >= 60


async def test_a_tenants_query_is_answered_while_another_has_many(opened: Parts) -> None:
    shared = another(opened)
    shared.share(2)
    over, full, begun = asyncio.Event(), asyncio.Event(), 0

    async def work(tx: Tx) -> None:
        nonlocal begun
        begun += 1
        if begun == 2:
            full.set()
        await tx.rows(Q.health.server)
        await over.wait()

    asking_for.set("many")
    many = [asyncio.create_task(shared.write("a test's own", work)) for _ in range(12)]
    await full.wait()
    asking_for.set("few")
    async with asyncio.timeout(60):
        assert await shared.rows(Q.health.server)
    assert begun == 2
    over.set()
    await asyncio.gather(*many)
    assert begun == 12
