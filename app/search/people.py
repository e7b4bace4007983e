"""Whom a question asks about: a person is known by the name, however near a text is. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from app.extraction.openings import is_first_name
from app.indexing.analysis import detect_language, telling_terms
from app.kernel.graph import Row
from app.retrieval.names import words

READ = 4000  # characters of a question that are read for names

Forms = tuple[str, ...]


def people_in(question: str) -> frozenset[Forms]:
    """Return the given names that a question writes with a capital, each by the forms that the text
    index may have of it."""
    question = question[:READ]
    language = detect_language(question)
    written = (question[word.start : word.end] for word in words(question) if word.proper)
    names = {name for name in written if is_first_name(name, language)}
    return frozenset(forms for name in names for forms in telling_terms(name))


def holds_one(people: Iterable[Forms], memory: Row) -> bool:
    """Tell whether a memory says one of the names, or is said by or titled after who has it."""
    terms = {*memory["terms"].split(), *memory["about_terms"].split()}
    return any(not terms.isdisjoint(forms) for forms in people)
