"""English or German, told by the small words."""

from __future__ import annotations

import re

from app.values.wording import fold, word_set

_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = word_set(
    "the a an is are was were of to and in on at by with not no has have does do did this "
    "that their his her its for from there it he she they we you i my our"
)
_GERMAN = word_set(
    "der die das ist sind war waren den dem des ein eine einen einem einer und im am zu "
    "mit nicht kein keine keinen hat haben wird wurde fuer von vom auf bei es er sie wir "
    "ich mein unser unsere seit nach zum zur nie noch"
)


def language_of(text: str) -> str:
    """`de` where German small words outweigh or a German letter stands, else `en`."""
    words = [fold(word) for word in _WORD.findall(text)]
    english = sum(word in _ENGLISH for word in words)
    german = sum(word in _GERMAN for word in words)
    if german == english:
        return "de" if re.search("[äöüß]", text.lower()) else "en"
    return "de" if german > english else "en"
