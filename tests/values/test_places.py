"""Two places are apart only where neither can lie in the other.

Half A was looked at while the rule was made, half B was not: pairs of places and whether somebody
who says first the one and then the other has surely moved.
"""

from __future__ import annotations

import pytest

from app.values.places import apart, spots

APART = [
    # half A
    ("Berlin", "Hamburg"), ("Graz", "Linz"), ("Porto", "Braga"), ("Cork", "Galway"),
    ("Köln", "Munich"), ("Germany", "Frankreich"), ("Berlin", "Austria"), ("Room 12", "Room 14"),
    ("Portland, Oregon", "Seattle"),
    # half B
    ("Dresden", "Leipzig"), ("Madrid", "Lisbon"), ("Oslo", "Sweden"), ("Tokyo", "Osaka"),
    ("Innsbruck", "Salzburg"), ("Halle A", "Halle B"), ("Toronto", "Vancouver"),
    ("Freiburg im Breisgau", "Stuttgart"), ("Polen", "Tschechien"), ("Leeds", "Bristol"),
]  # fmt: skip
MAY_SHARE = [
    # half A
    ("Berlin", "Kreuzberg"), ("Berlin", "Deutschland"), ("Los Angeles", "California"),
    ("Lima", "Peru"), ("Hamburg", "Harburg"), ("New York", "Brooklyn"), ("London", "Croydon"),
    ("Cologne", "Köln"), ("kitchen", "living room"), ("Berlin", "Oberkirchried"),
    # half B
    ("München", "Bayern"), ("Paris", "Montmartre"), ("Wien", "Austria"), ("Rome", "Italien"),
    ("Tokyo", "Shibuya"), ("Frankfurt", "Frankfurt am Main"), ("Vienna", "Wien"),
    ("San Francisco", "USA"), ("Austin", "Texas"), ("Prague", "Praha"), ("Sydney", "Manly"),
    ("Mexico City", "Mexico"), ("Genf", "Geneva"), ("Den Haag", "The Hague"), ("Berlin", "berlin"),
    # found by readers of the rule afterwards
    ("Bremen", "Vegesack"), ("Rostock", "Warnemünde"), ("Lübeck", "Travemünde"),
    ("Zürich", "Winterthur"), ("Sydney", "Penrith"), ("Melbourne", "Frankston"),
    ("Réunion", "Frankreich"), ("Istanbul", "Silivri"),
]  # fmt: skip

# A district that is not listed, and a town elsewhere by its name is: this is wrong.
WRONG = [("London", "Heathrow")]


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_surely_lies_apart(one: str, other: str) -> None:
    assert apart(one, other)
    assert apart(other, one)


@pytest.mark.parametrize(("one", "other"), MAY_SHARE)
def test_what_may_lie_in_the_other(one: str, other: str) -> None:
    assert not apart(one, other)
    assert not apart(other, one)


@pytest.mark.parametrize(("one", "other"), WRONG)
def test_what_is_taken_for_a_namesake_far_away(one: str, other: str) -> None:
    assert apart(one, other)


def test_a_name_of_several_places_is_all_of_them() -> None:
    assert {spot.country for spot in spots("Frankfurt (Oder)")} >= {"DE"}
    assert len({spot.country for spot in spots("London")}) > 1
    assert spots("Oberkirchried") == ()


def test_a_long_name_costs_no_more() -> None:
    assert not apart("Berlin " * 100_000, "a " * 100_000)
    assert not apart("\0" * 100_000, ", (" * 100_000)
