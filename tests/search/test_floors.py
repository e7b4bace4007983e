"""Floors: each step of the ladder, and that nothing vanishes unexplained."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.search.floors import Floor, Floored, Judged, Match, enough_words, floored

FAR, NEAR, CLOSE = Judged("far", 0.3, 1), Judged("near", 0.6, 1), Judged("close", 0.9, 1)
WORDED, WALKED = Judged("worded", 0.1, 3), Judged("walked", 0.1, 0, walked=2)

CASES = [
    ([], Floor(0.0), Floored(frozenset(), Match.NONE)),
    ([CLOSE, NEAR, FAR], Floor(0.8), Floored(frozenset(["close"]), Match.SEMANTIC, 2, 0.6)),
    ([NEAR, FAR], Floor(0.8), Floored(frozenset(["near"]), Match.SEMANTIC_FALLBACK, 1, 0.3)),
    ([FAR, WORDED], Floor(0.8), Floored(frozenset(["worded"]), Match.KEYWORD, 1, 0.3)),
    ([FAR], Floor(0.8), Floored(frozenset(), Match.NONE, 1, 0.3)),
    ([FAR, WORDED], Floor(0.4), Floored(frozenset(["worded"]), Match.KEYWORD, 1, 0.3)),
    ([NEAR, WORDED], Floor(0.8, relax=False), Floored(frozenset(), Match.NONE, 2, 0.6)),
    ([FAR, WALKED], Floor(0.8), Floored(frozenset(["walked"]), Match.GRAPH, 1, 0.3)),
    ([CLOSE, FAR, WALKED], Floor(0.8),
     Floored(frozenset(["close", "walked"]), Match.SEMANTIC, 1, 0.3)),
    ([FAR, Judged("late", 0.1, 0, walked=33)], Floor(0.8),
     Floored(frozenset(), Match.NONE, 2, 0.3)),
    ([FAR], Floor(0.0), Floored(frozenset(["far"]), Match.SEMANTIC)),
]  # fmt: skip


@pytest.mark.parametrize(("judged", "floor", "expected"), CASES)
def test_the_highest_step_that_anything_reaches_counts(
    judged: list[Judged], floor: Floor, expected: Floored
) -> None:
    assert floored(judged, floor, asked=4) == expected


@pytest.mark.parametrize(
    ("asked", "needed"), [(0, 1), (1, 1), (2, 2), (3, 2), (4, 2), (5, 3), (12, 3)]
)
def test_half_of_the_words_are_enough_and_two_where_there_are(asked: int, needed: int) -> None:
    assert enough_words(asked) == needed


SAYS = Judged("says", 0.3, 1, named=True)


def test_what_is_as_good_as_no_answer_comes_along_with_nothing() -> None:
    judged = [Judged("best", 0.9, 2), Judged("rest", 0.1, 1), Judged("noise", 0.09, 1)]
    walked = Judged("walked", 0.05, 0, walked=3)
    found = floored([*judged, walked], Floor(0.5, relax=False, whole=True), asked=4)
    assert found.kept == {"best", "rest", "walked"}
    assert (found.held, found.best) == (1, 0.09)
    assert floored(judged, Floor(0, whole=True), asked=4).kept == {"best", "rest", "noise"}


@pytest.mark.parametrize(
    ("judged", "floor", "kept"),
    [
        ([SAYS, FAR], Floor(0.5, relax=False, whole=True), {"says", "far"}),
        ([NEAR, FAR], Floor(0.5, relax=False, whole=True), set()),
        ([Judged("near", 0.65, 1), FAR], Floor(0.5, relax=False, whole=True), {"near", "far"}),
        ([Judged("says", 0.24, 1, named=True)], Floor(0.5, relax=False, whole=True), set()),
        ([NEAR], Floor(0.7, relax=False, whole=True), set()),
        ([NEAR, SAYS], Floor(0.5, relax=False), {"near"}),  # each hit stands for itself
        ([NEAR], Floor(0.5, whole=True), set()),
        ([Judged("worded", 0.6, 3)], Floor(0.5, whole=True), {"worded"}),
    ],
)
def test_a_person_is_known_by_the_name(judged: list[Judged], floor: Floor, kept: set[str]) -> None:
    assert floored(judged, floor, asked=4, of_person=True).kept == kept
    # Where nobody is named, a name says nothing.
    nobody = floored(judged, floor, asked=4)
    assert bool(nobody.kept) == any(one.relevance >= floor.least for one in judged) or floor.relax


MANY = st.lists(
    st.builds(
        Judged,
        st.uuids().map(str),
        st.floats(0, 1),
        st.integers(0, 6),
        st.none() | st.integers(1, 60),
    ),
    max_size=20,
)


@given(MANY, st.floats(0, 1), st.booleans(), st.integers(0, 12))
def test_what_is_kept_and_what_is_held_back_is_everything(
    judged: list[Judged], least: float, relax: bool, asked: int
) -> None:
    found = floored(judged, Floor(least, relax), asked)
    assert len(found.kept) + found.held == len(judged)
    assert (found.match is Match.NONE) == (not found.kept)
    assert found.kept >= {one.id for one in judged if one.relevance >= least}
    assert (found.best is None) == (found.held == 0)
    assert found.best is None or found.best < least
