"""Schedules of the agent's memory are due at the moments that are promised."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise, takewhile
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim

from app.settings import Settings
from app.tasks import schedules

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = datetime(2026, 6, 1, tzinfo=BERLIN)
CRONS = {one.name: one.cron for one in schedules(Settings())}


def due(name: str, days: int = 28) -> list[datetime]:
    """When a schedule is due in so many days from a Monday on."""
    end = MONDAY + timedelta(days=days)
    start = MONDAY - timedelta(seconds=1)
    return list(takewhile(lambda at: at < end, CronSim(CRONS[name], start)))


@pytest.mark.parametrize(
    ("name", "hour", "minute"),
    [
        ("pools.retention", 3, 30),
        ("snapshots.take", 5, 30),
        ("tiers.promote", 4, 0),
        ("contexts.fade", 3, 50),
        ("tables.relink", 4, 40),
    ],
)
def test_it_is_due_once_a_day(name: str, hour: int, minute: int) -> None:
    found = due(name)
    assert len(found) == 28
    assert {(at.hour, at.minute) for at in found} == {(hour, minute)}


@pytest.mark.parametrize(
    ("name", "apart"),
    [
        ("conversations.judge", timedelta(minutes=5)),
        ("conversations.sort", timedelta(minutes=1)),
        ("notes.join", timedelta(minutes=30)),
        ("escalations.check", timedelta(minutes=15)),
        ("observations.collect", timedelta(minutes=30)),
        ("shortterm.expire", timedelta(hours=1)),
        ("goals.check", timedelta(hours=6)),
        ("interventions.suggest", timedelta(days=7)),
        ("learning.follow", timedelta(minutes=1)),
    ],
)
def test_it_is_due_so_often(name: str, apart: timedelta) -> None:
    assert {after - before for before, after in pairwise(due(name))} == {apart}


def test_every_schedule_is_due_within_a_month() -> None:
    assert [name for name in CRONS if not due(name, 31)] == []
