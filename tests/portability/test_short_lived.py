"""How much a package may bring of what agents keep for a while, and how long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.kernel.clock import FOREVER
from app.portability.bounds import Bounds
from app.portability.kind import At, Rules, unfit
from app.portability.prepare import unclaimed
from app.portability.short_lived import (
    COPIES,
    ENTRIES,
    SHORT_MEMORY,
    ShortMemoryRecord,
    WorkingCopyRecord,
    prepare_copy,
    prepare_entry,
    unread,
)
from app.scopes.tuning import installed
from app.settings import read_settings
from app.shortterm.model import IMPORTANCE
from app.shortterm.model import Limits as ShortLimits
from app.wiring import short_limits, working_limits
from app.working.copies import KEPT
from app.working.model import Limits as WorkingLimits

TAKEN = datetime(2026, 6, 1, tzinfo=UTC)
SETTINGS = read_settings(
    {
        "LOCI_SHORT_TERM__DAYS": "2",
        "LOCI_SHORT_TERM__TTL_MOST": "7200",
        "LOCI_WORKING__VALUE_BYTES": "64",
    }
)
BOUNDS = Bounds(installed(ShortLimits, SETTINGS), installed(WorkingLimits, SETTINGS))
READ = {
    "count": 9, "importance": 0.9, "gained_at": TAKEN, "last_access": TAKEN, "ready": True,
    "processed_at": TAKEN,
}  # fmt: skip


def entry(**more: Any) -> ShortMemoryRecord:
    given = {
        "scope": "acme/dev", "agent": "agent:acme:scout", "session": "s1", "key": "plan",
        "kind": "plan", "value": "sail", "ttl": 3600, "ingested_at": TAKEN, "updated_at": TAKEN,
        **more,
    }  # fmt: skip
    return ShortMemoryRecord.model_validate(given)


def at(*, vouched: bool = True) -> At:
    return At(Rules("run", TAKEN, keeps=False, vouched=vouched), 1, {})


def test_the_installation_bounds_what_a_package_brings() -> None:
    assert (BOUNDS.short, BOUNDS.working) == (short_limits(SETTINGS), working_limits(SETTINGS))
    large = prepare_entry(entry(value="x" * 100), at())
    fine = prepare_entry(entry(), at())
    (reject,) = unfit(SHORT_MEMORY, "f", [large, fine], {"acme/dev": BOUNDS})
    assert (reject.reason, reject.field, reject.line) == ("TooLarge", "value", 1)
    assert "64 bytes" in reject.detail
    assert unfit(SHORT_MEMORY, "f", [large], {}) == []


@pytest.mark.parametrize(
    ("given", "end"),
    [
        ({"ttl": None}, FOREVER),
        ({"ttl": 3600}, TAKEN + timedelta(hours=2)),
        ({"ttl": None, "expires_at": TAKEN + timedelta(days=300)}, TAKEN + timedelta(hours=2)),
        ({"updated_at": TAKEN - timedelta(hours=47)}, TAKEN + timedelta(hours=1)),
        ({"updated_at": TAKEN + timedelta(days=400)}, TAKEN + timedelta(hours=2)),
    ],
)
def test_an_entry_is_kept_no_longer_than_one_that_is_written(
    given: dict[str, Any], end: datetime
) -> None:
    found = ENTRIES.ends(BOUNDS, prepare_entry(entry(**given), at()))
    assert abs(found - end) <= timedelta(milliseconds=1)


def test_a_copy_is_kept_for_a_day() -> None:
    record = WorkingCopyRecord(
        scope="acme/dev", agent="agent:acme:scout", task="t", key="keys:a", value=1,
        ingested_at=TAKEN, expires_at=TAKEN + timedelta(days=99),
    )  # fmt: skip
    row = prepare_copy(record, at())
    assert COPIES.ends(BOUNDS, row) == at().moment + KEPT


def test_what_readings_made_of_an_entry_is_taken_from_who_vouches_for_it() -> None:
    record = entry(**READ)
    own = prepare_entry(record, at())["properties"]
    assert READ.items() <= own.items()
    strange = prepare_entry(unclaimed(record), at(vouched=False))["properties"]
    assert (strange["count"], strange["importance"]) == (0, IMPORTANCE)
    assert not {"ready", "processed_at", "gained_at", "last_access"} & strange.keys()


def test_a_digest_covers_nothing_that_readings_change() -> None:
    assert not READ.keys() & unread(entry(**READ).model_dump()).keys()
