"""What is counted of a conversation that was played: words that are there, and facts beside."""

from __future__ import annotations

from app.kernel.scope import parse_scope
from bench.turns import Asked, asked_in, table


def test_questions_are_asked_in_a_scope_that_there_may_be() -> None:
    assert str(parse_scope(asked_in("eval-1/conv-26"))) == "eval-1/conv-26-asked"


def test_a_fact_is_told_beside_the_words_that_are_there() -> None:
    gold = frozenset(("a", "b"))
    whole, nothing = frozenset(("a", "b", "c")), frozenset[str]()
    asked = [
        Asked("one", gold, frozenset("a"), whole, 100, whole, 200),
        Asked("two", gold, whole, whole, 300, nothing, 200),
    ]
    assert table(asked)["overall"] == {
        "n": 2,
        "turns: all": 50.0,
        "turns or facts: all": 100.0,
        "search: all": 50.0,
        "turns: any": 100.0,
        "search: any": 50.0,
        "turns: tokens": 200.0,
        "search: tokens": 200.0,
    }
    assert set(table(asked)) == {"one", "two", "overall"}
