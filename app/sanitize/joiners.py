"""Where a joiner, or what keeps two letters apart, changes how a word or an emoji is seen."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

JOIN, PART = "\u200d", "\u200c"
_VIRAMA = 9  # the combining class of signs that take the vowel of the consonant before them
_MOST_MARKS = 4  # on one letter
_ARABIC = re.compile("[\u0600-\u08ff]")  # and Syriac, Mandaic, N'Ko: letters that join
_MONGOLIAN = re.compile("[\u1820-\u18aa]")
_REGISTER = "\u17c9\u17ca"  # of Khmer, whose look a joiner chooses
_INDIC = re.compile(
    "[\u0900-\u109f\u1780-\u17b3\u17b6-\u180a\u1b00-\u1bff\ua800-\ua9ff\uaa00-\uabff"
    "\U00010a00-\U00011fff]"
)
# Arabic letters in the forms that they take, as `unicodedata` names them.
_FORMS = ((0xFB50, 0xFE00), (0xFE70, 0xFEFD))
_SKIN = re.compile("[\U0001f3fb-\U0001f3ff]")
_ARROWS = "\u2194\u2195"  # what a head does in an emoji


def joins(text: str, at: int) -> bool:
    """Whether the joiner or non-joiner at `at` changes how what is around it is seen."""
    char, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if not before:
        return char == JOIN and _is_letter(after) and bool(_ARABIC.match(after))
    if unicodedata.combining(before) == _VIRAMA:
        return bool(_INDIC.match(before)) and (char == JOIN or bool(_INDIC.match(after)))
    if _INDIC.match(before) and after:
        made = char == JOIN and unicodedata.combining(after) == _VIRAMA
        return made or after in _REGISTER
    if _MONGOLIAN.match(before):
        return bool(_MONGOLIAN.match(after))
    if _ARABIC.match(before) or _ARABIC.match(after):
        return _changes_letters(text, at)
    return char == JOIN and _joins_emoji(text, at)


def _changes_letters(text: str, at: int) -> bool:
    """Whether letters that would join are kept apart, or one looks joined where none follows."""
    letter = _letter_before(text, at)
    after = text[at + 1 : at + 2]
    follows = _is_letter(after) and bool(_ARABIC.match(after))
    if text[at] == PART:
        return bool(letter) and letter not in _closed() and follows
    return letter not in _closed() and bool(letter) != follows


def _letter_before(text: str, at: int) -> str:
    """The Arabic letter that ends before `at`, with its marks; nothing where there is none."""
    for place in range(at - 1, max(-1, at - 2 - _MOST_MARKS), -1):
        if unicodedata.category(text[place]) != "Mn":
            letter = text[place]
            return letter if _is_letter(letter) and _ARABIC.match(letter) else ""
    return ""


def _is_letter(char: str) -> bool:
    return bool(char) and unicodedata.category(char) in {"Lo", "Lm"}


@cache
def _closed() -> frozenset[str]:
    """Arabic letters that join with nothing behind them: those without a form for beginnings."""
    forms: dict[str, set[str]] = {}
    for first, end in _FORMS:
        for code in range(first, end):
            kind, _, of = unicodedata.decomposition(chr(code)).partition(" ")
            if of and " " not in of:
                forms.setdefault(chr(int(of, 16)), set()).add(kind)
    return frozenset(char for char, kinds in forms.items() if "<initial>" not in kinds)


def _joins_emoji(text: str, at: int) -> bool:
    """Whether an emoji, with a selector or a colour of skin perhaps, stands on both sides."""
    end = at - 1 if text[at - 1] == "\ufe0f" else at
    if end > 1 and _SKIN.match(text[end - 1]):
        end -= 1
    after = text[at + 1 : at + 2]
    return end > 0 and _is_emoji(text[end - 1]) and (_is_emoji(after) or after in _ARROWS)


def _is_emoji(char: str) -> bool:
    return char > "\u2190" and unicodedata.category(char) == "So"
