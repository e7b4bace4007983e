"""Word files (DOCX) to text: paragraphs, headings by style, tables row by row."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import docx
from docx.document import Document
from docx.opc.exceptions import OpcError
from docx.table import Table
from docx.text.paragraph import Paragraph
from lxml import etree

from app.documents.flow import Flow, one_line
from app.documents.model import Parsed
from app.errors import FileBroken, FileEncrypted, FileTooLarge

MOST_PARTS = 5000
LEVEL = re.compile(r"heading (\d)\Z", re.IGNORECASE)
ENCRYPTED = 0x1  # a flag of a zip entry


def parse_docx(data: bytes, limit: int, unpacked: int) -> Parsed:
    """The text of a DOCX; FileTooLarge where its parts come to more than `unpacked` bytes."""
    check_zip(data, unpacked)
    try:
        document = docx.Document(io.BytesIO(data))
        return _written(document, limit)
    except (OpcError, KeyError, ValueError, etree.XMLSyntaxError, zipfile.BadZipFile) as error:
        raise FileBroken("the Word file cannot be read") from error


def check_zip(data: bytes, unpacked: int) -> None:
    """Look at what a zip file says of its parts before any is unpacked.

    No part yields more than it says, so that the sum is a bound.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            entries = packed.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise FileBroken("the Word file is no zip file") from error
    if any(entry.flag_bits & ENCRYPTED for entry in entries):
        raise FileEncrypted("the Word file is encrypted")
    size = sum(entry.file_size for entry in entries)
    if len(entries) > MOST_PARTS or size > unpacked:
        raise FileTooLarge(f"the Word file unpacks to {size:,} bytes in {len(entries):,} parts")
    if "word/document.xml" not in {entry.filename for entry in entries}:
        raise FileBroken("the zip file holds no Word document")


def _written(document: Document, limit: int) -> Parsed:
    flow = Flow(limit)
    levels: dict[str, int | None] = {}
    for part in document.iter_inner_content():
        if isinstance(part, Table):
            _table(flow, part)
        else:
            _paragraph(flow, part, levels)
    return flow.parsed(document.core_properties.title or "")


def _paragraph(flow: Flow, paragraph: Paragraph, levels: dict[str, int | None]) -> None:
    name = _style(paragraph)
    if name not in levels:
        levels[name] = _level(name)
    level = levels[name]
    if level is not None:
        flow.heading(paragraph.text, level)
    elif name.startswith("List"):
        flow.block(f"- {one_line(paragraph.text)}" if paragraph.text.strip() else "", "\n")
    else:
        flow.block(paragraph.text)


def _style(paragraph: Paragraph) -> str:
    style: Any = paragraph.style
    return str(style.name) if style is not None and style.name else ""


def _level(name: str) -> int | None:
    if name == "Title":
        return 0  # stands above every heading
    found = LEVEL.match(name)
    return int(found[1]) if found else None


def _table(flow: Flow, table: Table) -> None:
    for row in table.rows:
        flow.block(" | ".join(_cells(row)), "\n")


def _cells(row: Any) -> Iterator[str]:
    """The texts of a row; a merged cell counts once."""
    last = None
    for cell in row.cells:
        if cell._tc is not last:
            yield one_line(cell.text)
        last = cell._tc
