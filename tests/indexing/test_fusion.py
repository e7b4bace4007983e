from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.indexing.fusion import best, rrf, scaled, weighted

LEGS = st.dictionaries(
    st.sampled_from(["keyword", "vector"]),
    st.dictionaries(st.sampled_from("abcdef"), st.floats(-10, 10), max_size=6),
    max_size=2,
)


def test_reciprocal_ranks_are_added() -> None:
    scores = rrf({"keyword": ["a", "b"], "vector": ["b"]}, {"keyword": 1.0, "vector": 0.5})
    assert scores == {"a": 1 / 61, "b": 1 / 62 + 0.5 / 61}


def test_what_both_legs_find_comes_before_what_one_finds() -> None:
    both = [f"both {n}" for n in range(30)]
    keyword, vector = [f"k{n}" for n in range(30)], [f"v{n}" for n in range(30)]
    scores = rrf({"keyword": keyword + both, "vector": vector + both}, {})
    assert set(best(scores)[:30]) == set(both)  # though each was behind thirty others


def test_a_leg_of_weight_nought_takes_no_part() -> None:
    assert rrf({"keyword": ["a"], "vector": ["b"]}, {"vector": 0}) == {"a": 1 / 61}
    assert weighted({"keyword": {"a": 1.0}, "vector": {"b": 1.0}}, {"vector": 0}) == {"a": 1.0}


def test_blended_scores_are_shares_of_the_best() -> None:
    scores = weighted(
        {"keyword": {"a": 9.0, "b": 5.0, "c": 1.0}, "vector": {"b": 0.9, "d": 0.7}},
        {"keyword": 1.0, "vector": 0.7},
    )
    expected = {"a": 1 / 1.7, "b": 1.2 / 1.7, "c": 0.0, "d": 0.0}
    assert scores.keys() == expected.keys()
    assert all(math.isclose(scores[k], v) for k, v in expected.items())


@pytest.mark.parametrize(("weights", "k"), [({"keyword": -1.0}, 60), ({}, 0), ({}, -5)])
def test_senseless_constants_are_refused(weights: dict[str, float], k: int) -> None:
    with pytest.raises(ValueError, match="positive"):
        rrf({"keyword": ["a"]}, weights, k)


def test_scaling() -> None:
    assert scaled({}) == {}
    assert scaled({"a": 3.0, "b": 3.0}) == {"a": 1.0, "b": 1.0}
    assert scaled({"a": 3.0, "b": 1.0, "c": 2.0}) == {"a": 1.0, "b": 0.0, "c": 0.5}


@given(LEGS)
def test_blending_keeps_everything_and_stays_in_bounds(legs: dict[str, dict[str, float]]) -> None:
    scores = weighted(legs, {"keyword": 1.0, "vector": 0.7})
    assert set(scores) == {item for leg in legs.values() for item in leg}
    assert all(0.0 <= score <= 1.0 + 1e-9 for score in scores.values())


@given(LEGS)
def test_fusing_does_not_depend_on_the_order_of_the_legs(
    legs: dict[str, dict[str, float]],
) -> None:
    ranked = {name: sorted(leg) for name, leg in legs.items()}
    backwards = dict(reversed(ranked.items()))
    assert rrf(ranked, {}) == rrf(backwards, {})


def test_what_is_equal_stands_in_the_order_of_ids() -> None:
    assert best({"b": 1.0, "c": 2.0, "a": 1.0}) == ["c", "a", "b"]
    assert best({}) == []
