"""Whether a later text speaks of a change to what a fact says: pure.

Much of what people tell anew is no statement that replaces another ("GP put Mum up to 75"). So a
text is looked at for words of a change (`later.toml`) beside words of a fact. Where both stand
together, the text may have changed the fact: that is told with the fact, and ends nothing.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from app.extraction.others import without_quotations
from app.extraction.predicates import nouns_of, standard
from app.extraction.segment import sentences
from app.indexing.analysis import LANGUAGES, analyse, query_terms
from app.indexing.stop_words import STOP_WORDS

LEAST = 0.3  # share of what a fact says of its subject that stands in the sentence
BESIDE = 0.5  # the same of all of a short text, where the word of change may stand elsewhere in it
SHORT = 4  # sentences
MOST_ASIDE = 6  # words of a sentence beside the fact's where it names the subject alone
WORD = re.compile(r"[^\W\d_]+")
MOST_READ = 20_000
LONGEST = 4  # words of one entry of the lists
PART = 4  # letters that a part of a compound has at least, as a stem
GAP = 2  # words between the two of an entry

# German participles whose particle tells what became of a thing: rausgemacht, umgebucht.
PARTED = {
    "ends": re.compile(r"(?:(?:he)?raus|weg|fort)ge\w+(?:t|en)\b"),
    "begins": re.compile(r"umge\w+(?:t|en)\b"),
}

Forms = tuple[str, ...]  # one word, stemmed in either language


@dataclass(frozen=True, slots=True)
class Held:
    """The words of a fact: of whom it is, of what it says of it, and the kinds of its values.

    `size` is how many words `other` had before those that too many texts hold were left out;
    `relation` are those that tell what the one is to the other: works, job, employer.
    """

    subject: frozenset[Forms]
    other: frozenset[Forms]
    values: frozenset[str]
    kinds: frozenset[str]
    size: int
    relation: frozenset[Forms] = frozenset()

    def subject_speaks(self, piece: Piece) -> bool:
        """Whether the subject is who says it of himself."""
        return any(form in piece.speaker for forms in self.subject for form in forms)

    @property
    def words(self) -> frozenset[Forms]:
        """The words by which texts may be found."""
        return self.subject | self.other

    def among(self, telling: Collection[Forms]) -> Held:
        """The same without the words that are not among some."""
        kept = frozenset(telling)
        return replace(self, subject=self.subject & kept, other=self.other & kept)


@dataclass(frozen=True, slots=True)
class Cues:
    """The entries of the lists of one language by their kind, each as stems, or as written."""

    stems: Mapping[str, frozenset[tuple[str, ...]]]
    written: Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Piece:
    """One sentence: its place, stems that say something, the kinds of its cues and of its values,
    and who says it of himself."""

    start: int
    end: int
    words: frozenset[str]
    cues: frozenset[str]
    values: frozenset[str]
    kinds: frozenset[str]
    speaker: frozenset[str]
    language: str = "en"


def held_words(subject: str, predicate: str, value: str) -> Held:
    """The words of a fact out of its parts; an open predicate's own noun counts with the value."""
    _, _, noun = predicate.partition(":")
    of = frozenset(query_terms(subject))
    other = frozenset(query_terms(f"{value} {noun}")) - of
    words = {form for forms in other for form in forms}
    plain = {word for word in words if word.isdigit() or word in _listed("weekdays")}
    telling = frozenset(forms for forms in other if _tells(forms))
    relation = _relation(predicate) - of - telling
    return Held(of, telling, frozenset(plain), _kinds(words), len(telling), relation)


@lru_cache(4096)
def _relation(predicate: str) -> frozenset[Forms]:
    """The words of a predicate: as the registry knows them, as its name has them, and the nouns of
    its kind (job, home, contract)."""
    wording = standard().get(predicate).wording
    known = " ".join(phrase for phrases in wording.values() for phrase in phrases)
    known = " ".join([known, *nouns_of(predicate)])
    plain = predicate.rpartition(":")[2].replace("_", " ")
    every = {*query_terms(known), *query_terms(plain)}
    return frozenset(forms for forms in every if not set(forms) <= _stops("en") | _stops("de"))


@lru_cache(4096)  # of a text that is found for one fact the next search finds another
def read(text: str, language: str, speaker: str) -> tuple[Piece, ...]:
    """The sentences of a text; of a long one its beginning is read, `MOST_READ` characters."""
    known = language if language in LANGUAGES else "en"
    return tuple(_pieces(text[:MOST_READ], known, speaker))


def changing(held: Held, pieces: Sequence[Piece]) -> tuple[int, int] | None:
    """Where a text has the first sentence that may have changed a fact; None where it has none."""
    for piece in pieces:
        if piece.cues and _speaks(held, piece):
            return piece.start, piece.end
    if len(pieces) > SHORT:
        return None
    # A short text is about one thing: its words may stand in one sentence, the change in another.
    told = next((piece for piece in pieces if _changes(piece)), None)
    if told is None or not _about(held, pieces):
        return None
    named = (piece for piece in pieces if _cover(held, piece) >= BESIDE)
    found = next(named, told)
    return found.start, found.end


