"""Texts with other links in them: after a rename, and where a mention becomes a link. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from app.kernel.graph import Row
from app.pages.naming import is_slug_of, title_key
from app.pages.wikilink import Link, alternatives, heading, links, scan

_BREAKS_LINK = frozenset("[]|#^\n")


def rewritten(text: str, raws: frozenset[str], before: Row, after: Row) -> str:
    """The text in which those of the links `raws` that name a former title, or its slug, name the
    new one."""
    titles = [before["title"], *before["formers"]]
    keys = {title_key(title) for title in titles}
    edits = []
    for link in links(text):
        named = next(
            (
                name for name in alternatives(link.target)
                if title_key(name) in keys or any(is_slug_of(name, title) for title in titles)
            ),
            None,
        )  # fmt: skip
        if named is not None and link.raw in raws and link.start >= 0:
            part = "" if "#" in named else heading(link.target)
            edits.append((link.start, link.end, _renamed(link, after, part, text)))
    return edited(text, edits)


def linked(text: str, spans: Iterable[tuple[int, int]], name: str) -> str:
    """The text in which ranges of its prose are links to what goes by `name`."""
    cells = scan(text).cells
    edits = []
    for start, end in spans:
        in_cell = any(begin <= start < stop for begin, stop in cells)
        edits.append((start, end, link_to(name, text[start:end], in_cell=in_cell)))
    return edited(text, edits)


def link_to(name: str, shown: str, *, in_cell: bool = False) -> str:
    """A link to what goes by `name` that reads as `shown`; on one line, as links must be. In a cell
    of a table the bar is escaped, which would end the cell else."""
    words = " ".join(shown.split())
    bar = r"\|" if in_cell else "|"
    return f"[[{name}]]" if words == name else f"[[{name}{bar}{words}]]"


def breaks_link(name: str) -> bool:
    """Whether a name holds a character that means something else within a link."""
    return bool(_BREAKS_LINK & set(name))


def linkable(page: Row) -> str:
    """What a link can name a page by: its title, unless that would break the link."""
    return str(page["slug"] or page["id"] if breaks_link(page["title"]) else page["title"])


def edited(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """The text with ranges replaced; they must not overlap."""
    pieces, done = [], 0
    for start, end, new in sorted(edits):
        pieces += [text[done:start], new]
        done = end
    return "".join([*pieces, text[done:]])


def _renamed(link: Link, after: Row, part: str, text: str) -> str:
    target = linkable(after) + (f"#{part}" if part else "")
    if link.text is None:
        return f"[[{target}]]"
    bar = r"\|" if r"\|" in text[link.start : link.end] else "|"
    return f"[[{target}{bar}{link.text}]]"
