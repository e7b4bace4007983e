"""Whether two records describe one thing: evidence by evidence, as log-odds that are added.

Rare words of a name weigh more than common ones, a telephone number more than a town, and what
the one record has and the other lacks weighs nothing. The verdict is three-valued: where the
evidence does not suffice, there is none. The figures were set on the training and validation pairs
of `python -m bench entities`; they are no probabilities.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.entities.names import word_set, words

SAME = 2.75  # score from which two records are held to be one
DIFFERENT = -1.5  # score below which they are held to be two
PRIOR = -3.0  # a pair that shares a word or two is rarely one
VETO = -20.0
DISTINCT = 1.0  # rarity of the words that both names have, from which agreement tells all it can
BOTH_DIFFER = -4.8
EDITION_DIFFERS = -2.0
SHORTEST_FUZZY = 5  # letters from which a word may be misspelt
STREET = {
    **dict.fromkeys(("street", "st"), "st"),
    **dict.fromkeys(("avenue", "ave", "av"), "ave"),
    **dict.fromkeys(("boulevard", "blvd", "blv"), "blvd"),
    **dict.fromkeys(("road", "rd"), "rd"),
    **dict.fromkeys(("lane", "ln", "la"), "ln"),
    **dict.fromkeys(("drive", "dr"), "dr"),
    **dict.fromkeys(("strasse", "str"), "str"),
}
ORDINALS = {
    **{"first": "1st", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th"},
    **{"sixth": "6th", "seventh": "7th", "eighth": "8th", "ninth": "9th", "tenth": "10th"},
}
# Words that tell one thing from another of nearly the same name; so does any number.
EDITIONS = word_set(
    "aged barrel bourbon double dry imperial junior jr lite mini old new plus pro reserve senior "
    "sr special triple vintage north south east west nord sued ost alt neu"
)
# What says on which side of a town a street is, or what comes after the address itself.
ASIDE = word_set("n s e w north south east west ne nw se sw")
AFTER = re.compile(r"\b(?:between|at|near|off|corner)\b.*|\s\.\s.*")


class Kind(StrEnum):
    """What an attribute is, which says how two of its values are compared."""

    OWNER = "owner"  # who makes or runs it; its words may stand in the name
    PLACE = "place"
    ADDRESS = "address"
    PHONE = "phone"
    NUMBER = "number"
    CATEGORY = "category"
    IDENTIFIER = "identifier"  # two that differ are two things


@dataclass(frozen=True, slots=True)
class Record:
    """A name with attributes; `attributes` are (kind, text) by their own names."""

    name: str
    attributes: Mapping[str, tuple[Kind, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Match:
    """`score` is a sum of log-odds; `same` is None where it does not suffice; `evidence` holds
    what each attribute has added."""

    score: float
    same: bool | None
    evidence: dict[str, float]


class Rarity:
    """How much a word says: its inverse frequency among some names, between 0 and 1."""

    def __init__(self, names: Iterable[str]) -> None:
        self._counts: Counter[str] = Counter()
        total = 0
        for name in names:
            self._counts.update(set(words(name)))
            total += 1
        self._most = math.log(1 + max(total, 1))

    def __call__(self, word: str) -> float:
        seen = self._counts[word]
        return max(0.05, 1 - math.log(1 + seen) / self._most) if seen > 1 else 1.0


def match(a: Record, b: Record, rarity: Rarity) -> Match:
    """Compare two records, in either order with the same result."""
    evidence = {"name": _name(a, b, rarity)}
    for attribute in sorted(a.attributes.keys() & b.attributes.keys()):
        kind, one = a.attributes[attribute]
        other = b.attributes[attribute][1]
        if kind is Kind.OWNER:
            found = _owner(one, other, rarity, (a.name, b.name))
        else:
            found = _COMPARE[kind](one, other)
        if found is not None:
            evidence[attribute] = found
    score = PRIOR + sum(evidence.values())
    same = True if score >= SAME else False if score <= DIFFERENT else None
    return Match(round(score, 3), same, {k: round(v, 3) for k, v in evidence.items()})


def _name(a: Record, b: Record, rarity: Rarity) -> float:
    """The better of two readings: the whole names, and what is left without owner and place."""
    context = [
        word
        for record in (a, b)
        for kind, text in record.attributes.values()
        if kind in (Kind.OWNER, Kind.PLACE)
        for word in words(text)
    ]
    one, other = words(a.name), words(b.name)
    bare = (_without(one, context), _without(other, context))
    return max(_told(one, other, rarity), _told(*bare, rarity)) + _apart(*bare)


def _told(one: list[str], other: list[str], rarity: Rarity) -> float:
    """What likeness tells: names of nothing but common words tell little, even where they agree."""
    shared, left, right = paired(one, other)
    mass = sum(rarity(word) for word in shared)
    total = 2 * mass + sum(rarity(word) for word in (*left, *right))
    told = _bounded(9 * (2 * mass / total - 0.55), -4, 3.6) if total else -4.0
    return told * min(1.0, mass / DISTINCT) if told > 0 else told


def _apart(one: list[str], other: list[str]) -> float:
    """Each name has a word of its own, or one of them names an edition: that is no slip."""
    _, left, right = paired(one, other)
    own = {word for word in (*left, *right) if word in EDITIONS or word.isdigit()}
    return (BOTH_DIFFER if left and right else 0.0) + (EDITION_DIFFERS if own else 0.0)


def paired(one: Collection[str], other: Collection[str]) -> tuple[list[str], list[str], list[str]]:
    """Words that both names have, and those that the one and the other has alone."""
    right = list(dict.fromkeys(other))
    shared, left = [], []
    for word in dict.fromkeys(one):
        twin = word if word in right else next((w for w in right if _alike(word, w)), None)
        if twin is None:
            left.append(word)
        else:
            right.remove(twin)
            shared.append(word)
    return shared, left, right


def _without(name: list[str], context: Collection[str]) -> list[str]:
    return [w for w in name if w not in context and not any(_alike(w, c) for c in context)] or name


def _owner(one: str, other: str, rarity: Rarity, names: tuple[str, str]) -> float | None:
    """Owners agree; or the name of the one thing holds what the other's owner is called."""
    first, second = words(one), words(other)
    readings = [(first, second), (first, words(names[1])), (second, words(names[0]))]
    likeness = [_covered(mine, theirs, rarity) for mine, theirs in readings if mine and theirs]
    if not first or not second:
        return None
    return _bounded(5 * (max(likeness) - 0.5), -2.5, 2.3)


