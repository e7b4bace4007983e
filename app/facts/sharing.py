"""Whether two values of a predicate that takes one may both be so, by what they are called: pure.

Who lives in a city lives in a district of it too. And what stands where a name stood may tell what
the thing is like: "Our database is Postgres", "Our database is slow".
"""

from __future__ import annotations

from enum import StrEnum

from app.extraction.given_names import is_given_name
from app.extraction.predicates import PLACES, Predicate
from app.values.model import Kind
from app.values.places import apart
from app.values.wording import fold

OFTEN = "every:"  # predicates that tell how often
WORDS = frozenset(["entity", "name", "text", "state"])  # kinds of keys that are words
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
    named = predicate.functional and predicate.kind is Kind.ENTITY
    if named or predicate.name.startswith(NAMELESS):
        return Sharing.NAMES
    return Sharing.NONE


def of_two_kinds(one: str, other: str) -> bool:
    """Whether the keys of two values are of kinds that do not answer one question: a name or words,
    and an amount or a date."""
    return (_kind(one) in WORDS) != (_kind(other) in WORDS)


def is_mixed(predicate: str) -> bool:
    """Whether words and amounts answer one question: every night, every six hours."""
    return predicate.startswith(OFTEN)


def _kind(value: str) -> str:
    return value.partition(":")[0]


def may_share(kind: Sharing, one: str, other: str) -> bool:
    """Whether what two different values are called leaves open that both are so."""
    if kind is Sharing.PLACES:
        return not apart(one, other)
    return kind is Sharing.NAMES and (_tells_of(one, other) or _tells_of(other, one))


def _tells_of(name: str, word: str) -> bool:
    """Whether one is a name, and the other words that may tell what its bearer is like."""
    first, *more = name.split() or [""]
    if not first[:1].isupper():
        return False
    if word.replace(" ", "").replace("-", "").isalpha() and word.rpartition("-")[2].islower():
        return True  # slow, up-to-date, GDPR-compliant
    return (
        bool(more)
        and " " not in word
        and is_given_name(fold(first))
        and not is_given_name(fold(word))
    )
