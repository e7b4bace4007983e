"""PDF to text: pages in order, lines joined to paragraphs; headings by the outline or the type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TypeVar

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from app.documents.flow import Flow, one_line
from app.documents.model import Parsed
from app.documents.pdftype import Block, Line, blocks, lines_of
from app.errors import FileBroken, FileEncrypted, FileTooLarge

Entry = tuple[int, str, int]  # of an outline: level from 1, title, page from 0
L = TypeVar("L")

FULL = 0.6  # of a page's widest line: a line that long goes on in the next one
ENDS = re.compile(r"[.!?:;…]['\"”’»)\]]*$")
STARTS = re.compile(r"(?:[-*•‣◦▪–—]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s")
HYPHEN = re.compile(r"\w[-\u00ad\u2010\ufffe]$")
REPEATED = 0.6  # of the pages: a line that stands at the edge of so many is no part of the text
FEWEST_PAGES = 5  # below it no line counts as repeated
NUMBERS = re.compile(r"\d+")


def parse_pdf(data: bytes, limit: int, pages: int) -> Parsed:
    """The text of a PDF, with how many of its pages gave none.

    Raises FileEncrypted, FileTooLarge for more than `pages` pages, FileBroken for a damaged file
    and for one that holds pictures of text only.
    """
    document = _opened(data)
    count = len(document)
    if count > pages:
        raise FileTooLarge(f"the file has {count:,} pages, more than {pages:,}")
    sheets = [_lines(document, place, limit) for place in range(count)]
    flow = Flow(limit)
    outline = list(_outline(document))
    starts = _write(flow, blocks(without_margins(sheets, text=_text)), outline)
    if not flow.length:
        raise FileBroken("the file holds no text, only pictures perhaps")
    text = flow.parsed().text
    for level, title, place in outline:
        if place < len(starts):
            flow.mark(level, title, _place(text, title, starts, place))
    without = sum(not sheet for sheet in sheets)
    return replace(flow.parsed(_title(document), count), pages_without_text=without)


def paragraphs(lines: Sequence[str]) -> Iterator[str]:
    """Lines of a page joined to paragraphs, words that were divided at line ends made whole."""
    widest = max((len(line) for line in lines), default=0)
    text = ""
    for line in lines:
        if text and _goes_on(text.rpartition("\n")[2], line, widest):
            text = _joined(text, line)
            continue
        if text:
            yield text
        text = line
    if text:
        yield text


def without_margins(sheets: Sequence[Sequence[L]], text: Callable[[L], str] = str) -> list[list[L]]:
    """Pages without the lines that stand at the top or foot of most of them, numbers aside."""
    if len(sheets) < FEWEST_PAGES:
        return [list(sheet) for sheet in sheets]
    seen = Counter(key for sheet in sheets for key in {_key(text(line)) for line in _edges(sheet)})
    common = {key for key, count in seen.items() if count >= REPEATED * len(sheets)}
    return [_trimmed(list(sheet), common, text) for sheet in sheets]


def _opened(data: bytes) -> pdfium.PdfDocument:
    try:
        document = pdfium.PdfDocument(data)
        len(document)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == pdfium_c.FPDF_ERR_PASSWORD or (
            "password" in str(error).lower()
        ):
            raise FileEncrypted("the PDF asks for a password") from error
        raise FileBroken("the PDF cannot be read") from error
    return document


def _lines(document: pdfium.PdfDocument, place: int, limit: int) -> list[Line]:
    try:
        page = document[place]
        text = page.get_textpage()
        found = lines_of(text) if text.count_chars() <= limit else None
        text.close()
        page.close()
    except pdfium.PdfiumError:
        return []  # one page that cannot be read does not take the others with it
    if found is None:
        raise FileTooLarge(f"a page has more than {limit:,} characters")
    return found


def _text(line: Line) -> str:
    return line.text


def _write(flow: Flow, sheets: Sequence[Sequence[Block]], outline: Sequence[Entry]) -> list[int]:
    """Write the pages; where each starts in the text. An outline tells the headings better than
    the type does, so that only its titles are marked where there is one."""
    starts = []
    for place, sheet in enumerate(sheets):
        titles = {title for _, title, on in outline if on == place}
        starts.append(flow.length + 2 if flow.length else 0)
        for block in sheet:
            if block.level and not outline:
                flow.heading(" ".join(block.lines), block.level)
            elif block.level:
                flow.block(" ".join(block.lines))
            else:
                _write_text(flow, block.lines, titles)
    return [min(start, max(flow.length - 1, 0)) for start in starts]


def _write_text(flow: Flow, lines: Sequence[str], titles: Collection[str]) -> None:
    """Paragraphs, of which a line that is a title of the outline is none."""
    for title, group in groupby(lines, key=titles.__contains__):
        for paragraph in group if title else paragraphs(list(group)):
            flow.block(paragraph)


def _place(text: str, title: str, starts: Sequence[int], place: int) -> int:
    """Where a title stands on its page; the start of the page where it does not."""
    end = starts[place + 1] if place + 1 < len(starts) else len(text)
    found = text.find(title, starts[place], end)
    return found if found >= 0 else starts[place]


def _goes_on(last: str, line: str, widest: int) -> bool:
    if STARTS.match(line):
        return False
    if HYPHEN.search(last):
        return True
    return len(last) >= FULL * widest and not (ENDS.search(last) and len(last) < 0.85 * widest)


def _joined(text: str, line: str) -> str:
    if HYPHEN.search(text):
        # A hyphen before a small letter divided a word; before a capital it belongs to the name.
        return text[:-1] + line if line[:1].islower() else text.rstrip("\u00ad\ufffe") + line
    return f"{text} {line}"


def _edges(sheet: Sequence[L]) -> list[L]:
    return [*sheet[:1], *sheet[-1:]]


def _key(line: str) -> str:
    return NUMBERS.sub("#", line)


def _trimmed(sheet: list[L], common: set[str], text: Callable[[L], str]) -> list[L]:
    if sheet and _key(text(sheet[0])) in common:
        sheet = sheet[1:]
    if sheet and _key(text(sheet[-1])) in common:
        sheet = sheet[:-1]
    return sheet


def _outline(document: pdfium.PdfDocument) -> Iterator[Entry]:
    """Level (from 1), title and page (from 0) of each entry of the outline."""
    try:
        for entry in document.get_toc():
            target = entry.get_dest()
            place = target.get_index() if target is not None else None
            title = one_line(entry.get_title())
            if place is not None and title:
                yield entry.level + 1, title, place
    except pdfium.PdfiumError:
        return


def _title(document: pdfium.PdfDocument) -> str:
    try:
        return str(document.get_metadata_value("Title"))
    except pdfium.PdfiumError:
        return ""
