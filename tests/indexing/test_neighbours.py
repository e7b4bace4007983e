from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.indexing.neighbours import context_terms, window_text

TERMS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=200)


def test_the_nearest_come_first_and_more_from_before() -> None:
    before = [["b1"], ["b2"], ["b3"], ["b4"], ["b5"]]
    after = [["a1"], ["a2"], ["a3"]]
    assert context_terms(["own"], before, after) == ["b1", "a1", "b2", "a2", "b3", "b4"]
    assert context_terms(["own"], [], []) == []


def test_a_long_text_borrows_nothing() -> None:
    assert context_terms(["own"] * 160, [["b"]], [["a"]]) == []
    assert context_terms(["own"] * 159, [["b", "c"]], [["a"]]) == ["b"]


def test_a_long_text_lends_nothing_and_the_next_one_does() -> None:
    assert context_terms(["own"], [["wall"] * 81, ["b2"]], [["a1"]]) == ["a1", "b2"]
    assert context_terms(["own"], [["b"] * 80], []) == ["b"] * 64


@given(TERMS, st.lists(TERMS, max_size=6), st.lists(TERMS, max_size=4))
def test_an_entry_stays_small(
    own: list[str], before: list[list[str]], after: list[list[str]]
) -> None:
    borrowed = context_terms(own, before, after)
    assert len(borrowed) <= max(0, 160 - len(own))


def test_the_window_is_in_the_order_of_the_talk() -> None:
    assert window_text("own", ["just before", "earlier", "too early"]) == (
        "earlier\njust before\nown"
    )
    assert window_text("own", []) == "own"
    assert window_text("own", ["x" * 500]) == "x" * 300 + "\nown"
    assert window_text("long" * 400, ["before"]) == "long" * 400
