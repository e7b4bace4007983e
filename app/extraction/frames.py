"""A clause as subject, verb and what follows: one shape for both languages."""

from __future__ import annotations

from app.extraction.clauses import Clause
from app.extraction.english import english_frame
from app.extraction.german import german_frame
from app.extraction.tokens import Frame, Token, tokens


def frame(clause: Clause, inherited: tuple[Token, ...] = ()) -> Frame | None:
    """The frame of a clause, or None where the rules cannot read it."""
    words = tokens(clause)
    if not words:
        return None
    if clause.language == "en":
        return english_frame(clause, words, inherited)
    return german_frame(clause, words, inherited)
