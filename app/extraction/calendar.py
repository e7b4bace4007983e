"""Points in time as people name them, bound to the moment at which they spoke."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import IntEnum

from app.extraction.model import Moment, Precision
from app.values.dates import MONTHS, WEEKDAYS
from app.values.numbers import parse_number
from app.values.wording import fold


class Lean(IntEnum):
    """Which of several possible years or weeks a point without one belongs to."""

    PAST = -1
    NEAREST = 0
    FUTURE = 1


_MONTH_NAMES = (
    "January February March April May June July August September October November December "
    "Januar Februar März Mai Juni Juli Oktober Dezember Jan Feb Apr Jun Jul Aug Sep Sept Oct Nov "
    "Dec Okt Dez"
)
_M = "|".join(sorted(_MONTH_NAMES.split(), key=len, reverse=True))
_EN = (
    "January|February|March|April|May|June|July|August|September|October|November|December|"
    "Jan|Feb|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec"
)
_DAY_NAMES = (
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday Montag Dienstag Mittwoch Donnerstag "
    "Freitag Samstag Sonntag"
)
_D = "|".join(_DAY_NAMES.split())
DAYS_AND_MONTHS = frozenset([*_DAY_NAMES.split(), *_MONTH_NAMES.split()])
_N = (
    r"\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|ein(?:er|em|en|e)?|zwei|drei|"
    r"vier|fünf|sechs|sieben|acht|neun|zehn|zwölf"
)
_UNIT = (
    r"days?|weeks?|months?|years?|Tag(?:en|e)?|Wochen?|Monat(?:en|e)?|Jahr(?:en|e)?|"
    r"hours?|Stunden?|minutes?|Minuten?"
)
_YEAR = r"(?:19|20)\d\d"

# Tried from the left; the names of the groups choose the reading below.
POINT = (
    rf"(?:(?:{_D}|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Mo|Di|Mi|Do|Fr|Sa|So)\.?),?\s+(?:den\s+|the\s+)?)?"
    r"(?:"
    rf"(?P<iso>{_YEAR}-\d\d(?:-\d\d)?)(?!\d)"
    rf"|(?P<dotted>\d{{1,2}}\.\s?\d{{1,2}}\.(?:\s?{_YEAR})?)(?!\d)"
    rf"|(?P<md>(?P<md_m>{_EN})\.?\s(?P<md_d>\d{{1,2}})(?:st|nd|rd|th)?(?![\d.,]*\d)(?!\s?(?:Euro|€|%|Prozent|"
    rf"Stunden|Minuten|Tage|Wochen|Mitarbeiter|euros|dollars|percent))(?:,?\s(?P<md_y>{_YEAR}))?)"
    rf"|(?P<dm>(?P<dm_d>\d{{1,2}})(?:\.|st|nd|rd|th)?\s(?:of\s)?(?P<dm_m>{_M})\b(?:\s(?P<dm_y>{_YEAR}))?)"
    rf"|(?P<part>(?i:(?:the\s)?(?:early|mid|late|end\sof|start\sof|beginning\sof|middle\sof)"
    rf"|Anfang|Mitte|Ende))[\s-](?P<part_m>{_M})\b(?:\s(?P<part_y>{_YEAR}))?"
    rf"|(?P<mon>(?P<mon_m>{_M})\b(?:,?\s(?P<mon_y>{_YEAR}))?)"
    rf"|(?P<weekday>(?:(?P<which>(?i:last|next|this|past|coming|letzte[nrm]?|nächste[nrm]?|"
    rf"vorige[nrm]?|vergangene[nrm]?|kommende[nrm]?|diese[nrm]?))\s)?(?P<wd>{_D}))\b"
    rf"|(?P<today>(?i:today|tonight|this\s(?:morning|afternoon|evening)|heute(?:\s(?:früh|morgen|"
    rf"abend|mittag|nachmittag))?))\b"
    rf"|(?P<yesterday>(?i:yesterday(?:\s(?:morning|evening))?|last\snight|gestern(?:\s(?:abend|früh))?))\b"
    rf"|(?P<tomorrow>(?i:tomorrow|morgen))\b"
    rf"|(?P<ago>(?:(?P<ago_n>(?i:{_N}))\s(?P<ago_u>{_UNIT})\sago|(?i:vor)\s(?P<vor_n>{_N})\s(?P<vor_u>{_UNIT})))\b"
    rf"|(?P<span>(?P<span_n>{_N})\s(?P<span_u>days|weeks|months|years|Tagen|Wochen|Monaten|Jahren))\b"
    rf"|(?P<rel>(?P<rel_w>(?i:last|next|past|this|letzte[snmr]?|nächste[snmr]?|vorige[snmr]?|"
    rf"vergangene[snmr]?|kommende[snmr]?|diese[snmr]?))\s"
    rf"(?P<rel_u>(?i:week|month|year|weekend|summer|winter|spring|autumn|fall|quarter|woche|monat|"
    rf"jahr|wochenende|sommer|winter|frühjahr|frühling|herbst|quartal)))s?\b"
    rf"|(?P<weekend>(?i:(?:the\s)?weekend|wochenende))\b"
    rf"|(?P<feast>Easter|Ostern|Christmas|Weihnachten|Neujahr|Silvester|Pfingsten"
    rf"|New\sYear(?:'s)?(?:\sDay)?)\b"
    rf"|(?P<season>(?i:(?:the\s)?(?:summer|spring|autumn|winter)|sommer|frühling|frühjahr|herbst))\b"
    rf"|(?P<year>{_YEAR})(?![\d,.]\d)\b"
    r")"
)
# A word of each point that has no number, in lower case; a `*` where more letters may follow.
POINT_BY = " ".join((
    "0", *(name.lower() for name in DAYS_AND_MONTHS),
    "today tonight morning afternoon evening heute yesterday night gestern tomorrow morgen",
    "day* week* month* year* tag* woche* monat* jahr* hour* stunde* minute*",
    "weekend* summer* winter* spring* autumn* fall* quarter* sommer* frühjahr* frühling* herbst*",
    "quartal* easter ostern christmas weihnachten neujahr silvester pfingsten",
))  # fmt: skip
_UNITS = {"d": "day", "t": "day", "w": "week", "m": "month", "y": "year", "j": "year"}
_SEASONS = {
    "spring": 3, "fruehling": 3, "fruehjahr": 3, "summer": 6, "sommer": 6, "autumn": 9, "fall": 9,
    "herbst": 9, "winter": 12,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Point:
    """A named point, not yet bound to a year or week where its name leaves that open."""

    bind: Callable[[Lean], Moment | None]
    text: str
    is_exact: bool  # a date or weekday, as against a month, a season or a year
    days: int = 0  # that it lasts where its precision does not tell: a week, a weekend, a season

    def end(self, start: Moment, spoken: datetime) -> Moment:
        """The moment at which the period ends that begins as the point was bound, or at which
        somebody spoke within it."""
        over = start.at + timedelta(days=self.days) if self.days else start.over
        if start.at < spoken < over:
            return Moment(spoken, Precision.INSTANT)
        return Moment(over, start.precision)


_OF_UNITS = (("weekend", 2), ("wochenend", 2), ("we", 7), ("wo", 7), ("qu", 91))
_SEASON = 91  # days


def point(found: re.Match[str], spoken: datetime) -> Point:
    """The point that a match of POINT names, for someone who spoke at that moment."""
    kind = next(name for name in _READINGS if found[name])
    reading = _READINGS[kind]
    exact = kind in ("iso", "dotted", "md", "dm", "weekday")
    return Point(lambda lean: _safe(reading, found, spoken, lean), found[0], exact, _days(found))


def _days(found: re.Match[str]) -> int:
    """The days of a week, a weekend, a quarter or a season; 0 of what its precision tells."""
    unit = fold(found["rel_u"] or "")
    if found["season"] or unit in _SEASONS:
        return _SEASON
    if found["weekend"]:
        return 2
    return next((days for begins, days in _OF_UNITS if unit.startswith(begins)), 0)


Reading = Callable[[re.Match[str], datetime, Lean], Moment | None]


def _safe(reading: Reading, found: re.Match[str], spoken: datetime, lean: Lean) -> Moment | None:
    try:
        return reading(found, spoken.astimezone(UTC), lean)
    except (ValueError, OverflowError):  # the 31st of June; a year beyond the calendar
        return None


def _day(at: datetime) -> Moment:
    return Moment(at.replace(hour=0, minute=0, second=0, microsecond=0), Precision.DAY)


def _month(at: datetime) -> Moment:
    return Moment(_day(at).at.replace(day=1), Precision.MONTH)


def _year(at: datetime) -> Moment:
    return Moment(_month(at).at.replace(month=1), Precision.YEAR)


def _dated(spoken: datetime, lean: Lean, date: tuple[str | None, int, int]) -> datetime:
    year, month, day = date
    if year is not None:
        return datetime(int(year), month, day, tzinfo=UTC)
    candidates = []
    for offset in (-1, 0, 1):
        candidates.append(datetime(spoken.year + offset, month, day, tzinfo=UTC))
    if lean is Lean.PAST:
        return max(c for c in candidates if c <= spoken)
    if lean is Lean.FUTURE:
        today = _day(spoken).at
        return min(c for c in candidates if c >= today or _same_month(c, today, day))
    return min(candidates, key=lambda c: abs(c - spoken))


def _same_month(candidate: datetime, today: datetime, day: int) -> bool:
    return day == 1 and (candidate.year, candidate.month) == (today.year, today.month)


def _month_of(name: str) -> int:
    return MONTHS[fold(name).rstrip(".")]


def _iso(found: re.Match[str], spoken: datetime, lean: Lean) -> Moment:
    parts = [int(part) for part in found["iso"].split("-")]
    if len(parts) == 2:
        return _month(datetime(parts[0], parts[1], 1, tzinfo=UTC))
    return _day(datetime(parts[0], parts[1], parts[2], tzinfo=UTC))


def _dotted(found: re.Match[str], spoken: datetime, lean: Lean) -> Moment:
    day, month, year = [*found["dotted"].replace(" ", "").split("."), ""][:3]
    return _day(_dated(spoken, lean, (year or None, int(month), int(day))))


def _md(found: re.Match[str], spoken: datetime, lean: Lean) -> Moment:
    month = _month_of(found["md_m"])
    return _day(_dated(spoken, lean, (found["md_y"], month, int(found["md_d"]))))


def _dm(found: re.Match[str], spoken: datetime, lean: Lean) -> Moment:
    month = _month_of(found["dm_m"])
    return _day(_dated(spoken, lean, (found["dm_y"], month, int(found["dm_d"]))))


def _part(found: re.Match[str], spoken: datetime, lean: Lean) -> Moment:
    """Early, middle or end of a month; the end of a month is the start of the next."""
    start = _dated(spoken, lean, (found["part_y"], _month_of(found["part_m"]), 1))
    word = found["part"].lower()
    if "end" in word or "late" in word:
        return _day((start + timedelta(days=32)).replace(day=1))
    return _day(start.replace(day=15)) if "mi" in word else _day(start)


def _named_month(found: re.Match[str], spoken: datetime, lean: Lean) -> Moment:
    return _month(_dated(spoken, lean, (found["mon_y"], _month_of(found["mon_m"]), 1)))


def _weekday(found: re.Match[str], spoken: datetime, lean: Lean) -> Moment:
    number = WEEKDAYS[fold(found["wd"])]
    which = fold(found["which"] or "")
    back = (spoken.isoweekday() - number) % 7
    if which.startswith(("last", "letzt", "vorig", "vergang", "past")):
        return _day(spoken - timedelta(days=back or 7))
    ahead = (number - spoken.isoweekday()) % 7
    if which.startswith(("next", "naechst", "komm", "com")):
        return _day(spoken + timedelta(days=ahead or 7))
    return _day(spoken - timedelta(days=back) if lean is Lean.PAST else spoken + timedelta(ahead))


def _today(found: re.Match[str], spoken: datetime, lean: Lean) -> Moment:
    return _day(spoken)


def _yesterday(found: re.Match[str], spoken: datetime, lean: Lean) -> Moment:
    return _day(spoken - timedelta(days=1))


def _tomorrow(found: re.Match[str], spoken: datetime, lean: Lean) -> Moment:
    return _day(spoken + timedelta(days=1))


def _ago(found: re.Match[str], spoken: datetime, lean: Lean) -> Moment | None:
    return _before(spoken, found["ago_n"] or found["vor_n"], found["ago_u"] or found["vor_u"])


def _span(found: re.Match[str], spoken: datetime, lean: Lean) -> Moment | None:
    """`seit drei Jahren`, `for three years`: counted back from now."""
    return _before(spoken, found["span_n"], found["span_u"])


def _before(spoken: datetime, amount: str, unit: str) -> Moment | None:
    number = 1 if fold(amount).startswith(("a", "ein")) else parse_number(amount)
    if number is None or unit.lower().startswith(("hour", "stund", "minut")):
        return _day(spoken)
    kind = _UNITS[unit[0].lower()]
    count = int(number)
    if kind == "day":
        return _day(spoken - timedelta(days=count))
    if kind == "week":
        return _day(spoken - timedelta(weeks=count))
    if kind == "month":
        months = spoken.year * 12 + spoken.month - 1 - count
        return _month(datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC))
    return _year(datetime(spoken.year - count, 1, 1, tzinfo=UTC))


def _relative(found: re.Match[str], spoken: datetime, lean: Lean) -> Moment | None:
    word, unit = fold(found["rel_w"]), fold(found["rel_u"])
    step = 1 if word.startswith(("next", "naechst", "komm")) else -1
    if word.startswith(("this", "dies")):
        step = 0
    if unit.startswith("w") and "end" in unit:
        return _weekend_at(spoken, step)
    if unit.startswith("wee") or unit.startswith("woc"):
        monday = spoken - timedelta(days=spoken.isoweekday() - 1)
        return _day(monday + timedelta(weeks=step))
    if unit.startswith("mon"):
        months = spoken.year * 12 + spoken.month - 1 + step
        return _month(datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC))
    if unit in _SEASONS:
        year = spoken.year + min(step, 0) if step < 0 else spoken.year
        return _month(datetime(year, _SEASONS[unit], 1, tzinfo=UTC))
    return _year(datetime(spoken.year + step, 1, 1, tzinfo=UTC))


def _weekend_at(spoken: datetime, step: int) -> Moment:
    saturday = spoken - timedelta(days=(spoken.isoweekday() - 6) % 7)
    return _day(saturday if step < 0 else saturday + timedelta(weeks=1))


def _weekend(found: re.Match[str], spoken: datetime, lean: Lean) -> Moment:
    return _weekend_at(spoken, 1 if lean is Lean.FUTURE else -1)


def _feast(found: re.Match[str], spoken: datetime, lean: Lean) -> Moment:
    name = fold(found["feast"])[:4]
    years = [spoken.year + offset for offset in (-1, 0, 1)]
    days = [_day_of_feast(name, year) for year in years]
    if lean is Lean.PAST:
        return _day(max(day for day in days if day <= spoken))
    if lean is Lean.FUTURE:
        return _day(min(day for day in days if day >= _day(spoken).at))
    return _day(min(days, key=lambda day: abs(day - spoken)))


def _day_of_feast(name: str, year: int) -> datetime:
    fixed = {"chri": (12, 25), "weih": (12, 25), "neuj": (1, 1), "new ": (1, 1), "silv": (12, 31)}
    if name in fixed:
        return datetime(year, *fixed[name], tzinfo=UTC)
    return easter(year) + timedelta(days=49 if name == "pfin" else 0)


def easter(year: int) -> datetime:
    """Easter Sunday in the Gregorian calendar (the anonymous algorithm, Meeus 1991, chapter 8)."""
    a, b, c = year % 19, year // 100, year % 100
    d, e, f = b // 4, b % 4, (b + 8) // 25
    g = (b - f + 1) // 3
    h = (19 * a + b - d - g + 15) % 30
    i, k = c // 4, c % 4
    m = (32 + 2 * e + 2 * i - h - k) % 7
    n = (a + 11 * h + 22 * m) // 451
    month, day = divmod(h + m - 7 * n + 114, 31)
    return datetime(year, month, day + 1, tzinfo=UTC)


def _season(found: re.Match[str], spoken: datetime, lean: Lean) -> Moment:
    name = fold(found["season"]).removeprefix("the ")
    return _month(_dated(spoken, lean, (None, _SEASONS[name], 1)))


def _bare_year(found: re.Match[str], spoken: datetime, lean: Lean) -> Moment:
    return _year(datetime(int(found["year"]), 1, 1, tzinfo=UTC))


_READINGS: dict[str, Reading] = {
    "iso": _iso, "dotted": _dotted, "md": _md, "dm": _dm, "part": _part, "mon": _named_month,
    "weekday": _weekday, "today": _today, "yesterday": _yesterday, "tomorrow": _tomorrow,
    "ago": _ago, "span": _span, "rel": _relative, "weekend": _weekend, "feast": _feast,
    "season": _season, "year": _bare_year,
}  # fmt: skip
