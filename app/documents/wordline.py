"""The words of one paragraph of a Word file, as the file is read today.

What was deleted or moved away under tracked changes is no text, what was inserted is; nor is what
the file hides, the names of fields, and the prompts of forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from app.documents.wordpackage import Node, child, local, switched_on, value

GONE = {"del", "moveFrom", "delText", "delInstrText", "instrText", "rt", "Fallback"}
SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "p": " "}
NOTES = {"footnoteReference": "footnotes", "endnoteReference": "endnotes"}
PAGES = {"PAGE", "NUMPAGES", "SECTIONPAGES"}

Note = tuple[str, str]  # which kind of note, and its id


@dataclass(slots=True)
class Line:
    """What a paragraph says; `boxes` and `notes` are texts of their own that hang on it."""

    parts: list[str] = field(default_factory=list)
    boxes: list[Node] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The words."""
        return "".join(self.parts)


def line_of(paragraph: Node) -> Line:
    """Read one paragraph."""
    line = Line()
    _read(paragraph, line)
    return line


def paged(paragraph: Node) -> bool:
    """Whether a paragraph itself, not a box in it, shows the number of a page."""
    fields = (
        node
        for node in paragraph.iter("{*}instrText", "{*}fldSimple")
        if next(node.iterancestors("{*}p"), None) is paragraph
    )
    told = (value(node, "instr") or node.text or "" for node in fields)
    return any(PAGES & set(name.upper().split()[:1]) for name in told)


def shown(node: Node) -> Iterator[Node]:
    """The children of an element that are to be read, of two ways to draw one thing the first."""
    for inner in node:
        name = local(inner)
        if name == "AlternateContent":
            yield from shown(_chosen(inner))
        elif not (name in GONE or name.endswith("Pr") or _hidden(name, inner)):
            yield inner


def _chosen(alternatives: Node) -> Node:
    first = child(alternatives, "Choice")
    if first is not None:
        return first
    fallback = child(alternatives, "Fallback")
    return alternatives if fallback is None else fallback


def _hidden(name: str, node: Node) -> bool:
    if name == "r":
        return switched_on(child(node, "rPr", "vanish"))
    return name == "sdt" and switched_on(child(node, "sdtPr", "showingPlcHdr"))


def _read(node: Node, line: Line) -> None:
    for inner in shown(node):
        name = local(inner)
        if name == "t":
            line.parts.append((inner.text or "").replace("\n", " "))
        elif name in SIGNS:
            line.parts.append(SIGNS[name])
            _read(inner, line)
        elif name in NOTES:
            line.notes.append((NOTES[name], value(inner, "id") or ""))
        elif name == "txbxContent":
            line.boxes.append(inner)
        else:
            _read(inner, line)
