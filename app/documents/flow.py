"""Blocks of text written one after the other, with the places of their headings."""

from __future__ import annotations

import re

from app.documents.model import Heading, Parsed
from app.errors import FileTooLarge

BLANKS = re.compile(r"[ \t\f\v\u00a0]+")
GAP = re.compile(r"\n{3,}")
PADDING = re.compile(r"[ \t]{64,}")
TRAILING = re.compile(r"(?<![ \t])[ \t]+$", re.MULTILINE)
TITLE_MOST = 200  # characters of a heading that are kept in a path


class Flow:
    """A text that grows by blocks, each a paragraph of its own.

    `limit` is the most characters it may come to; FileTooLarge beyond it.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[str] = []
        self._length = 0
        self._headings: list[Heading] = []

    def block(self, text: str, gap: str = "\n\n") -> int | None:
        """Write a block; where it starts, or None for one that holds nothing."""
        body = text.strip()
        if not body:
            return None
        lead = gap if self._length else ""
        start = self._length + len(lead)
        self._parts += (lead, body)
        self._length = start + len(body)
        if self._length > self._limit:
            raise FileTooLarge(f"the text has more than {self._limit:,} characters")
        return start

    def heading(self, text: str, level: int) -> None:
        """Write a heading."""
        title = one_line(text)
        start = self.block(title)
        if start is not None:
            self._headings.append(Heading(start, level, title[:TITLE_MOST]))

    def mark(self, level: int, title: str, start: int) -> None:
        """A heading that stands at `start` of the text without being a block of its own."""
        named = one_line(title)[:TITLE_MOST]
        if named:
            self._headings.append(Heading(start, level, named))

    @property
    def length(self) -> int:
        """Characters so far."""
        return self._length

    def parsed(self, title: str = "", pages: int = 0) -> Parsed:
        """What was written."""
        headings = sorted(self._headings, key=lambda h: (h.start, h.level))
        return Parsed("".join(self._parts), tuple(headings), one_line(title)[:TITLE_MOST], pages)


def one_line(text: str) -> str:
    """The text with each stretch of white space as one space."""
    return " ".join(text.split())


def tidy(text: str) -> str:
    """Plain text without blanks at the ends of lines, empty lines in a row, and wide padding."""
    unified = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    return GAP.sub("\n\n", PADDING.sub(" ", TRAILING.sub("", unified))).strip()
