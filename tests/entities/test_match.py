"""Records compared attribute by attribute; rare words, numbers and identifiers decide."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.entities.match import Kind, Rarity, Record, match, paired

RARITY = Rarity([*(f"{x} Red Ale" for x in "abcdefghij"), *(f"{x} Brewing" for x in "klmnopqrst")])


def place(name: str, **attributes: str) -> Record:
    kinds = {
        "phone": Kind.PHONE,
        "address": Kind.ADDRESS,
        "city": Kind.PLACE,
        "id": Kind.IDENTIFIER,
    }
    return Record(name, {key: (kinds[key], text) for key, text in attributes.items()})


def beer(name: str, owner: str, strength: str = "") -> Record:
    number = {"abv": (Kind.NUMBER, strength)} if strength else {}
    return Record(name, {"owner": (Kind.OWNER, owner), **number})


def test_rare_words_weigh_more() -> None:
    assert RARITY("gorgon") == 1.0
    assert RARITY("ale") < 0.3
    assert RARITY("red") == RARITY("ale")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            beer("Gorgon Red Ale", "Ballistic Brewing"),
            beer("Ballistic Gorgon Red Ale", "Ballistic"),
        ),
        (
            place("Katsu", phone="213/665-1891", address="1972 N. Hillhurst Ave."),
            place("Restaurant Katsu", phone="213-665-1891", address="1972 Hillhurst Avenue"),
        ),
        (
            place("Mesa Grill", address="102 5th ave. between 15th and 16th sts."),
            place("Mesa Grill", address="102 Fifth Ave.", city="New York"),
        ),
    ],
)
def test_one_thing_described_twice(one: Record, other: Record) -> None:
    assert match(one, other, RARITY).same is True


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (beer("Imperial Red Ale", "Lavery Brewing"), beer("Imperial Red Ale", "Lagunitas Brewing")),
        (beer("Panama Ale", "Flossmoor"), beer("Barrel Aged Panama Ale", "Flossmoor")),
        (beer("Gorgon", "Ballistic", "5.5 %"), beer("Medusa", "Ballistic", "5.5 %")),
        (place("Teresa", phone="212/228-0604"), place("Teresa", phone="718-520-2910")),
        (
            place("Ritz Dining Room", phone="404/237-2700", address="3434 Peachtree Rd."),
            place("Ritz Cafe", phone="404-237-2700", address="3434 Peachtree Rd."),
        ),
        (place("Vega"), place("Vega 2")),
    ],
)
def test_two_things_of_nearly_one_description(one: Record, other: Record) -> None:
    assert match(one, other, RARITY).same is not True


def test_an_identifier_is_a_veto() -> None:
    one = place("Mesa Grill", phone="212/807-7400", address="102 5th ave.", id="A-17")
    other = place("Mesa Grill", phone="212/807-7400", address="102 5th ave.", id="A-18")
    assert match(one, other, RARITY).same is False


def test_what_one_lacks_says_nothing() -> None:
    bare = match(place("Mesa Grill"), place("Mesa Grill"), RARITY)
    more = match(place("Mesa Grill", phone="212/807-7400"), place("Mesa Grill"), RARITY)
    assert bare.score == more.score
    assert bare.same is None, "a name alone is no proof"
    assert bare.evidence == {"name": 3.6}


def test_words_may_be_misspelt_by_a_letter_or_cut_short() -> None:
    assert paired(["gorgon"], ["gorgom"])[0] == ["gorgon"]
    assert paired(["gorgon"], ["grogon"])[0] == ["gorgon"]
    assert paired(["deli"], ["delicatessen"])[0] == ["deli"]
    assert paired(["2019"], ["2018"])[0] == []
    assert paired(["red"], ["rod"])[0] == []


@given(
    st.sampled_from(["Gorgon Red Ale", "Ale", "Vega 2", "Ritz Cafe", "Müller"]),
    st.sampled_from(["Gorgon", "Red Ale", "Vega", "Ritz Bar", "Mueller"]),
    st.sampled_from(["", "212/807-7400", "1"]),
    st.sampled_from(["5.5 %", "-", "6"]),
)
def test_the_order_of_the_two_does_not_matter(a: str, b: str, phone: str, abv: str) -> None:
    one = Record(a, {"p": (Kind.PHONE, phone), "n": (Kind.NUMBER, "5.5"), "o": (Kind.OWNER, b)})
    other = Record(
        b, {"p": (Kind.PHONE, "212-807-7400"), "n": (Kind.NUMBER, abv), "o": (Kind.OWNER, a)}
    )
    assert match(one, other, RARITY) == match(other, one, RARITY)


def test_a_score_never_proves_what_nothing_says() -> None:
    for a, b in product(["Ale", "Red Ale"], repeat=2):
        assert match(place(a), place(b), RARITY).same is not True
