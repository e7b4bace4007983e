"""Numbers in a sentence with what they may count, in English and German: pure and linear.

Nothing is understood here: an amount has the stems of the words beside its number, and two amounts
may be of one thing where they share one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.indexing.analysis import analyse
from app.indexing.stop_words import STOP_WORDS
from app.values.numbers import number_word

BEHIND, BEFORE = 4, 2  # words around a number that may be what it counts
EARLIEST, LATEST = 1900, 2100  # a bare number of four digits between them is a year
YEAR = 365.0  # days
LONGEST = 40  # letters of a word that may be a number

_TOKEN = re.compile(
    r"(?P<clock>\d{1,2}[:.]\d\d(?=\s?(?:[ap]\.?m\b|uhr\b))|\d{1,2}:\d\d)"
    r"|(?P<date>\d{1,4}[/.-]\d{1,2}(?:[/.-]\d{2,4})?(?![\w,]))"
    r"|(?P<money>[$€£]\s?)?(?P<number>\d+(?:[.,]\d+)*)(?:k\b|st\b|nd\b|rd\b|th\b)?"
    r"(?P<unit>\s?[%€£$])?"
    r"|(?P<word>[^\W\d_]+(?:['’-][^\W\d_]+)*)"
    r"|(?P<stop>[^\w\s'’\"“”-])",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d)\s?[-–]\s?(?=\d)")
_LATE = re.compile(r"\s?p\.?m\b", re.IGNORECASE)
_EVERY = re.compile(
    r"\b(?:every|each|jede[nrs]?)\s(?P<other>other\s|second\s|zweite[nrs]?\s)?"
    r"(?P<period>[^\W\d_]+)",
    re.IGNORECASE,
)


def _table(*rows: tuple[float, str]) -> dict[str, float]:
    return {word: value for value, names in rows for word in names.split()}


DAYS = _table(
    (0, "monday mondays montag montags"),
    (1, "tuesday tuesdays dienstag dienstags"),
    (2, "wednesday wednesdays mittwoch mittwochs"),
    (3, "thursday thursdays donnerstag donnerstags"),
    (4, "friday fridays freitag freitags"),
    (5, "saturday saturdays samstag samstags sonnabend sonnabends"),
    (6, "sunday sundays sonntag sonntags"),
)
OFTEN = _table(
    (365, "daily täglich"),
    (365 / 7, "weekly wöchentlich"),
    (365 / 14, "biweekly bi-weekly fortnightly zweiwöchentlich"),
    (365 / 30, "monthly monatlich"),
    (4, "quarterly vierteljährlich"),
    (1, "yearly annually jährlich"),
)
ORDINALS = _table(
    (1, "first erste ersten erster erstes single einzige einzigen einziges"),
    (2, "second zweite zweiten zweiter zweites"),
    (3, "third dritte dritten dritter drittes"),
    (4, "fourth vierte vierten vierter viertes"),
    (5, "fifth fünfte fünften fünfter fünftes"),
    (6, "sixth sechste sechsten sechster sechstes"),
    (7, "seventh siebte siebten siebter siebtes"),
    (8, "eighth achte achten achter achtes"),
    (9, "ninth neunte neunten neunter neuntes"),
    (10, "tenth zehnte zehnten zehnter zehntes"),
    (11, "eleventh elfte elften elfter elftes"),
    (12, "twelfth zwölfte zwölften zwölfter zwölftes"),
)
PERIODS = _table(
    (1, "day days tag tage tagen"),
    (7, "week weeks woche wochen"),
    (30, "month months monat monate monaten"),
    (365, "year years jahr jahre jahren"),
)
UNITS = {"%": "percent", "$": "money", "€": "money", "£": "money"}
ALONE = frozenset(["clock", "weekday", "often", "money", "percent"])  # of no noun
PER = frozenset(["a", "an", "per", "each", "every", "pro", "die", "der", "am", "im", "jede"])
ARTICLES = frozenset(["a", "an", "ein", "eine", "einer", "einem", "einen", "eines"])
EACH = frozenset(["every", "each", "alle"])
TIMES = frozenset(["time", "times", "mal"])
# A number beside these tells when something was, and is no amount of it.
ELSEWHEN = frozenset(
    [
        "ago",
        "earlier",
        "later",
        "vor",
        "last",
        "past",
        "next",
        "within",
        "letzten",
        "nächsten",
    ]
)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in a sentence; `of` are the stems of what it may count, `kind` is a count, or what
    is of no noun: a time of the day, a day of the week, so often a year, money, a share."""

    value: float
    kind: str
    of: frozenset[str]

    def like(self, other: Amount) -> bool:
        """Whether both may count the same thing."""
        return self.kind == other.kind and not self.of.isdisjoint(other.of)

    def same(self, other: Amount) -> bool:
        """Whether both may count the same thing and are as many."""
        return self.value == other.value and self.like(other)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A word, a number with its value, or what ends a phrase."""

    text: str
    value: float | None = None
    kind: str = ""


def amounts(text: str, language: str) -> Iterator[Amount]:
    """The amounts of one sentence."""
    pieces = list(_pieces(_RANGE.sub(r"\1 ", text)))
    for place, piece in enumerate(pieces):
        if piece.value is None:
            continue
        behind = _words(pieces[place + 1 : place + 1 + BEHIND])
        before = _words(reversed(pieces[max(0, place - BEFORE) : place]))
        if {*before[:1], *behind[:2]} & ELSEWHEN or _from_now(before, behind):
            continue
        if piece.kind in ALONE:
            yield Amount(piece.value, piece.kind, frozenset([piece.kind]))
        elif often := _often(piece.value, before, behind):
            yield _a_year(often)
        elif counted := _counted((*behind, *before), language):
            yield Amount(piece.value, "count", counted)
    for found in _EVERY.finditer(text):
        if period := PERIODS.get(found["period"].casefold()):
            yield _a_year(YEAR / period / (2 if found["other"] else 1))


def _from_now(before: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether a number tells when something will be: in two weeks."""
    return before[:1] == ["in"] and behind[:1] != [] and behind[0] in PERIODS


