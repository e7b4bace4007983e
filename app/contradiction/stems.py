"""One key for the forms of a word and for its synonyms."""

from __future__ import annotations

import re
from functools import cache, lru_cache

import Stemmer

from app.contradiction.lexicon import IRREGULAR, KINDS, OPPOSITES, SYNONYMS
from app.values.wording import fold

_SHORTEST = 4
_ENDING = re.compile("(?:e|en|er|es|em)$")
_STEMMERS = {"en": "english", "de": "german"}


@lru_cache(maxsize=1 << 16)
def stem(word: str, language: str) -> str:
    """The stem of a folded word."""
    base = IRREGULAR.get(word, word)
    # A stemmer is not safe to share between threads; the cache makes making one rare.
    stemmed = fold(Stemmer.Stemmer(_STEMMERS[language]).stemWord(base))
    if language == "de" and stemmed == base and len(base) > _SHORTEST:
        return _ENDING.sub("", base)  # freie, freien: too short for the stemmer's regions
    return stemmed


def key(word: str, language: str) -> str:
    """The stem, or that of the first of the words that mean the same."""
    own = stem(word, language)
    return _synonyms(language).get(own, own)


def covers(general: str, special: str, language: str) -> bool:
    """Whether what the second key names is always what the first names: person covers woman."""
    return general == special or general in _kinds(language).get(special, ())


def opposite(one: str, other: str, language: str) -> bool:
    """Whether two folded words or their stems exclude each other."""
    return stem(other, language) in _opposites(language).get(stem(one, language), ())


@cache
def _synonyms(language: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in SYNONYMS.strip().splitlines():
        stems = [stem(word, language) for word in line.split()]
        first = next((found[one] for one in stems if one in found), stems[0])
        for one in stems:
            found.setdefault(one, first)
    return found


@cache
def _kinds(language: str) -> dict[str, frozenset[str]]:
    direct: dict[str, set[str]] = {}
    for line in KINDS.strip().splitlines():
        general, *special = (key(word, language) for word in line.split())
        for one in special:
            direct.setdefault(one, set()).add(general)
    return {one: frozenset(_upwards(one, direct)) for one in direct}


def _upwards(start: str, direct: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for general in direct.get(waiting.pop(), set()) - seen:
            seen.add(general)
            waiting.append(general)
    return seen


@cache
def _opposites(language: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in OPPOSITES.strip().splitlines():
        left, right = ([stem(word, language) for word in side.split()] for side in line.split("/"))
        for one in left:
            found.setdefault(one, set()).update(right)
        for one in right:
            found.setdefault(one, set()).update(left)
    return {one: frozenset(others - {one}) for one, others in found.items()}
