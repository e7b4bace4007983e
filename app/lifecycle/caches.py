"""Caches of a process that hold words of texts: emptied when something is erased."""

from __future__ import annotations

from app.contradiction import stems
from app.embeddings import tokens
from app.entities import names
from app.episodes import labels
from app.extraction import accounting, objects, openings, prefilter
from app.extraction import tokens as clause_tokens
from app.extraction.verbs import english_name
from app.facts import later, later_reading, sharing
from app.indexing import analysis, spelling
from app.sanitize import labels as cleaned_labels
from app.sanitize import numbers
from app.values import places, units

# Every module with a bounded cache of texts; a test looks for others.
MODULES = (
    accounting, analysis, clause_tokens, cleaned_labels, labels, later, later_reading, names,
    numbers, objects, openings, places, prefilter, sharing, spelling, stems, tokens, units,
)  # fmt: skip


def clear_caches() -> int:
    """Empty the bounded caches of functions in the modules that read texts; returns how many."""
    found = [
        thing
        for module in MODULES
        for thing in vars(module).values()
        if hasattr(thing, "cache_clear") and (thing.cache_parameters()["maxsize"] or 1) > 1
    ]
    for cached in (*found, english_name):
        cached.cache_clear()
    return len(found) + 1
