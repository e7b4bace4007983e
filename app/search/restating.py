"""Of what one speaker says on one matter, what a later hit may have changed: pure.

Most of what people update is never read as a fact ("I'm on page 220 now"). So of two hits of one
speaker that hold the same words of the question, the older one is told as possibly changed where
the newer one gives another amount of the same thing or another place, or speaks of a change.
Nothing is ended by it, and nothing is moved. Decision 0070 has what it finds and misses.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, partial
from itertools import islice

from app.extraction.segment import sentences
from app.facts.dated import begun_at, lies_before
from app.facts.possible import Newer, PossibleChange
from app.indexing.analysis import analyse, detect_language, query_terms
from app.indexing.stop_words import STOP_WORDS
from app.kernel.graph import Row
from app.search.amounts import Amount, amounts
from app.search.latest import asks_of_the_past, is_talk

READ = 4000  # characters of a hit that are looked at
HITS, SENTENCES, COUNTED = 12, 16, 16  # of one speaker, of one hit, amounts of one hit: at most
SHOWN = 240  # characters of a sentence that are told
SAME = 1 / 2  # least share of the question's words that both hold
SAME_FIRST, FIRST = 1 / 3, 4  # the same of the first hits
FURTHER = 2  # words beside the question's that a sentence on a change shares with the older one

_CHANGES = """
already anymore changed currently finally increased instead lately longer moved new now quit
recently reduced replaced sold started stopped switched upgraded aktuell beendet bereits
derzeit ersetzt geändert gekündigt gewechselt inzwischen jetzt mittlerweile neu neue neuen
neuer neues neuerdings nunmehr stattdessen umgestiegen umgezogen verkauft
"""
CHANGES = frozenset(_CHANGES.split())
PHRASES = re.compile(r"\b(?:no longer|any more|used to|nicht mehr|kein\w* mehr)\b", re.IGNORECASE)
PLACE_ASKED = re.compile(r"\b(?:where|wo|wohin)\b", re.IGNORECASE)
PLACE = re.compile(
    r"\b(?:in|at|on|to|under|near|behind|inside|into|im|am|auf|unter|nach|bei|beim|ins|ans)\s"
    r"(?:(?:my|the|a|an|our|his|her|their|der|die|das|dem|den|einem|einer|meinem|meiner|unserem"
    r"|unserer)\s)?([^\W\d_]{3,40}(?:\s[^\W\d_]{3,40})?)",
    re.IGNORECASE,
)
NAME = re.compile(r"(?<=[^\s.!?]\s)[A-Z][\w'’-]*")
WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of a question, each in its forms, and whether it asks where something is."""

    words: Sequence[tuple[str, ...]]
    placed: bool
    names: frozenset[int] = frozenset()  # places of words that are names

    @classmethod
    def of(cls, question: str) -> Asked:
        """What a question asks for; of a German one no word is known to be a name."""
        words = query_terms(question)
        asked = cls(words, bool(PLACE_ASKED.search(question)))
        if detect_language(question) == "de":
            return asked
        called = (form for name in NAME.findall(question) for form in analyse(name, "en"))
        return replace(asked, names=asked.among(called))

    def held(self, memory: Row) -> frozenset[int]:
        """The places of the words that a hit or the name of its speaker holds; none where it has
        no name of those that the question gives."""
        said = self.among((*memory["terms"].split(), *analyse(memory["speaker"] or "", "en")))
        return said if not self.names or self.names & said else frozenset()

    def among(self, terms: Iterable[str]) -> frozenset[int]:
        """The places of the words that are among some terms."""
        held = frozenset(terms)
        return frozenset(n for n, forms in enumerate(self.words) if not held.isdisjoint(forms))

    def least(self, *, first: bool) -> int:
        """How many of its words two hits both hold, at least; fewer of the `first` hits."""
        return max(1, math.ceil((SAME_FIRST if first else SAME) * len(self.words)))


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence of a hit: the stems of its words, which words of the question it holds, its
    amounts and places, and whether it speaks of a change."""

    text: str
    stems: frozenset[str]
    about: frozenset[int]
    amounts: tuple[Amount, ...]
    places: frozenset[str]
    turns: bool


@dataclass(frozen=True, slots=True)
class Told:
    """One hit as it is compared with others."""

    memory: Row
    about: frozenset[int]
    said: tuple[Said, ...]

    @property
    def at(self) -> datetime:
        """When it was said."""
        moment: datetime = self.memory["captured_at"]
        return moment

    @property
    def amounts(self) -> list[Amount]:
        """All that it counts."""
        return [amount for one in self.said for amount in one.amounts][:COUNTED]

    @property
    def places(self) -> frozenset[str]:
        """Wherever it says that something is."""
        return frozenset[str]().union(*(one.places for one in self.said))


def restated(question: str, memories: Sequence[Row]) -> dict[str, tuple[PossibleChange, ...]]:
    """By the id of each hit that a newer one may have changed what that one says, the newest first;
    nothing for a question about the past. `memories` come best first."""
    if asks_of_the_past(question):
        return {}
    asked = Asked.of(question)
    first = frozenset(memory["id"] for memory in memories[:FIRST])
    found: dict[str, tuple[PossibleChange, ...]] = {}
    for group in _by_speaker(memories, asked):
        hits = [_read(memory, asked) for memory in group]
        for older in hits:
            newer = []
            since = partial(_since, cache(partial(_began, older)))
            for other in hits:
                both = {older.memory["id"], other.memory["id"]} <= first
                told = _changed(older, other, asked.least(first=both), since)
                if told is not None:
                    newer.append((other, told))
            if newer:
                found[older.memory["id"]] = (_told(older, newer),)
    return found


def without_past(
    found: Mapping[str, tuple[PossibleChange, ...]], past: Collection[str]
) -> dict[str, tuple[PossibleChange, ...]]:
    """The same without some newer hits: of what no longer holds nothing else is changed."""
    left = {
        memory: tuple(
            replace(change, newer=tuple(n for n in change.newer if n.passage not in past))
            for change in changes
        )
        for memory, changes in found.items()
    }
    return {memory: kept for memory, told in left.items() if (kept := tuple(_told_of(told)))}


def _told_of(changes: Iterable[PossibleChange]) -> Iterable[PossibleChange]:
    return (change for change in changes if change.newer)


def joined(
    known: Iterable[PossibleChange],
    found: Iterable[PossibleChange],
    memories: Mapping[str, Row],
) -> tuple[PossibleChange, ...]:
    """What may have changed of a hit, by its facts and by newer hits: no newer hit that is named
    already, or that states a fact which is. `memories` are the hits by their ids."""
    told = tuple(known)
    named = {
        one for change in told for newer in change.newer for one in (newer.passage, newer.fact)
    }

    def says(passage: str | None) -> set[str | None]:
        return {passage, *(memories.get(passage or "", {}).get("stated") or ())}

    left = (
        replace(change, newer=tuple(n for n in change.newer if named.isdisjoint(says(n.passage))))
        for change in found
    )
    return (*told, *(change for change in left if change.newer))


def _by_speaker(memories: Sequence[Row], asked: Asked) -> list[list[Row]]:
    """What is said on the question, of speakers who say it twice."""
    least = asked.least(first=True)
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for memory in memories:
        if is_talk(memory) and len(asked.held(memory)) >= least:
            who = memory["speaker"] or memory["author"] or ""
            groups.setdefault((memory["scope"], memory["role"] or "", who), []).append(memory)
    return [group[:HITS] for group in groups.values() if len(group) > 1]


def _read(memory: Row, asked: Asked) -> Told:
    language = memory["language"] or "en"
    text = memory["content"][:READ]
    spans = (text[span.start : span.end] for span in sentences(text))
    found = (one for part in spans if (one := _sentence(part, language, asked)).about)
    said = tuple(islice(found, SENTENCES))
    return Told(memory, frozenset[int]().union(*(one.about for one in said)), said)


def _sentence(text: str, language: str, asked: Asked) -> Said:
    about = asked.among(analyse(text, language))
    if not about:
        return Said(text, frozenset(), about, (), frozenset(), False)
    plain = [word.casefold() for word in WORD.findall(text)]
    stems = frozenset(
        analyse(word, language)[-1] for word in plain if len(word) > 2 and word not in STOP_WORDS
    )
    turns = not CHANGES.isdisjoint(plain) or bool(PHRASES.search(text))
    places = _places(text, language, asked) if asked.placed else frozenset[str]()
    return Said(text, stems, about, tuple(amounts(text, language)), places, turns)


def _places(text: str, language: str, asked: Asked) -> frozenset[str]:
    """Where something is, as a sentence has it: what follows a preposition, but for words of the
    question."""
    found = (frozenset(analyse(name, language)) - STOP_WORDS for name in PLACE.findall(text))
    return frozenset(" ".join(sorted(one)) for one in found if one and not asked.among(one))


def _changed(older: Told, newer: Told, least: int, since: Callable[[Told], Told]) -> Said | None:
    """The sentence of the newer hit that may have changed what the older one says; `since` leaves
    out of a newer one what it dates before that."""
    if newer.at <= older.at or len(older.about & newer.about) < least:
        return None
    newer = since(newer)
    held, fresh = older.amounts, newer.amounts
    gone = [a for a in held if not any(a.same(b) for b in fresh)]
    left = older.places - newer.places
    for one in newer.said:
        for amount in one.amounts[:COUNTED]:
            if any(a.like(amount) for a in gone) and not any(a.same(amount) for a in held):
                return one
        if left and one.places - older.places:
            return one
    for one in newer.said:
        if one.turns and any(_on_the_same(one, other, least) for other in older.said):
            return one
    return None


def _began(older: Told) -> datetime | None:
    """When a hit says that something began, the latest of several."""
    dated = (begun_at(one.text, older.at) for one in older.said)
    return max((at for at in dated if at is not None), default=None)


def _since(when: Callable[[], datetime | None], newer: Told) -> Told:
    """The newer one without what it dates before the time at which the older one says it began,
    which is worked out for the first newer one alone."""
    began = when()
    if began is None:
        return newer
    language = newer.memory["language"] or "en"
    said = (s for s in newer.said if not lies_before(s.text, newer.at, began, language))
    return replace(newer, said=tuple(said))


def _on_the_same(newer: Said, older: Said, least: int) -> bool:
    shared = len(newer.about & older.about)
    return shared >= least and len(newer.stems & older.stems) >= shared + FURTHER


def _told(older: Told, newer: Iterable[tuple[Told, Said]]) -> PossibleChange:
    listed = sorted(newer, key=lambda pair: (pair[0].at, pair[0].memory["id"]), reverse=True)
    entries = tuple(
        Newer(_shown(said.text), hit.at, passage=hit.memory["id"]) for hit, said in listed
    )
    best = max(older.said, key=lambda one: (len(one.about), len(one.amounts)))
    return PossibleChange(None, _shown(best.text), older.memory["language"] or "en", entries)


def _shown(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= SHOWN else f"{flat[: SHOWN - 1].rstrip()}…"
