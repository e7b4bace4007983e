"""The sentences of a text with their words, what they tell of a change, and who says them: pure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from app.extraction.others import without_quotations
from app.extraction.segment import sentences
from app.extraction.verbs import MERGED, readings
from app.indexing.analysis import LANGUAGES, analyse
from app.indexing.stop_words import STOP_WORDS

WORD = re.compile(r"[^\W\d_]+")
CLAUSE = re.compile(r"[^,;–—]+")
SHORT_NAME = re.compile(r"\b[A-ZÄÖÜ]{2}\b")  # WG, HR, TU
MOST_READ = 20_000
LONGEST = 4  # words of one entry of the lists
GAP = 2  # words between the two of an entry
ASIDE = 2  # words of a clause that says no more than that all of the sentence is doubtful

# German participles whose particle tells what became of a thing: rausgemacht, umgebucht.
PARTED = {
    "ends": re.compile(r"(?:(?:he)?raus|weg|fort)ge\w+(?:t|en)\b"),
    "begins": re.compile(r"umge\w+(?:t|en)\b"),
}

PERFECT = re.compile(r"(?i)\b(?:hat|haben|habe|hab|ist|sind|bin|wurde|wurden|worden|geworden)\b")
PARTICIPLE = re.compile(r"\b(?:\w{0,6}ge\w{2,}(?:t|en)|(?:ver|be|er|ent|zer)\w{3,}(?:t|en))\b")

Forms = tuple[str, ...]  # one word, stemmed in either language


@dataclass(frozen=True, slots=True)
class Cues:
    """The entries of the lists of one language by their kind, each as stems, or as written."""

    stems: Mapping[str, frozenset[tuple[str, ...]]]
    written: Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Piece:
    """One sentence: its place, stems that say something, the kinds of its cues and of its values,
    who says it, whether of himself (`is_own`) or of himself and others (`is_ours`), and the
    prepositions by which it says where and with what."""

    start: int
    end: int
    words: frozenset[str]
    cues: frozenset[str]
    values: frozenset[str]
    kinds: frozenset[str]
    speaker: frozenset[str]
    is_own: bool = False
    is_ours: bool = False
    links: frozenset[str] = frozenset()
    language: str = "en"


@lru_cache(4096)  # of a text that is found for one fact the next search finds another
def read(text: str, language: str, speaker: str) -> tuple[Piece, ...]:
    """The sentences of a text; of a long one its beginning is read, `MOST_READ` characters."""
    known = language if language in LANGUAGES else "en"
    return tuple(_pieces(text[:MOST_READ], known, speaker))


def tells(forms: Forms) -> bool:
    """Whether a word tells one thing from another."""
    if not listed("plain").isdisjoint(forms):
        return False
    return any(len(form) > 2 or form.isdigit() for form in forms)


def kinds_of(words: Collection[str]) -> frozenset[str]:
    """The kinds of values among some words: a number, a day of the week."""
    kinds = {"number"} if any(w.isdigit() or w in listed("numbers") for w in words) else set()
    return frozenset(kinds | ({"day"} if not listed("weekdays").isdisjoint(words) else set()))


def _pieces(text: str, language: str, speaker: str) -> Iterator[Piece]:
    said = without_quotations(text)
    for span in sentences(said):
        sentence = said[span.start : span.end]
        sure = _sure(sentence)
        stems = analyse(sentence, language)
        known = stems if sure == sentence else analyse(sure, language)
        values = listed("weekdays") | listed("numbers")
        cues, used = _cues(known, sure.casefold().split(), language)
        if is_event(sure, language):
            cues.add("event")
        said_by = set(WORD.findall(sentence.casefold()))
        yield Piece(
            span.start,
            span.end,
            frozenset(_telling(sentence, stems, language) - used),
            frozenset(cues),
            frozenset(stem for stem in stems if stem.isdigit() or stem in values),
            kinds_of(stems),
            frozenset(analyse(speaker, language)),
            not said_by.isdisjoint(_listed_words("first_person")),
            not said_by.isdisjoint(_listed_words("several")),
            links_of(sentence),
            language,
        )


def _telling(sentence: str, stems: Sequence[str], language: str) -> set[str]:
    """The stems of a sentence that say something."""
    short = {stem for name in SHORT_NAME.findall(sentence) for stem in analyse(name, language)}
    long = {stem for stem in stems if len(stem) > 2 or stem.isdigit()}
    return (long | short) - stops(language)


def _sure(sentence: str) -> str:
    """The part of a sentence that tells what is so: none of a question or a condition, and what
    stands before a clause that doubts. A condition before a colon is none of what stands behind it.
    """
    head, colon, said = sentence.rpartition(": ")
    asked = sentence.rstrip().endswith("?")
    if asked or not _listed_words("conditions").isdisjoint(WORD.findall(said.casefold())):
        return ""
    for clause in CLAUSE.finditer(said):
        words = WORD.findall(clause[0].casefold())
        if not _listed_words("doubts").isdisjoint(words):
            return "" if len(words) <= ASIDE else head + colon + said[: clause.start()]
    return sentence


def links_of(text: str) -> frozenset[str]:
    """The prepositions of a text that tell where, with whom or with what something is so."""
    words = (MERGED.get(word, word) for word in WORD.findall(text.casefold()))
    return frozenset(words) & _listed_words("links")


def _cues(stems: list[str], written: list[str], language: str) -> tuple[set[str], set[str]]:
    """The kinds of change that a sentence has words of, and those words."""
    table = _tables()[language]
    found: set[str] = set()
    used: set[str] = set()
    for kind, entries in table.stems.items():
        for some in _runs(stems):
            if some in entries:
                found.add(kind)
                used.update(some)
        for word in written:
            if word.strip(".,;:!()\"'") in table.written[kind]:
                found.add(kind)
    if language == "de":
        found |= {kind for word in written for kind, form in PARTED.items() if form.match(word)}
    return found, used


def is_event(sentence: str, language: str) -> bool:
    """Whether a sentence tells what was done or happened: in a past form, in German in a perfect or
    a passive."""
    if language == "de":
        return PERFECT.search(sentence) is not None and PARTICIPLE.search(sentence) is not None
    words = WORD.findall(sentence.casefold())
    return any(w.endswith("ed") or any(f.past for f in readings(w, "en")) for w in words)


def _runs(stems: list[str]) -> Iterator[tuple[str, ...]]:
    """Up to `LONGEST` words in a row, and two with up to `GAP` others between them: a verb and its
    particle stand apart ("let us down", "gab die Stelle auf")."""
    for place in range(len(stems)):
        for size in range(1, LONGEST + 1):
            if place + size <= len(stems):
                yield tuple(stems[place : place + size])
        for second in stems[place + 2 : place + 2 + GAP]:
            yield stems[place], second


@cache
def _lists() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("later.toml").read_text(encoding="utf-8"))


@cache
def _tables() -> dict[str, Cues]:
    return {language: _table(language) for language in LANGUAGES}


def _table(language: str) -> Cues:
    stems: dict[str, frozenset[tuple[str, ...]]] = {}
    written: dict[str, frozenset[str]] = {}
    for kind, entries in _lists()[language].items():
        each = [" ".join(entry.split()) for entry in entries.split(",")]
        if language == "de":  # the stemmer keeps `kündigt` and `kündigen` apart
            each += [f"{e[:-2]}t" for e in each if e.endswith("en") and e.isalpha()]
        stems[kind] = frozenset(tuple(analyse(e, language)) for e in each if not e.startswith("="))
        written[kind] = frozenset(e[1:] for e in each if e.startswith("="))
    return Cues(stems, written)


@cache
def listed(name: str) -> frozenset[str]:
    """The stems of a list in either language."""
    text = _lists()["values"][name]
    return frozenset(stem for language in LANGUAGES for stem in analyse(text, language))


@cache
def stops(language: str) -> frozenset[str]:
    """The stems of the words that stand in any text."""
    return frozenset(stem for word in STOP_WORDS for stem in analyse(word, language))


@cache
def _listed_words(name: str) -> frozenset[str]:
    """The words of a list as they are written."""
    return frozenset(_lists()["values"][name].split())
