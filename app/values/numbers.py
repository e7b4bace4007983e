"""Numbers as people write them, in English and German."""

from __future__ import annotations

import re

from app.values.wording import fold

# Digits with separators between them: 24'000, 100 000, 1.234,56, 3.5
DIGITS = r"\d+(?:[.,'’  ]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?"
_SIGN = r"[-−–+]?"
_WRITTEN = re.compile(rf"(?P<sign>{_SIGN})\s?(?P<digits>{DIGITS})\s?(?P<scale>[a-z]+)?\.?$")

SCALES = {
    "k": 1e3, "tsd": 1e3, "tausend": 1e3, "thousand": 1e3, "thsd": 1e3,
    "hundred": 1e2, "hundert": 1e2,
    "mio": 1e6, "mill": 1e6, "mn": 1e6, "million": 1e6, "millions": 1e6, "millionen": 1e6,
    "mrd": 1e9, "bn": 1e9, "milliarde": 1e9, "milliarden": 1e9, "billions": 1e9,
    "dozen": 12, "dutzend": 12,
}  # fmt: skip
_BILLION = {"en": 1e9, "de": 1e12}  # the same word for two numbers

_UNITS = {
    "zero": 0, "null": 0, "one": 1, "eins": 1, "two": 2, "zwei": 2, "zwo": 2, "three": 3,
    "drei": 3, "four": 4, "vier": 4, "five": 5, "fuenf": 5, "six": 6, "sechs": 6, "seven": 7,
    "sieben": 7, "eight": 8, "acht": 8, "nine": 9, "neun": 9, "ten": 10, "zehn": 10,
    "eleven": 11, "elf": 11, "twelve": 12, "zwoelf": 12, "thirteen": 13, "dreizehn": 13,
    "fourteen": 14, "vierzehn": 14, "fifteen": 15, "fuenfzehn": 15, "sixteen": 16,
    "sechzehn": 16, "seventeen": 17, "siebzehn": 17, "eighteen": 18, "achtzehn": 18,
    "nineteen": 19, "neunzehn": 19,
    "once": 1, "einmal": 1, "twice": 2, "zweimal": 2, "thrice": 3, "dreimal": 3,
}  # fmt: skip
_TENS = {
    "twenty": 20, "zwanzig": 20, "thirty": 30, "dreissig": 30, "forty": 40, "vierzig": 40,
    "fifty": 50, "fuenfzig": 50, "sixty": 60, "sechzig": 60, "seventy": 70, "siebzig": 70,
    "eighty": 80, "achtzig": 80, "ninety": 90, "neunzig": 90,
}  # fmt: skip
_DIGIT_PREFIXES = {"ein": 1, "eine": 1, "einer": 1, "a": 1, "an": 1}
_FRACTIONS = {"half": 0.5, "halb": 0.5, "halbe": 0.5, "anderthalb": 1.5, "eineinhalb": 1.5}
_ALONE = ("hundert", "tausend", "dutzend")  # scales that are numbers without one before them
_LARGEST = 1e18  # beyond it a float does not tell two numbers apart
_JOINTS = re.compile(r"[\s-]+(?:and\s+)?")


def parse_number(text: str, language: str | None = None, *, whole: bool = False) -> float | None:
    """The number that the whole text is, in digits or in words, or None.

    One separator with three digits after it is read as the language has it, and as thousands
    where the digits are zeros or `whole` says that no fraction is to be expected (money, counts).
    """
    found = _WRITTEN.match(fold(text).strip())
    if found is None:
        return number_word(text, language)
    factor = _scale(found["scale"], language)
    digits = _digits(found["digits"], language, whole=whole and found["scale"] is None)
    if factor is None or digits is None:
        return None
    signed = -digits if found["sign"] in ("-", "−", "–") and found["sign"] else digits
    return _round(signed * factor)


def number_word(text: str, language: str | None = None) -> float | None:
    """The number that words name: twelve, twenty-five, zweihundert, two million, or None."""
    words = [word for word in _JOINTS.split(fold(text).strip()) if word]
    if not words or len(words) > 6:
        return None
    total, current = 0.0, None
    for word in words:
        factor = _scale(word, language)
        if factor is not None:
            current = (1.0 if current is None else current) * factor
            if factor >= 1e3:
                total, current = total + current, None
            continue
        value = _simple(word) if current is None or current >= 20 else None
        if value is None:
            return None
        current = value + (current or 0)
    if len(words) == 1 and words[0] in SCALES and words[0] not in _ALONE:
        return None
    return _round(total + (current or 0))


def plain(number: float) -> str:
    """The canonical writing in a key: no exponent, no trailing zeros."""
    if number == int(number):
        return str(int(number))
    return f"{number:.9f}".rstrip("0").rstrip(".")


def _scale(word: str | None, language: str | None) -> float | None:
    if word is None:
        return 1.0
    if word in ("billion", "billionen"):
        return _BILLION.get("de" if word == "billionen" else language or "en", 1e9)
    return SCALES.get(word)


def _simple(word: str) -> float | None:
    for table in (_UNITS, _TENS, _FRACTIONS, _DIGIT_PREFIXES):
        if word in table:
            return float(table[word])
    return _german_compound(word)


def _german_compound(word: str) -> float | None:
    """fünfundzwanzig, zweihundert, dreitausendfünfhundert."""
    for scale, factor in (("tausend", 1000), ("hundert", 100)):
        head, found, tail = word.partition(scale)
        if found:
            first = _small(head) if head else 1.0
            rest = _simple(tail) if tail else 0.0
            return None if first is None or rest is None else first * factor + rest
    head, found, tail = word.partition("und")
    if found and tail in _TENS and (digit := _small(head)) is not None and digit < 10:
        return digit + _TENS[tail]
    return None


def _small(word: str) -> float | None:
    if word in ("ein", "eine"):
        return 1.0
    if word in _UNITS:
        return float(_UNITS[word])
    return float(_TENS[word]) if word in _TENS else _german_compound(word)


def _digits(written: str, language: str | None, *, whole: bool) -> float | None:
    compact = re.sub(r"['’  ]", "", written)
    dots, commas = compact.count("."), compact.count(",")
    if dots and commas:
        decimal = "." if compact.rfind(".") > compact.rfind(",") else ","
        if compact.count(decimal) > 1:
            return None
        thousands = "," if decimal == "." else "."
        return float(compact.replace(thousands, "").replace(decimal, "."))
    separator = "." if dots else ","
    if dots + commas > 1:
        return float(compact.replace(separator, ""))
    if dots + commas == 0:
        return float(compact)
    head, tail = compact.split(separator)
    grouped = len(tail) == 3 and 1 <= len(head) <= 3 and not head.startswith("0")
    if grouped and (whole or tail == "000" or _groups(separator, language)):
        return float(head + tail)
    return float(f"{head}.{tail}")


def _groups(separator: str, language: str | None) -> bool:
    """Whether the separator stands between thousands in this language."""
    return separator == ("." if language == "de" else ",")


def _round(number: float) -> float | None:
    return round(number, 9) if abs(number) < _LARGEST else None
