"""Rules for dates: what is on a day, birthdays, deadlines."""

from __future__ import annotations

import re
from dataclasses import replace

from app.extraction.calendar import Lean
from app.extraction.data import words
from app.extraction.drafts import Context, Draft
from app.extraction.model import Mention, Precision
from app.extraction.moments import Role, When, times
from app.extraction.objects import (
    until_stop,
)
from app.extraction.phrases import (
    Phrase,
    attribute,
    attribute_predicate,
)
from app.extraction.rules.copula import BE, is_be, person
from app.extraction.tokens import Token
from app.values.dates import parse_date
from app.values.model import Kind, Value

DATED_VERBS = {
    "en": words("sets", "dated_verbs_en"),
    "de": words("sets", "dated_verbs_de"),
}


DUE = frozenset(["due", "fällig"])


SET = frozenset(["scheduled", "planned", "set", "angesetzt", "geplant", "terminiert"])


DATE_NOUNS = ("date", "termin", "datum", "tag", "day")


def date_value(when: When, context: Context, *, with_year: bool) -> Value | None:
    """The date that a time expression names, as a value."""
    text = when.point.text
    if not when.point.is_exact:
        moment = when.point.bind(Lean.FUTURE)
        if moment is None or moment.precision is not Precision.MONTH:
            return None
        return Value(Kind.DATE, f"date:{moment.at:%Y-%m}", text)
    if not with_year:
        plain = parse_date(text, context.language)
        if plain is not None and plain.month is not None:
            return Value(Kind.DATE, plain.key, text)
    moment = when.point.bind(
        Lean.FUTURE if "day" in text.lower() and not _digits(text) else Lean.NEAREST
    )
    return None if moment is None else Value(Kind.DATE, f"date:{moment.at:%Y-%m-%d}", text)


def _digits(text: str) -> bool:
    return any(c.isdigit() for c in text)


def _dates(context: Context) -> list[When]:
    return [w for w in context.clause.when if w.role is Role.AT]


def _old_date(context: Context, *, with_year: bool) -> Value | None:
    contrast = context.clause.contrast
    if contrast is None:
        return None
    found, _ = times(contrast.old, context.reader.utterance.captured_at)
    return date_value(found[0], context, with_year=with_year) if found else None


def _on_date(
    context: Context, subject: Mention, predicate: str, *, with_year: bool = True
) -> list[Draft]:
    when = _dates(context)
    value = date_value(when[0], context, with_year=with_year) if when else None
    if value is None:
        return []
    contrast = context.clause.contrast
    draft = Draft(
        subject,
        predicate,
        value,
        "date",
        old=_old_date(context, with_year=with_year),
        was_error=contrast is not None and contrast.is_error,
    )
    return [draft]


def birthday(context: Context) -> list[Draft]:
    """`X was born on ...`, `X hat am ... Geburtstag`, `my birthday is ...`."""
    frame = context.frame
    has_it = frame.lemma == "haben" and any(t.lower == "geburtstag" for t in frame.rest)
    born = frame.participle in ("born", "geboren") and not any(
        t.lower in ("in", "im") for t in frame.rest
    )
    if has_it or born:
        subject = context.subject("birthday")
        return _on_date(context, subject, "birthday", with_year=born) if subject else []
    if not is_be(context):
        return []
    phrase = context.subject_phrase()
    found = attribute(phrase, context.reader, context.language) if phrase else None
    if found is None or found.possessor is None:
        return []
    if attribute_predicate(found.noun, context.language) != "birthday":
        return []
    return _on_date(context, person(found.possessor), "birthday", with_year=False)


