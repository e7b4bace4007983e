"""What fits a budget of tokens, and that nothing in it is paid for twice."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from app.kernel.clock import FOREVER
from app.search.bundle import within
from app.search.model import Hit

SAID = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
LONG = "The kiln stands in hall 4. " * 20


def turn(name: str, tokens: int = 20, text: str = "I fire the kiln.", **more: Any) -> Hit:
    memory = {"kind": "episode", "content": text, "captured_at": SAID}
    return Hit(name, 1, 1.0, {}, memory, (0, len(text)), tokens, **more)


def fact(name: str, *sources: str, since: datetime = SAID, until: datetime = FOREVER) -> Hit:
    """A fact of eight tokens that rests on some turns."""
    support = [["k", one, 0, 5, "a", "api", "h", []] for one in sources]
    intervals = [[since.isoformat(), until.isoformat(), "instant"]]
    memory = {"kind": "fact", "content": "Ada fires the kiln", "support": support,
              "intervals": intervals, "captured_at": since}  # fmt: skip
    return Hit(name, 1, 1.0, {}, memory, (0, 18), 8)


def kept(hits: list[Hit], budget: int | None) -> list[str]:
    found = within(hits, budget)
    if budget is not None:
        assert sum(hit.tokens for hit in found) <= budget
        assert [hit.rank for hit in found] == list(range(1, len(found) + 1))
    return [hit.id for hit in found]


def test_hits_fit_in_order_and_a_large_one_is_passed_over() -> None:
    hits = [turn("a"), turn("b", 90), turn("c"), turn("d")]
    assert kept(hits, 60) == ["a", "c", "d"]
    assert kept(hits, 40) == ["a", "c"]
    assert kept(hits, None) == ["a", "b", "c", "d"]
    assert kept(hits, 5) == []


def test_a_turn_stands_in_the_place_of_a_fact_that_it_says() -> None:
    hits = [fact("f", "b"), turn("a"), turn("b"), turn("c")]
    assert kept(hits, 100) == ["b", "a", "c"]
    assert kept(hits, 60) == ["b", "a", "c"], "what the fact cost goes to the next"
    assert kept(hits, None) == ["f", "a", "b", "c"], "without a budget nothing is left out"


def test_a_fact_stays_where_its_turn_does_not_fit() -> None:
    assert kept([fact("f", "b"), turn("a"), turn("b")], 28) == ["f", "a"]
    assert kept([fact("f", "b"), turn("a")], 100) == ["f", "a"]


def test_a_fact_counts_nothing_beside_a_memory_that_shows_its_turn() -> None:
    said = {"id": "b", "content": "I fire the kiln.", "captured_at": SAID}
    note = Hit("m", 1, 1.0, {}, {"kind": "memory", "content": "x"}, (0, 1), 20, turns=(said,))
    assert kept([fact("f", "b"), note], 100) == ["m"]


@pytest.mark.parametrize(
    "told_more",
    [
        fact("f", "b", "other"),
        fact("f", "b", since=datetime(2026, 3, 1, tzinfo=UTC)),
        fact("f", "b", until=datetime(2026, 3, 9, tzinfo=UTC)),
        fact("f"),
    ],
    ids=["several say it", "it began before", "it has an end", "its turn is not seen"],
)
def test_a_fact_stays_that_tells_more_than_its_turn(told_more: Hit) -> None:
    assert kept([told_more, turn("b")], 100) == ["f", "b"]


@pytest.mark.parametrize(
    "said",
    [
        turn("b", later=("c",)),
        turn("b", superseded_by=("c",)),
        turn("b", text=LONG),
    ],
    ids=["said later again", "hinted away", "too long to be shown whole"],
)
def test_no_fact_gives_way_to_what_is_past_or_cut(said: Hit) -> None:
    assert kept([fact("f", "b"), said], 100) == ["f", "b"]


@given(
    some.lists(
        some.tuples(some.booleans(), some.integers(0, 9), some.integers(1, 40)), max_size=14
    ),
    some.integers(1, 200),
)
def test_what_a_fact_says_is_told_once_or_by_itself(
    drawn: list[tuple[bool, int, int]], budget: int
) -> None:
    hits: list[Hit] = []
    for place, (is_fact, source, tokens) in enumerate(drawn):
        name = f"{'f' if is_fact else 't'}{place}"
        hits.append(fact(name, f"t{source}") if is_fact else turn(name, tokens))
    found = kept(hits, budget)
    assert len(found) == len(set(found))
    plain: list[str] = []
    spent = 0
    for hit in hits:
        if spent + hit.tokens <= budget:
            plain.append(hit.id)
            spent += hit.tokens
    for name in plain:  # whatever fitted before is there, or is said by what is there
        source = next(hit for hit in hits if hit.id == name).memory.get("support")
        assert name in found or (source and source[0][1] in found)
    for name in found:
        source = next(hit for hit in hits if hit.id == name).memory.get("support")
        assert not (source and source[0][1] in found)
