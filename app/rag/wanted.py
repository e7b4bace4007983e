"""Names and amounts of a question, and whether a text says them: pure.

They are what no translation changes much, so a text in another language that answers says them too.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.extraction.tokens import DETERMINERS
from app.indexing.analysis import detect_language, fold, query_terms
from app.indexing.stop_words import STOP_WORDS
from app.values.dates import MONTHS, WEEKDAYS

WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
WORDS = re.compile(r"[^\W_]+")
NO_NAMES = STOP_WORDS | MONTHS.keys() | WEEKDAYS.keys()
SHORTEST = 3  # letters of a name
# What stands before a German noun that is no name, beside articles and the like.
_BEFORE = """
im am zum zur vom beim ins ans aufs fürs durchs welche welchem welchen welcher welches viel viele
vielen wenig wenige wenigen mehrere mehreren einige einigen beide beiden alle allen kein keine
keinem keinen keiner manche manchen solche solchen
"""
LED = DETERMINERS["de"] | frozenset(_BEFORE.split())
DECLINED = re.compile(r"[a-zäöüß]+e[nmrs]?")
ALIKE, LEAST = 0.6, 4  # share and number of the first letters that spellings of one name share


@dataclass(frozen=True, slots=True)
class Wanted:
    """The names and amounts of a question; of each of the `sure` ones one word is surely a name.

    In English a name is what is capitalised. In German a name is what is so without an article, and
    may be another noun; where several stand together, one of them is a name ("Piet Lund", "Familie
    Meier", "Noras Schwester"). What begins the question may be any word; months and days are
    translated.
    """

    names: tuple[str, ...]
    amounts: tuple[str, ...]
    sure: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, query: str) -> Wanted:
        """The names and amounts of a question in English or German."""
        german = detect_language(query) == "de"
        words = list(WORD.finditer(query))
        found = [word[0] for word in words]
        places = [n for n, word in enumerate(found) if n and word[0].isupper() and _is_name(word)]
        if german:
            places = [n for n in places if not _determined(found, n)]
        names = tuple(dict.fromkeys(found[n] for n in places))
        beside = [n for n in places if _blank(query, words, n - 1)]
        sure = _runs(found, places, beside) if german else tuple((name,) for name in names)
        return cls(names, tuple(re.findall(r"\d+", query)), sure)

    def lacks(self, missing: Sequence[str], texts: Sequence[str]) -> bool:
        """Whether a sure name is among the words that nothing says, in no spelling either."""
        left = frozenset(missing)

        def is_gone(name: str) -> bool:
            return not left.isdisjoint({name, *WORDS.findall(name)})

        gone = [names for names in self.sure if all(map(is_gone, names))]
        told = [Told.of(text) for text in texts] if gone else []
        return any(not any(one.says(n) for one in told for n in names) for names in gone)

    def named_in(self, text: str) -> bool:
        """Whether a text says one of the names, where there are any."""
        if not self.names:
            return True
        told = Told.of(text)
        return any(told.says(name) for name in self.names)

    def may_be_in(self, text: str) -> bool:
        """Whether a text says one of the names, and one of the amounts."""
        amounts = not self.amounts or not set(self.amounts).isdisjoint(re.findall(r"\d+", text))
        return amounts and self.named_in(text)


@dataclass(frozen=True, slots=True)
class Told:
    """The words of a text in their forms, read once, and the long ones by how they begin."""

    words: frozenset[str]
    by_start: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, text: str) -> Told:
        """The words of a text."""
        words = _folded(query_terms(text))
        starts: dict[str, list[str]] = defaultdict(list)
        for word in words:
            starts[word[:LEAST]].append(word)
        return cls(words, {start: tuple(each) for start, each in starts.items()})

    def says(self, name: str) -> bool:
        """Whether a name is among the words, in any form or in a spelling of another language: one
        that begins alike (Mongolia, Mongolei)."""
        own = _folded(query_terms(name))
        return not own.isdisjoint(self.words) or any(
            _alike(one, other) for one in own for other in self.by_start.get(one[:LEAST], ())
        )


def says(name: str, text: str) -> bool:
    """Whether a text says a name; of many names `Told` is asked."""
    return Told.of(text).says(name)


def _blank(query: str, words: Sequence[re.Match[str]], place: int) -> bool:
    """Whether nothing but blanks stands between a word and the next."""
    return query[words[place].end() : words[place + 1].start()].isspace()


def _runs(
    words: Sequence[str], places: Sequence[int], beside: Sequence[int]
) -> tuple[tuple[str, ...], ...]:
    """The names that stand together, of those at some places; `beside` are places right behind the
    word before."""
    close = frozenset(beside)
    runs: list[list[int]] = []
    for place in places:
        if runs and runs[-1][-1] == place - 1 and place in close:
            runs[-1].append(place)
        else:
            runs.append([place])
    return tuple(tuple(words[n] for n in run) for run in runs if len(run) > 1)


def _is_name(word: str) -> bool:
    return len(word) >= SHORTEST and word.casefold() not in NO_NAMES


def _determined(words: Sequence[str], place: int) -> bool:
    """Whether an article or the like leads to a place, with adjectives behind it or not."""
    for word in (words[n] for n in range(place - 1, -1, -1)):
        if word.casefold() in LED or word.isdigit():
            return True
        if not DECLINED.fullmatch(word):
            return False
    return False


def _folded(terms: Iterable[tuple[str, ...]]) -> frozenset[str]:
    return frozenset(fold(form) for form in _all(terms))


def _all(terms: Iterable[tuple[str, ...]]) -> Iterator[str]:
    return (form for forms in terms for form in forms)


def _alike(one: str, other: str) -> bool:
    shared = max(LEAST, math.ceil(ALIKE * max(len(one), len(other))))
    return len(one) >= shared and one[:shared] == other[:shared]
