"""Groups nest, whatever Leiden says; ids go on by overlap. All of it pure."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.communities.grouping import replaced, replanned
from app.communities.matching import ALIKE, continued, jaccard, new_id
from app.communities.model import Group, Members, Outline, Plan, Stored
from app.communities.nesting import SMALLEST, every, finest, nested

paths = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=3),
    st.lists(st.integers(0, 4), min_size=3, max_size=3),
    max_size=40,
)
partitions = st.dictionaries(st.integers(0, 30), st.integers(0, 5), max_size=30)


def sets(owner: dict[int, int]) -> list[Members]:
    found: dict[int, set[str]] = {}
    for member, group in owner.items():
        found.setdefault(group, set()).add(str(member))
    return [frozenset(members) for _, members in sorted(found.items())]


def kept(plan: Plan, old: dict[str, Stored]) -> dict[str, Stored]:
    """What is stored once a plan is carried out."""
    after = {i: one for i, one in old.items() if i not in plan.gone}
    for row in plan.rows:
        after[row.id] = Stored(row.id, row.level, row.size, row.inner, None, Outline(), False)
    up = {i: one.id for one in after.values() if one.level for i in one.inner}
    return {
        i: Stored(i, one.level, one.size, one.inner, up.get(i), one.outline, False)
        for i, one in after.items()
    }


@given(paths)
def test_groups_are_at_least_three_nest_and_do_not_overlap(found: dict[str, list[int]]) -> None:
    groups = nested(found)
    leaves = finest(groups)
    for group in every(groups):
        assert len(group.members) >= SMALLEST
        if group.inner:
            assert len(group.inner) > 1
            assert group.members == frozenset().union(*(part.members for part in group.inner))
            assert group.level > max(part.level for part in group.inner)
    assert sum(len(leaf.members) for leaf in leaves) == len(
        frozenset[str]().union(*(leaf.members for leaf in leaves))
    )
    assert len({group.members for group in every(groups)}) == len(every(groups))


@given(paths, st.randoms(use_true_random=False))
def test_the_order_in_which_entities_come_does_not_matter(
    found: dict[str, list[int]], dice: random.Random
) -> None:
    shuffled = list(found.items())
    dice.shuffle(shuffled)
    assert nested(dict(shuffled)) == nested(found)


def test_a_level_that_splits_what_was_together_is_cut_to_nest() -> None:
    found = {
        **{name: [1, 1] for name in "abc"},
        **{name: [1, 2] for name in "def"},
        **{name: [2, 2] for name in "ghi"},
        **{name: [3, 1] for name in "jkl"},
        **{name: [4, 1] for name in "mno"},
    }
    outer = nested(found)
    assert sorted("".join(sorted(g.members)) for g in outer) == ["abcjklmno", "defghi"]
    assert sorted("".join(sorted(g.members)) for g in finest(outer)) == [
        "abc", "def", "ghi", "jkl", "mno",
    ]  # fmt: skip


def test_two_that_are_together_are_no_group() -> None:
    assert nested({"a": [1], "b": [1]}) == []
    assert nested({}) == []


@given(partitions, partitions)
def test_an_id_goes_on_once_and_only_as_what_is_like_it(
    before: dict[int, int], after: dict[int, int]
) -> None:
    old = {f"c{place}": members for place, members in enumerate(sets(before))}
    new = sets(after)
    taken = continued(old, new)
    assert len(set(taken.values())) == len(taken)
    for place, identifier in taken.items():
        assert jaccard(old[identifier], new[place]) >= ALIKE
    for place, members in enumerate(new):
        for identifier, former in old.items():
            if members == former:
                assert taken[place] == identifier


@given(partitions)
def test_the_same_sets_keep_their_ids_in_any_order(owner: dict[int, int]) -> None:
    new = sets(owner)
    old = {new_id("a", members, set()): members for members in new}
    turned = list(reversed(new))
    assert {old[i] == turned[p] for p, i in continued(old, turned).items()} <= {True}
    assert len(continued(old, turned)) == len(new)


@pytest.mark.parametrize(
    ("one", "other", "likeness"), [("", "", 1), ("ab", "ab", 1), ("ab", "bc", 1 / 3), ("a", "b", 0)]
)
def test_likeness(one: str, other: str, likeness: float) -> None:
    assert jaccard(frozenset(one), frozenset(other)) == pytest.approx(likeness)


def test_an_id_that_is_taken_is_not_given_twice() -> None:
    members = frozenset("abc")
    first = new_id("a", members, set())
    assert new_id("a", members, set()) == first
    assert new_id("a", members, {first}) != first
    assert new_id("b", members, set()) != first


@given(paths)
def test_a_whole_plan_repeated_writes_nothing(found: dict[str, list[int]]) -> None:
    groups = nested(found)
    first = replanned("a", {}, groups)
    stored = kept(first, {})
    again = replanned("a", stored, groups)
    assert (again.rows, again.gone) == ((), ())
    assert again.leaves == first.leaves


def family() -> dict[str, Stored]:
    """Two finest communities in one, and a third on its own."""
    groups = [
        Group(frozenset("abcdef"), (Group(frozenset("abc")), Group(frozenset("def")))),
        Group(frozenset("xyz")),
    ]
    return kept(replanned("a", {}, groups), {})


def test_what_is_grouped_anew_stays_in_what_most_of_it_was_in() -> None:
    old = family()
    leaves = {"".join(sorted(one.inner)): one for one in old.values() if not one.level}
    (nest,) = (one for one in old.values() if one.level)
    known = {one.id: one for one in (leaves["abc"], nest)}
    plan = replaced("a", known, [frozenset("abcn")])
    after = kept(plan, old)
    assert after[leaves["abc"].id].inner == frozenset("abcn")
    assert after[nest.id].size == 7
    assert after[nest.id].inner == nest.inner
    assert plan.gone == ()


def test_what_falls_apart_goes_with_what_it_leaves_empty() -> None:
    old = family()
    (nest,) = (one for one in old.values() if one.level)
    known = {i: old[i] for i in nest.inner} | {nest.id: nest}
    plan = replaced("a", known, [])
    assert set(plan.gone) == {*nest.inner, nest.id}
    assert set(kept(plan, old)) == old.keys() - set(plan.gone)


def test_a_local_plan_repeated_writes_nothing() -> None:
    old = family()
    plan = replaced("a", old, [frozenset("abc"), frozenset("def"), frozenset("xyz")])
    assert (plan.rows, plan.gone) == ((), ())
