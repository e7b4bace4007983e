"""What the style of a paragraph in a Word file makes it: a heading, an item, a line of contents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.documents.wordpackage import Node, child, local, value

# Word writes the English name into every file; others write what their users read.
HEADING = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis"
    r"|заголовок|标题|見出し) ?(\d)\Z",
    re.IGNORECASE,
)
ITEM = re.compile(r"list (?:bullet|number)", re.IGNORECASE)
CONTENTS = re.compile(r"(?:toc (?:\d|heading)|table of figures)\Z", re.IGNORECASE)
TITLE = 0  # stands above every heading
BODY = 9  # the outline level of what is no heading
DEEPEST = 12  # styles that a style may be based on, one on the other


@dataclass(frozen=True, slots=True)
class Style:
    """What a style says itself, before those that it is based on."""

    name: str
    base: str | None
    outline: int | None
    numbered: bool | None


class Styles:
    """The paragraph styles of one file; `root` is None where it has none."""

    def __init__(self, root: Node | None) -> None:
        self._styles = {
            key: _style(node)
            for node in (() if root is None else root)
            if local(node) == "style" and (key := value(node, "styleId"))
        }

    def level(self, paragraph: Node) -> int | None:
        """0 for a title, 1 to 9 for a heading, None for anything else."""
        direct = _outline(child(paragraph, "pPr"))
        if direct is not None:
            return _level(direct)
        chain = list(self._chain(paragraph))
        if chain and chain[0].name.lower() == "title":
            return TITLE
        for style in chain:
            if style.outline is not None:
                return _level(style.outline)
            if found := HEADING.match(style.name):
                return int(found[1]) or None
        return None

    def listed(self, paragraph: Node) -> bool:
        """Whether a paragraph is an item of a list, numbered or not."""
        direct = _numbered(child(paragraph, "pPr"))
        if direct is not None:
            return direct
        chain = list(self._chain(paragraph))
        told = next((style.numbered for style in chain if style.numbered is not None), None)
        return any(ITEM.match(style.name) for style in chain) if told is None else told

    def of_contents(self, paragraph: Node) -> bool:
        """Whether a paragraph is a line of a table of contents: it repeats headings."""
        return any(CONTENTS.match(style.name) for style in self._chain(paragraph))

    def _chain(self, paragraph: Node) -> Iterator[Style]:
        key = value(child(paragraph, "pPr", "pStyle"))
        for _ in range(DEEPEST):
            if key is None:
                return
            style = self._styles.get(key) or Style(key, None, None, None)
            yield style
            key = style.base


def _style(node: Node) -> Style:
    name = value(child(node, "name")) or value(node, "styleId") or ""
    properties = child(node, "pPr")
    return Style(name, value(child(node, "basedOn")), _outline(properties), _numbered(properties))


def _outline(properties: Node | None) -> int | None:
    told = value(child(properties, "outlineLvl"))
    return int(told) if told and told.isdecimal() else None


def _numbered(properties: Node | None) -> bool | None:
    """Whether properties make an item; None where they say nothing."""
    numbering = child(properties, "numPr")
    return None if numbering is None else value(child(numbering, "numId")) != "0"


def _level(outline: int) -> int | None:
    return outline + 1 if outline < BODY else None
