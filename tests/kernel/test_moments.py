"""Moments to and from the database are what the driver makes of them, and quicker."""

from __future__ import annotations

import importlib
from datetime import UTC, datetime, timedelta, timezone
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j.time import DateTime

from app.kernel.clock import FOREVER
from app.kernel.graph import plain
from app.kernel.moments import PLACE, received, sent, use_own_moments
from app.wiring import Parts

NANOSECONDS = 1_000_000_000


def theirs(name: str) -> Any:
    """A function of the driver as it comes, whatever this process has put in its place."""
    assert use_own_moments(), "this driver has its functions elsewhere: they are not replaced"
    found = getattr(importlib.import_module(PLACE), name)
    inner = {cell.cell_contents for cell in found.__closure__ if callable(cell.cell_contents)}
    return next(one for one in inner if getattr(one, "__name__", "") == name)


@given(
    st.integers(-62_135_596_800, 253_402_300_799),
    st.integers(0, NANOSECONDS - 1),
    st.sampled_from([0, 3600, -12_600, "UTC", "Europe/Berlin", "Asia/Kathmandu"]),
)
def test_a_moment_is_read_as_the_driver_reads_it(seconds: int, nanos: int, tz: int | str) -> None:
    hydrate = theirs("hydrate_datetime")
    ours = received(hydrate)(seconds, nanos, tz)
    assert type(ours) is datetime
    try:
        expected = plain(hydrate(seconds, nanos, tz))
    except (OverflowError, ValueError):  # a zone may push it out of the years that there are
        return
    assert ours == expected
    assert ours.tzinfo is UTC


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_moment_is_sent_as_the_driver_sends_it(moment: datetime) -> None:
    dehydrate = theirs("dehydrate_datetime")
    place = importlib.import_module(PLACE)
    ours = sent(dehydrate, place.Structure)(moment)
    assert ours == dehydrate(moment)


def test_what_has_no_zone_or_another_one_is_left_to_the_driver() -> None:
    hydrate, dehydrate = theirs("hydrate_datetime"), theirs("dehydrate_datetime")
    assert received(hydrate)(0, 1) == hydrate(0, 1)
    east = datetime(2026, 5, 1, tzinfo=timezone(timedelta(hours=2)))
    place = importlib.import_module(PLACE)
    for moment in (east, east.replace(tzinfo=None), DateTime(2026, 5, 1, tzinfo=UTC)):
        assert sent(dehydrate, place.Structure)(moment) == dehydrate(moment)


def test_it_takes_a_tenth_of_the_drivers_time_at_most() -> None:
    hydrate = theirs("hydrate_datetime")
    ours = received(hydrate)

    def taken(function: Any) -> float:
        start = perf_counter()
        for second in range(2000):
            function(second, 5000, 0)
        return perf_counter() - start

    assert min(taken(ours) for _ in range(3)) < min(taken(hydrate) for _ in range(3)) / 10


@pytest.mark.parametrize(
    "moment", [FOREVER, datetime(1, 1, 1, tzinfo=UTC), datetime(2026, 3, 29, 1, 30, 0, 7, UTC)]
)
async def test_a_moment_comes_back_from_the_database(opened: Parts, moment: datetime) -> None:
    ask = opened.graph.raw
    row = (await ask("RETURN $moment AS moment, [$moment] AS list", moment=moment))[0]
    assert row == {"moment": moment, "list": [moment]}
    named = await ask("RETURN datetime('2026-07-01T12:00:00[Europe/Berlin]') AS moment")
    assert named[0]["moment"] == datetime(2026, 7, 1, 10, tzinfo=UTC)
