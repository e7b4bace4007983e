"""A buffer that is written every few seconds."""

from __future__ import annotations

import asyncio

import pytest

from app.errors import GraphUnavailable
from app.kernel.periodic import Periodic


async def test_it_writes_again_and_again_and_once_more_at_the_end() -> None:
    calls = 0
    twice = asyncio.Event()

    async def flush() -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            twice.set()
        raise GraphUnavailable("away")  # waits for the next call

    periodic = Periodic("test", 0.001, flush)
    periodic.start()
    await asyncio.wait_for(twice.wait(), 10)
    await periodic.stop()
    ended = calls
    assert ended >= 3
    await asyncio.sleep(0.02)
    assert calls == ended, "nothing runs on"
    await periodic.stop()
    assert calls == ended, "stopped already"


async def test_what_is_no_error_of_ours_is_not_hidden() -> None:
    async def flush() -> None:
        raise ZeroDivisionError

    periodic = Periodic("test", 60, flush)
    periodic.start()
    with pytest.raises(ZeroDivisionError):
        await periodic.stop()
