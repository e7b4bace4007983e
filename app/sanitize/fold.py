"""A folded view of a text, in which disguises fall away, with the way back to the text.

Case, accents, full-width and mathematical letters, look-alikes of other alphabets, zero-width
characters, letter-spacing and digits for letters all fold to plain lower-case ASCII, so that a
pattern is written once.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from dataclasses import dataclass

# Letters of other alphabets that look like a Latin one (chosen from the Unicode confusables).
_LOOKALIKES = {
    pair[0]: pair[1]
    for pair in [
        "аa",
        "вb",
        "еe",
        "кk",
        "мm",
        "нh",
        "оo",
        "рp",
        "сc",
        "тt",
        "уy",
        "хx",
        "іi",
        "ѕs",
        "јj",
        "һh",
        "ԁd",
        "ԛq",
        "ԝw",
        "ѵv",
        "гr",
        "ԍg",
        "ӏl",
        "αa",
        "βb",
        "γy",
        "ιi",
        "κk",
        "νv",
        "οo",
        "ρp",
        "τt",
        "υu",
        "χx",
        "ωw",
        "ηn",
        "ɑa",
        "ɡg",
        "ıi",
        "ɩi",
        "ʟl",
        "ɴn",
        "ʀr",
        "ɪi",
        "ᴀa",
        "ᴇe",
        "ᴏo",
        "ᴜu",
        "ᴛt",
        "ᴘp",
        "ᴄc",
        "ᴅd",
        "ɢg",
        "ꜱs",
    ]
}
_SPECIAL = {
    "ß": "s", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "ð": "d", "þ": "th",
    "_": " ", "’": "'", "‘": "'", "‚": "'", "‛": "'", "`": "'", "´": "'", "“": '"', "”": '"',
    "„": '"', "‟": '"', "«": '"', "»": '"', "‹": "'", "›": "'", "\u2010": "-", "\u2011": "-",
    "\u2012": "-", "–": "-", "—": "-", "\u2015": "-", "−": "-", "\u2028": "\n", "\u2029": "\n",
}  # fmt: skip


class _Folds(dict[str, str]):
    """What each character folds to, worked out the first time it is met."""

    def __missing__(self, char: str) -> str:
        folded = self[char] = _fold_char(char)
        return folded


def _fold_char(char: str) -> str:
    if char in _SPECIAL:
        return _SPECIAL[char]
    if unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return ""
    lowered = unicodedata.normalize("NFKD", char).lower()
    return "".join(
        _LOOKALIKES.get(c, _SPECIAL.get(c, c))
        for c in lowered
        if unicodedata.category(c) not in {"Mn", "Me", "Cf"}
    )


_FOLDS = _Folds()


@dataclass(frozen=True, slots=True)
class View:
    """`text` to match in; `offsets[i]` is where its i-th character came from, None for i."""

    text: str
    offsets: array[int] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where `[start, end)` of the view is in the text that was folded."""
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end - 1] + 1 if end > start else self.offsets[
            start
        ]


def fold(text: str) -> View:
    """The plain view of `text`."""
    if text.isascii():
        return View(text.lower().replace("_", " "), None)
    parts = [_FOLDS[char] for char in text]
    folded = "".join(parts)
    if len(folded) == len(text) and all(parts):
        return View(folded, None)
    offsets = array("q", (i for i, part in enumerate(parts) for _ in part))
    return View(folded, offsets)


# Single letters with one to three separators between them; within a word one, between words more.
_SPACED = re.compile(r"(?<![^\W_])[^\W\d_](?:[ .*|/+-]{1,3}[^\W\d_](?![^\W_])){5,}")
_LEET = re.compile(r"[a-z][013457$][a-z]|(?<![^\W_])[013457$][a-z]{3}")
_LEET_WORD = re.compile(r"(?<![a-z013457$])(?=[013457$]*[a-z])[a-z013457$]+")
_LETTERS = str.maketrans("013457$", "oieasts")


def spaced(view: View) -> View | None:
    """The view with letter-spaced words closed up, or None where there are none."""
    if not _SPACED.search(view.text):
        return None
    parts: list[str] = []
    offsets = array("q")
    done = 0
    for match in _SPACED.finditer(view.text):
        _take(view, done, match.start(), parts, offsets)
        _close_up(view, match, parts, offsets)
        done = match.end()
    _take(view, done, len(view.text), parts, offsets)
    return View("".join(parts), offsets)


def _take(view: View, start: int, end: int, parts: list[str], offsets: array[int]) -> None:
    parts.append(view.text[start:end])
    offsets.extend(range(start, end) if view.offsets is None else view.offsets[start:end])


def _close_up(view: View, match: re.Match[str], parts: list[str], offsets: array[int]) -> None:
    position = match.start()
    while position < match.end():
        _take(view, position, position + 1, parts, offsets)
        following = position + 1
        while following < match.end() and not view.text[following].isalpha():
            following += 1
        if following - position > 2 and following < match.end():
            parts.append(" ")
            offsets.append(position if view.offsets is None else view.offsets[position])
        position = following


def unleet(view: View) -> View | None:
    """The view with the digits inside words read as letters, or None where there are none."""
    if not _LEET.search(view.text):
        return None
    return View(_LEET_WORD.sub(_as_letters, view.text), view.offsets)


def _as_letters(match: re.Match[str]) -> str:
    return match.group().translate(_LETTERS)
