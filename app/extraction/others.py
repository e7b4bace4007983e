"""Whose words a text holds: quotations and forwarded mail are others', a transcript has turns."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cache

from app.extraction.clauses import AUX
from app.extraction.data import predicate_rows, words
from app.extraction.model import Mention, Statement, Utterance
from app.extraction.verbs import readings
from app.values.model import Value

MARKS = re.compile(r"[„“”«»\n]|(?P<opens>(?<![\w\"])\")|\"")
QUOTING = re.compile(r"[„“”«»\"]")
CLOSING = {"„": '“”"', "“": "”", "«": "»", "»": "«", '"': '"'}
QUOTED = range(3, 801)  # characters between two marks
OUTSIDE = " \t\n.!?"  # what may stand beside a text that is nothing but a quotation
LEAST_WORDS = 3
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
MAIL_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
# What such a line announces goes on to the end: the mail that is answered or passed on.
FORWARDED = re.compile(
    r"^[ \t]*(?:-{2,}[ \t]*(?:original message|forwarded message|ursprüngliche nachricht|"
    r"originalnachricht|weitergeleitete nachricht)[ \t]*-{2,}|(?:on|am)\b[^\n]{6,120}\b(?:wrote|"
    r"schrieb)\b[^\n]{0,80}:)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_NAME = r"[A-ZÄÖÜ][\w.'’-]*"
TURN = re.compile(
    rf"^[ \t]*(?:[-*][ \t]+)?(?:\[?\d[\d.:/, -]{{3,20}}\d(?:[ \t]?[ap]m)?\]?[ \t]*[-–]?[ \t]*)?"
    rf"(?P<name>{_NAME}(?:[ \t]{_NAME}){{0,2}})[ \t]*(?:[\[(][\d:., apmAPM-]{{4,20}}[\])])?:[ \t]+"
    r"(?=\S)",
    re.MULTILINE,
)
SAYING_I = re.compile(r"\b(?:I|I['’]m|I['’]ve|my|My|we|We|ich|Ich|mein\w*|Mein\w*|wir|Wir)\b")
ONESELF = words("names", "oneself")
MACHINES = words("names", "machines")
HEADINGS = words("names", "headings")


@dataclass(frozen=True, slots=True)
class Turn:
    """From where on somebody speaks; `name` is None where nobody is named."""

    start: int
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Voices:
    """A text without what others are quoted with, and its turns in order."""

    text: str
    turns: tuple[Turn, ...] = ()

    def at(self, position: int) -> str | None:
        """Who is named as the one who speaks there."""
        place = bisect_right(self.turns, position, key=lambda turn: turn.start)
        return self.turns[place - 1].name if place else None


def voices(utterance: Utterance) -> Voices:
    """The text with blanks in place of others' words, and who speaks where; positions stay."""
    text = _without_mail(utterance.text)
    found = [m for m in TURN.finditer(text) if not _is_heading(m["name"])]
    if not found or not SAYING_I.search(text):
        return Voices(without_quotations(text))
    turns: list[Turn] = []
    parts = [text[: found[0].start()]]
    for place, match in enumerate(found):
        end = found[place + 1].start() if place + 1 < len(found) else len(text)
        blank = end if match["name"].casefold() in MACHINES else match.end()
        parts += "\n" * (blank - match.start()), text[blank:end]
        turns.append(Turn(match.start(), _other(match["name"], utterance.speaker)))
    return Voices(without_quotations("".join(parts)), tuple(turns))


def unowned(statement: Statement) -> Statement:
    """The statement as one of which nobody here is the speaker."""
    return replace(
        statement,
        subject=_somebody(statement.subject),
        object=_plain(statement.object),
        replaces=None if statement.replaces is None else _plain(statement.replaces),
    )


def without_quotations(text: str) -> str:
    """The text with blanks for what somebody else is quoted with; a name in quotation marks
    stays, and so does a text that is nothing but a quotation."""
    found = _quotations(text)
    first = text[found[0][0] : found[0][1]] if found else ""
    only = first if first and not text.replace(first, "").strip(OUTSIDE) else None
    parts: list[str] = []
    done = 0
    for start, end in found:
        if text[start:end] != only and _is_said(text, start, end):
            parts += text[done:start], " " * (end - start)
            done = end
    return "".join((*parts, text[done:]))


def _quotations(text: str) -> list[tuple[int, int]]:
    """Where what stands in quotation marks starts and ends, in order, none over another: from a
    mark to the first that closes it, on one line. Read from the end: each place is seen once."""
    if QUOTING.search(text) is None:
        return []
    ends: dict[int, int] = {}
    nearest: dict[str, int] = {}
    for mark in reversed(list(MARKS.finditer(text))):
        at, sign = mark.start(), mark[0]
        closing = min((nearest[c] for c in CLOSING.get(sign, "") if c in nearest), default=-1)
        alone = sign != '"' or mark["opens"] is not None
        if alone and closing - at - 1 in QUOTED and closing < nearest.get("\n", len(text)):
            ends[at] = closing + 1
        nearest[sign] = at
    found: list[tuple[int, int]] = []
    for at in reversed(ends):
        if not found or at >= found[-1][1]:
            found.append((at, ends[at]))
    return found


def _is_said(text: str, start: int, end: int) -> bool:
    inner = text[start + 1 : end - 1].strip()
    said = [m[0] for m in WORD.finditer(inner)]
    before = start
    while before and text[before - 1].isspace():
        before -= 1
    announced = before > 0 and text[before - 1] in ":,"
    if len(said) < LEAST_WORDS or not (inner[:1].isupper() or announced):
        return False
    return any(_verb_like(word) for word in said)


def _verb_like(word: str) -> bool:
    if "'" in word or "’" in word:
        return True
    if word[0].isupper():
        return False
    finite = (f for lang in ("en", "de") for f in readings(word, lang) if not f.participle)
    return word in AUX["en"] or word in AUX["de"] or next(finite, None) is not None


def _without_mail(text: str) -> str:
    announced = FORWARDED.search(text)
    if announced is not None:
        text = text[: announced.start()] + "\n" * (len(text) - announced.start())
    return MAIL_LINE.sub(lambda m: "\n" * len(m[0]), text)


def _is_heading(name: str) -> bool:
    """Whether a word before a colon tells what follows, and not who speaks."""
    lowered = name.casefold()
    last = lowered.split()[-1]
    return last in HEADINGS or lowered in _nouns() or last in _nouns()


@cache
def _nouns() -> frozenset[str]:
    """What the registry knows as an attribute: `Budget: 300` has no speaker."""
    found: set[str] = set()
    for row in predicate_rows().values():
        for field in ("nouns_en", "nouns_de"):
            found.update(row.get(field, ()))
    return frozenset(found)


def _other(name: str, speaker: str | None) -> str | None:
    """The name, unless it is that of the one who hands in the text."""
    lowered, own = name.casefold(), (speaker or "").casefold()
    if lowered in ONESELF or lowered == own or (own and own.split()[0] == lowered):
        return None
    return name


def _plain(end: Mention | Value) -> Mention | Value:
    return _somebody(end) if isinstance(end, Mention) else end


def _somebody(end: Mention) -> Mention:
    return Mention(end.name, end.type, end.span, named=end.named) if end.is_speaker else end
