"""A collection of garbage holds up no answer for long."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator

import pytest

from app.asgi import create_app
from app.kernel.pauses import keep_for_good
from app.settings import Settings


@pytest.fixture(autouse=True)
def unfrozen() -> Iterator[None]:
    yield
    gc.unfreeze()


def seconds_of_a_collection() -> float:
    start = time.thread_time()
    gc.collect()
    return time.thread_time() - start


def test_what_is_kept_is_not_looked_at_again() -> None:
    held = [[number] for number in range(500_000)]
    gc.collect()
    before = seconds_of_a_collection()
    assert keep_for_good() >= len(held)
    assert seconds_of_a_collection() < before / 5


async def test_the_api_keeps_what_it_has_opened(settings: Settings) -> None:
    app = create_app(settings)
    async with app.lifespan():
        assert gc.get_freeze_count() > 100_000
        assert len(gc.get_objects()) < gc.get_freeze_count() / 2
