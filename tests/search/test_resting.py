"""A memory and its turns take one place."""

from __future__ import annotations

import pytest

from app.indexing.fusion import best
from app.search.resting import grouped

RESTS = {"m1": ["a"], "m2": ["a", "b"], "m3": ["c"]}


def test_without_memories_nothing_changes() -> None:
    scores = {"a": 0.9, "b": 0.4}
    assert grouped(scores, {}, {}) == scores


def test_a_memory_stands_in_the_place_of_its_turns() -> None:
    found = grouped({"a": 0.9, "b": 0.4, "d": 0.5}, {"m2": 0.6, "m3": 0.9}, RESTS)
    assert best(found) == ["m2", "d", "m3"]
    assert found["m2"] == pytest.approx(0.9 + 0.4 * 0.6)
    assert found["m3"] == pytest.approx(0.4 * 0.9)


def test_of_memories_on_one_turn_the_one_that_tells_most_is_shown_once() -> None:
    assert best(grouped({"a": 0.9}, {"m1": 1.0, "m2": 0.2}, RESTS)) == ["m2"]
    assert best(grouped({"a": 0.9}, {"m1": 1.0}, {"m1": ["a"]})) == ["m1"]


def test_where_only_memories_are_looked_for_their_scores_count() -> None:
    found = grouped({"m1": 0.8, "m3": 0.3, "fact": 0.5}, {}, {"m1": ["a"], "m3": ["c"]})
    assert best(found) == ["m1", "fact", "m3"]
    assert found["m1"] == 0.8
