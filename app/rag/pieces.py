"""Pieces of a text that an answer may quote: pure.

Sentences as the rules read them, with the code and the addresses inside them; what these leave
(blocks of code, what runs on without a stop) in windows, so that nothing of a text goes unquoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.extraction.model import Span
from app.extraction.segment import LONGEST, sentences

# Fenced code stays what it is; inside a sentence, code and an address without the stop behind it.
KEPT = re.compile(r"(?P<block>```.*?(?:```|\Z))|`[^`\n]+`|https?://\S*[\w/=&#-]", re.DOTALL)
# A line between empty ones without a stop, a colon or the like: a heading, as far as one can see.
LABEL = re.compile(
    r"(?:\A|\n[ \t]*\n)[ \t]*"
    r"((?:\d+(?:\.\d+)*\.?[ \t]+)?[^\n.!?…:;=|]{1,100})(?=\n[ \t]*\n)"
)
TELLING = 3  # letters and digits that a piece must have: less is a bullet or a fence
SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece with single spaces; `[start, end)` is where it stands in its text, in characters.

    `label` tells what looks like a heading of what follows.
    """

    text: str
    start: int
    end: int
    label: bool = False


def pieces(text: str) -> list[Piece]:
    """The pieces of a text in order, of at most 600 of its characters each.

    A text that says anything has one at least.
    """
    labels = [found.span(1) for found in LABEL.finditer(text)]
    found = [_piece(text, span, labels) for span in _spans(text)]
    start = len(text) - len(text.lstrip())
    end = start + len(text[start : start + LONGEST].rstrip())
    return found or ([_piece(text, Span(start, end), [])] if end > start else [])


def _piece(text: str, span: Span, labels: Sequence[tuple[int, int]]) -> Piece:
    """A span without the space around it."""
    inside = text[span.start : span.end]
    start = span.start + len(inside) - len(inside.lstrip())
    body = inside.strip()
    end = start + len(body)
    label = any(first <= start and end <= last for first, last in labels)
    return Piece(SPACE.sub(" ", body), start, end, label)


def _spans(text: str) -> Iterator[Span]:
    start = 0
    for span in (*sentences(_masked(text)), Span(len(text), len(text))):
        yield from _windows(text, start, span.start)
        if span.end > span.start:
            yield span
        start = span.end


def _masked(text: str) -> str:
    """The text with letters in place of code and addresses; positions stay."""
    return KEPT.sub(lambda found: found[0] if found["block"] else "x" * len(found[0]), text)


def _windows(text: str, start: int, end: int) -> Iterator[Span]:
    """What no sentence covers, cut between lines, else between words."""
    while start < end:
        stop = _cut(text, start, end)
        if sum(letter.isalnum() for letter in text[start:stop]) >= TELLING:
            yield Span(start, stop)
        start = stop


def _cut(text: str, start: int, end: int) -> int:
    """Where a window from `start` ends."""
    if end - start <= LONGEST:
        return end
    last = start + LONGEST
    for border in ("\n", " "):
        place = text.rfind(border, start + 1, last)
        if place > start:
            return place
    return last
