"""Names as keys: what is one name written differently meets, what is another does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.entities.names import TYPES, clashes, gender, name_keys, read_name, tidy
from app.errors import InvalidInput

SAME = [
    ("Müller", "Mueller", "person"),
    ("MÜLLER", "mueller", "person"),
    ("Mu\u0308ller", "Müller", "person"),
    ("Weiß", "Weiss", "person"),
    ("René Descartes", "Rene Descartes", "person"),
    ("Weber, Thomas", "Thomas Weber", "person"),
    ("Dr. Maria Fischer", "Maria Fischer", "person"),
    ("Frau Prof. Dr. Maria Fischer", "Maria Fischer", "person"),
    ("Maria Fischer, PhD", "Maria Fischer", "person"),
    ("J.R.R. Tolkien", "J. R. R. Tolkien", "person"),
    ("O’Brien", "O'Brien", "person"),
    ("Hans-Peter Kühn", "Hans Peter Kuehn", "person"),
    ("Anna's", "Anna", "person"),
    ("Thomas'", "Thomas", "person"),
    ("Acme GmbH", "Acme", "organization"),
    ("Acme, Inc.", "ACME Incorporated", "organization"),
    ("Müller GmbH & Co. KG", "Mueller", "organization"),
    ("Turnverein Köln e. V.", "Turnverein Koeln", "organization"),
    ("Turnverein Köln e.V.", "Turnverein Köln", "organization"),
    ("Nestlé S.A.", "Nestle", "organization"),
    ("Firma Müller-Tech", "Mueller Tech", "organization"),
    ("Johnson & Johnson", "Johnson und Johnson", "organization"),
    ("The New York Times", "New York Times", "organization"),
    ("Die Zeit", "die zeit", "organization"),
    ("www.acme-shop.ch", "https://acme-shop.ch/", "organization"),
    ("acme-shop.ch", "Acme Shop", "organization"),
    ("Zürich", "Zurich", "place"),
    ("Zürich", "Zuerich", "place"),
    ("Node.js", "NodeJS", "technology"),
    ("GitHub", "Git Hub", "technology"),
    ("Acme GmbH", "Acme", "unknown"),
]
OTHER = [
    ("Müller", "Muller", "person"),
    ("Anna Weber", "Thomas Weber", "person"),
    ("Martin Luther King Jr.", "Martin Luther King", "person"),
    ("C++", "C", "technology"),
    ("C#", "C", "technology"),
    ("PostgreSQL 16", "PostgreSQL", "technology"),
    ("Python 3.5", "Python 35", "technology"),
    ("iPhone SE", "iPhone", "unknown"),
    ("Dr. Pepper", "Pepper", "unknown"),
    ("Vega", "Vega 2", "project"),
    ("AG", "SE", "organization"),
]


@pytest.mark.parametrize(("one", "other", "kind"), SAME)
def test_one_name_written_differently_meets(one: str, other: str, kind: str) -> None:
    assert set(name_keys(one, kind)) & set(name_keys(other, kind))


@pytest.mark.parametrize(("one", "other", "kind"), OTHER)
def test_different_names_do_not_meet(one: str, other: str, kind: str) -> None:
    assert not set(name_keys(one, kind)) & set(name_keys(other, kind))


def test_the_first_key_is_canonical() -> None:
    assert name_keys("Dr. Jürgen Müller", "person") == ("juergen mueller",)
    assert name_keys("Zürich", "place") == ("zuerich", "zurich")
    assert name_keys("acme-shop.ch", "organization")[0] == "acme shop ch"


@pytest.mark.parametrize(
    ("name", "kind", "marks"),
    [
        ("Acme GmbH", "organization", {"legal:gmbh"}),
        ("Acme GmbH & Co. KG", "organization", {"legal:gmbh+kg"}),
        ("Acme Limited", "organization", {"legal:ltd"}),
        ("Acme Co.", "organization", set()),
        ("Herr Weber", "person", {"honorific:m"}),
        ("Mrs. Weber", "person", {"honorific:f"}),
        ("Dr. Weber", "person", set()),
        ("acme-shop.ch", "organization", {"domain:acme-shop.ch"}),
        ("asp.net", "technology", set()),
    ],
)
def test_what_a_name_says_beside_itself(name: str, kind: str, marks: set[str]) -> None:
    assert read_name(name, kind).marks == marks


def test_marks_clash_only_in_a_kind_that_both_have() -> None:
    assert clashes({"legal:ag"}, {"legal:gmbh"})
    assert not clashes({"legal:ag"}, {"legal:ag"})
    assert not clashes({"legal:ag"}, set())
    assert not clashes({"legal:ag"}, {"domain:acme.de"})


def test_gender_by_title_before_given_name() -> None:
    assert gender(read_name("Thomas Weber", "person")) == "m"
    assert gender(read_name("Frau Weber", "person")) == "f"
    assert gender(read_name("Frau Thomas Weber", "person")) == "f"
    assert gender(read_name("Kim Weber", "person")) is None
    assert gender(read_name("Thomas", "person")) is None


def test_tidy_keeps_what_is_shown() -> None:
    assert tidy('  „Projekt   Vega" ') == "Projekt Vega"
    assert tidy("the Aionforge's") == "Aionforge"
    assert tidy("The Who") == "The Who"


@pytest.mark.parametrize("name", ["", "   ", '""', "'s"])
def test_an_empty_name_is_refused_by_field(name: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        name_keys(name, "person")
    assert caught.value.field == "name"


@given(st.text(max_size=400), st.sampled_from(TYPES))
def test_any_text_has_bounded_keys_that_are_stable(name: str, kind: str) -> None:
    if not tidy(name):
        return
    keys = name_keys(name, kind)
    assert 1 <= len(keys) <= 4
    assert all(0 < len(key) <= 200 for key in keys)
    assert name_keys(name, kind) == keys
    assert all(key == key.casefold() for key in keys if key.isascii())


@given(st.text(alphabet="abcdeüöä -.'", min_size=1, max_size=30), st.sampled_from(TYPES))
def test_case_does_not_matter(name: str, kind: str) -> None:
    if tidy(name):
        assert name_keys(name.upper(), kind) == name_keys(name, kind)
