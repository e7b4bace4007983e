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
    # How long is not told, only that it is new.
    ("Ich esse seit ein paar Monaten wieder Fleisch.", "eats", "Fleisch", ""),
    ("Ich wohne seit Kurzem in Celle.", "lives_in", "Celle", ""),
    ("I've been vegan for a few months now.", "diet", "vegan", ""),
    # A verb that no list has stands behind a pronoun.
    ("I cycle to the office.", "cycle", "to the office", ""),
    ("My landlord's called Mr Vasey.", "attribute:landlord", "Mr Vasey", ""),
    # What one takes, not how often its attribute is.
    ("I take Sertavin every morning.", "take", "Sertavin", "every morning"),
    ("I take 50 mg of Sertavin every morning.", "measure:take:sertavin", "50 mg", "every morning"),
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


def test_whose_job_is_over_may_have_another_one_at_the_firm() -> None:
    (found,) = statements("Aisha no longer works as a paralegal at Loomis.")
    assert (found.predicate, found.mode) == ("works_as", Mode.END)
    assert found.rest == "at Loomis"
