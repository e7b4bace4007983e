"""A folded view of a text, in which disguises fall away, with the way back to the text.

Case, accents, full-width and mathematical letters, look-alikes of other alphabets, zero-width
characters, letter-spacing and digits for letters all fold to plain lower-case ASCII, so that a
pattern is written once.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from app.sanitize.lookalikes import alike

_SPECIAL = {
    "ß": "s", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th",
    "_": " ", "’": "'", "‘": "'", "‚": "'", "‛": "'", "`": "'", "´": "'", "“": '"', "”": '"',
    "„": '"', "‟": '"', "«": '"', "»": '"', "‹": "'", "›": "'", "\u2010": "-", "\u2011": "-",
    "\u2012": "-", "–": "-", "—": "-", "\u2015": "-", "−": "-", "\u2028": "\n", "\u2029": "\n",
    "\u2800": " ",
}  # fmt: skip


class _Folds(dict[str, str]):
    """What each character folds to, worked out the first time it is met."""

    def __missing__(self, char: str) -> str:
        folded = self[char] = _fold_char(char)
        return folded


def _fold_char(char: str) -> str:
    special = _SPECIAL.get(char) or _SPECIAL.get(char.lower())
    if special:
        return special
    if unicodedata.category(char) in {"Mn", "Me", "Cf", "Co", "Cn"}:
        return ""
    letter = alike(char)
    if letter:
        return letter
    return "".join(
        _SPECIAL.get(c) or (not c.isascii() and alike(c)) or c
        for c in unicodedata.normalize("NFKD", char).lower()
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


# What may part a word in two; letters parted by other marks are spaced ones.
_PIECE = re.compile(r"([a-z]+)((?:[ \t\n]{1,3}|-[ \n]{0,2})(?=[a-z]))?")
_MOST_PIECES = 16
_ENDINGS = ("e", "s", "t", "n", "es", "ed", "en", "er", "em", "ing")
# Words that may stand before another one with which they make a third, as in "for getting".
_FREE = frozenset(
    (
        *("a", "i", "an", "in", "on", "of", "or", "up", "no", "by", "to", "do", "be", "re", "for"),
        *("over", "under", "out", "down", "off", "with", "any", "some", "every"),
        *("ab", "auf", "aus", "ein", "vor", "zu", "um"),
    )
)


@dataclass(frozen=True, slots=True)
class Mended(View):
    """A view in which words that were cut are whole again.

    `joints` are where in the text pieces met, in order; one that no free word made counts twice.
    """

    joints: tuple[int, ...] = ()

    def is_cut(self, start: int, end: int) -> bool:
        """Whether words between `start` and `end` of the text were cut on purpose."""
        return bisect_left(self.joints, end) - bisect_left(self.joints, start) > 1


class Words:
    """Words that are made whole where they were cut, and what they begin with."""

    def __init__(self, words: Iterable[str]) -> None:
        known = frozenset(words)
        long = [word for word in known if len(word) > 4]
        self.whole = known.union(word + ending for word in long for ending in _ENDINGS)
        self.begun = _beginnings(known)
        self._begun_long = _beginnings(long)

    def may_be_cut(self, text: str) -> bool:
        """Whether two pieces in a row begin a word of five letters; quick: most texts hold none."""
        pieces, begun = text.replace("-", " ").split(), self._begun_long
        return any(
            piece + pieces[at][:2] in begun or piece + pieces[at] in self.whole
            for at, piece in enumerate(pieces[:-1], 1)
            if piece in begun
        )


def _beginnings(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word[:end] for word in words for end in range(1, len(word) + 1))


def mended(view: View, words: Words) -> Mended | None:
    """The view with the `words` whole that were cut, or None where none was."""
    if not words.may_be_cut(view.text):
        return None
    matches = list(_PIECE.finditer(view.text))
    pieces = [match[1] for match in matches]
    # What parts a piece from the next one; None where no word could go on.
    gaps = [match[2] for match in matches]
    parts: list[str] = []
    offsets = array("q")
    joints: list[int] = []
    at = done = 0
    while at < len(pieces):
        last = _last(pieces, gaps, at, words) if pieces[at] in words.begun else at
        for match in matches[at:last]:
            _take(view, done, match.end(1), parts, offsets)
            done = match.end()
        if last > at:
            joint = view.span(matches[at].start(), matches[at].end())[0]
            joints += [joint] if pieces[at] in _FREE else [joint, joint]
        at = last + 1
    if not joints:
        return None
    _take(view, done, len(view.text), parts, offsets)
    return Mended("".join(parts), offsets, tuple(joints))


def _last(pieces: list[str], gaps: list[str | None], first: int, words: Words) -> int:
    """The last piece of the longest word that begins with piece `first`; `first` for none."""
    joined, found = pieces[first], first
    is_word = joined in words.whole
    for at in range(first + 1, min(len(pieces), first + _MOST_PIECES)):
        if gaps[at - 1] is None:
            break
        joined += pieces[at]
        # Two words that stand beside each other are two words.
        if joined in words.whole and not (is_word and pieces[at] in words.whole):
            found = at
        if joined not in words.begun:
            break
    return found
