"""Clauses that tell how things stand, in the open reading, and what is none of them."""

from __future__ import annotations

import pytest

from tests.extraction.reading import brief, read, statements


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Planning enquiries are handled by Moira Stead.",
            "assert Planning enquiries is text:handled by moira stead",
        ),
        ("Judo training is on Tuesdays.", "assert Judo training is text:on tuesdays"),
        (
            "Prescriptions can be ordered by phone.",
            "assert Prescriptions can text:be ordered by phone",
        ),
        (
            "There's a bull called Samson in the top field.",
            "assert top field contain text:bull called samson",
        ),
        (
            "Rezepte können telefonisch bestellt werden.",
            "assert Rezepte können text:telefonisch bestellt werden",
        ),
        (
            "Auf dem Lindenhof werden 40 Mutterschafe gehalten.",
            "assert Lindenhof werden text:40 mutterschafe gehalten",
        ),
        ("Es gibt im Garten einen Teich.", "assert Garten enthalten text:teich"),
        ("Im Garten gibt es einen Teich.", "assert Garten enthalten text:teich"),
        ("Jess is going out with Aaron.", "assert Jess go text:out with aaron"),
    ],
)
def test_how_things_stand_is_kept(text: str, expected: str) -> None:
    (found,) = statements(text)
    assert (brief(found), found.rule) == (expected, "open")


@pytest.mark.parametrize(
    "text",
    [
        "Running can be really enjoyable.",
        "Setbacks can be tough.",
        "They can be ordered by phone.",
        "There is a problem.",
        "Reading books is fun.",
        "Visitors must sign in at reception.",
        "Man kann es bestellen.",
        "Prescriptions cannot be ordered by phone.",
    ],
)
def test_opinions_orders_and_what_cannot_be_found_again_are_not(text: str) -> None:
    assert not [s for s in read(text).statements if s.rule == "open"]
