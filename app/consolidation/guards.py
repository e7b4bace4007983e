"""What a language model answers of a window, held against its turns. Pure.

A memory stands only if its turns bear it out: they hold its numbers, dates, names and negations,
and share a word with it. A date may be one that our own calendar resolves from what a turn says.
What fails is dropped and counted by the reason; the same answer always gives the same memories.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from app.consolidation.window import Turn, Window
from app.contradiction.function_words import NEGATORS
from app.extraction.calendar import Lean, point
from app.extraction.mentions import Rules
from app.extraction.model import Moment, Precision
from app.extraction.proposed import WHEN, Proposed
from app.indexing.analysis import analyse, detect_language
from app.indexing.stop_words import STOP_WORDS
from app.notes.memories import Memory
from app.values.numbers import parse_number
from app.values.wording import fold

MOST = 64  # memories of one answer
SHORTEST, LONGEST = 10, 320  # characters of a memory
DENIED = 0.6  # share of a memory's telling words in a clause that denies: it says the opposite
MOST_TURNS = 8  # that one memory rests on
Relation = Literal["new", "same", "adds", "updates", "ends", "contradicts"]
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CLAUSE = re.compile(r"[.!?;,:\n]|\s-+\s|\s(?:but|and|aber|und)\s")
_NUMBER = re.compile(r"(?<![^\W_])\d+(?:[.,:]\d+)*")
_SMALL = frozenset(["one", "a", "an", "ein", "eine", "einen", "einem", "einer", "eines", "second"])
_LEANS = (Lean.PAST, Lean.NEAREST, Lean.FUTURE)
_RULES = Rules()


class Remembered(BaseModel):
    """One memory as the model gives it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    text: str
    kind: Literal["fact", "preference", "event", "plan", "decision", "opinion", "procedure"]
    turns: tuple[str, ...]
    relation: Relation
    of: str | None


class Claimed(Proposed):
    """One statement as the model gives it, with the turn that says it."""

    turn: str
    relation: Relation
    of: str | None


