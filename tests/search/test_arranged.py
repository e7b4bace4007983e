"""How the order of a walk and the order of the legs become one: pure."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.retrieval.service import Paths, Walked
from app.search.walking import NEAR, Keeping, Walk, arranged

PASSAGES = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6}
NAMES = st.text("abcdefgh", min_size=1, max_size=1)
SCORES = st.dictionaries(NAMES, st.floats(0.01, 1), max_size=8)


def ordered(scores: dict[str, float]) -> list[str]:
    return sorted(scores, key=lambda memory: -scores[memory])


def walk(scores: dict[str, float], answers: dict[str, float] | None = None) -> Walk:
    return Walk(Walked(scores, Paths((), {})), answers=answers or {})


def test_the_walk_orders_passages_and_leaves_the_rest_where_it_stood() -> None:
    fused = {**PASSAGES, "fact": 0.85}
    found = arranged(fused, PASSAGES, walk({"d": 3.0, "new": 2.0, "b": 1.0}))
    assert ordered(found) == ["d", "fact", "new", "b", "a", "c"]


def test_the_first_two_of_the_legs_go_down_by_one_place_at_most() -> None:
    walked = walk({"d": 4.0, "c": 3.0, "new": 2.0})
    assert ordered(arranged(PASSAGES, PASSAGES, walked))[:3] == ["d", "c", "new"]
    kept = arranged(PASSAGES, PASSAGES, walked, Keeping(2, None))
    assert ordered(kept)[:4] == ["d", "a", "b", "c"]
    # One that the walk has above stays there.
    agreeing = walk({"b": 4.0, "d": 3.0, "c": 2.0})
    assert ordered(arranged(PASSAGES, PASSAGES, agreeing, Keeping())) == ["b", "a", "d", "c"]


def test_what_answers_worse_passes_nothing_that_is_near_to_the_best() -> None:
    answers = {"a": 0.9, "b": 0.6, "c": 0.45, "new": 0.5}
    walked = walk({"a": 4.0, "c": 3.0, "new": 2.0, "b": 1.0}, answers)
    assert ordered(arranged(PASSAGES, PASSAGES, walked)) == ["a", "c", "new", "b", "d"]
    kept = arranged(PASSAGES, PASSAGES, walked, Keeping(0, 0.1))
    assert ordered(kept) == ["a", "b", "c", "new", "d"]
    # One that answers nearly as well passes, and so does any where the second is far behind: then
    # the question is likely to need another step.
    better = walk({"a": 4.0, "new": 2.0, "b": 1.0}, {**answers, "new": 0.55})
    assert ordered(arranged(PASSAGES, PASSAGES, better, Keeping(0, 0.1)))[:3] == ["a", "new", "b"]
    far = {"a": 1.0, "b": NEAR - 0.01}
    assert ordered(arranged(far, far, walked, Keeping(0, 0.1)))[:4] == ["a", "c", "new", "b"]


@given(SCORES, SCORES, SCORES)
def test_whatever_is_walked_nothing_is_lost_and_the_first_stay_near(
    passages: dict[str, float], walked: dict[str, float], answers: dict[str, float]
) -> None:
    found = arranged(passages, passages, walk(walked, answers), Keeping())
    assert set(found) == passages.keys() | walked.keys()
    order = ordered(found)
    first = sorted(passages, key=lambda memory: (-passages[memory], memory))
    assert all(order.index(memory) <= place for place, memory in enumerate(first[:2], start=1))
    assert len(set(found.values())) == len(found)
    # Of what no leg found nothing answers, so that what is near to the best stays above it.
    new = {memory: score for memory, score in walked.items() if memory not in passages}
    alone = walk(new, dict.fromkeys(passages, 1.0))
    near = [memory for memory in first if passages[memory] >= NEAR * passages[first[0]]]
    kept = ordered(arranged(passages, passages, alone, Keeping(0, 0.1)))
    assert kept[: len(near)] == near
