"""How the order of a walk and the order of the legs become one: pure."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.search.walking import KEPT, arranged

PASSAGES = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6}
NAMES = st.text("abcdefgh", min_size=1, max_size=1)
SCORES = st.dictionaries(NAMES, st.floats(0.01, 1), max_size=8)


def ordered(scores: dict[str, float]) -> list[str]:
    return sorted(scores, key=lambda memory: -scores[memory])


def test_the_walk_orders_passages_and_leaves_the_rest_where_it_stood() -> None:
    fused = {**PASSAGES, "fact": 0.85}
    found = arranged(fused, PASSAGES, {"d": 3.0, "new": 2.0, "b": 1.0})
    assert ordered(found) == ["d", "fact", "new", "b", "a", "c"]


def test_the_first_two_of_the_legs_go_down_by_one_place_at_most() -> None:
    walked = {"d": 4.0, "c": 3.0, "new": 2.0}
    assert ordered(arranged(PASSAGES, PASSAGES, walked))[:3] == ["d", "c", "new"]
    assert ordered(arranged(PASSAGES, PASSAGES, walked, KEPT))[:4] == ["d", "a", "b", "c"]
    # One that the walk has above stays there.
    agreeing = {"b": 4.0, "d": 3.0, "c": 2.0}
    assert ordered(arranged(PASSAGES, PASSAGES, agreeing, KEPT)) == ["b", "a", "d", "c"]


@given(SCORES, SCORES)
def test_whatever_is_walked_nothing_is_lost_and_the_first_stay_near(
    passages: dict[str, float], walked: dict[str, float]
) -> None:
    found = arranged(passages, passages, walked, KEPT)
    assert set(found) == passages.keys() | walked.keys()
    order = ordered(found)
    first = sorted(passages, key=lambda memory: (-passages[memory], memory))[:KEPT]
    assert all(order.index(memory) <= place for place, memory in enumerate(first, start=1))
    assert len(set(found.values())) == len(found)
