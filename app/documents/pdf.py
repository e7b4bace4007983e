"""PDF to text: pages in order, lines joined to paragraphs, the outline as headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from app.documents.flow import Flow, one_line
from app.documents.model import Parsed
from app.errors import FileBroken, FileEncrypted, FileTooLarge

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
    starts = _write(flow, without_margins(sheets))
    if not flow.length:
        raise FileBroken("the file holds no text, only pictures perhaps")
    text = flow.parsed().text
    for level, title, place in _outline(document):
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


def without_margins(sheets: Sequence[Sequence[str]]) -> list[list[str]]:
    """Pages without the lines that stand at the top or foot of most of them, numbers aside."""
    if len(sheets) < FEWEST_PAGES:
        return [list(sheet) for sheet in sheets]
    seen = Counter(key for sheet in sheets for key in {_key(line) for line in _edges(sheet)})
    common = {key for key, count in seen.items() if count >= REPEATED * len(sheets)}
    return [_trimmed(list(sheet), common) for sheet in sheets]


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


def _lines(document: pdfium.PdfDocument, place: int, limit: int) -> list[str]:
    try:
        page = document[place]
        text = page.get_textpage()
        found = text.get_text_range() if text.count_chars() <= limit else None
        text.close()
        page.close()
    except pdfium.PdfiumError:
        return []  # one page that cannot be read does not take the others with it
    if found is None:
        raise FileTooLarge(f"a page has more than {limit:,} characters")
    lines = found.replace("\r", "\n").split("\n")
    return [line for line in map(one_line, lines) if line]


def _write(flow: Flow, sheets: Sequence[Sequence[str]]) -> list[int]:
    """Write the pages; where each starts in the text."""
    starts = []
    for sheet in sheets:
        starts.append(flow.length + 2 if flow.length else 0)
        for paragraph in paragraphs(sheet):
            flow.block(paragraph)
    return [min(start, max(flow.length - 1, 0)) for start in starts]


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


def _edges(sheet: Sequence[str]) -> list[str]:
    return [*sheet[:1], *sheet[-1:]]


def _key(line: str) -> str:
    return NUMBERS.sub("#", line)


def _trimmed(sheet: list[str], common: set[str]) -> list[str]:
    if sheet and _key(sheet[0]) in common:
        sheet = sheet[1:]
    if sheet and _key(sheet[-1]) in common:
        sheet = sheet[:-1]
    return sheet


def _outline(document: pdfium.PdfDocument) -> Iterator[tuple[int, str, int]]:
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
