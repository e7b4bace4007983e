"""Long texts are read in a process of their own, which ends where it takes too long."""

from __future__ import annotations

import asyncio
import os
import time
from datetime import UTC, datetime
from typing import Any

import pytest

from app.consolidation.apart import Apart, Limits, ReadsTooLong, read
from app.consolidation.derive import Reading
from app.extraction.predicates import standard
from app.kernel.clock import FOREVER

LONG = "Anna Berg lives in Berlin. Tom Reed works for Acme. " * 100


def episode(text: str) -> dict[str, Any]:
    """What a lease gives of an episode, as far as reading needs it."""
    return {
        "id": "e",
        "content": text,
        "captured_at": datetime(2026, 5, 14, tzinfo=UTC),
        "role": "user",
        "expired_at": FOREVER,
    }


async def held() -> None:
    """A lease that goes on."""


async def test_a_long_text_says_apart_what_it_says_here_and_the_process_serves_the_next() -> None:
    apart = Apart()
    try:
        first, second = await apart.read([episode(LONG), episode(LONG)], standard(), held)
        process = apart._middling._process
        assert process is not None
        assert first == second == read(episode(LONG), standard())
        await apart.read([episode(LONG)], standard(), held)
        assert apart._middling._process is process
    finally:
        apart.stop()
    assert not process.is_alive()


@pytest.mark.parametrize("limits", [Limits(seconds=0.3), Limits(clock=3.0)])
async def test_a_text_that_runs_over_is_skipped_and_the_next_one_is_read(limits: Limits) -> None:
    apart = Apart(limits)
    try:
        texts = [episode(LONG * 200), episode("Anna Berg lives in Berlin.")]
        over, short = await apart.read(texts, standard(), held)
        assert isinstance(over, ReadsTooLong)
        assert isinstance(short, Reading)
    finally:
        apart.stop()


async def test_who_has_a_short_text_does_not_wait_for_a_long_one() -> None:
    apart = Apart()
    try:
        long = asyncio.create_task(apart.read([episode(LONG * 100)], standard(), held))
        await asyncio.sleep(0.1)
        assert apart.is_busy([episode(LONG * 100)])
        assert not apart.is_busy([episode("Anna Berg lives in Berlin."), episode(LONG)])
        await apart.read([episode("Anna Berg lives in Berlin.")], standard(), held)
        assert not long.done()
        process = await started(apart)
        long.cancel()
        with pytest.raises(asyncio.CancelledError):
            await long
        assert not process.is_alive()
        with pytest.raises(ProcessLookupError):
            os.kill(process.pid, 0)
        assert not apart.is_busy([episode(LONG * 100)])
    finally:
        apart.stop()


async def started(apart: Apart) -> Any:
    """The process of very long texts, once it is there."""
    end = time.monotonic() + 60
    while apart._long._process is None or apart._long._process.pid is None:
        assert time.monotonic() < end
        await asyncio.sleep(0.05)
    return apart._long._process
