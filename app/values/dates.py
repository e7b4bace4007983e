"""Dates as they are written, each with the precision it was given in."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import astuple, dataclass

from app.values.wording import fold

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jaenner", "february feb februar", "march mar maerz mrz",
            "april apr", "may mai", "june jun juni", "july jul juli", "august aug",
            "september sep sept", "october oct oktober okt", "november nov",
            "december dec dezember dez",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday mondays montag montags", "tuesday tuesdays dienstag dienstags",
            "wednesday wednesdays mittwoch mittwochs", "thursday thursdays donnerstag donnerstags",
            "friday fridays freitag freitags", "saturday saturdays samstag samstags sonnabend",
            "sunday sundays sonntag sonntags",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_WEEKDAY = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
_YEAR = r"(?P<year>1[5-9]\d\d|20\d\d|21\d\d)"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])"
_LEAD = re.compile(
    r"^(?:(?:on|in|at|by|since|from|until|till|the|am|im|um|ab|seit|vom|bis|zum|den|dem|gegen|"
    rf"year|jahr|jahre|of|early|late|anfang|ende|mitte|(?:{_WEEKDAY})(?=[\s,]+\S*\d)),?\s+)+"
)
_CLOCK = r"(?P<hour>[01]?\d|2[0-4])"

_PATTERNS = tuple(
    re.compile(pattern + r"$")
    for pattern in (
        rf"{_YEAR}-(?P<month>0[1-9]|1[0-2])-{_DAY}(?:[t ]{_CLOCK}:(?P<minute>[0-5]\d)\S*)?",
        rf"{_YEAR}-(?P<month>0[1-9]|1[0-2])",
        rf"{_DAY}\.\s?(?P<month>0[1-9]|1[0-2])\.?",
        rf"{_DAY}\.\s?(?P<month>0?[1-9]|1[0-2])\.\s?(?:{_YEAR}|(?P<short>\d\d))",
        rf"(?P<first>\d\d?)/(?P<second>\d\d?)/{_YEAR}",
        rf"(?P<name>{_MONTH})\.?\s{_DAY}(?:st|nd|rd|th)?(?:,?\s{_YEAR})?",
        rf"{_DAY}(?:st|nd|rd|th|\.)?\s(?:of\s)?(?P<name>{_MONTH})\.?(?:,?\s{_YEAR})?",
        rf"(?P<name>{_MONTH})\.?(?:,?\s(?:of\s)?{_YEAR})?",
        rf"q(?P<quarter>[1-4])(?:[\s/]{_YEAR})?",
        rf"(?P<quarter>[1-4])\.\squartal(?:\s{_YEAR})?",
        rf"{_YEAR}[\s/-]?q(?P<quarter>[1-4])",
        _YEAR,
        rf"(?P<weekday>{_WEEKDAY})",
        rf"{_CLOCK}(?::(?P<minute>[0-5]\d))?\s?(?P<half>[ap])\.?m\.?",
        rf"{_CLOCK}:(?P<minute>[0-5]\d)(?:\suhr)?",
        rf"{_CLOCK}\.(?P<minute>[0-5]\d)\suhr",
        rf"{_CLOCK}\suhr(?:\s(?P<minute>[0-5]\d))?",
        rf"{_CLOCK}\so'?clock",
    )
)


# How each of them begins: most texts are no dates, and eighteen patterns need not say so.
_BEGUN = re.compile(r"\d|q[1-4]|" + "|".join(sorted({n[:3] for n in (*MONTHS, *WEEKDAYS)})))


@dataclass(frozen=True, slots=True)
class When:
    """The parts of a date that are known; all others are None. `minute` counts from midnight."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    quarter: int | None = None
    weekday: int | None = None
    minute: int | None = None

    @property
    def key(self) -> str:
        """`date:2026-05-14`, `date:2026-05`, `date:--05-14`, `date:w1`, `date:t09:30`."""
        return "date:" + "".join(self._parts())

    def _parts(self) -> list[str]:
        parts = [] if self.year is None else [f"{self.year:04}"]
        if self.quarter is not None:
            parts.append(f"-q{self.quarter}")
        if self.month is not None:
            parts.append(f"-{self.month:02}" if parts else f"--{self.month:02}")
        if self.day is not None:
            parts.append(f"-{self.day:02}")
        if self.weekday is not None:
            parts.append(f"w{self.weekday}")
        if self.minute is not None:
            parts.append(f"t{self.minute // 60:02}:{self.minute % 60:02}")
        return parts

    def clashes(self, other: When) -> bool:
        """Whether a part that both know differs: May 2026 holds 14 May, but not 14 June."""
        if any(
            mine is not None and theirs is not None and mine != theirs
            for mine, theirs in zip(astuple(self), astuple(other), strict=True)
        ):
            return True
        return _outside(self, other) or _outside(other, self)


_KEY = re.compile(
    r"date:(?P<year>\d{4})?(?:-q(?P<quarter>\d))?(?:-{1,2}(?P<month>\d\d))?(?:-(?P<day>\d\d))?"
    r"(?:w(?P<weekday>\d))?(?:t(?P<hour>\d\d):(?P<minute>\d\d))?$"
)


def when_of(key: str) -> When:
    """The date that a key of this module stands for. ValueError: it is none."""
    found = _KEY.match(key)
    if found is None:
        raise ValueError(f"no date key: {key}")
    known = {name: int(part) for name, part in found.groupdict().items() if part is not None}
    hour = known.pop("hour", None)
    if hour is not None:
        known["minute"] += hour * 60
    return When(**known)


def parse_date(text: str, language: str | None = None) -> When | None:
    """The date that the whole text is, or None. Two numbers with a slash are read month first,
    save in German or where the first cannot be a month."""
    folded = _LEAD.sub("", fold(text).strip())
    for pattern in _PATTERNS if _BEGUN.match(folded) else ():
        if found := pattern.match(folded):
            return _when({name: part for name, part in found.groupdict().items() if part}, language)
    return None


def _when(parts: dict[str, str], language: str | None) -> When | None:
    year = int(parts["year"]) if "year" in parts else None
    if "short" in parts:
        year = 2000 + int(parts["short"])
    month = MONTHS[parts["name"]] if "name" in parts else int(parts.get("month", 0)) or None
    day = int(parts["day"]) if "day" in parts else None
    if "first" in parts:
        month, day = _month_and_day(int(parts["first"]), int(parts["second"]), language)
    if month is not None and not _exists(year, month, day):
        return None
    return When(
        year=year,
        month=month,
        day=day,
        quarter=int(parts["quarter"]) if "quarter" in parts else None,
        weekday=WEEKDAYS[parts["weekday"]] if "weekday" in parts else None,
        minute=_minute(parts),
    )


def _month_and_day(first: int, second: int, language: str | None) -> tuple[int, int]:
    day_first = language == "de" or first > 12
    return (second, first) if day_first else (first, second)


def _exists(year: int | None, month: int, day: int | None) -> bool:
    if not 1 <= month <= 12:
        return False
    return day is None or 1 <= day <= monthrange(year or 2000, month)[1]


def _minute(parts: dict[str, str]) -> int | None:
    if "hour" not in parts:
        return None
    hour = int(parts["hour"])
    if "half" in parts:
        hour = hour % 12 + (12 if parts["half"] == "p" else 0)
    return hour * 60 + int(parts.get("minute", 0))


def _outside(span: When, inner: When) -> bool:
    """Whether a quarter and a month exclude each other."""
    if span.quarter is None or inner.month is None:
        return False
    return (inner.month - 1) // 3 + 1 != span.quarter
