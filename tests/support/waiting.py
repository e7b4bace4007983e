"""Waits of tests: for what comes by itself, never for a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from types import ModuleType, SimpleNamespace

import pytest

PATIENCE = 60.0  # seconds, on however busy a machine
LOOK = 0.02  # seconds between two looks


async def eventually(what: str, look: Callable[[], Awaitable[object]]) -> None:
    """Return once a look finds something; AssertionError, saying what was waited for."""
    until = time.monotonic() + PATIENCE
    while not await look():
        assert time.monotonic() < until, f"{what}: not within {PATIENCE:.0f} s"
        await asyncio.sleep(LOOK)


def later(patch: pytest.MonkeyPatch, module: ModuleType, seconds: float) -> None:
    """Set the clock that a module reads forward, so that what it remembers is too old."""
    clock = SimpleNamespace(
        monotonic=lambda: time.monotonic() + seconds, time=lambda: time.time() + seconds
    )
    patch.setattr(module, "time", clock)
