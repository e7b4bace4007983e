"""German or English, sentence by sentence: people mix them."""

from __future__ import annotations

import re

from app.extraction.data import words as listed
from app.extraction.verbs import readings

GERMAN = listed("sets", "german")
ENGLISH = listed("sets", "english")
WORD = re.compile(r"[^\W\d_]+(?:['’]\w+)?")


def language_of(sentence: str, hint: str | None = None) -> str:
    """`de` or `en`; without evidence in the sentence the hint decides, and else English."""
    words = [word.lower().replace("’", "'") for word in WORD.findall(sentence)]
    german = sum(map(GERMAN.__contains__, words))
    english = sum(map(ENGLISH.__contains__, words))
    if german == english:
        german += any(c in "äöüß" for c in sentence.lower())
    if german == english:
        other = [word for word in words if word not in GERMAN and word not in ENGLISH]
        german += sum(bool(readings(word, "de")) for word in other)
        english += sum(bool(readings(word, "en")) for word in other)
    if german == english:
        return "de" if hint is not None and hint.lower().startswith("de") else "en"
    return "de" if german > english else "en"
