"""Times are bound to the moment of speech, with their precision."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.extraction.calendar import Lean, easter
from app.extraction.moments import Role, times

THURSDAY = datetime(2026, 7, 2, 10, tzinfo=UTC)
CASES = [
    ("I live here since March", "since", "2026-03-01 month"),
    ("seit März wohne ich hier", "since", "2026-03-01 month"),
    ("seit Oktober wohne ich hier", "since", "2025-10-01 month"),
    ("from July 1 it costs more", "since", "2026-07-01 day"),
    ("as of April 15 it is hers", "since", "2026-04-15 day"),
    ("ab August ist es so", "since", "2026-08-01 month"),
    ("ab dem 1. September gilt es", "since", "2026-09-01 day"),
    ("since 2021", "since", "2021-01-01 year"),
    ("seit drei Jahren", "since", "2023-01-01 year"),
    ("for five years", "since", "2021-01-01 year"),
    ("vor zwei Jahren war es so", "at", "2024-01-01 year"),
    ("two weeks ago it was so", "at", "2026-06-18 day"),
    ("last Friday it broke", "at", "2026-06-26 day"),
    ("letzten Montag", "at", "2026-06-29 day"),
    ("next Monday", "at", "2026-07-06 day"),
    ("since Friday", "since", "2026-06-26 day"),
    ("am Wochenende", "at", "2026-06-27 day"),
    ("heute", "at", "2026-07-02 day"),
    ("yesterday", "at", "2026-07-01 day"),
    ("seit Ostern", "since", "2026-04-05 day"),
    ("seit Weihnachten", "since", "2025-12-25 day"),
    ("until September", "until", "2026-09-01 month"),
    ("bis Ende August", "until", "2026-09-01 day"),
    ("on 2026-05-14", "at", "2026-05-14 day"),
    ("am 14.05.2026", "at", "2026-05-14 day"),
    ("on Tuesday, April 14", "at", "2026-04-14 day"),
    ("last month", "at", "2026-06-01 month"),
    ("letztes Jahr", "at", "2025-01-01 year"),
    ("this week", "temporary", "2026-06-29 day"),
]
NO_TIME = [
    "the May family", "I march on", "we need 2,026 screws", "may I ask", "summer is nice",
    "version 3.5", "at 8:20",
]  # fmt: skip


@pytest.mark.parametrize(("text", "role", "expected"), CASES)
def test_a_time_is_bound(text: str, role: str, expected: str) -> None:
    (found,), rest = times(text, THURSDAY)
    moment = found.point.bind(found.lean)
    assert moment is not None
    assert f"{moment.at.date().isoformat()} {moment.precision}" == expected
    assert found.role is Role(role)
    assert len(rest) == len(text)


@pytest.mark.parametrize("text", NO_TIME)
def test_what_is_no_time_stays(text: str) -> None:
    assert times(text, THURSDAY)[0] == []


def test_a_day_that_does_not_exist_gives_nothing() -> None:
    (found,), _ = times("on June 31", THURSDAY)
    assert found.point.bind(Lean.NEAREST) is None


@pytest.mark.parametrize(
    ("year", "day"), [(2024, "2024-03-31"), (2025, "2025-04-20"), (2026, "2026-04-05")]
)
def test_easter(year: int, day: str) -> None:
    assert easter(year).date().isoformat() == day
