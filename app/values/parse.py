"""A text to the value that it is."""

from __future__ import annotations

import re

from app.values.dates import parse_date
from app.values.model import Kind, Value
from app.values.money import money_key, parse_money
from app.values.numbers import DIGITS, parse_number, plain
from app.values.states import parse_state
from app.values.units import counted, unit_of
from app.values.wording import fold, normal_text, trim, word_set

_BOOLEANS = {
    "yes": True, "no": False, "ja": True, "nein": False, "true": True, "false": False,
    "wahr": True, "falsch": False, "yep": True, "nope": False,
}  # fmt: skip
_ABOUT = re.compile(
    r"^(?:(?:about|around|approximately|approx|roughly|circa|ca|etwa|rund|ungefaehr|ungefähr|"
    r"exactly|precisely|genau|exakt|now|jetzt|a total of|insgesamt)(?!\w)\.?|~|≈)\s*",
    re.IGNORECASE,
)
_MAGNITUDE = (
    r"(?:\s?(?:k|K|Mio|mio|Mrd|mrd|bn|Tsd|tsd|thousand|hundred|tausend|hundert|million|Million|"
    r"Millionen|Milliarden?|billion|dozen|Dutzend)\b\.?)"
)
_COUNT = re.compile(
    rf"(?P<number>[-−]?(?:{DIGITS}){_MAGNITUDE}?)\s?[-–]?(?P<unit>[^\d\s.,;:!?'’-][^\d.,;:!?]*|[cd]?m2)$"
)
_WORD_COUNT = re.compile(r"(?P<number>[^\W\d_]+(?:[ -][^\W\d_]+)??)\s(?P<unit>[^\W\d_]+)$")
_ORDINALS = frozenset(["st", "nd", "rd", "th"])
_LONGEST = 200  # characters of an amount, a date or a state; what is longer is a text
_MOST_WORDS = 3  # of the name of a counted thing
_ARTICLES = word_set("a an ein eine einen einem einer eines")


def parse_value(text: str, language: str | None = None) -> Value | None:
    """The value that the whole text is; None where it holds nothing.

    Tried in this order: boolean, date, money, number, quantity, state; else it is a text.
    `language` (`en`, `de`) decides what a lone separator means: 1.500 is 1500 in German.
    """
    trimmed = trim(text)
    if not trimmed or not any(character.isalnum() for character in trimmed):
        return None
    text_value = Value(Kind.TEXT, f"text:{normal_text(trimmed)}", trimmed)
    if len(trimmed) > _LONGEST:
        return text_value
    bare = _ABOUT.sub("", trimmed) or trimmed
    return (
        _boolean(bare)
        or _date(bare, language)
        or _money(bare, language)
        or _number(bare, language)
        or _quantity(bare, language)
        or _state(bare)
        or text_value
    )


def _boolean(text: str) -> Value | None:
    truth = _BOOLEANS.get(fold(text))
    return None if truth is None else Value(Kind.BOOLEAN, f"boolean:{str(truth).lower()}", text)


def _date(text: str, language: str | None) -> Value | None:
    when = parse_date(text, language)
    if when is None:
        return None
    only_year = when.year is not None and when.key == f"date:{when.year}"
    year = float(when.year) if only_year and when.year is not None else None
    return Value(Kind.DATE, when.key, text, number=year)


def _money(text: str, language: str | None) -> Value | None:
    found = parse_money(text, language)
    if found is None:
        return None
    currency, amount = found
    return Value(Kind.MONEY, money_key(currency, amount), text, amount, currency)


def _number(text: str, language: str | None) -> Value | None:
    number = None if fold(text) in _ARTICLES else parse_number(text, language)
    if number is None:
        return None
    return Value(Kind.NUMBER, f"number:{plain(number)}", text, number)


def _quantity(text: str, language: str | None) -> Value | None:
    found = _COUNT.match(text) or _WORD_COUNT.match(text)
    if found is None or len(found["unit"].split()) > _MOST_WORDS or found["unit"] in _ORDINALS:
        return None
    unit = unit_of(found["unit"])
    if unit is None and fold(found["number"]) in _ARTICLES:
        return None  # "a dog" names a thing, "a year" is an amount
    number = parse_number(found["number"], language, whole=unit is None)
    if number is None:
        return None
    base, factor = unit or (counted(found["unit"], language), 1.0)
    amount = round(number * factor, 9)
    return Value(Kind.QUANTITY, f"quantity:{base}:{plain(amount)}", text, amount, base)


def _state(text: str) -> Value | None:
    name = parse_state(text)
    return None if name is None else Value(Kind.STATE, f"state:{name}", text)
