"""Which ASCII letter a letter looks like: its name says it, or Unicode's table of confusables.

The name says it of small capitals, of letters with strokes, hooks or accents, and of letters in
circles and squares; the table of letters of other alphabets. Only the data of the package that
keeps the table is used.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache
from importlib.resources import files

_NAME = re.compile(r"(?:LATIN|INDICATOR)\b.*\bLETTER (?:SMALL CAPITAL )?([A-Z])(?: BAR| WITH .*)?$")


def alike(char: str) -> str | None:
    """The lower-case ASCII letters that the letter looks like, or None for none."""
    table = _table()
    found = _named(char) or table.get(char)
    if found and found != "l":
        return found
    # Capital i and small l are one to the table: the small letter says which.
    forms = char.lower(), char, char.upper()
    return next((table[form] for form in forms if form in table), found)


def _named(char: str) -> str | None:
    found = _NAME.search(unicodedata.name(char, ""))
    return found[1].lower() if found else None


@cache
def _table() -> dict[str, str]:
    data = (files("confusable_homoglyphs") / "confusables.json").read_text(encoding="utf-8")
    table = {}
    for char, others in json.loads(data).items():
        if len(char) > 1 or char.isascii() or not char.isalpha():
            continue
        letters = (_letters(other["c"]) for other in others)
        found = next(filter(None, letters), None)
        if found:
            table[char] = found
    return table


def _letters(other: str) -> str | None:
    if other.isascii():
        return other.lower() if other.isalpha() else None
    return _named(other) if len(other) == 1 else None
