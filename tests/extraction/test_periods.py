"""How long the period lasts that a moment stands for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from app.extraction.model import Moment, Precision
from app.kernel.clock import FOREVER


def on(*numbers: int) -> datetime:
    return datetime(*numbers, tzinfo=UTC)  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("at", "precision", "over"),
    [
        (on(2026, 2, 3, 9, 30), Precision.INSTANT, on(2026, 2, 3, 9, 30)),
        (on(2026, 2, 28), Precision.DAY, on(2026, 3, 1)),
        (on(2026, 2, 1), Precision.MONTH, on(2026, 3, 1)),
        (on(2024, 2, 1), Precision.MONTH, on(2024, 3, 1)),
        (on(2026, 1, 1), Precision.MONTH, on(2026, 2, 1)),
        (on(2026, 12, 1), Precision.MONTH, on(2027, 1, 1)),
        (on(2024, 1, 1), Precision.YEAR, on(2025, 1, 1)),
        (on(2026, 1, 1), Precision.YEAR, on(2027, 1, 1)),
    ],
)
def test_a_period_is_over_where_the_next_one_begins(
    at: datetime, precision: Precision, over: datetime
) -> None:
    assert Moment(at, precision).over == over


@pytest.mark.parametrize(("precision", "days"), [(Precision.MONTH, 31), (Precision.YEAR, 366)])
def test_a_period_that_begins_elsewhere_is_not_over_too_soon(
    precision: Precision, days: int
) -> None:
    """The first of January in Berlin begins an hour before ours."""
    berlin = datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    at = berlin.astimezone(UTC)
    assert Moment(at, precision).over == at + timedelta(days=days)


@pytest.mark.parametrize("precision", [Precision.DAY, Precision.MONTH, Precision.YEAR])
def test_the_last_period_of_the_calendar_is_never_over(precision: Precision) -> None:
    assert Moment(on(9999, 12, 31), precision).over == FOREVER
