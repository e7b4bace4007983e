"""Patterns that are not searched where a text has none of the words that each match of them has.

A clause was searched for some forty patterns of up to a hundred words each, nearly all of them in
vain, and that was half of the time of reading it. The words of a sentence are looked up once, and
what they may stand in is kept as bits.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import lru_cache, reduce
from operator import or_

ANY = -1  # bits of a text whose words were not looked up: every pattern is searched
DIGIT = "0"  # stands for any digit in what a pattern is found by
PIECES = re.compile(r"[^\W\d_]+|\d")
# Letters that the engine takes for others where case is ignored, and `str.lower` does not.
ALIKE = {0x130: "i", 0x131: "i", 0x17F: "s", 0x212A: "k"}
LONGEST = 12  # letters of how a word begins that are looked up
PREFIXES = range(1, LONGEST + 1)

_whole: defaultdict[str, int] = defaultdict(int)
_begun: defaultdict[str, int] = defaultdict(int)


class Cue:
    """A pattern with words of which one stands in each of its matches.

    `by` names them, parted by blanks, in lower case: whole, or by how they begin, with a `*`.
    """

    made = 0

    def __init__(self, pattern: str, by: str) -> None:
        self.pattern = re.compile(pattern)
        self.by = tuple(by.split())
        self.bit = 1 << Cue.made
        Cue.made += 1
        for word in self.by:
            is_begun = word.endswith("*")
            table, stem = (_begun, word[:-1][:LONGEST]) if is_begun else (_whole, word)
            table[stem] |= self.bit
        _of_word.cache_clear()

    def search(self, text: str, said: int = ANY) -> re.Match[str] | None:
        """The first match; `said` are the bits of a text that this one is a part of."""
        return self.pattern.search(text) if said & self.bit else None

    def match(self, text: str, said: int = ANY) -> re.Match[str] | None:
        """The match at the start of a text."""
        return self.pattern.match(text) if said & self.bit else None

    def finditer(self, text: str, said: int = ANY) -> Iterator[re.Match[str]]:
        """Every match."""
        return self.pattern.finditer(text) if said & self.bit else iter(())

    def sub(self, to: Callable[[re.Match[str]], str], text: str, said: int = ANY) -> str:
        """The text with its matches replaced."""
        return self.pattern.sub(to, text) if said & self.bit else text


def worded(words: str, before: str = r"(?i)\b", after: str = r"\b", also: str = "") -> Cue:
    """The cue of a list of alternatives, each found by its longest word; `also` names words of
    those that have none outside of their groups.

    Raises ValueError for an alternative without a word where `also` names none.
    """
    by = [_found_by(one, open_ended=not after.startswith(r"\b")) for one in alternatives(words)]
    if not (all(by) or also):
        raise ValueError(f"no word by which each of {words!r} is found")
    return Cue(f"{before}(?:{words}){after}", " ".join([*by, also]))


def bits_of(*cues: Cue) -> int:
    """The bits of several patterns: a text that has none of them holds no match of any."""
    return reduce(or_, (cue.bit for cue in cues))


def said(text: str) -> int:
    """The bits of the patterns that a text, or any part of it, may hold a match of."""
    bits = 0
    for word in PIECES.findall(text):
        bits |= _of_word(word)
    return bits


@lru_cache(maxsize=1 << 14)
def _of_word(word: str) -> int:
    known = word.translate(ALIKE).lower()
    if known.isdigit():
        return _whole.get(DIGIT, 0)
    bits = _whole.get(known, 0)
    for length in PREFIXES:
        bits |= _begun.get(known[:length], 0)
    return bits


def alternatives(pattern: str) -> list[str]:
    """The alternatives of a pattern that stand in no group and no class of it."""
    found, depth, start = [], 0, 0
    for sign in SIGNS.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(sign[0], 0)
        if sign[0] == "|" and not depth:
            found.append(pattern[start : sign.start()])
            start = sign.end()
    return [*found, pattern[start:]]


# Escaped characters and classes are passed over as one.
SIGNS = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|[()|]")
# What may stand for more than itself: a group, a class, an escape, a letter that may be missing.
LOOSE = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|.(?=[?*+{])")
REPEATED = re.compile(r"[?*+]|\{[^}]*\}")
LITERAL = re.compile(r"[^\W\d_]+")
HOLE = "\0"


def _found_by(alternative: str, *, open_ended: bool) -> str:
    """The longest word that an alternative always has, with a `*` where it may go on; an empty
    text where it has none."""
    flat = _without_groups(alternative).replace(r"\s+", " ")
    flat = REPEATED.sub("", LOOSE.sub(HOLE, flat))
    words = [
        found[0].lower() + ("*" if flat[found.end() : found.end() + 1] == HOLE else "")
        for found in LITERAL.finditer(flat)
        if flat[found.start() - 1 : found.start()] != HOLE
    ]
    if open_ended and words and flat.lower().endswith(words[-1]):
        words[-1] += "*"
    # Of `by now` the latter tells more.
    return max(reversed(words), key=lambda word: len(word.rstrip("*")), default="")


def _without_groups(pattern: str) -> str:
    """The pattern with a hole in the place of each group."""
    parts, depth, done = [], 0, 0
    for sign in SIGNS.finditer(pattern):
        if sign[0] == "(":
            if not depth:
                parts += [pattern[done : sign.start()], HOLE]
            depth += 1
        elif sign[0] == ")":
            depth -= 1
            done = sign.end() if not depth else done
    return "".join([*parts, pattern[done:]])
