"""Who speaks of himself and others says it of himself; an article is no unit."""

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


def test_what_somebody_has_a_number_of_is_no_amount_of_him() -> None:
    assert not [s for s in read("Anna's 1,150 followers are real.") if "measure" in s.predicate]
    assert not [s for s in read("Anna's 3 cats died.") if "measure" in s.predicate]


def test_an_article_is_no_unit() -> None:
    (found,) = read("The rent is 1,150 a month.")
    assert (found.predicate, value(found)) == ("measure:be:number", "1,150")
