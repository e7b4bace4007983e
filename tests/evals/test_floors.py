"""When retrieval has fallen below what it found, and how its questions are halved."""

from __future__ import annotations

import pytest

from bench.floors import fallen, half, read_floors, rows_of
from bench.recall import Question

FLOORS = {"talk": {"hybrid": {"R@5": 70.0, "R@10": 80.0}}, "wiki": {"auto": {"R@2": 60.0}}}


@pytest.mark.parametrize(
    ("measured", "names"),
    [
        ({"talk": {"hybrid": {"R@5": 70.0, "R@10": 80.0}}, "wiki": {"auto": {"R@2": 60.0}}}, []),
        ({"talk": {"hybrid": {"R@5": 69.1, "R@10": 81.0}}}, []),
        ({"talk": {"hybrid": {"R@5": 69.0, "R@10": 81.0}}}, ["talk"]),
        ({"talk": {"hybrid": {"R@5": 10.0, "R@10": 10.0}}}, ["talk", "talk"]),
        ({"talk": {"hybrid": {"R@10": 80.0}}}, ["talk"]),
        ({"wiki": {"hybrid": {"R@2": 99.0}}}, ["wiki"]),
        ({}, []),
    ],
)
def test_a_figure_has_fallen_that_dropped_by_a_point(
    measured: dict[str, dict[str, dict[str, float]]], names: list[str]
) -> None:
    assert [sentence.split()[0] for sentence in fallen(FLOORS, measured)] == names


def test_every_set_that_retrieval_is_told_by_has_a_floor() -> None:
    floors = read_floors()
    assert set(floors) == {
        "locomo",
        "longmemeval",
        "musique_train100",
        "hotpotqa_train100",
        "2wiki",
    }
    assert all(0 < x <= 100 for s in floors.values() for m in s.values() for x in m.values())


def test_halves_are_about_equal_and_add_up() -> None:
    questions = [Question(f"q{n}", "?", frozenset({"a"})) for n in range(400)]
    answered = [(q, ["a"] if half(q) == "first" else ["b"]) for q in questions]
    rows = rows_of(answered, (2,))
    assert rows["first"]["R@2"] == 100.0
    assert rows["second"]["R@2"] == 0.0
    assert rows["first"]["n"] + rows["second"]["n"] == rows["all"]["n"] == 400
    assert 160 < rows["first"]["n"] < 240
