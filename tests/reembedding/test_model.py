"""Moves between vector spaces, and how two rankings are compared: pure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import Conflict
from app.indexing.spaces import FIRST, SPACES, SpaceMap, Use
from app.kernel.cypher import Q, in_space
from app.reembedding.model import Choice, State, overlap

SECOND, THIRD = SPACES[1], SPACES[2]


def test_a_switch_and_a_rollback_only_change_sides() -> None:
    filling = Choice().prepared(SECOND.name)
    assert filling == Choice(FIRST.name, SECOND.name, State.FILLING)
    assert filling.prepared(SECOND.name) == filling  # asked twice
    kept = filling.switched()
    assert kept == Choice(SECOND.name, FIRST.name, State.KEPT)
    assert kept.rolled_back() == filling
    assert kept.finished() == Choice(SECOND.name)
    assert filling.finished() == Choice()


@pytest.mark.parametrize(
    ("choice", "move"),
    [
        (Choice(), lambda c: c.prepared(FIRST.name)),
        (Choice(), Choice.switched),
        (Choice(), Choice.rolled_back),
        (Choice(), Choice.finished),
        (Choice().prepared(SECOND.name), lambda c: c.prepared(THIRD.name)),
        (Choice().prepared(SECOND.name), Choice.rolled_back),
        (Choice().prepared(SECOND.name).switched(), Choice.switched),
        (Choice().prepared(SECOND.name).switched(), lambda c: c.prepared(FIRST.name)),
    ],
)
def test_other_moves_are_refused(choice: Choice, move: object) -> None:
    with pytest.raises(Conflict):
        move(choice)  # type: ignore[operator]


@given(st.lists(st.sampled_from("abcdefgh")), st.lists(st.sampled_from("abcdefgh")))
def test_overlap_is_symmetric_and_one_of_equals(left: list[str], right: list[str]) -> None:
    assert overlap(left, right, 5) == overlap(right, left, 5)
    assert 0.0 <= overlap(left, right, 5) <= 1.0
    assert overlap(left, left, 5) == 1.0


@pytest.mark.parametrize(
    ("left", "right", "k", "share"),
    [
        (["a", "b"], ["b", "c"], 2, 0.5),
        (["a", "a", "b"], ["a", "b"], 2, 1.0),
        (["a"], ["a", "b", "c", "d"], 4, 0.25),
        (["a"], [], 3, 0.0),
        ([], [], 3, 1.0),
    ],
)
def test_overlap_cases(left: list[str], right: list[str], k: int, share: float) -> None:
    assert overlap(left, right, k) == share


def test_a_scope_takes_the_choice_of_the_nearest_above_it() -> None:
    chosen = SpaceMap({"acme": Use(SECOND, (FIRST,)), "acme/dev": Use(THIRD)})
    assert chosen.of("acme/dev/user:ann").active is THIRD
    assert chosen.of("acme/developers") == Use(SECOND, (FIRST,))
    assert chosen.of("acmeother").active is FIRST
    parts = chosen.split(["acme", "acme/dev", "globex", "acme/x"])
    assert parts == {SECOND: ["acme", "acme/x"], THIRD: ["acme/dev"], FIRST: ["globex"]}


def test_a_query_over_another_space_names_its_index_and_properties_only() -> None:
    text = in_space(query=Q.search.vector_live, suffix="_b").text
    assert "VECTOR INDEX memory_vector_b FOR" in text
    assert "memory_vector " not in text
    assert in_space(query=Q.search.vector_live, suffix="").text == Q.search.vector_live.text
    stored = in_space(query=Q.indexing.store_windows, suffix="_c").text
    assert "w.embedding_c = row.vector, w.embed_hash_c = row.hash" in stored
    for bad in ("_B", "b", "_bb", "`", "_b n", " "):
        with pytest.raises(ValueError, match="no suffix"):
            in_space(query=Q.search.vector_live, suffix=bad)
