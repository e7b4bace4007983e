"""What is chosen on all sets but one: never by the set itself, and a loss is told."""

from __future__ import annotations

from bench.keeping import KEEPING, Answered, chosen, costs, left_out, mean


def answered(legs: float, best: str, walk: float = 0.9) -> Answered:
    """A set whose walk is best with so much kept, and finds nothing with others."""
    questions = [f"q{number}" for number in range(40)]
    return Answered(
        {id: {2: legs, 5: legs} for id in questions},
        {
            name: {id: dict.fromkeys((2, 5), walk if name == best else 0.0) for id in questions}
            for name in KEEPING
        },
    )


def test_each_set_gets_what_is_best_on_the_others() -> None:
    sets = {"a": answered(0.5, "5"), "b": answered(0.5, "5"), "c": answered(0.5, "2")}
    told = left_out(sets)
    assert {name: row.kept for name, row in told.items()} == {"a": "2", "b": "2", "c": "5"}
    assert chosen(list(sets.values())) == "5"
    assert told["c"].recall["auto R@2"] == 0.0
    assert costs(told) == [
        f"{name}: R@{cut} is 0.0 with a walk, 50.0 by the legs alone"
        for name in "abc"
        for cut in (2, 5)
    ]


def test_a_walk_that_loses_less_than_a_point_costs_nothing() -> None:
    sets = {"a": answered(0.905, "2"), "b": answered(0.9, "2")}
    assert costs(left_out(sets)) == []
    assert costs(left_out({"a": answered(0.92, "2"), "b": answered(0.9, "2")})) != []


def test_halves_make_up_the_whole() -> None:
    one = answered(0.25, "2")
    row = left_out({"a": one, "b": one})["a"].recall
    assert row["auto R@2 first"] == row["auto R@2 second"] == mean(one.walked["2"], 2) == 90.0
