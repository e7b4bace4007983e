"""Whether two values of a predicate that takes one may both be so, by what they are called: pure.

Who lives in a city lives in a district of it too. And what stands where a name stood may tell what
the thing is like: "Our database is Postgres", "Our database is slow".
"""

from __future__ import annotations

from enum import StrEnum

from app.extraction.given_names import is_given_name
from app.extraction.predicates import PLACES, Predicate
from app.values.places import apart
from app.values.wording import fold

NAMELESS = "attribute:"  # predicates that a text itself made out of a noun


class Sharing(StrEnum):
    """Of what kind the values are that may both be so; the letter stands in the terms of a key."""

    NONE = ""
    PLACES = "p"  # one may lie in the other
    NAMES = "n"  # one may be a name, and the other a trait


def sharing_of(predicate: Predicate) -> Sharing:
    """By which rule two values of a predicate may both be so."""
    if predicate.functional and predicate.range == PLACES:
        return Sharing.PLACES
    if predicate.name.startswith(NAMELESS):
        return Sharing.NAMES
    return Sharing.NONE


def may_share(kind: Sharing, one: str, other: str) -> bool:
    """Whether what two different values are called leaves open that both are so."""
    if kind is Sharing.PLACES:
        return not apart(one, other)
    return kind is Sharing.NAMES and (_tells_of(one, other) or _tells_of(other, one))


def _tells_of(name: str, word: str) -> bool:
    """Whether one is a name, and the other a single word that may tell what its bearer is like."""
    first, *more = name.split() or [""]
    if " " in word or not first[:1].isupper():
        return False
    if word.islower() and word.isalpha():
        return True
    return bool(more) and is_given_name(fold(first)) and not is_given_name(fold(word))
