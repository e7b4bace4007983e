"""Turns that are fair by tenant, and lanes in which nobody's failure is another's."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import GraphBusy
from app.jobs import lanes
from app.jobs.lanes import Due, Lanes, choose

DUE = st.lists(
    st.builds(Due, st.text("klmn", min_size=1, max_size=3), st.sampled_from("abc"), st.booleans()),
    unique_by=lambda one: one.key,
    max_size=12,
)


class Town:
    """Tenants with so many pieces of work each; the order in which they were done."""

    def __init__(self, **left: int) -> None:
        self.left = Counter(left)
        self.done: list[str] = []
        self.failing: set[str] = set()
        self.held: dict[str, asyncio.Event] = {}
        self.most = 0
        self.busy: set[str] = set()  # what another process is quicker to do
        self.hidden = False  # whether what is worked on is not due
        self.tried: Counter[str] = Counter()
        self.fourth = asyncio.Event()  # the fourth turn of `a1` has begun
        self._now: list[str] = []

    async def find(self) -> Sequence[Due]:
        hidden = self._now if self.hidden else []
        return [
            Due(key, key[0]) for key, left in self.left.items() if left > 0 and key not in hidden
        ]

    async def turn(self, due: Due) -> bool:
        self._now.append(due.key)
        self.tried[due.key] += 1
        if self.tried["a1"] == 4:
            self.fourth.set()
        self.most = max(self.most, len(self._now))
        try:
            if due.key in self.held:
                await self.held[due.key].wait()
            await asyncio.sleep(0)
            if due.key in self.failing:
                raise GraphBusy("DeadlockDetected")
            self.left[due.key] -= 1
            if due.key in self.busy:
                return False
            self.done.append(due.key)
            return True
        finally:
            self._now.remove(due.key)


async def until(reached: Callable[[], bool]) -> None:
    """Let the others go on for 100 steps at most."""
    for _ in range(100):
        if reached():
            return
        await asyncio.sleep(0)
    raise AssertionError("not reached")


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "FIRST_WAIT", 0.02)


@given(DUE, st.integers(1, 5))
def test_lanes_are_filled_within_their_bounds(due: list[Due], width: int) -> None:
    running: list[Due] = []
    while one := choose(due, running, {}, width):
        assert one not in running
        running.append(one)
    assert len(running) <= width
    by_tenant = Counter(one.tenant for one in running)
    assert all(held <= max(1, width - 1) for held in by_tenant.values())
    heavy = Counter(one.tenant for one in running if one.heavy)
    assert all(held == 1 for held in heavy.values())
    assert heavy.total() <= max(1, width - 1)
    light = [one for one in due if not one.heavy and one not in running]
    if light and len(running) < width:
        assert all(by_tenant[one.tenant] == max(1, width - 1) for one in light)


def test_whoever_comes_late_with_little_is_next() -> None:
    due = [*(Due(f"big/{n}", "big") for n in range(50)), Due("small/1", "small")]
    first = choose(due, [], {"big": 7, "big/0": 7}, 4)
    assert first is not None
    assert first.key == "small/1"
    running = due[:3]
    assert choose(due[:50], running, {}, 4) is None, "a lane stays free of one tenant"
    assert choose(due, running, {}, 4) == due[-1]


async def test_two_turns_are_all_that_a_small_tenant_waits_for() -> None:
    town = Town(a1=40, a2=40, a3=40, b1=2)
    await Lanes("test", 2, town.find, town.turn).serve()
    assert Counter(town.done) == {"a1": 40, "a2": 40, "a3": 40, "b1": 2}
    assert [i for i, key in enumerate(town.done) if key == "b1"][1] <= 6
    assert {"a1", "a2", "a3"} <= set(town.done[:12]), "a tenant's own take turns as well"
    assert town.most == 2


async def test_one_failure_ends_nobody_elses_turns_and_is_tried_again() -> None:
    town = Town(a1=3, b1=3)
    town.failing.add("a1")
    serving = asyncio.create_task(Lanes("test", 2, town.find, town.turn).serve())
    await until(lambda: not town.left["b1"])
    assert town.done == ["b1"] * 3
    assert not serving.done()
    town.failing.clear()
    await serving
    assert Counter(town.done) == {"a1": 3, "b1": 3}


async def test_what_is_woken_meanwhile_is_found_while_a_long_turn_goes_on() -> None:
    town = Town(a1=1)
    town.held["a1"] = asyncio.Event()
    served = Lanes("test", 4, town.find, town.turn)
    running = asyncio.create_task(served.run())
    served.wake()
    await until(lambda: town.most > 0)
    town.left["b1"] = 1
    served.wake()
    await until(lambda: not town.left["b1"])
    assert town.done == ["b1"]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert town.left["a1"] == 1, "broken off, and due again"


async def test_what_another_did_first_makes_nobody_wait_for_what_comes_later() -> None:
    """As where each text is read by the API as it comes, just before the worker has its turn."""
    town = Town()
    town.busy = {"a1"}
    served = Lanes("test", 2, town.find, town.turn)
    running = asyncio.create_task(served.run())
    for _ in range(8):  # each would double the wait
        town.left["a1"] = 1
        served.wake()
        await until(lambda: not town.left["a1"])
        for _ in range(10):  # the end is seen, and that nothing is due
            await asyncio.sleep(0)
    assert town.done == []
    town.busy.clear()
    town.left["a1"] = 1
    served.wake()
    await until(lambda: not town.left["a1"])
    assert town.done == ["a1"]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_what_fails_again_and_again_waits_longer_though_it_is_not_due_meanwhile() -> None:
    town = Town(a1=1, b1=40)
    town.failing.add("a1")
    town.hidden = True
    serving = asyncio.create_task(Lanes("test", 2, town.find, town.turn).serve())
    begun = time.monotonic()
    async with asyncio.timeout(10):
        await town.fourth.wait()
    assert time.monotonic() - begun >= 0.13, "0.02 s, then twice as long each time"
    town.failing.clear()
    await serving
    assert not town.left["a1"]
