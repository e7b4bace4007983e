"""The demo's own updates and near misses."""

from __future__ import annotations

from pathlib import Path

from bench.extraction import near_misses, updates

SEED = Path(__file__).parents[2] / "seed" / "demo"


def test_all_updates_of_the_demo_are_marked() -> None:
    marks = updates(SEED)["groups"]["all"]
    assert marks["of"] == 60
    assert marks["told"] == 60  # ended, or told as a possible change where words were left over
    assert marks["retired"] >= 42  # one is held until summer, and another one from July on
    assert marks["dated"] >= 37


def test_no_near_miss_retires() -> None:
    assert near_misses(SEED) == {"of": 50, "wrong": []}
