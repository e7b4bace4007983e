"""Cuts a text into overlapping windows that each fit a model's token limit."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

OVERLAP = 0.15  # of a window's tokens; a sentence that one border cuts is whole in the next window
_SLACK = 0.3  # how much of a window's tail may be given up to end at a sentence

_SENTENCE_END = re.compile(r"[.!?…:;][\"'»”’)\]]*\s+|\n\s*")
_WORD_END = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open character range [start, end) of a text."""

    start: int
    end: int


def split_windows(text: str, tokens: Sequence[tuple[int, int]], limit: int) -> list[Span]:
    """Windows of at most `limit` tokens that cover the whole of `text`, in order.

    `tokens` are the tokens' character ranges. A window ends behind a sentence if one ends in its
    last 30 %, else behind a word, else behind a token; the next one starts about 15 % earlier.
    """
    if len(tokens) <= limit:
        return [Span(0, len(text))]
    borders = _Borders(text)
    starts = [start for start, _ in tokens]
    spans: list[Span] = []
    first = 0
    while True:
        last = first + limit
        begin = starts[first] if spans else 0
        if last >= len(tokens):
            spans.append(Span(begin, len(text)))
            return spans
        floor = starts[last - int(limit * _SLACK)]
        end = borders.before(starts[last], floor) or starts[last]
        spans.append(Span(begin, end))
        first = _next_start(starts, borders, (first, end, limit))


def _next_start(starts: list[int], borders: _Borders, cut: tuple[int, int, int]) -> int:
    """Index of the token that opens the next window; always behind the one that opened this."""
    first, end, limit = cut
    after = bisect_left(starts, end)
    back = max(first + 1, after - int(limit * OVERLAP))
    begin = borders.before(starts[after], starts[back]) if after > back else None
    inside = borders.first_from(starts[back], end)
    choice = inside if inside is not None else begin
    return min(after, bisect_left(starts, choice)) if choice is not None else back


class _Borders:
    """Where sentences and words end, found once a text."""

    def __init__(self, text: str) -> None:
        self.sentences = [match.end() for match in _SENTENCE_END.finditer(text)]
        self.words = [match.end() for match in _WORD_END.finditer(text)]

    def before(self, limit: int, floor: int) -> int | None:
        """The last border in (floor, limit], a sentence's if there is one."""
        for places in (self.sentences, self.words):
            index = bisect_right(places, limit) - 1
            if index >= 0 and places[index] > floor:
                return places[index]
        return None

    def first_from(self, start: int, end: int) -> int | None:
        """The first border in [start, end), a sentence's if there is one."""
        for places in (self.sentences, self.words):
            index = bisect_left(places, start)
            if index < len(places) and places[index] < end:
                return places[index]
        return None
