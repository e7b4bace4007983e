"""Whether a later text speaks of a change to what a fact says: pure.

Much of what people tell anew is no statement that replaces another ("GP put Mum up to 75"). So a
text is looked at for words of a change (`later.toml`) beside words of a fact. Where both stand
together, the text may have changed the fact: that is told with the fact, and ends nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from app.extraction.predicates import nouns_of, standard
from app.extraction.verbs import german_verbs
from app.facts.later_reading import Forms, Piece, kinds_of, links_of, listed, read, stops, tells
from app.indexing.analysis import query_terms

__all__ = ["Forms", "Held", "changing", "held_words", "parts", "read"]

LEAST = 0.3  # share of what a fact says of its subject that stands in the sentence
BESIDE = 0.5  # the same of all of a short text, where the word of change may stand elsewhere in it
SHORT = 4  # sentences
MOST_ASIDE = 6  # words of a sentence beside the fact's where it names the subject alone
PART = 4  # letters that a part of a compound has at least, as a stem
UNITED = frozenset(["measure", "tally"])  # predicates that end in a unit
WE = frozenset(["we", "wir"])
FIRST_PERSON = WE | {"i", "ich"}


@dataclass(frozen=True, slots=True)
class Held:
    """The words of a fact: of whom it is, of what it says of it, and the kinds of its values.

    `size` is how many words `other` had before those that too many texts hold were left out;
    `relation` are those that tell what the one is to the other: works, job, employer; `who` and
    `whom` are all forms of the words of its ends, by which one knows who speaks. `first_person` is
    a subject without a name: I, we. `links` are the prepositions with which it is told.
    """

    subject: frozenset[Forms]
    other: frozenset[Forms]
    values: frozenset[str]
    kinds: frozenset[str]
    size: int
    relation: frozenset[Forms] = frozenset()
    who: frozenset[str] = frozenset()
    whom: frozenset[str] = frozenset()
    first_person: str = ""
    links: frozenset[str] = frozenset()

    def subject_speaks(self, piece: Piece) -> bool:
        """Whether the subject is who says it of himself, or what the fact says of it is."""
        if self.first_person in WE:
            return piece.is_ours or self._holder_speaks(piece)
        if self.first_person:
            return piece.is_own and not piece.speaker
        return (piece.is_own and self.says(piece)) or self._holder_speaks(piece)

    def says(self, piece: Piece) -> bool:
        """Whether the subject is who says it, of whomever."""
        return not self.who.isdisjoint(piece.speaker)

    def _holder_speaks(self, piece: Piece) -> bool:
        """Whether the value is who says it of himself: `The choir's treasurer is Keiko Adams`."""
        return piece.is_own and bool(piece.speaker) and piece.speaker <= self.whom

    @property
    def words(self) -> frozenset[Forms]:
        """The words by which texts may be found."""
        return self.subject | self.other

    def among(self, telling: Collection[Forms]) -> Held:
        """The same without the words that are not among some."""
        kept = frozenset(telling)
        return replace(self, subject=self.subject & kept, other=self.other & kept)


def held_words(subject: str, predicate: str, value: str, statement: str = "") -> Held:
    """The words of a fact out of its parts; an open predicate's own noun counts with the value.
    `statement` is the sentence by which it is told."""
    of = frozenset(query_terms(subject))
    other = frozenset(query_terms(f"{value} {_noun(predicate)}")) - of
    words = {form for forms in other for form in forms}
    plain = {word for word in words if word.isdigit() or word in listed("weekdays")}
    telling = frozenset(forms for forms in other if tells(forms))
    return Held(
        of,
        telling,
        frozenset(plain),
        kinds_of(words),
        len(telling),
        _relation(predicate) - of - telling,
        frozenset(form for forms in of if tells(forms) for form in forms),
        frozenset(words),
        subject.lower() if subject.lower() in FIRST_PERSON else "",
        links_of(statement),
    )


def _noun(predicate: str) -> str:
    """What an open predicate is named by, without the unit of an amount."""
    prefix, _, name = predicate.partition(":")
    return (name.rpartition(":")[0] if prefix in UNITED else name).replace(":", " ")


@lru_cache(4096)
def _relation(predicate: str) -> frozenset[Forms]:
    """The words of a predicate: as the registry knows them, as its name has them, German verbs too,
    and the nouns of its kind (job, home, contract)."""
    wording = standard().get(predicate).wording
    known = " ".join(phrase for phrases in wording.values() for phrase in phrases)
    plain = (_noun(predicate) or predicate).replace("_", " ").split()
    german = [verb for word in plain for verb in german_verbs(word)]
    every = query_terms(" ".join([known, *nouns_of(predicate), *plain, *german]))
    return frozenset(forms for forms in every if not set(forms) <= stops("en") | stops("de"))


def changing(held: Held, pieces: Sequence[Piece]) -> tuple[int, int] | None:
    """Where a text has the first sentence that may have changed a fact; None where it has none."""
    for piece in pieces:
        if piece.cues and _speaks(held, piece):
            return piece.start, piece.end
    if len(pieces) > SHORT:
        return None
    for piece in pieces:
        if _takes_its_place(held, piece):
            return piece.start, piece.end
    # A short text is about one thing: its words may stand in one sentence, the change in another.
    told = next((piece for piece in pieces if _changes(piece)), None)
    if told is None or not _about(held, pieces):
        return None
    named = (piece for piece in pieces if _cover(held, piece) >= BESIDE)
    found = next(named, told)
    return found.start, found.end


def _takes_its_place(held: Held, piece: Piece) -> bool:
    """Whether a sentence tells what is so from now on of the subject, behind the preposition behind
    which the fact tells what was: `at the Sparkasse`, `from tomorrow I am at the town hall`."""
    if "begins" not in piece.cues or held.links.isdisjoint(piece.links):
        return False
    return held.subject_speaks(piece) or _shared(held.subject, piece) > 0


def _about(held: Held, pieces: Sequence[Piece]) -> bool:
    """Whether a short text is about what a fact says: half of its words stand there, or it is of
    the fact's subject and any of them does, if only what the one is to the other."""
    whole = _joined(pieces)
    if _cover(held, whole) >= BESIDE:
        return True
    named = _shared(held.subject, whole) > 0
    if not (named or held.subject_speaks(whole) or held.says(whole)):
        return False
    if named and _aside(held, whole.words) <= MOST_ASIDE:
        return True
    return _shared(held.other | held.relation, whole) > 0


def _joined(pieces: Sequence[Piece]) -> Piece:
    """The sentences of a text as one."""
    return replace(
        pieces[0],
        words=frozenset().union(*(piece.words for piece in pieces)),
        is_own=any(piece.is_own for piece in pieces),
        is_ours=any(piece.is_ours for piece in pieces),
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
