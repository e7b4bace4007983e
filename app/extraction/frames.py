"""A clause as subject, verb and what follows: one shape for both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.extraction.clauses import AUX, Clause
from app.extraction.cues import RELATIVE_DE, SAYING, SUBJECT_START
from app.extraction.data import words as listed
from app.extraction.english import english_frame
from app.extraction.german import german_frame
from app.extraction.passed_over import passed_over
from app.extraction.standing import MODALS, standing_frame
from app.extraction.tokens import PRONOUNS, Frame, Token, tokens
from app.extraction.verbs import PREPOSITIONS, readings

SAYS = re.compile(rf"(?i)\b(?:{SAYING})\b")


def frame(clause: Clause, inherited: tuple[Token, ...] = ()) -> Frame | None:
    """The frame of a clause, or None where the rules cannot read it."""
    words = tokens(clause)
    if not words:
        return None
    if clause.duty:
        return standing_frame(clause, words)
    read = english_frame if clause.language == "en" else german_frame
    found = read(clause, words, inherited)
    # A modal in the subject tells that its verb was not seen: `Rezepte können bestellt werden`.
    if found is None or any(t.lower in MODALS[clause.language] for t in found.subject):
        return standing_frame(clause, words)
    return found


def otherwise(clause: Clause, found: Frame | None) -> Iterator[Frame]:
    """The other ways to read a clause of which no rule made anything: as one that tells how things
    stand, and those of `passed_over`."""
    if found is not None and not found.standing:
        plain = standing_frame(clause, tokens(clause))
        if plain is not None:
            yield plain
    yield from passed_over(clause, found)


def has_no_subject(clause: Clause) -> bool:
    """Whether a clause that has no frame is an order or an adverbial: `Translate this`, `In the
    play`. What follows it in the sentence is said under it."""
    words = tokens(clause)
    if not words:
        return False
    first = words[0].lower
    if first in PREPOSITIONS[clause.language]:
        return True
    return any(not form.past and not form.participle for form in readings(first, clause.language))


def stands_alone(clause: Clause) -> bool:
    """Whether a clause could be a sentence of its own: one that begins with its subject and has a
    verb behind it, in German not as its last word alone. What German tells of a noun behind it
    (`in dem es spukt`) is taken for one."""
    words, language = tokens(clause), clause.language
    behind = words[1:] if language == "en" or len(words) < 3 else words[1:-1]
    if language == "de" and RELATIVE_DE.match(clause.text):
        return True
    if not any(t.lower in AUX[language] or readings(t.lower, language) for t in behind):
        return False
    first = words[0].lower
    if first in PREPOSITIONS[language] or readings(first, language):
        return False
    if first in PRONOUNS or SUBJECT_START.match(clause.text):
        return True
    found = frame(clause) if language == "en" else None  # German nouns have a capital
    return found is not None and found.subject[:1] == tuple(words[:1])


def tells_source(clause: Clause) -> bool:
    """Whether a clause tells from where somebody has what he says: `it says on the door`."""
    if SAYS.search(clause.text):
        return True
    verbs = listed("sets", f"sources_{clause.language}")
    return any(f.lemma in verbs for t in tokens(clause) for f in readings(t.lower, clause.language))