def dated(context: Context) -> list[Draft]:
    """`The launch is on June 12`, `The auditor comes on Tuesday`."""
    frame = context.frame
    if frame.lemma not in (*BE, *DATED_VERBS[context.language], "move", "verschieben"):
        return []
    if frame.participle and frame.lemma in ("open", "close", "öffnen", "schließen"):
        return []  # a state of the day, which the thing does not take place on
    if frame.past or not any(w.point.is_exact for w in _dates(context)):
        return []
    left = [t.lower for t in until_stop(frame.rest, context.language) if t.text not in ",."]
    if any(word not in DUE | SET for word in left):
        return []
    phrase = context.subject_phrase()
    who = context.subject("date")
    if phrase is None:
        return (
            _on_date(context, who, "date")
            if who and frame.lemma not in BE and who.name != "we"
            else []
        )
    subject, predicate = _dated_subject(phrase, context)
    if any(word in DUE for word in left) and predicate == "date":
        predicate = "deadline"
    found = _on_date(context, subject, predicate) if subject else []
    return [replace(draft, read=context.frame.rest[: len(left)]) for draft in found]


RESCHEDULING = {
    "en": words("sets", "rescheduling_en"),
    "de": words("sets", "rescheduling_de"),
}
SLIPPING = frozenset(["slip", "move", "shift"])  # what does so by itself: `the launch slips to May`
TOWARDS = re.compile(r"(?i)\b(?:to|until|till|auf|bis(?:\s+zum)?)(?:\s+(?:the|den|dem))?\s*$")


def rescheduled(context: Context) -> list[Draft]:
    """`The deadline was pushed to July 15`, `Wir haben den Termin auf den 5. Mai verschoben`."""
    frame, clause = context.frame, context.clause
    if frame.lemma not in RESCHEDULING[context.language]:
        return []
    new = next((w for w in clause.when if _towards(w, context)), None)
    phrase = _what_moves(context)
    value = date_value(new, context, with_year=True) if new is not None else None
    if phrase is None or value is None or phrase.indefinite:
        return []
    subject, predicate = _dated_subject(phrase, context)
    if subject is None:
        return []
    return [Draft(subject, predicate, value, "rescheduled", present=True, read=_moving(context))]


def _moving(context: Context) -> tuple[Token, ...]:
    """What moves and where to: the words before the new time."""
    stop = next((i for i, t in enumerate(context.frame.rest) if t.text in ",;:"), None)
    return context.frame.rest[:stop]


def _towards(when: When, context: Context) -> bool:
    """Whether the time is the new one, and has not passed long since."""
    before = context.clause.text[: when.start]
    after = context.clause.text[when.start : when.end]
    leads = TOWARDS.search(before) is not None or TOWARDS.match(after.partition(" ")[0]) is not None
    moment = when.point.bind(when.lean)
    said = context.reader.utterance.captured_at
    return leads and moment is not None and moment.at.date() >= said.date()


def _what_moves(context: Context) -> Phrase | None:
    """What is given another time: the subject, or the object of who does it."""
    frame = context.frame
    if frame.participle and frame.auxiliary in ("be", "sein", "werden"):
        return context.subject_phrase()
    if any(t.lower == "sich" for t in frame.rest):
        return context.subject_phrase()
    patient = until_stop(frame.rest, context.language, through="of for von für des der")
    if not patient and frame.lemma in SLIPPING:
        named = frame.subject and context.reader.person(frame.subject[0]) is None
        return context.subject_phrase() if named else None
    while patient and patient[-1].lower in ("auf", "den", "back", "forward", "up", "out"):
        patient = patient[:-1]
    return context.reader.phrase(patient, context.language) if patient else None


def _dated_subject(phrase: Phrase, context: Context) -> tuple[Mention | None, str]:
    """`the launch date` and `the launch` are one; `the deadline of X` is X's."""
    found = attribute(phrase, context.reader, context.language)
    if found is not None and found.possessor is not None:
        predicate = attribute_predicate(found.noun, context.language)
        if context.registry.get(predicate).kind is Kind.DATE:
            return found.possessor, predicate
    head = phrase.head
    if len(head) > 1 and head[-1].lower in DATE_NOUNS:
        return context.named(replace(phrase, head=head[:-1], owner=None), "date"), "date"
    if head[-1].lower.endswith("termin") and len(head[-1].lower) > 7:
        mention = context.named(replace(phrase, owner=None), "date")
        return replace(mention, name=mention.name[: -len("termin")].rstrip("s-")), "date"
    return context.named(phrase, "date"), "date"
