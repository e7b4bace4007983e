"""Currencies and amounts of them."""

from __future__ import annotations

import math
import re

from app.values.numbers import DIGITS, parse_number, plain
from app.values.wording import fold

CURRENCIES = {
    "chf": "CHF", "fr": "CHF", "sfr": "CHF", "franken": "CHF", "franc": "CHF", "francs": "CHF",
    "eur": "EUR", "euro": "EUR", "euros": "EUR", "€": "EUR",
    "usd": "USD", "$": "USD", "us$": "USD", "dollar": "USD", "dollars": "USD",
    "gbp": "GBP", "£": "GBP", "pound sterling": "GBP", "pfund": "GBP",
    "jpy": "JPY", "¥": "JPY", "yen": "JPY",
    "rp": "CHF/100", "rappen": "CHF/100",
    "cent": "EUR/100", "cents": "USD/100",
}  # fmt: skip
PERIODS = {
    "month": "mo month monat monatlich monthly mtl",
    "year": "yr year jahr jaehrlich yearly annually annum pa",
    "week": "week woche woechentlich weekly",
    "day": "day tag taeglich daily",
    "hour": "h hr hour stunde std",
    "user": "user nutzer seat",
    "quarter": "quarter quartal",
}
MOST_DIGITS = 6  # that somebody writes of a measure
ROUNDING = 0.02  # share by which a measure may differ in another unit
_PERIOD = {form: name for name, forms in PERIODS.items() for form in forms.split()}
_NAME = "|".join(re.escape(name) for name in sorted(CURRENCIES, key=len, reverse=True))
_SCALE = (
    r"(?:\s?(?:k|m|mn|mio|mrd|bn|tsd|thousand|tausend|million|millionen|milliarden?|billion)\b\.?)"
)
_AMOUNT = rf"(?P<number>[-−]?\s?(?:{DIGITS}){_SCALE}?|[a-z]+(?:[ -][a-z]+)?)(?:[.,][-–—]+)?"
_EVERY = (
    r"(?:\s?(?:/|per|a|an|each|every|pro|im|je|p\.)\s?(?P<period>[a-z]+)\.?|\s(?P<adverb>[a-z]+))?"
)
_BEFORE = re.compile(rf"(?P<currency>{_NAME})\.?\s?{_AMOUNT}{_EVERY}$")
_AFTER = re.compile(rf"{_AMOUNT}\s?(?P<currency>{_NAME})\.?{_EVERY}$")


def parse_money(text: str, language: str | None = None) -> tuple[str, float] | None:
    """Currency and amount, such as ("CHF", 24000.0), or None.

    A rate has its period in the first part: ("CHF/month", 39.0).
    """
    folded = fold(text).strip()
    found = _BEFORE.match(folded) or _AFTER.match(folded)
    if found is None:
        return None
    number = _amount(found["number"], language)
    period = _period(found)
    if number is None or period is None:
        return None
    currency, _, part = CURRENCIES[found["currency"]].partition("/")
    amount = number / float(part) if part else number
    return (f"{currency}/{period}" if period else currency), amount


def money_key(currency: str, amount: float) -> str:
    return f"money:{currency}:{plain(amount)}"


# How many times the other an amount may be that has a period where the other one has none: 12 and
# 15 a month are two prices of one thing, 4,000 and 48,000 a year one salary.
NEARBY = 2


def comparable(one: str, other: str) -> bool:
    """Whether one of two value keys may replace the other: amounts in two currencies, or for two
    periods, hold side by side (80 EUR and 90 USD; 12 a month and 120 a year), and so does one
    measure that is told in two units (20 kg and 44 lb)."""
    if one.startswith("quantity:") and other.startswith("quantity:"):
        return not _is_converted(one, other)
    if not (one.startswith("money:") and other.startswith("money:")):
        return True
    first, second = (key.split(":")[1].partition("/") for key in (one, other))
    if first[0] != second[0] or (first[2] and second[2]):
        return first[0] == second[0] and first[2] == second[2]
    amounts = sorted(abs(float(key.rpartition(":")[2])) for key in (one, other))
    return first[2] == second[2] or amounts[1] <= NEARBY * amounts[0]


def _is_converted(one: str, other: str) -> bool:
    """Whether one of two quantities was written in another unit, and both are one but for the
    digits that were written: only what was converted has more digits than people write."""
    first, second = (float(key.rpartition(":")[2]) for key in (one, other))
    if one.rpartition(":")[0] != other.rpartition(":")[0]:
        return False
    is_long = [
        len(key.rpartition(":")[2].strip("-0.").replace(".", "")) > MOST_DIGITS
        for key in (one, other)
    ]
    return is_long[0] != is_long[1] and math.isclose(first, second, rel_tol=ROUNDING)


def _amount(written: str, language: str | None) -> float | None:
    bare = written.rstrip(". ")
    if bare.endswith("m") and bare[:-1].rstrip()[-1:].isdigit():
        bare = f"{bare[:-1].rstrip()} mio"
    return parse_number(bare, language, whole=True)


def _period(found: re.Match[str]) -> str | None:
    """The period, an empty text where none was given, None where the word is no period."""
    word = found["period"] or found["adverb"]
    return "" if word is None else _PERIOD.get(word)
