"""Which facts make a note, and what it says: the rules of seed 001, without a graph."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from app.kernel.clock import FOREVER
from app.notes.condensed import (
    MOST,
    Change,
    Extract,
    Place,
    Stated,
    Stored,
    changes,
    extracts,
    note_id,
    note_row,
)

START = datetime(2026, 3, 1, tzinfo=UTC)
PLACE = Place("acme/dev", "acme", "ada", START + timedelta(days=90))


def fact(number: int, says: str | None = None, **more: object) -> Stated:
    """A fact about Ada and a thing of its own."""
    known = Stated(
        id=f"f{number:03}",
        statement=says or f"Ada knows {number}",
        language="en",
        predicate="knows",
        confidence=0.9,
        trust=0.5,
        entities=frozenset({"ada", f"e{number}"}),
        valid_from=START + timedelta(days=number),
        valid_to=FOREVER,
    )
    return replace(known, **more)  # type: ignore[arg-type]


def only(facts: list[Stated]) -> Extract:
    (extract,) = extracts(facts)
    return extract


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_than_three_facts_make_no_note(count: int) -> None:
    assert extracts([fact(n) for n in range(count)]) == []


def test_three_facts_make_a_note_of_nothing_but_their_statements() -> None:
    facts = [fact(2, "Ada lives in Ulm"), fact(1, "Ada works for Acme"), fact(3)]
    assert only(facts).content == "Ada works for Acme\nAda lives in Ulm\nAda knows 3"


def test_one_entity_alone_makes_no_note() -> None:
    assert extracts([fact(n, entities=frozenset({"ada"})) for n in range(5)]) == []


def test_the_same_statement_counts_once_and_its_surest_fact_stands_for_it() -> None:
    assert extracts([fact(1, "Ada knows Bo"), fact(2, "Ada knows Bo"), fact(3)]) == []
    twice = [fact(1, "Ada knows Bo", confidence=0.7), fact(2, "Ada knows Bo"), fact(3), fact(4)]
    assert [f.id for f in only(twice).facts] == ["f002", "f003", "f004"]


def test_what_is_not_sure_enough_is_left_out_and_the_floor_is_in() -> None:
    same = frozenset({"ada", "e1"})
    facts = [fact(n, entities=same, confidence=0.6) for n in (1, 2, 3)]
    doubtful = fact(4, entities=same, confidence=0.59)
    assert [f.id for f in only([*facts, doubtful]).facts] == ["f001", "f002", "f003"]


def test_a_note_that_would_lose_more_than_a_tenth_of_the_entities_is_not_made() -> None:
    sure = [fact(n) for n in range(1, 9)]
    assert only([*sure, fact(9, confidence=0.1)])  # 9 of 10
    assert extracts([*sure[:7], fact(9, confidence=0.1)]) == []  # 8 of 9


def test_each_language_makes_its_own_note() -> None:
    german = [fact(n, f"Ada kennt {n}", language="de") for n in (4, 5, 6)]
    assert [(e.cluster, e.language) for e in extracts([*german, fact(1), fact(2), fact(3)])] == [
        ("de", "de"),
        ("en", "en"),
    ]
    assert [e.language for e in extracts([*german, fact(1), fact(2)])] == ["de"]


def test_more_than_fits_is_told_by_predicate() -> None:
    many = [fact(n) for n in range(MOST - 2)]
    works = [fact(n, f"Ada made {n}", predicate="made") for n in (900, 901, 902)]
    assert [e.cluster for e in extracts([*many, *works])] == ["en/knows", "en/made"]
    assert extracts([fact(n) for n in range(2 * MOST)]) == []  # the half of it is no summary


def test_a_note_holds_where_all_of_it_holds() -> None:
    end = START + timedelta(days=100)
    extract = only([fact(1), fact(5), fact(3, valid_to=end)])
    assert (extract.valid_from, extract.valid_to) == (START + timedelta(days=5), end)
    row = note_row(PLACE, extract, 1)["properties"]
    assert row["superseded_at"] == PLACE.at  # the end was known from the start
    assert note_row(PLACE, only([fact(1), fact(2), fact(3)]), 1)["properties"][
        "superseded_at"
    ] == FOREVER  # fmt: skip


def test_its_authority_is_below_a_written_note_and_its_sources() -> None:
    row = note_row(PLACE, only([fact(1, trust=0.4), fact(2), fact(3, confidence=0.7)]), 1)
    found = row["properties"]
    assert (found["tier"], found["trust"], found["confidence"]) == (0, 0.36, 0.7)
    assert (found["namespace"], found["kind"], found["cited"]) == ("derived", "condensed", 3)
    assert row["facts"] == ["f001", "f002", "f003"]


def test_the_order_of_the_facts_does_not_matter() -> None:
    facts = [fact(n, confidence=0.6 + n / 100) for n in range(20)]
    first = extracts(facts)
    for seed in range(50):
        random.Random(seed).shuffle(facts)
        assert extracts(facts) == first


def test_ids_follow_from_place_cluster_number_and_words() -> None:
    extract = only([fact(1), fact(2), fact(3)])
    first = note_id(PLACE, extract, 1)
    assert first == note_id(replace(PLACE, at=START), extract, 1)
    others = [
        note_id(replace(PLACE, scope="acme/ops"), extract, 1),
        note_id(replace(PLACE, subject="bo"), extract, 1),
        note_id(PLACE, replace(extract, cluster="en/knows"), 1),
        note_id(PLACE, extract, 2),
        note_id(PLACE, only([fact(1), fact(2), fact(4)]), 1),
    ]
    assert len({first, *others}) == 6


def test_only_what_differs_is_changed() -> None:
    extract = only([fact(1), fact(2), fact(3)])
    held = Stored("en", 4, (("n4", extract.content),))
    assert changes([extract], [held]) == []
    assert changes([extract], []) == [Change("en", extract, 1, ())]
    grown = only([fact(1), fact(2), fact(3), fact(4)])
    assert changes([grown], [held]) == [Change("en", grown, 5, ("n4",))]
    assert changes([], [held]) == [Change("en", None, 5, ("n4",))]
    assert changes([], [Stored("en", 4, ())]) == []
    twice = Stored("en", 5, (("n4", extract.content), ("n5", extract.content)))
    assert changes([extract], [twice]) == [Change("en", None, 6, ("n5",))]
