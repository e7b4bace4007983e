"""A name or a kind that is told shorter, longer or more closely ends nothing; another one does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.facts.sharing import Sharing, may_share
from tests.facts.dated_pairs import ENDS, NOT_ENDED, NOTHING
from tests.facts.meeting import ended, possible

SAME = [
    ("Our CEO is Ruth Adler.", "Our CEO is Ruth."),
    ("Our CEO is Ruth Adler.", "Our CEO is Ms. Adler."),
    ("My manager is Dr. Ruth Adler.", "My manager is Ruth Adler."),
    ("I'm married to Tom.", "I'm married to Tom Keller."),
    ("Meine Frau heißt Anna.", "Meine Frau heißt Anna Weiss."),
    ("Unser Vermieter ist Herr Weber.", "Unser Vermieter ist Karl Weber."),
    ("Our database is Postgres 15.", "Our database is Postgres."),
    ("The server runs on Debian.", "The server runs on Debian 12."),
    ("I work as a nurse.", "I work as a night nurse."),
    ("I'm a teacher.", "I'm a maths teacher."),
    ("Ich bin Lehrer.", "Ich bin Mathelehrer."),
    ("I drive a Golf.", "I drive a red Golf."),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_both_are_held_and_the_newer_is_a_possible_change(one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        assert ended(first, second) == set()
        assert possible(first, second)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ruth Adler", "R. Adler"),
        ("Ruth Adler", "Ruth Maria Adler"),
        ("Ruth Adler", "Prof. Dr. Adler"),
        ("Bosch", "Bosch GmbH"),
        ("Hetzner", "Hetzner Cloud"),
    ],
)
def test_forms_of_one_name_may_share(one: str, other: str) -> None:
    assert may_share(Sharing.NAMES, one, other)
    assert may_share(Sharing.WORDS, other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ruth Adler", "Ruth Miller"),
        ("Ruth Adler", "Tom Adler"),
        ("Mr. Hale", "Mrs. Hale"),
        ("Herr Weber", "Petra Weber"),
        ("Postgres 15", "Postgres 16"),
        ("Loci 2", "Loci 2.1"),
        ("Tom", "Tom's brother"),
        ("8", "8:30"),
        ("red", "not red"),
        ("Room B", "Room C"),
        ("Bosch GmbH", "Bosch AG"),
        ("—", "Ruth"),
    ],
)
def test_two_names_do_not(one: str, other: str) -> None:
    assert not may_share(Sharing.WORDS, one, other)
    assert not may_share(Sharing.WORDS, other, one)


NAMES = st.sampled_from(["lehrer", "mathelehrer"]) | st.text("aAbB 1.'-–", max_size=9)


@given(NAMES, NAMES)
def test_it_is_the_same_from_both_sides(one: str, other: str) -> None:
    for kind in Sharing:
        assert may_share(kind, one, other) == may_share(kind, other, one)


@pytest.mark.parametrize(("earlier", "later"), NOTHING)
def test_other_near_misses_end_nothing(earlier: str, later: str) -> None:
    assert ended(earlier, later) == set()


@pytest.mark.parametrize(("earlier", "later"), ENDS)
def test_other_updates_end(earlier: str, later: str) -> None:
    assert bool(ended(earlier, later)) == (later not in NOT_ENDED)