def _a_year(often: float) -> Amount:
    return Amount(round(often, 3), "often", frozenset(["often"]))


def _often(value: float, before: Sequence[str], behind: Sequence[str]) -> float | None:
    """How often a year: so many times a week, or every so many weeks."""
    if before and before[0] in EACH and behind and value:
        period = PERIODS.get(behind[0])
        return YEAR / period / value if period else None
    rest = [word for word in behind[:3] if word not in TIMES]
    if len(rest) > 1 and rest[0] in PER:
        period = PERIODS.get(rest[1])
        return value * YEAR / period if period else None
    return None


def _counted(words: Iterable[str], language: str) -> frozenset[str]:
    """The stems of what a number may count."""
    return frozenset(
        analyse(word, language)[-1] for word in words if len(word) > 2 and word not in STOP_WORDS
    )


def _words(pieces: Iterable[_Piece]) -> list[str]:
    """The words up to the end of a phrase."""
    found = []
    for piece in pieces:
        if piece.kind == "end":
            break
        if piece.value is None:
            found.append(piece.text)
    return found


def _pieces(text: str) -> Iterator[_Piece]:
    for found in _TOKEN.finditer(text):
        if found["clock"]:
            hour, minute = re.split(r"[:.]", found["clock"])
            late = 12 if _LATE.match(text, found.end()) and int(hour) < 12 else 0
            yield _Piece(found["clock"], (int(hour) + late) * 60.0 + int(minute), "clock")
        elif found["number"]:
            unit = (found["unit"] or found["money"] or "").strip()
            yield _Piece(found["number"], _number(found["number"]), UNITS.get(unit, ""))
        elif found["word"]:
            yield _word(found["word"].casefold())
        else:
            yield _Piece(found[0], None, "end")


def _word(word: str) -> _Piece:
    if word in DAYS:
        return _Piece(word, DAYS[word], "weekday")
    if word in OFTEN:
        return _Piece(word, round(OFTEN[word], 3), "often")
    value = ORDINALS.get(word)
    return _Piece(word, _spelled(word) if value is None else value)


def _number(digits: str) -> float | None:
    try:
        value = float(digits.replace(",", ""))
    except ValueError:
        return None
    return None if len(digits) == 4 and EARLIEST <= value <= LATEST else value


def _spelled(word: str) -> float | None:
    return number_word(word) if len(word) <= LONGEST and word not in ARTICLES else None
