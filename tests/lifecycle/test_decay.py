"""Decay and the conditions of forgetting, as tables."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.extraction.predicates import standard
from app.lifecycle.decay import EPISODE, FACT, decayed, half_life, importance_at
from app.lifecycle.sweep import (
    IMPORTANCE_FLOOR,
    LEAST_AGE,
    TRUST_FLOOR,
    Standing,
    forgettable,
    standing,
)

DAY = timedelta(days=1)
LOW = Standing(pinned=False, importance=0.01, trust=0.1, referenced=False, age=60 * DAY)
SPARED = {
    "pinned": True,
    "importance": 0.5,
    "trust": 0.9,
    "referenced": True,
    "age": 3 * DAY,
}


@pytest.mark.parametrize(
    ("stored", "elapsed", "lasts", "left"),
    [
        (0.8, 3.5 * DAY, EPISODE, 0.566),
        (0.8, 7 * DAY, EPISODE, 0.4),
        (0.8, 365 * DAY, FACT, 0.4),
        (0.8, timedelta(0), EPISODE, 0.8),
        (0.8, -DAY, EPISODE, 0.8),
        (0.8, DAY, timedelta(0), 0.8),
        (0.8, DAY, -DAY, 0.8),
        (math.inf, DAY, EPISODE, math.inf),
    ],
)
def test_decay(stored: float, elapsed: timedelta, lasts: timedelta, left: float) -> None:
    assert decayed(stored, elapsed, lasts) == pytest.approx(left, abs=5e-4)
    assert decayed(stored, elapsed, lasts, pinned=True) == stored


def test_what_is_no_number_stays_so() -> None:
    assert math.isnan(decayed(math.nan, DAY, EPISODE))


@given(st.floats(0, 1), st.floats(0, 3000), st.floats(0, 3000))
def test_decay_of_parts_is_decay_of_the_whole(stored: float, one: float, two: float) -> None:
    whole = decayed(stored, (one + two) * DAY, EPISODE)
    parts = decayed(decayed(stored, one * DAY, EPISODE), two * DAY, EPISODE)
    assert parts == pytest.approx(whole, rel=1e-6, abs=1e-12)
    assert whole <= stored


def test_a_fact_lasts_as_its_predicate_does() -> None:
    registry = standard()
    state, home = registry.get("status"), registry.get("lives_in")
    assert half_life("fact", "status", registry) == timedelta(days=state.half_life)
    assert half_life("fact", "lives_in", registry) == timedelta(days=home.half_life)
    assert half_life("fact") == FACT
    assert half_life("episode", "lives_in", registry) == EPISODE


@pytest.mark.parametrize(
    ("namespace", "days", "left"),
    [
        ("project-state", 7, 0.794),
        ("project-state", 21, 0.5),
        ("learnings", 120, 0.5),
        ("methods", 180, 0.5),
        ("knowledge", 365, 0.5),
        ("derived", 365, 0.5),
        (None, 365, 0.5),
    ],
)
def test_a_note_lasts_as_its_namespace_does(namespace: str | None, days: int, left: float) -> None:
    learnt = datetime(2026, 1, 1, tzinfo=UTC)
    note = {"kind": "note", "importance": 1.0, "ingested_at": learnt, "namespace": namespace}
    assert importance_at(note, learnt + days * DAY) == pytest.approx(left, abs=5e-4)


def test_time_counts_from_the_last_use() -> None:
    said = datetime(2026, 1, 1, tzinfo=UTC)
    memory = {"kind": "episode", "importance": 0.8, "captured_at": said, "is_pinned": False}
    assert importance_at(memory, said + 7 * DAY) == pytest.approx(0.4)
    used = {**memory, "last_access": said + 7 * DAY}
    assert importance_at(used, said + 7 * DAY) == pytest.approx(0.8)
    assert importance_at({**memory, "is_pinned": True}, said + 700 * DAY) == 0.8


@pytest.mark.parametrize("spared", list(itertools.product([False, True], repeat=5)))
def test_only_what_is_low_on_all_five_axes_is_forgotten(spared: tuple[bool, ...]) -> None:
    changes = {axis: SPARED[axis] for axis, on in zip(SPARED, spared, strict=True) if on}
    memory = replace(LOW, **changes)  # type: ignore[arg-type]
    assert forgettable(memory) is (not any(spared))


def test_a_floor_itself_spares() -> None:
    assert not forgettable(replace(LOW, importance=IMPORTANCE_FLOOR))
    assert not forgettable(replace(LOW, trust=TRUST_FLOOR))
    assert forgettable(replace(LOW, age=LEAST_AGE))
    assert not forgettable(replace(LOW, age=LEAST_AGE - timedelta(microseconds=1)))


def test_the_axes_are_read_from_a_row() -> None:
    moment = datetime(2026, 6, 1, tzinfo=UTC)
    row = {
        "memory": {
            "kind": "episode",
            "importance": 0.5,
            "trust": 0.1,
            "is_pinned": False,
            "captured_at": moment - 90 * DAY,
            "ingested_at": moment - 40 * DAY,
        },
        "referenced": False,
    }
    axes = standing(row, moment)
    assert axes == Standing(False, axes.importance, 0.1, False, 40 * DAY)
    assert forgettable(axes)
