"""One name in several spellings: pure.

The form of a key leaves out what writers do differently and what means the same: accents, ä or ae,
"and" or "&", Saint or St., II or 2, J. K. or JK.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from app.indexing.analysis import fold

AND = frozenset(("and", "und"))
SHORT = {"saint": "st", "sankt": "st", "mount": "mt", "junior": "jr", "senior": "sr"}
# Roman numbers of one letter are left out: they are initials as often.
NUMBERS = {
    "ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "xi": "11",
    "xii": "12", "xiii": "13", "xiv": "14", "xv": "15", "xvi": "16",
}  # fmt: skip
GENITIVE = 6  # letters at least of a name's last word that may have taken an s
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# Letters that no accent can be taken off.
_OTHERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "þ": "th", "æ": "a", "œ": "o"}
)
_UMLAUT = re.compile(r"(?<=[aou])e")


def form_of(key: str) -> str:
    """What a key has in common with its other spellings; of a plain name it is the key."""
    words = [word for n, word in enumerate(key.split()) if not n or word not in AND]
    return " ".join(_initialed(_plain(word, first=not n) for n, word in enumerate(words)))


def forms_of(key: str) -> tuple[str, ...]:
    """The form of a key as it is, and as it was before a genitive gave it an s (Anna Kleins)."""
    form = form_of(key)
    last = key.rpartition(" ")[2]
    owning = len(last) >= GENITIVE and last.endswith("s") and not last.endswith("ss")
    return (form, form_of(key[:-1])) if owning else (form,)


@lru_cache(maxsize=1 << 14)
def _plain(word: str, *, first: bool) -> str:
    same = SHORT.get(word, word)
    if not first:
        same = NUMBERS.get(same, same)
    return _UMLAUT.sub("", same if same.isascii() else fold(same).translate(_OTHERS))


def _initialed(words: Iterable[str]) -> Iterator[str]:
    """The words, with initials that follow each other as one."""
    initials = ""
    for word in words:
        if len(word) == 1 and word.isalpha():
            initials += word
            continue
        if initials:
            yield initials
        initials = ""
        yield word
    if initials:
        yield initials


def respelled(keys: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The keys that are not their own form, by that form."""
    found: dict[str, tuple[str, ...]] = {}
    for key in keys:
        form = form_of(key)
        if form != key:
            found[form] = (*found.get(form, ()), key)
    return found


@lru_cache(maxsize=256)
def slips(word: str) -> frozenset[str]:
    """Every word that one slip makes of a word: a letter too many, too few, another, or two in the
    wrong order (distance 1: Damerau 1964)."""
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    more = {head + letter + tail for head, tail in cuts for letter in _LETTERS}
    other = {head + letter + tail[1:] for head, tail in cuts if tail for letter in _LETTERS}
    fewer = {head + tail[1:] for head, tail in cuts if tail}
    turned = {head + tail[1] + tail[0] + tail[2:] for head, tail in cuts if len(tail) > 1}
    return frozenset(more | other | fewer | turned) - {word}
