"""Sentences whose words stand in another order, or whose verb has its prefix apart."""

from __future__ import annotations

import pytest

from app.extraction.model import Mention, Mode
from tests.extraction.reading import statements

ROWS = [
    # What stands before a German verb is no part of what stands behind it.
    ("Abends trinke ich gern ein Bier.", "drinks", "Bier", "Abends"),
    ("Morgens esse ich Müsli.", "eats", "Müsli", "Morgens"),
    ("Donnerstags habe ich immer Homeoffice.", "haben", "Homeoffice", "Donnerstags"),
    ("Bargeld akzeptieren wir gern.", "accept", "Bargeld", ""),
    # A prefix that stands alone at the end belongs to the verb.
    ("Das Sommerfest findet am 4. Juli statt.", "date", "am 4. Juli", ""),
    # Since when is not told.
    ("Ich esse seit ein paar Monaten wieder Fleisch.", "eats", "Fleisch", ""),
    ("Ich wohne seit Kurzem in Celle.", "lives_in", "Celle", ""),
    ("I've been vegan for a few months now.", "diet", "vegan", ""),
    # A verb that no list has stands behind a pronoun.
    ("I cycle to the office.", "cycle", "to the office", ""),
]
JOBS = [
    "Aisha works as a paralegal at Loomis & Tate.",
    "Aisha works at Loomis & Tate as a paralegal.",
    "Aisha arbeitet als Anwältin bei Loomis & Tate.",
]


@pytest.mark.parametrize(("text", "predicate", "value", "rest"), ROWS)
def test_a_sentence_is_read_whatever_its_order(
    text: str, predicate: str, value: str, rest: str
) -> None:
    (found,) = statements(text)
    said = found.object.name if isinstance(found.object, Mention) else found.object.text
    assert (found.predicate, said, found.rest) == (predicate, value, rest)


@pytest.mark.parametrize("text", JOBS)
def test_a_job_and_its_firm_are_both_read(text: str) -> None:
    assert {s.predicate for s in statements(text)} == {"works_as", "works_for"}
    assert not any(s.rest for s in statements(text))


def test_a_dose_and_how_often_it_is_taken_are_both_read() -> None:
    found = statements("I take 50 mg of Sertavin every morning.")
    assert [s.predicate for s in found] == ["measure:take:sertavin", "attribute:sertavin interval"]
    assert not any(s.rest for s in found)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Ich arbeite als Kellnerin bei Bedarf.", "bei Bedarf"),
        ("Ich arbeite als Kellner beim Oktoberfest.", "beim Oktoberfest"),
        ("I work as a lecturer for Biology.", "for Biology"),
        ("I work at Acme as usual.", "as usual"),
        ("I work at Acme as a favour.", "as favour"),
        ("I work at Acme as part of the data team.", "as part of data team"),
        ("Ich arbeite bei Siemens als Ausgleich.", "als Ausgleich"),
    ],
)
def test_what_is_no_firm_or_job_stays_left_over(text: str, rest: str) -> None:
    (found,) = statements(text)
    assert found.rest == rest


def test_a_correction_stays_one_beside_a_while() -> None:
    (found,) = statements("Korrektur: Ich wohne seit einigen Jahren in Berlin.")
    assert found.mode is Mode.CORRECT


def test_whose_job_is_over_may_have_another_one_at_the_firm() -> None:
    (found,) = statements("Aisha no longer works as a paralegal at Loomis.")
    assert (found.predicate, found.mode) == ("works_as", Mode.END)
    assert found.rest == "at Loomis"
