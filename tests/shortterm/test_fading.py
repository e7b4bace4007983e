"""How the time of an entry shrinks, and how reading makes it more important."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from app.kernel.clock import now
from app.shortterm.model import DAY, lasting
from app.wiring import Parts
from tests.conftest import Principal
from tests.shortterm.test_routes import BASE, made, moment

WEEK = 7 * DAY


@pytest.mark.parametrize(
    ("ttl", "seconds"),
    [
        (1, 1), (3600, 3600), (DAY - 1, DAY - 1),
        (DAY, DAY),            # after a day 85,536 are left: fewer than have gone by
        (87_000, DAY),
        (100_000, 99_000),     # one day: x .99
        (172_800, 172_800 * 0.99),
        (180_000, 176_400),    # two days: x .98
        (500_000, 475_000),    # five days: x .95
        (WEEK, 568_512),       # six days: x .94
    ],
)  # fmt: skip
def test_a_time_to_live_shrinks_by_a_hundredth_a_day(ttl: int, seconds: float) -> None:
    assert lasting(ttl, 0.01) == pytest.approx(seconds, abs=1e-6)


@pytest.mark.parametrize("ttl", [1, 90_000, 200_000, 400_000, WEEK, 3 * WEEK])
def test_the_end_is_the_first_moment_at_which_nothing_is_left(ttl: int) -> None:
    def left(at: float) -> float:
        return ttl * (1 - 0.01 * (at // DAY)) - at

    end = lasting(ttl, 0.01)
    assert left(end) <= 1e-6
    steps = [end * n / 1000 for n in range(1000)]
    assert all(left(at) > 0 for at in steps)


def test_what_fades_wholly_in_a_day_is_gone_then() -> None:
    assert lasting(WEEK, 1.0) == DAY
    assert lasting(WEEK, 0.0) == WEEK


def lives(entry: dict[str, Any], since: str = "created_at") -> timedelta:
    return moment(entry["expires_at"]) - moment(entry[since])


async def age(opened: Parts, entry: str, days: float) -> datetime:
    """Let an entry have been written and read so many days ago."""
    rows = await opened.graph.raw(
        "MATCH (m:ShortMemory {id: $id}) SET m.updated_at = $at, m.ingested_at = $at, "
        "m.gained_at = CASE WHEN m.gained_at IS NULL THEN NULL ELSE $at END RETURN m.id AS id",
        id=entry,
        at=(at := now() - timedelta(days=days)),
    )
    assert rows
    return at


async def test_an_entry_ends_as_its_time_shrinks_and_after_a_week(
    opened: Parts, writer: Principal
) -> None:
    assert lives(await made(writer, "short")) == timedelta(seconds=3600)
    assert lives(await made(writer, "days", ttl=500_000)) == timedelta(seconds=475_000)
    long = await made(writer, "long", ttl=30 * DAY)
    assert (lives(long), long["ttl"]) == (timedelta(days=7), 30 * DAY)
    where = f"{BASE}/{long['id']}"
    written = await age(opened, long["id"], 6.5)
    anew = (await writer.http.post(f"{where}/refresh")).json()
    assert moment(anew["expires_at"]) == written + timedelta(days=7), "a row is a week old at most"
    timed = (await writer.http.patch(where, json={"ttl": 9 * DAY})).json()
    assert moment(timed["expires_at"]) == written + timedelta(days=7)
    again = (await writer.http.patch(where, json={"value": 2, "ttl": 9 * DAY})).json()
    assert lives(again, "updated_at") > timedelta(days=6.99), "another value is a new one"
    forever = (await writer.http.patch(where, json={"ttl": None})).json()
    assert forever["expires_at"] is None, "what has no time never ends"


async def test_a_scope_says_how_entries_fade(
    writer: Principal, admin: Principal, tenant: str
) -> None:
    where = {"scope": f"{tenant}/dev"}
    body = {"short_term": {"fade": 0.5, "days": 3}}
    answer = await admin.http.patch("/v1/scopes/settings", params=where, json=body)
    assert answer.status_code == 200, answer.text
    assert lives(await made(writer, "a", ttl=300_000)) == timedelta(seconds=150_000)
    body = {"short_term": {"fade": 0.0, "days": 3}}
    await admin.http.patch("/v1/scopes/settings", params=where, json=body)
    assert lives(await made(writer, "b", ttl=300_000)) == timedelta(days=3)


async def test_reading_makes_it_more_important_once_in_a_day(
    opened: Parts, writer: Principal
) -> None:
    told = await made(writer, ttl=None)
    assert told["importance"] == 0.5
    where = f"{BASE}/{told['id']}"
    for expected in (0.55, 0.55, 0.55):
        assert (await writer.http.get(where)).json()["importance"] == expected
    for day in range(1, 12):
        await age(opened, told["id"], 1.01)
        found = (await writer.http.get(where)).json()
        assert found["importance"] == min(round(0.55 + 0.05 * day, 4), 1.0)
    assert found["importance"] == 1.0
