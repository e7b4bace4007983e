"""Wikilinks in Markdown, and which parts of a text are prose. Pure.

A parser decides what is a link: what stands in code, in HTML or in front matter is none. Offsets
are characters of the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from app.pages.front_matter import body_start
from app.pages.naming import without_steps, without_suffix

LONGEST = 500  # characters between the brackets
_LINK = re.compile(rf"\[\[([^\[\]\n]{{1,{LONGEST}}})\]\]")
# Inline rules whose text is no prose: mentions are not looked for in it.
_COVERING = ("backticks", "link", "image", "autolink", "html_inline")
PREFIXES = ("agent", "skill", "mission", "entity")


@dataclass(frozen=True, slots=True)
class Link:
    """One link as it stands: `raw` with its brackets, `target` before the bar, the `text` after it
    (None without a bar), and the range `[start, end)`; -1 where it cannot be told."""

    raw: str
    target: str
    text: str | None
    start: int
    end: int

    @property
    def shown(self) -> str:
        """How it reads."""
        return (self.target if self.text is None else self.text).strip()


@dataclass(frozen=True, slots=True)
class Scan:
    """The links of a text in order, the ranges in which plain prose stands, and those that are
    cells of tables, where a bar has to be escaped."""

    links: tuple[Link, ...]
    prose: tuple[tuple[int, int], ...]
    cells: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class _Line:
    """One line of inline content: where it begins there, and where in the text. `cell` tells that
    it is one of a table, `escaped` that it has bars, each with a backslash in the text."""

    at: int
    length: int
    source: int
    content: str
    escaped: bool
    cell: bool

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return self.source + self.length + (self.content.count("|") if self.escaped else 0)


def scan(text: str) -> Scan:
    """Read a Markdown text."""
    body = body_start(text)
    lines = _line_starts(text, body)
    links: list[Link] = []
    prose: list[tuple[int, int]] = []
    cells: list[tuple[int, int]] = []
    for token, placed in _inline(text, body, lines):
        found, covered = _spans(token.content)
        links.extend(_placed(link, placed) for link in found)
        prose.extend(_prose(placed, covered))
        cells.extend((one.source, one.end) for one in placed if one.cell and one.source >= 0)
    return Scan(tuple(links), tuple(prose), tuple(cells))


def links(text: str) -> tuple[Link, ...]:
    """The links of a text in order; quick where there is none."""
    return scan(text).links if "[[" in text else ()


def tokens(body: str) -> Iterator[Token]:
    """The blocks of a text without front matter, each with its inline content parsed."""
    for token in _MARKDOWN.parse(body):
        if token.type == "inline":
            token.children = []
            _MARKDOWN.inline.parse(token.content, _MARKDOWN, {"spans": []}, token.children)
        yield token


def alternatives(target: str) -> tuple[str, ...]:
    """What a target may mean, in order: all of it, or what stands before its heading; a path from
    where its file lies, or from the top, is the path."""
    whole = target.strip()
    part = whole.partition("#")[0].strip()
    named = [whole, without_suffix(whole), part, without_suffix(part)]
    named += map(without_steps, tuple(named))
    return tuple(dict.fromkeys(name for name in named if name))


def heading(target: str) -> str:
    """The heading that a target names; empty where it names none."""
    return target.partition("#")[2].strip()


def prefixed(target: str) -> tuple[tuple[str, str], ...]:
    """Kind and name of a target like `entity:Acme GmbH`, in the order of `alternatives`, so that
    `entity:C#` is the language before it is a letter; empty where it has no such prefix."""
    parts = (name.partition(":") for name in alternatives(target))
    read = ((kind.strip().lower(), name.strip()) for kind, _, name in parts)
    return tuple(dict.fromkeys((kind, name) for kind, name in read if kind in PREFIXES and name))


def names_of(link: Link) -> tuple[str, ...]:
    """Whatever may be the name of what a link leads to; none for a heading of its own page."""
    if is_own_heading(link.target):
        return ()
    named = tuple(name for _, name in prefixed(link.target)) or alternatives(link.target)
    return tuple(dict.fromkeys(name.rpartition("/")[2] for name in named))


def is_own_heading(target: str) -> bool:
    """Whether a target is a heading of the page that it stands on."""
    return target.strip().startswith("#")


# --- the parser -------------------------------------------------------------------------------


def _wikilink(state: StateInline, silent: bool) -> bool:
    match = _LINK.match(state.src, state.pos)
    if match is None or not match[1].partition("|")[0].strip():
        return False
    if not silent:
        state.env["spans"].append((match.start(), match.end(), match[0]))
        state.push("wikilink", "", 0).content = match[0]
    state.pos = match.end()
    return True


def _definition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The definition of a link's target; that of a footnote is none, its words are text."""
    if state.src.startswith("[^", state.bMarks[start] + state.tShift[start]):
        return False
    return reference(state, start, end, silent)


