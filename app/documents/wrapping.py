"""Plain text whose lines were broken to fit a width: each paragraph as one line again. Pure.

What reads a text afterwards takes a line break for the end of a sentence. Only prose is touched: a
block of lines of which nearly all end where the next word did not fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.extraction.segment import is_code_like

LEAST, MOST = 45, 132  # characters of the longest line of a block that was broken by width
FULL = 0.8  # share of the lines but the last of which the next word did not fit
ITEM = re.compile(r"[ \t]*(?:[-*+•·‣–]|\(?(?:\d{1,3}|[a-z])[.)])[ \t]+")
COLUMNS = re.compile(r"\S(?:\t| {3,})\S|\||\.{4}")
QUOTED = re.compile(r"[ \t]*(?:[>#|$]|--)")
DIVIDED = re.compile(r"(?<=[^\W\d_])[\u00ad\u2010]$")  # a word, at the end of a line
JUSTIFIED = re.compile(r"(?<=\S) {2}(?=\S)")
HYPHEN = re.compile(r"(?<=\w)-$")
BOTH = re.compile(r"(?:und|oder|and|or|bzw)\b")  # "Haus- und Hoftiere" is not "Haus-und"


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    indent: int  # column of the words, behind the sign of an item
    item: bool

    @classmethod
    def of(cls, text: str) -> _Line:
        item = ITEM.match(text)
        return cls(text, item.end() if item else len(text) - len(text.lstrip()), item is not None)


def unwrapped(text: str) -> str:
    """The text with the line breaks taken out that only kept lines short."""
    return "\n".join(_written(block) for block in _blocks(text.split("\n")))


def _blocks(lines: Sequence[str]) -> Iterator[list[_Line]]:
    """Runs of lines that may belong to one paragraph: as far to the right, and no new item."""
    block: list[_Line] = []
    for line in map(_Line.of, lines):
        if block and not _goes_on(block[-1], line):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _goes_on(last: _Line, line: _Line) -> bool:
    blank = not line.text.strip() or not last.text.strip()
    return not blank and not line.item and line.indent == last.indent


def _written(block: Sequence[_Line]) -> str:
    lines = [line.text for line in block]
    return _joined(lines) if _is_wrapped(lines) else "\n".join(lines)


def _is_wrapped(lines: Sequence[str]) -> bool:
    width = max(map(len, lines))
    if len(lines) < 2 or not LEAST <= width <= MOST or any(map(_is_no_prose, lines)):
        return False
    full = [
        len(line) + 1 + len(after.split(maxsplit=1)[0]) > width for line, after in pairwise(lines)
    ]
    if len(lines) == 2 and lines[0].rstrip()[-1] in ".!?:;" and not lines[1].lstrip()[0].islower():
        return False
    return sum(full) >= FULL * len(full)


def _is_no_prose(line: str) -> bool:
    return bool(COLUMNS.search(line) or QUOTED.match(line)) or is_code_like(line)


def _joined(lines: Sequence[str]) -> str:
    text = lines[0]
    for line in lines[1:]:
        body = line.strip()
        if DIVIDED.search(text):
            text = text[:-1] + body if body[0].islower() else f"{text[:-1]}-{body}"
        elif HYPHEN.search(text) and not BOTH.match(body):
            text += body
        else:
            text = f"{text} {body}"
    return JUSTIFIED.sub(" ", text)
