"""Word files (DOCX) to text: paragraphs, headings by style or outline, tables row by row.

Read from the XML itself: libraries that model the whole format refuse a file for a picture that is
missing, and leave out words that were inserted, boxes, notes and forms (docs/benchmarks.md).
"""

from __future__ import annotations

from collections.abc import Iterator

from app.documents.flow import Flow, one_line
from app.documents.model import Parsed
from app.documents.wordline import Line, Note, line_of, paged, shown
from app.documents.wordpackage import Node, Package, child, local, value
from app.documents.wordstyles import Styles
from app.errors import FileBroken

WRAPPERS = {"sdt", "sdtContent", "customXml", "ins", "moveTo"}  # around rows and cells


def parse_docx(data: bytes, limit: int, unpacked: int) -> Parsed:
    """The text of a DOCX of at most `limit` characters, whose parts unpack to `unpacked` bytes.

    Raises FileBroken, FileEncrypted and FileTooLarge.
    """
    package = Package(data, unpacked)
    root = package.root(package.main)
    body = child(root, "body")
    if body is None:
        raise FileBroken("the Word file cannot be read: it has no body")
    writer = _Writer(Flow(limit), package)
    writer.margins()
    writer.blocks(body)
    return writer.flow.parsed(_title(package))


def _title(package: Package) -> str:
    for name in package.related("", "core-properties"):
        told = child(package.spare(name), "title")
        return (told.text or "") if told is not None else ""
    return ""


class _Writer:
    """Writes blocks in the order of the text, and what hangs on one, each once, after it."""

    def __init__(self, flow: Flow, package: Package) -> None:
        self.flow = flow
        self._package = package
        self._styles = Styles(self._first("styles"))
        self._notes = dict(self._noted())

    def margins(self) -> None:
        """Headers and footers of pages, each line once, before all that stands under a heading."""
        told = dict.fromkeys(line for kind in ("header", "footer") for line in self._edges(kind))
        for line in told:
            self.flow.block(line, "\n")

    def blocks(self, parent: Node) -> None:
        """Everything below an element that holds paragraphs and tables."""
        for node in shown(parent):
            name = local(node)
            if name == "p":
                self._paragraph(node)
            elif name == "tbl":
                self._table(node)
            else:
                self.blocks(node)

    def _paragraph(self, paragraph: Node) -> None:
        line = line_of(paragraph)
        if not self._styles.of_contents(paragraph):
            self._block(paragraph, line.text)
        self._hanging(line)

    def _block(self, paragraph: Node, text: str) -> None:
        level = self._styles.level(paragraph)
        if level is not None:
            self.flow.heading(text, level)
        elif not self._styles.listed(paragraph):
            self.flow.block(text)
        elif text.strip():
            self.flow.block(f"- {one_line(text)}", "\n")

    def _hanging(self, line: Line) -> None:
        for box in line.boxes:
            self.blocks(box)
        for note in line.notes:
            found = self._notes.pop(note, None)
            if found is not None:
                self.blocks(found)

    def _table(self, table: Node) -> None:
        for row in _within(table, "tr"):
            if child(row, "trPr", "del") is None:
                cells = _within(row, "tc")
                self._row([cell for cell in cells if child(cell, "tcPr", "cellDel") is None])

    def _row(self, cells: list[Node]) -> None:
        if len(cells) == 1:  # a frame around text rather than a table
            self.blocks(cells[0])
            return
        lines = [list(_lines(cell)) for cell in cells]
        texts = [one_line(" ".join(line.text for line in cell)) for cell in lines]
        if any(texts):
            self.flow.block(" | ".join(texts), "\n")
        for cell in lines:
            for line in cell:
                self._hanging(line)

    def _edges(self, kind: str) -> Iterator[str]:
        for name in self._package.related(self._package.main, kind):
            root = self._package.root(name)
            yield from () if root is None else _margin(root)

    def _noted(self) -> Iterator[tuple[Note, Node]]:
        for kind in ("footnotes", "endnotes"):
            for name in self._package.related(self._package.main, kind):
                root = self._package.root(name)
                for note in () if root is None else root:
                    yield (kind, value(note, "id") or ""), note

    def _first(self, kind: str) -> Node | None:
        name = next(self._package.related(self._package.main, kind), None)
        return None if name is None else self._package.spare(name)


def _lines(parent: Node) -> Iterator[Line]:
    """Every paragraph below an element, those of tables in it too."""
    return (line_of(paragraph) for paragraph in _paragraphs(parent))


def _paragraphs(parent: Node) -> Iterator[Node]:
    for node in shown(parent):
        if local(node) == "p":
            yield node
        else:
            yield from _paragraphs(node)


def _margin(parent: Node) -> Iterator[str]:
    """The lines of a header or footer, but for those that show the number of a page."""
    for paragraph in _paragraphs(parent):
        line = line_of(paragraph)
        if not paged(paragraph):
            yield one_line(line.text)
        for box in line.boxes:
            yield from _margin(box)


def _within(parent: Node, name: str) -> Iterator[Node]:
    """Rows of a table, or cells of a row, through what may be wrapped around them."""
    for node in shown(parent):
        if local(node) == name:
            yield node
        elif local(node) in WRAPPERS:
            yield from _within(node, name)
