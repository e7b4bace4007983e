"""The JSON of a pool, alone: changes, marks, and what is left without somebody."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InvalidInput, TooLarge
from app.kernel.kind import Gone, Stored
from app.pools.data import (
    Changed,
    Mark,
    keys_of,
    marked,
    merge,
    nested,
    parse_path,
    put,
    read_at,
    remove,
    same,
    without,
)
from app.pools.kind import POOL
from app.pools.model import Pool
from app.pools.writing import Written, change

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
KEYS = st.sampled_from(["a", "b", "c", "agent_bulletin"])
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["x", "y", ""]))
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=2)
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=3)
PATHS = st.lists(KEYS, min_size=1, max_size=3).map(tuple)
WRITERS = st.sampled_from(["agent:t:ann", "agent:t:bob", "agent:t:cyd"])


def pool(data: dict[str, Any] | None = None, **more: Any) -> Pool:
    made = Pool(
        id="x", scope="t/dev", pool_id="ops", name="Ops", owner="agent:t:ann", created_at=NOW,
        changed_at=NOW, data=data or {}, **more,
    )  # fmt: skip
    return POOL.placed(made)


# --- the reference: every leaf with its writer, and nothing clever ----------------------------

Leaves = dict[tuple[str, ...], tuple[Any, str]]


def flat(value: Any, by: str, path: tuple[str, ...] = ()) -> Leaves:
    """The leaves of a value, each with its writer; an object that is empty is a leaf."""
    if isinstance(value, dict) and value:
        return {
            place: leaf
            for name, inner in value.items()
            for place, leaf in flat(inner, by, (*path, name)).items()
        }
    return {path: (value, by)}


def grown(leaves: Leaves) -> dict[str, Any]:
    """The value that has these leaves."""
    made: dict[str, Any] = {}
    for path, (value, _) in leaves.items():
        here = made
        for step in path[:-1]:
            here = here.setdefault(step, {})
        if path:
            here[path[-1]] = value
    return made


OPERATIONS = st.one_of(
    st.tuples(st.just("put"), PATHS, VALUES, WRITERS),
    st.tuples(st.just("replace"), st.none(), OBJECTS, WRITERS),
    st.tuples(st.just("merge"), st.none(), OBJECTS, WRITERS),
    st.tuples(st.just("remove"), PATHS, st.none(), WRITERS),
)


def expected(data: dict[str, Any], operation: tuple[Any, ...]) -> dict[str, Any] | None:
    """What plain Python makes of an operation; None where it is refused."""
    name, path, value, _ = operation
    if name == "replace":
        return dict(value)
    if name == "merge":
        return deep(data, value)
    copy: dict[str, Any] = deep({}, data)
    here: Any = copy
    for step in path[:-1]:
        if not isinstance(here, dict):
            return None
        if step not in here:
            if name == "remove":
                return None
            here[step] = {}
        here = here[step]
    if not isinstance(here, dict) or (name == "remove" and path[-1] not in here):
        return None
    if name == "remove":
        del here[path[-1]]
    else:
        here[path[-1]] = value
    return copy


def deep(data: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    made = {name: deep({}, v) if isinstance(v, dict) else v for name, v in data.items()}
    for name, value in part.items():
        old = made.get(name)
        made[name] = (
            deep(old if isinstance(old, dict) else {}, value) if isinstance(value, dict) else value
        )
    return made


def act(operation: tuple[Any, ...], data: dict[str, Any]) -> Changed:
    name, path, value, _ = operation
    if name == "put":
        return put(data, path, value)
    if name == "replace":
        return put(data, (), value)
    return merge(data, value) if name == "merge" else remove(data, path)


@pytest.mark.one_python  # draws hundreds of orders
@settings(max_examples=400, deadline=None)
@given(st.lists(OPERATIONS, max_size=12))
def test_any_order_of_operations_is_what_plain_python_makes(
    operations: list[tuple[Any, ...]],
) -> None:
    held, data, version = pool(), {}, 1
    for step, operation in enumerate(operations, start=1):
        wanted = expected(data, operation)
        try:
            done = change(
                held, lambda d, o=operation: act(o, d), operation[3], NOW + timedelta(step), 10**6
            )
        except (InvalidInput, KeyError):
            assert wanted is None
            continue
        assert wanted is not None
        assert (done is None) == same(wanted, data)
        if done is not None:
            version += 1
            assert done.former.data == held.data
            assert [event.seq for event in done.events] == list(
                range(held.seq + 1, done.pool.seq + 1)
            )
            assert done.events or same(wanted, data)
            held = done.pool
        data = wanted
        assert same(held.data, data)
        assert held.version == version
        assert Pool.of(POOL.row(held)) == held, "what is stored is read back"


@settings(max_examples=300, deadline=None)
@given(st.lists(OPERATIONS, max_size=10), WRITERS)
def test_without_an_author_is_what_others_wrote(
    operations: list[tuple[Any, ...]], author: str
) -> None:
    """Whatever he wrote last is gone; whatever stands under another's mark is there."""
    held = pool()
    for operation in operations:
        try:
            done = change(held, lambda d, o=operation: act(o, d), operation[3], NOW, 10**6)
        except (InvalidInput, KeyError):
            continue
        held = done.pool if done else held
    marks = {mark.path: mark.by for mark in held.marks}

    def writer(path: tuple[str, ...]) -> str:
        places = (path[:length] for length in range(len(path), 0, -1))
        return next((marks[place] for place in places if place in marks), "")

    leaves = {path: leaf for path, leaf in flat(held.data, "").items() if path}
    kept = {path: leaf for path, leaf in leaves.items() if writer(path) != author}
    left = without(held.data, held.marks, lambda by: by == author, lambda _: False)
    assert same(left, grown(kept))
    gone = held.without(Gone(author=author))
    assert gone is None or author not in set(gone.people())


