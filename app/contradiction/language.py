"""English or German, told by the small words."""

from __future__ import annotations

import re

from app.values.wording import fold, word_set

_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = word_set(
    "the a an is are was were of to and on at by with not no has have does do did this "
    "that their his her its for from there it he she they we you i my our"
)
_GERMAN = word_set(
    "der die das ist sind war waren den dem des ein eine einen einem einer und im am zu "
    "mit nicht kein keine keinen hat haben wird wurde fuer von vom auf bei es er sie wir "
    "ich mein unser unsere seit nach zum zur nie noch"
)


def languages_of(*texts: str) -> list[str]:
    """The language of each; what tells nothing by itself is taken to be in the others' language."""
    found = [_language_of(text) for text in texts]
    known = next((language for language in found if language), "en")
    return [language or known for language in found]


def _language_of(text: str) -> str | None:
    """`de` or `en`, whichever has more small words; at par a German letter decides, or nothing."""
    words = [fold(word) for word in _WORD.findall(text)]
    english = sum(word in _ENGLISH for word in words)
    german = sum(word in _GERMAN for word in words)
    if german == english:
        return "de" if re.search("[äöüß]", text.lower()) else None
    return "de" if german > english else "en"
