"""Names that read alike: which may stand for which in a walk; pure.

A name that nobody goes by may stand for the few nearest that somebody goes by. That leads a walk on
and says nothing of what is one: no merge and no belief comes of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from app.retrieval.matrix import ALIKE, Linked

MOST = 3  # that one name may stand for
_SPELLED = (
    ("one", "first", "eins", "erste", "erster", "ersten"),
    ("two", "second", "zwei", "zweite", "zweiter", "zweiten"),
    ("three", "third", "drei", "dritte", "dritter", "dritten"),
    ("four", "fourth", "vier", "vierte", "vierter", "vierten"),
    ("five", "fifth", "fünf", "fünfte", "fünfter", "fünften"),
    ("six", "sixth", "sechs", "sechste", "sechster", "sechsten"),
    ("seven", "seventh", "sieben", "siebte", "siebter", "siebten"),
    ("eight", "eighth", "acht", "achte", "achter", "achten"),
    ("nine", "ninth", "neun", "neunte", "neunter", "neunten"),
    ("ten", "tenth", "zehn", "zehnte", "zehnter", "zehnten"),
)
SPELLED = {word: value for value, words in enumerate(_SPELLED, start=1) for word in words}
_ROMAN = re.compile(r"(x{0,3})(ix|iv|v?)(i{0,3})")  # to 39: further letters are names' own
_FIVES = {"": 0, "v": 5, "iv": 4, "ix": 9}
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th|te|ter|ten)")


class Near(NamedTuple):
    """A name and its cosine to another."""

    id: str
    key: str
    cosine: float


def numbers(key: str) -> list[str]:
    """The numbers of a name, in order of their text: by figures, Roman, as ordinals or spelled."""
    found = (_number(word) for word in key.split())
    return sorted(number for number in found if number is not None)


def _number(word: str) -> str | None:
    if word in SPELLED:
        return str(SPELLED[word])
    if word.isdecimal():
        return str(int(word))
    if ordinal := _ORDINAL.fullmatch(word):
        return str(int(ordinal[1]))
    if (roman := _ROMAN.fullmatch(word)) and word:
        return str(10 * len(roman[1]) + _FIVES[roman[2]] + len(roman[3]))
    return word if any(letter.isdigit() for letter in word) else None


def stands_for(key: str, found: Iterable[Near], least: float) -> list[Near]:
    """Which names one may stand for, the nearest first: at least as near as `least` (a cosine), of
    the same numbers, three at the most."""
    own = numbers(key)
    near = [name for name in found if name.cosine >= least and numbers(name.key) == own]
    return sorted(near, key=lambda name: (-name.cosine, name.key))[:MOST]


def widened(linked: Mapping[str, Linked], alike: Mapping[str, list[str]]) -> Mapping[str, Linked]:
    """The same passages, each holding also, as weakly as `ALIKE`, what its names may stand for.

    Without any it is what was given. A name that somebody goes by stands for itself alone.
    """
    if not alike:
        return linked
    owned = {key for held in linked.values() for key in held.about}
    onward = {
        key: kept
        for key, others in alike.items()
        if key not in owned and (kept := [other for other in others if other in owned])
    }
    return {passage: _holding(held, onward) for passage, held in linked.items()}


def _holding(held: Linked, onward: Mapping[str, list[str]]) -> Linked:
    others = sorted({other for key in held.names for other in onward.get(key, ())})
    more = [o for o in others if o not in held.about and o not in held.names]
    return replace(held, names={**held.names, **dict.fromkeys(more, ALIKE)}) if more else held
