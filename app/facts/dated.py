"""What a sentence dates itself: pure.

A text that is said later may tell of earlier times. What it dates before something else began says
nothing of what holds since then. A date whose year is left open counts as early only where every
year that it may belong to is, or where its clause is in the past.
"""

from __future__ import annotations

import re
from datetime import datetime

from app.extraction.calendar import POINT, Lean
from app.extraction.model import Moment
from app.extraction.moments import Role, When, times
from app.facts.later_reading import is_event

_POINT = re.compile(POINT)
_CUT = re.compile(r"[,;]|\b(?:and|but|und|aber)\b")
LONGEST = 1000  # characters of a sentence that is looked at


def begun_at(sentence: str, spoken: datetime) -> datetime | None:
    """Return the latest moment at which a sentence itself says that something began or happened;
    None where it names none, or leaves open which year is meant."""
    found = [one for one in _whens(sentence, spoken) if one.role in (Role.SINCE, Role.AT)]
    starts = [{moment.at for moment in _bound(when, past=True)} for when in found]
    return max((max(start) for start in starts if len(start) == 1), default=None)


def lies_before(sentence: str, spoken: datetime, moment: datetime, language: str) -> bool:
    """Whether a sentence dates what it tells, and all of that before a moment."""
    bound = [
        _bound(when, past=is_event(_clause(sentence, when), language))
        for when in _whens(sentence, spoken)
    ]
    return bool(bound) and all(some and all(one.over <= moment for one in some) for some in bound)


def _whens(sentence: str, spoken: datetime) -> list[When]:
    """The times of a sentence, without those that tell what a thing is for, or for how long."""
    found, _ = times(sentence[:LONGEST], spoken)
    return [one for one in found if one.role is not Role.PURPOSE and not _lasts(one)]


def _lasts(when: When) -> bool:
    known = _POINT.search(when.point.text)
    return known is not None and known["span"] is not None


def _clause(sentence: str, when: When) -> str:
    """The part of a sentence in which a time stands."""
    before = max((cut.end() for cut in _CUT.finditer(sentence, 0, when.start)), default=0)
    after = _CUT.search(sentence, when.end)
    return sentence[before : after.start() if after else len(sentence)]


def _bound(when: When, *, past: bool) -> list[Moment]:
    """The moments that a time may mean; none where it names no day of the calendar."""
    leans = [Lean.PAST] if past or when.lean is Lean.PAST else list(Lean)
    found = [when.point.bind(lean) for lean in leans]
    return [one for one in found if one is not None] if None not in found else []