def test_a_mark_says_who_wrote_the_nearest_thing_above() -> None:
    marks = marked((), Changed({"a": {"b": 1}}, [("a",)]), "ann", NOW)
    marks = marked(marks, Changed({"a": {"b": 2, "c": 1}}, [("a", "b")]), "bob", NOW)
    assert [(m.path, m.by) for m in marks] == [(("a",), "ann"), (("a", "b"), "bob")]
    marks = marked(marks, Changed({"a": {"b": 2, "c": 2}}, [("a", "c")]), "ann", NOW)
    assert len(marks) == 2, "one under a mark of the same writer is not kept"
    marks = marked(marks, Changed({"a": 1}, [("a",)]), "cyd", NOW)
    assert [(m.path, m.by) for m in marks] == [(("a",), "cyd")]


def test_a_pool_has_only_so_many_places_of_different_writers() -> None:
    data = {f"k{n}": n for n in range(10_001)}
    with pytest.raises(TooLarge):
        marked((), Changed(data, [(name,) for name in data]), "ann", NOW)


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a..b", "a" * 256, ".".join("a" * 17)])
def test_what_is_no_path(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_path(text)
    assert refused.value.field == "path"


def test_dotted_names_are_paths_at_the_top_only() -> None:
    assert nested({"a.b": 1, "a.c": {"d.e": 2}}) == {"a": {"b": 1, "c": {"d.e": 2}}}
    assert nested({"a": {"x": 1}, "a.b": 2}) == {"a": {"x": 1, "b": 2}}
    with pytest.raises(InvalidInput):
        nested({"a": 1, "a.b": 2})
    with pytest.raises(KeyError):
        read_at({"a": 1}, ("a", "b"))


def test_a_change_of_many_keys_is_told_by_a_hundred() -> None:
    wide = {f"k{n:03}": n for n in range(150)}
    done = change(pool(), lambda data: merge(data, wide), "ann", NOW, 10**6)
    assert isinstance(done, Written)
    assert [event.key for event in done.events][-2:] == ["k099", "*"]
    assert len(done.events) == 101
    bulletins = {"agent_bulletin": {"x": 1, "y": {"z": 2}}}
    found = keys_of(merge({}, bulletins))
    assert found == ["agent_bulletin.x", "agent_bulletin.y"]


def test_a_mark_of_marks_is_stored_as_json() -> None:
    row = POOL.row(pool({"a": 1}, marks=(Mark(path=("a",), by="agent:t:bob", at=NOW),)))
    assert isinstance(row["marks"], str)
    assert row["people"] == ["agent:t:ann", "agent:t:bob"]
    assert row["tenant"] == "t"
    assert issubclass(Pool, Stored)
