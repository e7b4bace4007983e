"""What extraction takes and gives."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from app.kernel.clock import FOREVER
from app.values.model import Kind, Value

# The object of an end that does not say what ended.
ANYTHING = Value(Kind.TEXT, "any", "")


class Precision(StrEnum):
    """How exactly a moment is known; a coarser one stands for its whole period."""

    INSTANT = "instant"
    DAY = "day"
    MONTH = "month"
    YEAR = "year"


_MOST_DAYS = {Precision.INSTANT: 0, Precision.DAY: 1, Precision.MONTH: 31, Precision.YEAR: 366}


def over(at: datetime, precision: Precision) -> datetime:
    """Return when the period is surely over that a moment stands for: the first of the next month
    or year where it begins with one, else as much later as the longest lasts (the first of a month
    elsewhere is the last of another here). The last period of the calendar is never over."""
    try:
        later = at + timedelta(days=_MOST_DAYS[precision])
    except OverflowError:
        return FOREVER
    begins = (at.hour, at.minute, at.second, at.microsecond) == (0, 0, 0, 0)
    if begins and precision is Precision.MONTH and at.day == 1:
        return later.replace(day=1)
    if begins and precision is Precision.YEAR and (at.month, at.day) == (1, 1):
        return later.replace(month=1, day=1)
    return later


class Mode(StrEnum):
    """What a statement does to what was held before.

    `assert` says that it is so; `end` says that it was so and has stopped ("no longer", "nicht
    mehr"); `deny` says that it is not so; `correct` says that it never was as said before
    ("actually X, not Y"): its `replaces` was an error, not a former state.
    """

    ASSERT = "assert"
    END = "end"
    DENY = "deny"
    CORRECT = "correct"


@dataclass(frozen=True, slots=True)
class Utterance:
    """One text with what is known of it; `captured_at` binds relative dates."""

    text: str
    captured_at: datetime
    language: str | None = None
    speaker: str | None = None
    role: str = "user"


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of characters in the stored text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in the text. `type` is person, organization, project, product, technology, place,
    event, concept, group, artifact or unknown; `is_speaker` marks the first person. `named` is
    false where no proper name stands in it ("the film", "der Termin", "our budget"): such a phrase
    means something within its document or session alone."""

    name: str
    type: str
    span: Span
    is_speaker: bool = False
    named: bool = True


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time with its precision; `at` is the start of the period that it stands for."""

    at: datetime
    precision: Precision

    @property
    def over(self) -> datetime:
        """When the period is surely over; `at` itself of an instant."""
        return over(self.at, self.precision)


@dataclass(frozen=True, slots=True)
class Statement:
    """One assertion found in a text.

    `since` and `until` are what the text itself says of the interval. `ongoing` tells that the
    statement holds at the time of speech (present tense, present perfect with "since"); it is None
    where a change is told with its date ("moved to Vienna in 2009"), which does not say so.
    `replaces` is the value that the text itself names as the old one ("from X to Y", "not X").
    `model` is the language model that proposed it; None where rules read it.

    `rest` holds the words of the clause that the reading did not account for; empty where all of
    it was read. A statement with a rest ends and replaces nothing. `qualifier` is the key of what
    the value is qualified by (`year:2027`), so that two qualifications are no two values of one
    thing. `fits` names, for an end whose verb says only that something stopped ("moved out",
    "stepped down"), the predicates of which the subject's one held fact ends (`may_end` in
    `predicates` reads it); its object may be `ANYTHING` then.
    """

    subject: Mention
    predicate: str
    object: Mention | Value
    mode: Mode
    span: Span
    text: str
    confidence: float
    rule: str
    since: Moment | None = None
    until: Moment | None = None
    ongoing: bool | None = True
    replaces: Mention | Value | None = None
    model: str | None = None
    rest: str = ""
    qualifier: str = ""
    fits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Extracted:
    """Everything found in one text."""

    mentions: tuple[Mention, ...]
    statements: tuple[Statement, ...]