def _about(held: Held, pieces: Sequence[Piece]) -> bool:
    """Whether a short text is about what a fact says: half of its words stand there, or it is of
    the fact's subject and any of them does, if only what the one is to the other."""
    whole = _joined(pieces)
    if _cover(held, whole) >= BESIDE:
        return True
    named = _shared(held.subject, whole) > 0
    if not (named or held.subject_speaks(whole)):
        return False
    if named and _aside(held, whole.words) <= MOST_ASIDE:
        return True
    return _shared(held.other | held.relation, whole) > 0


def _joined(pieces: Sequence[Piece]) -> Piece:
    """The sentences of a text as one."""
    return replace(
        pieces[0],
        words=frozenset().union(*(piece.words for piece in pieces)),
        speaker=frozenset().union(*(piece.speaker for piece in pieces)),
    )


def _speaks(held: Held, piece: Piece) -> bool:
    named = _shared(held.subject, piece) > 0
    subject = named or held.subject_speaks(piece)
    if _cover(held, piece) >= LEAST and (_changes(piece) or subject):
        return True
    if named and _changes(piece) and _aside(held, piece.words) <= MOST_ASIDE:
        return True
    return subject and bool(held.kinds & piece.kinds) and bool(piece.values - held.values)


def _changes(piece: Piece) -> bool:
    return not piece.cues.isdisjoint(("ends", "begins"))


def _cover(held: Held, piece: Piece) -> float:
    """The share of what a fact says of its subject that stands in a sentence."""
    return _shared(held.other, piece) / max(held.size, 1)


def _shared(wanted: Collection[Forms], piece: Piece) -> int:
    return sum(_stands(forms, piece) for forms in wanted)


def _stands(forms: Forms, piece: Piece) -> bool:
    """Whether a word stands in a sentence, or in German one that is part of the other (Weizen and
    Winterweizen)."""
    if any(form in piece.words for form in forms):
        return True
    return piece.language == "de" and any(_compound(forms[-1], word) for word in piece.words)


def parts(forms: Forms) -> Forms:
    """What a German word may share with another that is part of its compound, or of which it is:
    its beginnings and ends as terms, and itself as a beginning (with a star)."""
    stem = forms[-1]
    if len(stem) < PART or not (stem.isascii() and stem.isalpha()):
        return ()
    cuts = range(PART, len(stem) - PART + 2)
    return tuple(dict.fromkeys([*(stem[:n] for n in cuts), *(stem[-n:] for n in cuts), f"{stem}*"]))


def _compound(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) < PART or len(long) < len(short) + PART - 1:
        return False
    return long.startswith(short) or long.endswith(short)


def _aside(held: Held, words: Collection[str]) -> int:
    own = {form for forms in held.subject for form in forms}
    return sum(word not in own for word in words)


def _tells(forms: Forms) -> bool:
    return any(len(form) > 2 or form.isdigit() for form in forms)


def _kinds(words: Collection[str]) -> frozenset[str]:
    kinds = {"number"} if any(w.isdigit() or w in _listed("numbers") for w in words) else set()
    return frozenset(kinds | ({"day"} if not _listed("weekdays").isdisjoint(words) else set()))


def _pieces(text: str, language: str, speaker: str) -> Iterator[Piece]:
    said = without_quotations(text)
    for span in sentences(said):
        sentence = said[span.start : span.end]
        stems = analyse(sentence, language)
        written = sentence.casefold().split()
        # A condition before a colon is none of what stands behind it.
        asks = sentence.rstrip().endswith("?") or not _doubts().isdisjoint(
            sentence.casefold().rpartition(": ")[2].split()
        )
        cues, used = (set(), set()) if asks else _cues(stems, written, language)
        words = {s for s in stems if (len(s) > 2 or s.isdigit()) and s not in _stops(language)}
        words -= used
        kinds = _kinds(stems)
        values = {s for s in stems if s.isdigit() or s in _listed("weekdays") | _listed("numbers")}
        own = not _first_person().isdisjoint(WORD.findall(sentence.casefold()))
        yield Piece(
            span.start,
            span.end,
            frozenset(words),
            frozenset(cues),
            frozenset(values),
            kinds,
            frozenset(analyse(speaker, language) if own else ()),
            language,
        )


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
def _listed(name: str) -> frozenset[str]:
    """The stems of a list in either language."""
    text = _lists()["values"][name]
    return frozenset(stem for language in LANGUAGES for stem in analyse(text, language))


@cache
def _stops(language: str) -> frozenset[str]:
    return frozenset(stem for word in STOP_WORDS for stem in analyse(word, language))


@cache
def _first_person() -> frozenset[str]:
    return frozenset(_lists()["values"]["first_person"].split())


@cache
def _doubts() -> frozenset[str]:
    return frozenset(_lists()["values"]["doubts"].split())
