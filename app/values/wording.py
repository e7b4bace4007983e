"""The outer form of a literal: case, accents, articles and punctuation folded away."""

from __future__ import annotations

import re
import unicodedata

_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_PUNCTUATION = re.compile(r"[^\w%°]+")
_ARTICLE_FORMS = "the a an der die das des dem den ein eine einen einem einer eines"
_ARTICLES = frozenset(_ARTICLE_FORMS.split())
_EDGES = " \t\r\n.,;:!?\"“”„»«()[]{}'’‘`"


def fold(text: str) -> str:
    """Lower case, ä as ae and ß as ss, other accents dropped: Müller and Mueller are one."""
    if text.isascii():
        return text.lower()
    lowered = unicodedata.normalize("NFKC", text).casefold().translate(_GERMAN)
    if lowered.isascii():
        return lowered
    decomposed = unicodedata.normalize("NFKD", lowered)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def normal_text(text: str) -> str:
    """The words of a text in folded form with one space between, articles left out."""
    words = _PUNCTUATION.sub(" ", fold(text)).split()
    return " ".join(word for word in words if word not in _ARTICLES) or " ".join(words)


def trim(text: str) -> str:
    """Without the space and punctuation around it, and with single spaces."""
    composed = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return " ".join(composed.split()).strip(_EDGES)


def word_set(words: str) -> frozenset[str]:
    """The words of a text that lists them; keeps tables of words readable."""
    return frozenset(words.split())