def _recording(
    rule: Callable[[StateInline, bool], bool],
) -> Callable[[StateInline, bool], bool]:
    """The rule, which also notes the range that it took."""

    def record(state: StateInline, silent: bool) -> bool:
        start = state.pos
        taken = rule(state, silent)
        if taken and not silent:
            state.env["spans"].append((start, state.pos, ""))
        return taken

    return record


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.core.ruler.disable("inline")
    parser.block.ruler.at("reference", _definition)
    for rule in parser.inline.ruler.__rules__:
        if rule.name in _COVERING:
            rule.fn = _recording(rule.fn)
    parser.inline.ruler.__cache__ = None
    parser.inline.ruler.before("link", "wikilink", _wikilink)
    return parser


_MARKDOWN = _parser()


def _inline(text: str, body: int, lines: Sequence[int]) -> Iterator[tuple[Token, list[_Line]]]:
    """Each stretch of inline content with the places of its lines in the text."""
    cursor: dict[int, int] = {}  # how far the cells of a row have been placed
    before = ""
    for token in _MARKDOWN.parse(text[body:]):
        if token.type == "inline" and token.map is not None and token.content:
            yield token, _places(text, lines, token, cursor if before in _CELLS else None)
        before = token.type


_CELLS = ("th_open", "td_open")


def _places(
    text: str, lines: Sequence[int], token: Token, cells: dict[int, int] | None
) -> list[_Line]:
    placed, at = [], 0
    assert token.map is not None
    for offset, content in enumerate(token.content.split("\n")):
        number = token.map[0] + offset
        if number + 1 < len(lines):
            start, end = lines[number], lines[number + 1]
            found = _cell(text, start, end, content, cells) if cells is not None else (
                text.rfind(content, start, end), content, False,
            )  # fmt: skip
            placed.append(_Line(at, len(content), *found, cells is not None))
        at += len(content) + 1
    return placed


def _cell(
    text: str, start: int, end: int, content: str, cells: dict[int, int]
) -> tuple[int, str, bool]:
    """Where a cell of a table stands in its row, what it holds, and whether that has bars, which
    are escaped there."""
    escaped = content.replace("|", r"\|")
    begin = cells.get(start, start)
    found = text.find(escaped, begin, end)
    if found >= 0:
        cells[start] = found + len(escaped)
    return found, content, escaped != content


def _line_starts(text: str, body: int) -> list[int]:
    """Where each line of the body begins, and where the last one ends."""
    starts = [body]
    starts.extend(match.end() for match in re.finditer("\n", text[body:]))
    return [starts[0], *(body + s for s in starts[1:]), len(text)]


def _spans(content: str) -> tuple[list[tuple[int, int, str]], list[tuple[int, int]]]:
    """Links and covered ranges of inline content, in its own characters."""
    env: dict[str, list[tuple[int, int, str]]] = {"spans": []}
    if not any(mark in content for mark in "[`<"):
        return [], []
    _MARKDOWN.inline.parse(content, _MARKDOWN, env, [])
    found = sorted(span for span in env["spans"] if span[2])
    return found, sorted((start, end) for start, end, _ in env["spans"])


def _placed(found: tuple[int, int, str], placed: Sequence[_Line]) -> Link:
    start, end, raw = found
    target, bar, shown = raw[2:-2].partition("|")
    begin, stop = _where(placed, start), _where(placed, end - 1)
    known = begin >= 0 and stop >= 0
    return Link(
        raw,
        target.strip(),
        shown.strip() if bar else None,
        begin if known else -1,
        stop + 1 if known else -1,
    )


def _where(placed: Sequence[_Line], position: int) -> int:
    """The character of the text that stands at a position of inline content; -1 if unknown."""
    for line in placed:
        if line.at <= position < line.at + line.length:
            if line.source < 0:
                return -1
            column = position - line.at
            shift = line.content.count("|", 0, column + 1) if line.escaped else 0
            return line.source + column + shift
    return -1


def _prose(
    placed: Sequence[_Line], covered: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Ranges of the text that are neither code nor links; a line of a table's cell is whole."""
    for line in placed:
        if line.source < 0:
            continue
        at = line.at
        for start, end in [*covered, (line.at + line.length,) * 2]:
            begin, stop = max(at, line.at), min(start, line.at + line.length)
            if begin < stop and not line.escaped:
                yield line.source + begin - line.at, line.source + stop - line.at
            at = max(at, end)