class Answer(BaseModel):
    """The whole answer about a window."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    memories: tuple[Remembered, ...]
    claims: tuple[Claimed, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """The memories that the turns bear out, and how many were dropped for which reason."""

    memories: tuple[Memory, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)


class Unborne(Exception):
    """The turns do not bear a memory out; the message is the reason, one word."""


def remembered(answer: Answer, window: Window) -> Kept:
    """Return the memories of an answer that hold against the turns of its window."""
    read = _Read.of(window)
    kept: dict[str, Memory] = {}
    dropped: Counter[str] = Counter()
    for proposed in answer.memories[:MOST]:
        try:
            memory = _memory(proposed, read)
        except Unborne as reason:
            dropped[str(reason)] += 1
            continue
        kept.setdefault(memory.hash, memory)
    dropped["many"] += max(0, len(answer.memories) - MOST)
    return Kept(tuple(kept.values()), dict(+dropped))


@dataclass(frozen=True, slots=True)
class _Read:
    """A window for looking things up in."""

    turns: Mapping[str, Turn]
    speakers: frozenset[str]
    held: Mapping[str, str]

    @classmethod
    def of(cls, window: Window) -> _Read:
        return cls(
            {turn.label: turn for turn in window.turns},
            speakers_of(window.turns),
            {held.label: held.id for held in window.held},
        )


def _memory(proposed: Remembered, read: _Read) -> Memory:
    text = " ".join(proposed.text.split())
    if not SHORTEST <= len(text) <= LONGEST:
        raise Unborne("length")
    turns = _turns(proposed.turns, read)
    language = need_borne(text, turns, read.speakers)
    last = max(turns, key=lambda turn: turn.episode["captured_at"]).episode
    of = read.held.get(proposed.of or "")
    return Memory(
        text=text,
        kind=proposed.kind,
        language=language,
        turns=tuple(turn.episode["id"] for turn in turns),
        said_at=last["captured_at"],
        session=last.get("session") or "",
        relation=proposed.relation if of or proposed.relation == "new" else "adds",
        of=of,
    )


def speakers_of(turns: Sequence[Turn]) -> frozenset[str]:
    """Return the words of the names of those who speak in some turns."""
    spoken = (turn.episode.get("speaker") or "" for turn in turns)
    return frozenset(word for name in spoken for word in _words(name))


def need_borne(text: str, turns: Sequence[Turn], speakers: frozenset[str]) -> str:
    """Return the language of a sentence that its turns bear out; Unborne where they do not.

    Of a turn its `content`, `captured_at` and `speaker` are looked at.
    """
    said = "\n".join(turn.episode["content"] for turn in turns)
    language = detect_language(text)
    _need_dates(text, turns)
    _need_numbers(text, said, turns)
    _need_names(text, language, said, speakers)
    _need_negations(text, said)
    _need_words(text, language, said)
    return language


def _turns(labels: Sequence[str], read: _Read) -> list[Turn]:
    """The turns that a memory rests on, in the order of the window, one of them new."""
    wanted = set(labels)
    turns = [turn for label, turn in read.turns.items() if label in wanted]
    if not wanted <= read.turns.keys() or len(turns) > MOST_TURNS:
        raise Unborne("turns")
    if not any(turn.new for turn in turns):
        raise Unborne("turns")
    return turns


def _need_dates(text: str, turns: Sequence[Turn]) -> None:
    """Every date of a memory is written in its turns, or one that the calendar makes of them."""
    said = fold("\n".join(turn.episode["content"] for turn in turns))
    known = [moment for turn in turns for moment in _moments_of(turn)]
    for found in WHEN.finditer(text):
        if re.search(rf"(?<!\w){re.escape(fold(found[0]))}(?!\w)", said):
            continue
        spoken = [turn.episode["captured_at"] for turn in turns]
        meant = [m for at in spoken for lean in _LEANS if (m := point(found, at).bind(lean))]
        if meant and not any(_covers(m, one) for m in meant for one in known):
            raise Unborne("date")


def _moments_of(turn: Turn) -> list[Moment]:
    """The moments that a turn names, in each way to read them, and the day on which it was said."""
    at: datetime = turn.episode["captured_at"].astimezone(UTC)
    day = at.replace(hour=0, minute=0, second=0, microsecond=0)
    found = [Moment(day, Precision.DAY)]
    for match in WHEN.finditer(turn.episode["content"]):
        named = point(match, at)
        found += [moment for lean in _LEANS if (moment := named.bind(lean))]
    return found


def _covers(coarse: Moment, fine: Moment) -> bool:
    """Whether a moment is the period of another, or a longer one around it."""
    names = {Precision.YEAR: "%Y", Precision.MONTH: "%Y%m"}
    wide = names.get(coarse.precision, "%Y%m%d")
    if len(wide) > len(names.get(fine.precision, "%Y%m%d")):
        return False
    return coarse.at.strftime(wide) == fine.at.strftime(wide)


def _need_numbers(text: str, said: str, turns: Sequence[Turn]) -> None:
    """Every number beside the dates stands in the turns, in digits or in words."""
    bare = WHEN.sub(" ", text)
    held = _numbers(said)
    for turn in turns:
        held |= _numbers(turn.episode.get("speaker") or "")
    if not _numbers(bare) <= held:
        raise Unborne("number")


def _numbers(text: str) -> set[float]:
    found = {parse_number(match[0].rstrip(".,:")) for match in _NUMBER.finditer(text)}
    words = (word for word in _WORD.findall(text) if fold(word) not in _SMALL)
    found |= {parse_number(word) for word in words if not word[0].isdigit()}
    return {number for number in found if number is not None}


def _need_names(text: str, language: str, said: str, speakers: frozenset[str]) -> None:
    """Every word of every name stands in the turns, or is part of the name of who speaks."""
    held = _words(said) | speakers
    stems = set(analyse(said, language))
    for name in _names(text, language):
        for word in _words(name):
            if word not in held and stems.isdisjoint(analyse(word, language)):
                raise Unborne("name")


def _names(text: str, language: str) -> list[str]:
    """The names of a sentence; of an English one every capitalised word inside it."""
    bare = WHEN.sub(lambda found: " " * len(found[0]), text)
    found = [mention.name for mention in _RULES.mentions(bare, language)]
    if language != "de":
        words = list(_WORD.finditer(bare))
        found += [w[0] for w in words[1:] if w[0][0].isupper() and fold(w[0]) not in STOP_WORDS]
    return found


def _need_negations(text: str, said: str) -> None:
    """A memory denies only where its turns do, and does not affirm what a clause of them denies."""
    if _denies(text):
        if not _denies(said):
            raise Unborne("negation")
        return
    meant = _telling(text)
    for clause in _CLAUSE.split(said):
        if _denies(clause) and len(meant & _telling(clause)) >= DENIED * len(meant):
            raise Unborne("negation")


def _denies(text: str) -> bool:
    words = [fold(word) for word in _WORD.findall(text.replace("’", "'"))]
    return any(word in NEGATORS or word.endswith("n't") for word in words)


def _need_words(text: str, language: str, said: str) -> None:
    """A memory shares a telling word with its turns."""
    if _telling(text, language).isdisjoint(_telling(said, language)):
        raise Unborne("words")


def _telling(text: str, language: str | None = None) -> set[str]:
    return set(analyse(text, language)) - STOP_WORDS


def _words(text: str) -> set[str]:
    found = set()
    for word in _WORD.findall(text.replace("’", "'")):
        folded = fold(word)
        found |= {folded, folded.removesuffix("'s")}
    return found
