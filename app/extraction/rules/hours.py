"""Rules for the hour at which something opens, closes or begins, and for numbers and codes by which
one reaches somebody or gets in: each has one value at a time."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.extraction.data import words
from app.extraction.drafts import Context, Draft
from app.extraction.phrases import attribute, joined, normal_noun
from app.extraction.rules.copula import is_be
from app.extraction.tokens import Token
from app.values.model import Kind, Value

VERBS = {
    "open": "opens_at", "close": "closes_at", "shut": "closes_at", "start": "starts_at",
    "begin": "starts_at",
    "öffnen": "opens_at", "aufmachen": "opens_at", "schließen": "closes_at",
    "zumachen": "closes_at", "beginnen": "starts_at", "anfangen": "starts_at",
}  # fmt: skip
COUNTED = (
    "one two three four five six seven eight nine ten eleven twelve",
    "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
)
NUMERALS = {word: n for line in COUNTED for n, word in enumerate(line.split(), start=1)}
NUMERALS |= {"noon": 12, "midnight": 24, "mitternacht": 24}
_NUMBER = rf"(?:\d{{1,2}}|{'|'.join(NUMERALS)})"
HOUR = re.compile(
    rf"(?i)(?:at|um)\s+(?P<half>half(?:\s+past)?|halb)?\s*(?P<hour>{_NUMBER})"
    r"(?:[:.](?P<minute>\d\d))?\s*(?P<mark>am|pm|uhr|o['’]clock)?(?!\w)"
)
CODE = re.compile(r"[+\w@./-]*\d[\w@./-]*|\+")


def opening(context: Context) -> list[Draft]:
    """`The café opens at eight`, `Der Laden macht um halb neun auf`, where nothing else is said."""
    frame, clause = context.frame, context.clause
    predicate = VERBS.get(frame.lemma)
    if predicate is None or frame.past or frame.auxiliary or frame.participle:
        return []
    found = HOUR.search(clause.text)
    phrase = context.subject_phrase()
    if found is None or phrase is None or phrase.indefinite:
        return []
    at = range(clause.start + found.start(), clause.start + found.end())
    if any(t.start not in at for t in frame.rest):
        return []
    subject = context.named(phrase, predicate)
    text = " ".join(found[0].split()[1:])
    value = Value(Kind.TEXT, f"text:{_clock(found)}", text)
    return [Draft(subject, predicate, value, "opening", read=frame.rest)]


def _clock(found: re.Match[str]) -> str:
    """The hour of the day as `hh:mm`; as it is said, where nobody tells morning from evening."""
    said = found["hour"].lower()
    hour = NUMERALS[said] if said in NUMERALS else int(said)
    minute = int(found["minute"] or 0)
    mark = (found["mark"] or "").lower()
    if found["half"]:
        minute = 30
        hour -= found["half"].lower() == "halb"
    if mark == "pm" and hour < 12:
        hour += 12
    return f"{hour:02}:{minute:02}"


def coded(context: Context) -> list[Draft]:
    """`My phone number is 0161 555 0142`, `Meine Handynummer lautet 0171 5550142`."""
    frame, language = context.frame, context.language
    if not (is_be(context) or frame.lemma == "lauten") or frame.past or not frame.rest:
        return []
    phrase = context.subject_phrase()
    found = attribute(phrase, context.reader, language) if phrase is not None else None
    if phrase is None or found is None or found.possessor is None or phrase.indefinite:
        return []
    noun = normal_noun(found.head_word, language)
    if not noun.endswith(tuple(words("nouns", "codes"))) or not _is_code(frame.rest):
        return []
    text = joined(frame.rest)
    value = Value(Kind.TEXT, f"text:{re.sub(r'[ ./-]', '', text)}", text)
    predicate = f"attribute:{found.noun.lower()}"
    return [Draft(found.possessor, predicate, value, "code", read=frame.rest)]


def _is_code(given: Sequence[Token]) -> bool:
    """Whether all words are digits of a number or code."""
    return all(CODE.fullmatch(t.text) for t in given)