def _covered(one: list[str], other: list[str], rarity: Rarity) -> float:
    """How much of the smaller of two is in the other, by rarity; between 0 and 1."""
    shared, left, right = paired(one, other)
    mass = sum(map(rarity, shared))
    return mass / (mass + min(sum(map(rarity, left)), sum(map(rarity, right)))) if mass else 0.0


def _place(one: str, other: str) -> float | None:
    first, second = set(words(one)), set(words(other))
    if not first or not second:
        return None
    return 0.3 if first & second else -0.3


def _address(one: str, other: str) -> float | None:
    first, second = _street(one), _street(other)
    if not first or not second:
        return None
    numbers = {w for w in first if w[0].isdigit()} & {w for w in second if w[0].isdigit()}
    named = {w for w in first & second if w.isalpha()} - set(STREET.values())
    if (numbers and named) or first == second:
        return 3.4
    return -0.5 if named or numbers else -2.0


def _street(text: str) -> set[str]:
    found = words(AFTER.sub("", text)) or words(text)
    return {ORDINALS.get(w, STREET.get(w, w)) for w in found} - ASIDE


def _phone(one: str, other: str) -> float | None:
    first, second = re.sub(r"\D", "", one), re.sub(r"\D", "", other)
    if len(first) < 6 or len(second) < 6:
        return None
    return 4.0 if first[-10:] == second[-10:] else -1.5


def _number(one: str, other: str) -> float | None:
    first, second = _value(one), _value(other)
    if first is None or second is None:
        return None
    off = abs(first - second) / max(abs(first), abs(second), 1e-9)
    return 1.0 if off <= 0.02 else 0.0 if off <= 0.1 else -1.5


def _value(text: str) -> float | None:
    found = re.search(r"\d+(?:[.,]\d+)?", text)
    return float(found[0].replace(",", ".")) if found else None


def _category(one: str, other: str) -> float | None:
    return 0.3 if set(words(one)) & set(words(other)) else 0.0


def _identifier(one: str, other: str) -> float | None:
    return 4.0 if words(one) == words(other) else VETO


_COMPARE = {
    Kind.PLACE: _place,
    Kind.ADDRESS: _address,
    Kind.PHONE: _phone,
    Kind.NUMBER: _number,
    Kind.CATEGORY: _category,
    Kind.IDENTIFIER: _identifier,
}


def _alike(one: str, other: str) -> bool:
    """Whether one letter makes the difference, or the one is cut off: `deli`, `delicatessen`."""
    short, long = sorted((one, other), key=len)
    if len(short) < SHORTEST_FUZZY or any(c.isdigit() for c in one + other):
        return len(short) >= SHORTEST_FUZZY - 1 and long.startswith(short) and len(long) > 7
    return len(long) - len(short) <= 1 and _one_edit(short, long)


def _one_edit(short: str, long: str) -> bool:
    start = next((i for i, c in enumerate(short) if c != long[i]), len(short))
    if len(short) == len(long):
        rest = short[start + 1 :] == long[start + 1 :]
        swapped = short[start : start + 2] == long[start : start + 2][::-1]
        return rest or (swapped and short[start + 2 :] == long[start + 2 :])
    return short[start:] == long[start + 1 :]


def _bounded(value: float, low: float, high: float) -> float:
    return min(high, max(low, value))
