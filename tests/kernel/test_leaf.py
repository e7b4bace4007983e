"""A user's id as the name of a leaf: readable, the same each time, and nobody else's."""

from __future__ import annotations

import random
import re

import pytest

from app.kernel.leaf import leaf_of
from app.kernel.scope import NAME
from loci_client import leaf as of_client

LETTERS = "abzABZ019._-@|+ :/äßÉ日\t\U0001f600"


@pytest.mark.parametrize("user", ["mia", "m", "mia-2", "auth.12_x", "0" * 64, "a--b"])
def test_an_id_that_is_a_name_stays(user: str) -> None:
    assert leaf_of(user) == user


@pytest.mark.parametrize(
    ("user", "shown"),
    [
        ("Alice", "alice"),
        ("alice@example.com", "alice-example.com"),
        ("auth0|12", "auth0-12"),
        ("+49 170 1234567", "49-170-1234567"),
        ("Élodie Straße", "elodie-strasse"),
        ("日本", "user"),
        ("_mia", "mia"),
        ("../..", "user"),
        ("x" * 500, "x" * 40),
    ],
)
def test_any_other_is_shown_and_told_apart(user: str, shown: str) -> None:
    assert re.fullmatch(rf"{re.escape(shown)}--[0-9a-f]{{16}}", leaf_of(user))


def test_nobody_takes_the_leaf_of_another_by_its_name() -> None:
    made = leaf_of("Alice")
    assert leaf_of(made) != made


def test_ids_that_look_alike_have_different_leaves() -> None:
    alike = ["Alice", "ALICE", "alice ", " alice", "àlice", "a\u0300lice", "alice-", "alice"]
    assert len({leaf_of(user) for user in alike}) == len(alike)


@pytest.mark.parametrize("user", ["", "  ", "\t\n"])
def test_what_says_nothing_is_no_id(user: str) -> None:
    for function in (leaf_of, of_client.leaf_of):
        with pytest.raises(ValueError, match="says something"):
            function(user)


def test_service_and_client_agree_and_make_names() -> None:
    drawn = random.Random(17)
    ids = ["".join(drawn.choices(LETTERS, k=drawn.randint(1, 80))) + "x" for _ in range(2000)]
    leaves = [leaf_of(user) for user in ids]
    assert leaves == [of_client.leaf_of(user) for user in ids]
    assert all(re.fullmatch(NAME, leaf) for leaf in leaves)
    assert len(set(leaves)) == len(set(ids))
