"""How the time of an entry shrinks, and how reading makes it more important."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.kernel.clock import FOREVER, now
from app.shortterm.model import DAY, Change, Kind, Limits, anew, lasting, refreshed
from app.wiring import Parts
from tests.conftest import Principal
from tests.shortterm.test_routes import BASE, made, moment

WEEK = 7 * DAY
AT = datetime(2026, 1, 31, tzinfo=UTC)
LIMITS = Limits(ttl=3600, ttl_most=366 * DAY, entries=10, often=3)


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
        "m.began_at = $at, m.expires_at = CASE WHEN m.ttl IS NULL THEN m.expires_at "
        "ELSE m.expires_at - duration({seconds: $seconds}) END, "
        "m.gained_at = CASE WHEN m.gained_at IS NULL THEN NULL ELSE $at END RETURN m.id AS id",
        id=entry,
        seconds=round(days * DAY),
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
    again = (await writer.http.post(f"{where}/refresh")).json()
    week, slack = written + timedelta(days=7), timedelta(minutes=1)
    assert abs(moment(again["expires_at"]) - week) < slack, "a row is a week old at most"
    timed = (await writer.http.patch(where, json={"ttl": 9 * DAY})).json()
    assert abs(moment(timed["expires_at"]) - week) < slack
    valued = (await writer.http.patch(where, json={"value": 3})).json()
    assert lives(valued, "updated_at") > timedelta(days=6.99), "another value begins the days anew"
    again = (await writer.http.patch(where, json={"value": 2, "ttl": 9 * DAY})).json()
    assert lives(again, "updated_at") > timedelta(days=6.99), "another value is a new one"
    forever = (await writer.http.patch(where, json={"ttl": None})).json()
    assert forever["expires_at"] is None, "what has no time never ends"


async def test_an_old_entry_that_is_given_a_time_gets_all_of_it(
    opened: Parts, writer: Principal
) -> None:
    told = await made(writer, "old", ttl=None)
    await age(opened, told["id"], 30)
    where = f"{BASE}/{told['id']}"
    timed = (await writer.http.patch(where, json={"ttl": DAY})).json()
    left = moment(timed["expires_at"]) - now()
    assert timedelta(hours=23) < left <= timedelta(days=1)
    assert (await writer.http.post(f"{where}/refresh")).status_code == 200
    assert (await writer.http.get(where)).status_code == 200


def held(days: float, ttl: int | None, left: float) -> dict[str, Any]:
    """An entry that was written so many days ago and ends in so many."""
    written = AT - timedelta(days=days)
    end = FOREVER if ttl is None else AT + timedelta(days=left)
    return {"ttl": ttl, "ingested_at": written, "updated_at": written, "began_at": written,
            "expires_at": end}  # fmt: skip


def test_a_refresh_never_brings_the_end_nearer() -> None:
    fewer = replace(LIMITS, days=1)  # set after the entry was made
    for entry in (held(5, 30 * DAY, 2), held(3, 30 * DAY, 4), held(0.1, 3600, 0.01)):
        assert refreshed(entry, AT, fewer)["expires_at"] >= entry["expires_at"]
        assert anew(entry, Change(value=1), AT, fewer)["expires_at"] >= entry["expires_at"]
        assert anew(entry, Change(ttl=60), AT, fewer)["expires_at"] == AT + timedelta(seconds=60)
        assert anew(entry, Change(ttl=9 * DAY), AT, fewer)["expires_at"] > AT
    assert refreshed(held(30, None, 0), AT, fewer)["expires_at"] == FOREVER


def test_another_value_begins_the_days_anew_and_the_time_goes_on() -> None:
    long, short = held(6, 30 * DAY, 1), held(0.5, DAY, 0.5)
    assert anew(long, Change(value=1), AT, LIMITS) == {"expires_at": AT + timedelta(days=7)}
    assert anew(short, Change(value=1), AT, LIMITS) == {"expires_at": short["expires_at"]}
    assert anew(short, Change(kind=Kind.PLAN), AT, LIMITS) == {}


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
