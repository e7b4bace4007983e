"""Whom a question names, and which memories say the name: pure."""

from __future__ import annotations

import pytest

from app.search.people import holds_one, people_in


@pytest.mark.parametrize(
    ("question", "people"),
    [
        ("What did Melanie's son paint?", ["melani"]),
        ("Caroline went where?", ["carolin"]),
        ("Wann war Anna beim Arzt?", ["anna"]),
        ("Was hat Jonas im Mai gemacht?", ["jonas"]),
        ("what did melanie paint", []),  # any word may be one
        ("Wann kommt der Bus?", []),
        ("Thanks, good night!", []),
        ("", []),
    ],
)
def test_a_given_name_with_a_capital_names_a_person(question: str, people: list[str]) -> None:
    found = people_in(question)
    assert len(found) == len(people)
    assert all(any(name in forms for forms in found) for name in people)


def test_a_name_is_said_in_a_text_or_by_who_said_it() -> None:
    anna = people_in("Where does Anna live?")
    row = {"terms": "live kiel", "about_terms": "2024-05-04 ann"}
    assert not holds_one(anna, row)
    assert holds_one(anna, {**row, "terms": "anna live kiel"})
    assert holds_one(anna, {**row, "about_terms": "anna 2024-05-04"})
    assert not holds_one(people_in("where does anna live?"), {**row, "terms": "anna"})
