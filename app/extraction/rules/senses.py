"""Which predicate a verb with its words gives."""

from __future__ import annotations

from collections.abc import Sequence

from app.extraction.data import words
from app.extraction.objects import (
    complement,
)
from app.extraction.phrases import is_name
from app.extraction.tokens import Frame, Token
from app.extraction.verbs import MERGED, PREPOSITIONS, Sense, open_name, senses

Found = tuple[Sense, list[Token], list[Token], bool]


PREPOSITION_EN = {
    "mit": "with", "auf": "on", "bei": "at", "von": "from", "nach": "to", "an": "at", "für": "for",
    "über": "via", "aus": "from", "zu": "to", "um": "at", "durch": "through", "gegen": "against",
}  # fmt: skip


def sense_of(frame: Frame, language: str) -> Found | None:
    table = senses(language)
    lemma, words_ = frame.lemma, list(frame.rest)
    middle = ""
    if frame.participle and frame.auxiliary in ("be", "sein", "werden"):
        lemma, middle = frame.auxiliary, frame.participle
        return _prepositional(table, (lemma, middle), words_, language)
    if frame.lemma in ("be", "sein"):
        return _copular(table, lemma, words_, language)
    found = _prepositional(table, (lemma, ""), words_, language)
    if found is not None:
        return found
    sense = table.get((lemma, "", ""))
    if sense is None or (words_ and words_[0].lower in PREPOSITIONS[language]):
        return None
    _, target, after = complement(words_, language)
    return sense, target, after, False


def open_sense(frame: Frame, language: str) -> Found | None:
    """A verb that no list gives a meaning: it names its predicate itself."""
    if frame.participle or frame.past or frame.lemma in words("sets", "vague"):
        return None
    if frame.lemma in (
        "be",
        "have",
        "do",
        "sein",
        "haben",
        "werden",
        "heißen",
        "betragen",
        "liegen",
    ):
        return None
    preposition, target, after = complement(frame.rest, language)
    name = open_name(frame.lemma) if language == "de" else frame.lemma
    if preposition:
        if preposition in ("as", "als", "about", "of", "like") or not is_name(target, "en"):
            return None
        name = f"{name}_{PREPOSITION_EN.get(preposition, preposition)}"
    return Sense(name.replace(" ", "_"), listed=False), target, after, bool(preposition)


def _copular(
    table: dict[tuple[str, str, str], Sense], lemma: str, words_: list[Token], language: str
) -> Found | None:
    """`is allergic to`, `ist Mitglied in`, `is from`."""
    if language == "de" and words_ and len(words_) > 2:  # ist gegen Nüsse allergisch
        last = words_[-1].lower
        found = _prepositional(table, (lemma, last), words_[:-1], language)
        if found is not None:
            return found
    for size in (2, 1, 0):
        middle = " ".join(t.lower for t in words_[:size])
        found = _prepositional(table, (lemma, middle), words_[size:], language)
        if found is not None:
            return found
    return None


def _prepositional(
    table: dict[tuple[str, str, str], Sense],
    verb: tuple[str, str],
    words_: list[Token],
    language: str,
) -> Found | None:
    """The sense with the first preposition that fits, past a direct object of one's own."""
    for position, word in enumerate(words_[:5]):
        if word.text in ",;:":
            break
        if word.lower not in PREPOSITIONS[language]:
            continue
        if position and not _skippable(words_[:position], language):
            break
        preposition = MERGED.get(word.lower, word.lower) if language == "de" else word.lower
        sense = table.get((*verb, preposition))
        if sense is not None and not _is_aim(sense, words_[position:], language):
            _, target, after = complement(words_[position:], language)
            return sense, target, after, True
    return None


# Predicates that tell where something is: what a German verb aims at is another case.
STANDING = frozenset(
    ["runs_on", "located_in", "stored_in", "lives_in", "works_on", "works_in", "meets_in"]
)
ACCUSATIVE = frozenset(["einen", "eine", "ein", "das", "die"])


def _is_aim(sense: Sense, words_: Sequence[Token], language: str) -> bool:
    """Whether an accusative follows where the sense asks for a dative: `läuft auf einen Fehler`."""
    if language != "de" or sense.predicate not in STANDING:
        return False
    return words_[0].lower in ("ins", "ans") or any(t.lower in ACCUSATIVE for t in words_[1:2])


def _skippable(words_: Sequence[Token], language: str) -> bool:
    """`meinen Code` in `ich schreibe meinen Code in Vim`."""
    first = words_[0].lower
    return first in ("my", "our", "all", "most") or first.startswith(
        ("mein", "unser", "alle", "uns", "sich")
    )
