"""Who speaks of himself and others says it of himself; what is short for `is` is read as `is`."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.extraction.extract import extract
from app.extraction.model import Mention, Mode, Statement, Utterance


def read(text: str) -> list[Statement]:
    spoken = datetime(2026, 3, 2, 9, tzinfo=UTC)
    return list(extract(Utterance(text, spoken, speaker="Ann Lee")).statements)


def value(statement: Statement) -> str:
    thing = statement.object
    return thing.name if isinstance(thing, Mention) else thing.text


@pytest.mark.parametrize(
    ("text", "predicate", "told"),
    [
        ("My wife and I live in Kiel.", "lives_in", "Kiel"),
        ("Yusuf and I share an office.", "share", "office"),
        ("Ola & I work for Acme.", "works_for", "Acme"),
        ("Meine Frau und ich wohnen in Celle.", "lives_in", "Celle"),
        ("Fatma und ich haben einen Hund.", "has", "Hund"),
    ],
)
def test_it_is_so_of_who_speaks_and_the_others_are_left_over(
    text: str, predicate: str, told: str
) -> None:
    (found,) = read(text)
    assert (found.subject.name, found.predicate, value(found)) == ("Ann Lee", predicate, told)
    assert found.rest, "so that it ends nothing of what he alone did"


def test_who_parted_is_not_said_to_be_unmarried_for_sure() -> None:
    for text in ("Tom and I broke up.", "Tom und ich haben uns getrennt."):
        assert all(s.rest for s in read(text) if s.mode is Mode.END)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My landlord's called Mr Vasey.", "Mr Vasey"),
        ("My rent's 900 euros a month.", "900 euros a month"),
        ("The pass's 30 euros a year.", "30 euros a year"),
    ],
)
def test_a_short_is_stands_before_a_number_and_what_something_is_called(
    text: str, told: str
) -> None:
    (found,) = read(text)
    assert (value(found), found.rest) == (told, "")


def test_what_somebody_has_a_number_of_is_no_amount_of_him() -> None:
    assert not [s for s in read("Anna's 1,150 followers are real.") if "measure" in s.predicate]
    assert not [s for s in read("Anna's 3 cats died.") if "measure" in s.predicate]


def test_an_article_is_no_unit() -> None:
    (found,) = read("The rent is 1,150 a month.")
    assert (found.predicate, value(found)) == ("measure:be:number", "1,150")


def test_who_called_it_a_day_is_not_called_so() -> None:
    assert {s.mode for s in read("Lena's called it a day with the juniors.")} == {Mode.END}
