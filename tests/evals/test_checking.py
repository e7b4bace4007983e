"""What `python -m bench check` takes for a miss."""

from __future__ import annotations

import pytest

from bench.checking import Bar, missed


@pytest.mark.parametrize(
    ("alone", "beside", "large", "count"),
    [
        (1.0, 1.0, 60.0, 0),
        (1.0, 2.0, 60.0, 0),  # a second more is no wait
        (1.0, 2.1, 60.0, 1),
        (10.0, 15.0, 120.0, 0),
        (10.0, 15.1, 120.1, 2),
    ],
)
def test_what_is_slower_beside_others_or_never_ends_is_missed(
    alone: float, beside: float, large: float, count: int
) -> None:
    times = {"alone": alone, "beside": beside, "large": large}
    found = {name: {"median": seconds} for name, seconds in times.items()}
    assert len(missed(found, Bar())) == count


def test_a_tenant_that_was_there_is_held_against_its_seconds_alone() -> None:
    found = {"beside": {"median": 9.0}, "large": {"median": 120.1}}
    assert len(missed(found, Bar())) == 1
