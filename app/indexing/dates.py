"""Dates that a question names, as terms that a text's own date can match.

A text captured on 3 May 2024 carries the terms `@20240503`, `@202405`, `@2024` and `@05`. A
question's date becomes the same terms, as far as it says: `May 2024` is `@202405`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january januar jänner jan",
            "february februar feb",
            "march märz mrz mar",
            "april apr",
            "may mai",
            "june juni jun",
            "july juli jul",
            "august aug",
            "september sept sep",
            "october oktober oct okt",
            "november nov",
            "december dezember dec dez",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_FORMS = [
    re.compile(form)
    for form in (
        r"\b(?P<year>(?:19|20)\d\d)-(?P<number>\d\d)(?:-(?P<day>\d\d))?\b",
        r"\b(?P<day>\d{1,2})\.\s?(?P<number>\d{1,2})\.\s?(?P<year>(?:19|20)\d\d)\b",
        rf"\b{_DAY}\s+(?:of\s+)?{_MONTH},?(?:\s+{_YEAR})?\b",
        rf"\b{_MONTH}\s+(?:the\s+)?{_DAY}(?!\d)(?:,?\s+{_YEAR})?\b",
        rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}\b",
        rf"\b(?:in|since|last|during|im|seit|letzten)\s+{_MONTH}",
        rf"\b(?:in|since|during|seit|jahr)\s+{_YEAR}\b",
    )
]


def day_terms(day: date) -> list[str]:
    """The terms of a text's own day, from the exact day to the bare month."""
    return [f"@{day:%Y%m%d}", f"@{day:%Y%m}", f"@{day:%Y}", f"@{day:%m}"]


def date_terms(question: str) -> list[str]:
    """The most exact term of each date that a question names, and its month where it has a day."""
    text = question.casefold()
    found: list[str] = []
    for form in _FORMS:
        for match in form.finditer(text):
            found += _terms(match.groupdict())
        text = form.sub(" ", text)
    return list(dict.fromkeys(found))


def _terms(parts: dict[str, str | None]) -> Iterator[str]:
    month = int(parts.get("number") or _MONTHS.get(parts.get("month") or "", 0))
    year, day = parts.get("year"), int(parts.get("day") or 0)
    if month > 12 or day > 31:
        return
    if year and month and day:
        yield f"@{year}{month:02}{day:02}"
    if year and month:
        yield f"@{year}{month:02}"
    elif month:
        yield f"@{month:02}"
    elif year:
        yield f"@{year}"
