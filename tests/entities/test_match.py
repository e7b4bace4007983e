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
    assert RARITY("kraken") == 1.0
    assert RARITY("ale") < 0.3
    assert RARITY("red") == RARITY("ale")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            beer("Kraken Red Ale", "Harbourside Brewing"),
            beer("Harbourside Kraken Red Ale", "Harbourside"),
        ),
        (
            place("Nagomi", phone="312/555-0184", address="1408 N. Larkspur Ave."),
            place("Restaurant Nagomi", phone="312-555-0184", address="1408 Larkspur Avenue"),
        ),
        (
            place("Copper Kettle", address="207 4th ave. near 11th and 12th sts."),
            place("Copper Kettle", address="207 Fourth Ave.", city="Portville"),
        ),
    ],
)
def test_one_thing_described_twice(one: Record, other: Record) -> None:
    assert match(one, other, RARITY).same is True


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (beer("Sunset Red Ale", "Tidewater Brewing"), beer("Sunset Red Ale", "Oldfield Brewing")),
        (beer("Heather Ale", "Brockhurst"), beer("Barrel Aged Heather Ale", "Brockhurst")),
        (beer("Kraken", "Harbourside", "5.5 %"), beer("Selkie", "Harbourside", "5.5 %")),
        (place("Lucinda", phone="312/555-0121"), place("Lucinda", phone="773-555-0163")),
        (
            place("Astor Dining Room", phone="614/555-0137", address="2950 Quarry Rd."),
            place("Astor Cafe", phone="614-555-0137", address="2950 Quarry Rd."),
        ),
        (place("Vega"), place("Vega 2")),
    ],
)
def test_two_things_of_nearly_one_description(one: Record, other: Record) -> None:
    assert match(one, other, RARITY).same is not True


def test_an_identifier_is_a_veto() -> None:
    one = place("Copper Kettle", phone="312/555-0199", address="207 4th ave.", id="A-17")
    other = place("Copper Kettle", phone="312/555-0199", address="207 4th ave.", id="A-18")
    assert match(one, other, RARITY).same is False


def test_what_one_lacks_says_nothing() -> None:
    bare = match(place("Copper Kettle"), place("Copper Kettle"), RARITY)
    more = match(place("Copper Kettle", phone="312/555-0199"), place("Copper Kettle"), RARITY)
    assert bare.score == more.score
    assert bare.same is None, "a name alone is no proof"
    assert bare.evidence == {"name": 3.6}


def test_words_may_be_misspelt_by_a_letter_or_cut_short() -> None:
    assert paired(["kraken"], ["kraket"])[0] == ["kraken"]
    assert paired(["kraken"], ["karken"])[0] == ["kraken"]
    assert paired(["deli"], ["delicatessen"])[0] == ["deli"]
    assert paired(["2019"], ["2018"])[0] == []
    assert paired(["red"], ["rod"])[0] == []


@given(
    st.sampled_from(["Kraken Red Ale", "Ale", "Vega 2", "Astor Cafe", "Müller"]),
    st.sampled_from(["Kraken", "Red Ale", "Vega", "Astor Bar", "Mueller"]),
    st.sampled_from(["", "312/555-0199", "1"]),
    st.sampled_from(["5.5 %", "-", "6"]),
)
def test_the_order_of_the_two_does_not_matter(a: str, b: str, phone: str, abv: str) -> None:
    one = Record(a, {"p": (Kind.PHONE, phone), "n": (Kind.NUMBER, "5.5"), "o": (Kind.OWNER, b)})
    other = Record(
        b, {"p": (Kind.PHONE, "312-555-0199"), "n": (Kind.NUMBER, abv), "o": (Kind.OWNER, a)}
    )
    assert match(one, other, RARITY) == match(other, one, RARITY)


def test_a_score_never_proves_what_nothing_says() -> None:
    for a, b in product(["Ale", "Red Ale"], repeat=2):
        assert match(place(a), place(b), RARITY).same is not True
