"""A clause as subject, verb and what follows: one shape for both languages."""

from __future__ import annotations

from app.extraction.clauses import Clause
from app.extraction.english import english_frame
from app.extraction.german import german_frame
from app.extraction.tokens import Frame, Token, tokens
from app.extraction.verbs import PREPOSITIONS, readings


def frame(clause: Clause, inherited: tuple[Token, ...] = ()) -> Frame | None:
    """The frame of a clause, or None where the rules cannot read it."""
    words = tokens(clause)
    if not words:
        return None
    if clause.language == "en":
        return english_frame(clause, words, inherited)
    return german_frame(clause, words, inherited)


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
