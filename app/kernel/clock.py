"""Time: UTC and aware, everywhere."""

from __future__ import annotations

from datetime import UTC, datetime

# An index cannot hold null: an open end is this, and null on the wire.
FOREVER = datetime(9999, 12, 31, tzinfo=UTC)
# Bounds of a reading that names none: every moment that may be stored lies between them.
START, END = datetime(1, 1, 2, tzinfo=UTC), FOREVER


def now() -> datetime:
    """The current moment, in UTC, to the microsecond."""
    return datetime.now(UTC)


def open_end(moment: datetime | None) -> datetime | None:
    """None for the sentinel of an open end, else the moment itself."""
    return None if moment is None or moment >= FOREVER else moment
