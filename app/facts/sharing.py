"""Whether two values of a predicate that takes one may both be so, by what they are called: pure.

Who lives in a city lives in a district of it too. What stands where a name stood may tell what the
thing is like: "Our database is Postgres", "Our database is slow". And a name may be told shorter or
longer, a thing more closely: "Ruth", "Ms. Adler", "Ruth Adler"; "Postgres", "Postgres 15".
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from app.entities.names import gender, read_name
from app.entities.names import words as words_of
from app.extraction.given_names import is_given_name
from app.extraction.predicates import PLACES, Predicate
from app.values.model import Kind
from app.values.places import apart
from app.values.wording import fold

OFTEN = "every:"  # predicates that tell how often
WORDS = frozenset(["entity", "name", "text", "state"])  # kinds of keys that are words
NAMELESS = "attribute:"  # predicates that a text itself made out of a noun
DONE_BY = "by:"  # and out of a verb in the passive
DENIALS = frozenset(["not", "no", "never", "nicht", "kein", "keine", "keinen", "nie"])
LEAST_HEAD = 4  # letters of a word that the end of another one may be: Lehrer, Mathelehrer


class Sharing(StrEnum):
    """Of what kind the values are that may both be so; the letter stands in the terms of a key."""

    NONE = ""
    PLACES = "p"  # one may lie in the other
    NAMES = "m"  # one may be a name, and the other a trait or the name in another form
    WORDS = "w"  # one may tell the other more closely


def sharing_of(predicate: Predicate) -> Sharing:
    """By which rule two values of a predicate may both be so."""
    if predicate.functional and predicate.range == PLACES:
        return Sharing.PLACES
    named = predicate.functional and predicate.kind is Kind.ENTITY
    if named or predicate.name.startswith(NAMELESS):
        return Sharing.NAMES
    worded = predicate.functional and predicate.kind is Kind.TEXT
    return Sharing.WORDS if worded or predicate.name.startswith(DONE_BY) else Sharing.NONE


def of_two_kinds(one: str, other: str) -> bool:
    """Whether the keys of two values are of kinds that do not answer one question: a name or words,
    and an amount or a date."""
    return (_kind(one) in WORDS) != (_kind(other) in WORDS)


def is_worded(value: str) -> bool:
    """Whether the key of a value is of words: an amount or a date is told more closely by none."""
    return _kind(value) in WORDS


def is_mixed(predicate: str) -> bool:
    """Whether words and amounts answer one question: every night, every six hours."""
    return predicate.startswith(OFTEN)


def _kind(value: str) -> str:
    return value.partition(":")[0]


def may_share(kind: Sharing, one: str, other: str) -> bool:
    """Whether what two different values are called leaves open that both are so."""
    if kind is Sharing.PLACES:
        return not apart(one, other)
    if kind is Sharing.NAMES and (_tells_of(one, other) or _tells_of(other, one)):
        return True
    return kind is not Sharing.NONE and _is_closer(one, other)


@lru_cache(maxsize=4096)
def _is_closer(one: str, other: str) -> bool:
    """Whether both may be one, of which the one tells more: its words begin or end the other's,
    titles left out. Other numbers, another sex and a denial are of two."""
    if not (words_of(one) and words_of(other)) or any("'s " in name for name in (one, other)):
        return False
    read = [read_name(name, "person") for name in (one, other)]
    if len({sex for sex in map(gender, read) if sex}) > 1:
        return False
    short, long = sorted((name.tokens for name in read), key=lambda t: (len(t), len(t[0])))
    numbers = [{word for word in some if word[0].isdigit()} for some in (short, long)]
    if (all(numbers) and numbers[0] != numbers[1]) or not DENIALS.isdisjoint(long):
        return False
    return _begins_or_ends(short, long) or _has_initials(short, long)


def _begins_or_ends(short: list[str], long: list[str]) -> bool:
    if short in (long[: len(short)], long[-len(short) :]):
        return True
    head = short[0]
    return len(short) == 1 and len(head) >= LEAST_HEAD and long[-1].endswith(head)


def _has_initials(short: list[str], long: list[str]) -> bool:
    """Whether one leaves out or shortens given names: T. Keller, Ruth M. Adler."""
    if len(short) < 2 or short[-1] != long[-1]:
        return False
    first, other = sorted((short[0], long[0]), key=len)
    initial = len(first) == 1 and other.startswith(first)
    return (initial and len(short) == len(long)) or (short[0] == long[0] and len(short) == 2)


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
