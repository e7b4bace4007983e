"""The page of a day: what was said in a scope that day, by its own sentences. Pure.

A summary here is an extract: sentences as they were said, in their order. Those are chosen that
share most words with what else was said that day, and none that says again what is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from app.conversations.noise import is_useful
from app.extraction.segment import sentences, without_code
from app.indexing.analysis import analyse
from app.indexing.stop_words import STOP_WORDS
from app.snapshots.markdown import one_line

SHOWN = 12  # sentences of a page
PER_TEXT = 20  # sentences of one text that are looked at
READ = 2_000  # characters of one text that are looked at
LONGEST = 300  # characters of a sentence that is shown
FEW, MANY = 4, 40  # words of a sentence that is shown
ALIKE = 0.7  # of the words of the shorter one, from which on two sentences say the same


@dataclass(frozen=True, slots=True)
class Said:
    """A text of a day: when, by whom, in which session, and its words."""

    at: datetime
    speaker: str
    session: str
    text: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Outline:
    """What a page is made of: how much was said, and its lines, each a sentence of a text."""

    texts: int
    sessions: int
    lines: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class _Sentence:
    place: tuple[int, int]
    text: str
    terms: frozenset[str]


def bounds(day: date) -> tuple[datetime, datetime]:
    """Return the first moment of a day in UTC, and that of the next."""
    start = datetime.combine(day, time(), UTC)
    return start, start + timedelta(days=1)


def outlined(said: Sequence[Said]) -> Outline:
    """Return what the page of a day is made of; the order in which texts come does not show."""
    ordered = sorted(said, key=lambda one: (one.at, one.session, one.text))
    lines = tuple(replace(ordered[one.place[0]], text=one.text) for one in chosen(ordered))
    return Outline(len(ordered), len({one.session for one in ordered}), lines)


def rendered_day(scope: str, day: date, said: Sequence[Said]) -> str:
    """Return the Markdown of a day: the same texts give the same bytes, whatever their order."""
    return rendered_outline(scope, day, outlined(said))


def rendered_outline(scope: str, day: date, outline: Outline, words: str = "", by: str = "") -> str:
    """Return the Markdown of a day, above its sentences the words `by` a model, if any."""
    texts, sessions = _counted(outline.texts, "text"), _counted(outline.sessions, "session")
    head = [f"# {day.isoformat()} in {scope}", "", f"{texts} in {sessions}.", ""]
    if words:
        # On one line behind words of ours, so that no answer can begin a heading.
        head += [f"Summary by {one_line(by)}, of the sentences below: {one_line(words)}", ""]
    lines = [_line(one) for one in outline.lines]
    return "\n".join([*head, *(lines or ["Nothing of it states anything."]), ""])


def chosen(said: Sequence[Said]) -> list[_Sentence]:
    """Return the sentences of a page, in the order in which they were said."""
    found = [one for n, each in enumerate(said) for one in _sentences(n, each)]
    common = Counter(term for one in found for term in one.terms)
    kept: list[_Sentence] = []
    for one in sorted(found, key=lambda one: (-_worth(one, common), one.place)):
        if len(kept) == SHOWN:
            break
        if not any(_alike(one.terms, other.terms) for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.place)


def _sentences(number: int, said: Said) -> Iterable[_Sentence]:
    plain = without_code(said.text[:READ])
    for place, span in enumerate(sentences(plain)):
        if place == PER_TEXT:
            return
        text = one_line(plain[span.start : span.end])
        words = len(text.split(None, MANY + 1))
        if text.endswith("?") or not FEW <= words <= MANY or len(text) > LONGEST:
            continue
        if is_useful(text).keep:
            terms = frozenset(analyse(text, said.language)) - STOP_WORDS
            yield _Sentence((number, place), text, terms)


def _worth(one: _Sentence, common: Counter[str]) -> float:
    """How much of what is said that day a sentence shares, by its words; a mean, so that a long
    sentence is no better for its length."""
    shared = sum(common[term] - 1 for term in one.terms)
    return round(shared / (len(one.terms) + 3), 6)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    least = min(len(one), len(other))
    return least > 0 and len(one & other) >= ALIKE * least


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _line(said: Said) -> str:
    who = f" {one_line(said.speaker)}:" if said.speaker else ""
    return f"- {said.at.astimezone(UTC):%H:%M}{who} {said.text}"
