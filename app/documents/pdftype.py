"""How the lines of a PDF are set, and which of them are headings by that.

A heading is told by its type alone, and only where that is plain: larger than the text of the
file, or bold where that is not, short, and without the end of a sentence.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from app.documents.flow import one_line

LARGER = 1.15  # of the text's size
APART = 1.25  # of the usual distance of lines: what a bold line has above it
BOLD = 600  # weight from which on a line is bold
HEAVY = re.compile(r"bold|black|heavy|demi", re.IGNORECASE)
LONGEST, MOST_WORDS = 120, 14
ENDED = re.compile(r"(?:[.,;:!]|\.{2,}\s*\d+)['\"”’»)\]]*$")  # of a sentence, or a line of contents
OPENS = re.compile(r"[\"“„'‘(§]?[^\W_]")
WRAPPED = 3  # lines of one heading


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page: its height in points (0 where unknown), and where it stands."""

    text: str
    size: float = 0.0
    bold: bool = False
    top: float = 0.0


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together; `level` counts from 1 for a heading, and is 0 for text."""

    lines: tuple[str, ...]
    level: int = 0


def lines_of(page: pdfium.PdfTextPage) -> list[Line]:
    """The lines of a page that hold text, in their order."""
    found: list[Line] = []
    place = 0
    for part in re.split(r"(\r\n|\r|\n)", page.get_text_range()):
        text = one_line(part)
        if text:
            lead = len(part) - len(part.lstrip())
            size, top = _height(page, place + lead)
            found.append(Line(text, size, _bold(page, place + lead, len(part.strip())), top))
        place += len(part)
    return found


def _height(page: pdfium.PdfTextPage, place: int) -> tuple[float, float]:
    """The height of a letter's line, to half a point, and its upper edge."""
    box = pdfium_c.FS_RECTF()
    index = pdfium_c.FPDFText_GetCharIndexFromTextIndex(page, place)
    if index < 0 or not pdfium_c.FPDFText_GetLooseCharBox(page, index, box):
        return 0.0, 0.0
    return round(2 * (box.top - box.bottom)) / 2, box.top


def _bold(page: pdfium.PdfTextPage, place: int, length: int) -> bool:
    """Whether a line is bold where it begins, in its middle and where it ends."""
    places = {place, place + length // 2, place + length - 1}
    return all(_heavy(page, each) for each in places)


def _heavy(page: pdfium.PdfTextPage, place: int) -> bool:
    index = pdfium_c.FPDFText_GetCharIndexFromTextIndex(page, place)
    if index < 0:
        return False
    if pdfium_c.FPDFText_GetFontWeight(page, index) >= BOLD:
        return True
    name = ctypes.create_string_buffer(128)
    size = pdfium_c.FPDFText_GetFontInfo(page, index, name, len(name), ctypes.c_int())
    return bool(size) and HEAVY.search(name.value.decode("utf-8", "replace")) is not None


def blocks(sheets: Sequence[Sequence[Line]]) -> list[list[Block]]:
    """The lines of each page as headings and what stands between them."""
    body = _body([line for sheet in sheets for line in sheet])
    marked = [_marked(sheet, body) for sheet in sheets]
    ranks = sorted({rank for sheet in marked for rank in sheet if rank is not None}, reverse=True)
    return [
        list(_joined(sheet, [0 if rank is None else ranks.index(rank) + 1 for rank in given]))
        for sheet, given in zip(sheets, marked, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Body:
    """How most letters of a file are set; `step` is the usual distance from line to line."""

    size: float
    bold: bool
    step: float


def _body(lines: Sequence[Line]) -> _Body:
    letters: Counter[tuple[float, bool]] = Counter()
    for line in lines:
        letters[line.size, line.bold] += len(line.text)
    (size, bold), _ = letters.most_common(1)[0] if letters else ((0.0, False), 0)
    steps = Counter(
        round(one.top - other.top, 1)
        for one, other in pairwise(lines)
        if one.size == other.size == size and one.top > other.top
    )
    step = steps.most_common(1)[0][0] if steps else 0.0
    return _Body(size, bold, step)


def _marked(sheet: Sequence[Line], body: _Body) -> list[int | None]:
    """The size, in points, by which each line of a page is a heading, or None for text."""
    found: list[int | None] = []
    for at, line in enumerate(sheet):
        goes_on = bool(found) and found[-1] is not None and sheet[at - 1].size == line.size
        found.append(_rank(sheet, at, body) if _worded(line.text, goes_on=goes_on) else None)
    return found


def _rank(sheet: Sequence[Line], at: int, body: _Body) -> int | None:
    line = sheet[at]
    if not line.size or not body.size:
        return None
    if line.size >= LARGER * body.size:
        return round(line.size)
    bold = line.bold and not body.bold and line.size >= body.size
    if not bold or at + 1 == len(sheet) or sheet[at + 1].bold:
        return None
    apart = at == 0 or not body.step or sheet[at - 1].top - line.top >= APART * body.step
    return round(body.size) if apart else None


def _worded(text: str, *, goes_on: bool) -> bool:
    """Whether the words of a line may be those of a heading, or go on with one."""
    if len(text) > LONGEST or len(text.split()) > MOST_WORDS or ENDED.search(text):
        return False
    first = OPENS.match(text)
    opens = first is not None and (goes_on or not first[0][-1].islower())
    return opens and sum(map(str.isalpha, text)) > 1


def _joined(sheet: Sequence[Line], levels: Sequence[int]) -> list[Block]:
    """Lines of text together, and a heading with the lines that it goes on in."""
    found: list[Block] = []
    for line, level in zip(sheet, levels, strict=True):
        last = found[-1] if found else None
        if last is not None and last.level == level and (not level or len(last.lines) < WRAPPED):
            found[-1] = Block((*last.lines, line.text), level)
        else:
            found.append(Block((line.text,), level))
    return found
