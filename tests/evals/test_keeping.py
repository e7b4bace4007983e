"""What is chosen on all sets but one: never by the set itself, and a loss is told."""

from __future__ import annotations

from bench.keeping import KEEPING, Answered, chosen, costs, left_out, mean


def answered(legs: float, best: int, walk: float = 0.9) -> Answered:
    """A set whose walk is best with so many kept, and finds nothing with others."""
    questions = [f"q{number}" for number in range(40)]
    return Answered(
        {id: {2: legs, 5: legs} for id in questions},
        {
            count: {id: dict.fromkeys((2, 5), walk if count == best else 0.0) for id in questions}
            for count in KEEPING
        },
    )


def test_each_set_gets_what_is_best_on_the_others() -> None:
    sets = {"a": answered(0.5, 3), "b": answered(0.5, 3), "c": answered(0.5, 1)}
    told = left_out(sets)
    assert {name: row["kept"] for name, row in told.items()} == {"a": 1, "b": 1, "c": 3}
    assert chosen(list(sets.values())) == 3
    assert told["c"]["auto R@2"] == 0.0
    assert costs(told) == [
        f"{name}: R@{cut} is 0.0 with a walk, 50.0 by the legs alone"
        for name in "abc"
        for cut in (2, 5)
    ]


def test_a_walk_that_loses_less_than_a_point_costs_nothing() -> None:
    sets = {"a": answered(0.905, 2), "b": answered(0.9, 2)}
    assert costs(left_out(sets)) == []
    assert costs(left_out({"a": answered(0.92, 2), "b": answered(0.9, 2)})) != []


def test_halves_make_up_the_whole() -> None:
    one = answered(0.25, 2)
    row = left_out({"a": one, "b": one})["a"]
    assert row["auto R@2 first"] == row["auto R@2 second"] == mean(one.walked[2], 2) == 90.0
