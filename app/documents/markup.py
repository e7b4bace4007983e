"""HTML and Markdown to text: blocks in order, headings with their level, tables row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import lxml.html
from lxml import etree
from markdown_it import MarkdownIt

from app.documents.flow import BLANKS, Flow, one_line
from app.documents.model import Parsed
from app.errors import FileBroken

HEADINGS = {f"h{level}": level for level in range(1, 7)}
DROPPED = {
    "script", "style", "noscript", "template", "head", "iframe", "object", "embed", "svg", "math",
    "canvas", "audio", "video", "select", "button", "input", "textarea",
}  # fmt: skip
ASIDE = {"nav", "footer", "aside"}
BLOCKS = {
    "p", "div", "section", "article", "main", "header", "blockquote", "ul", "ol", "dl", "table",
    "thead", "tbody", "tfoot", "caption", "figure", "figcaption", "address", "details", "summary",
    "form", "fieldset", "body", "html", "center", "hr", *ASIDE,
}  # fmt: skip
ITEMS = {"li": "- ", "dt": "", "dd": "  "}
BREAK = "\x1e"  # stands for <br> until a block is written

Node = Any  # lxml's elements


def parse_html(data: bytes, limit: int) -> Parsed:
    """The text of an HTML page; navigation is left out where there is more than that."""
    parser = lxml.html.HTMLParser(
        remove_comments=True, remove_pis=True, huge_tree=True, encoding=encoding_of(data)
    )
    try:
        root = lxml.html.document_fromstring(data, parser=parser, ensure_head_body=True)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise FileBroken("the page holds no HTML that can be read") from error
    if any(entry.level_name == "FATAL" for entry in parser.error_log):
        # What follows such a place was dropped without a word.
        raise FileBroken("the page is nested too deeply, or goes beyond a limit of the parser")
    found = root.find(".//title")
    title = found.text_content() if found is not None else ""
    return _written(root, title, limit)


def parse_markdown(text: str, limit: int) -> Parsed:
    """The text of a Markdown file (CommonMark with tables), without its markup and front matter.

    A title in the front matter is the title; else the first heading of the first level is.
    """
    named, body = front_matter(text)
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(body)
    if not html.strip():
        return Parsed("", (), named)
    try:
        root = lxml.html.document_fromstring(html)
    except etree.ParserError:  # nothing but a comment, or the end of what never began
        return Parsed("", (), named)
    parsed = _written(root, named, limit)
    first = next((h.title for h in parsed.headings if h.level == 1), "")
    return Parsed(parsed.text, parsed.headings, parsed.title or first)


def front_matter(text: str) -> tuple[str, str]:
    """The title that a block of front matter names, and the text without the block."""
    if not text.startswith("---\n"):
        return "", text
    end = text.find("\n---", 3)
    if end < 0:
        return "", text
    for line in text[4:end].splitlines():
        key, colon, value = line.partition(":")
        if colon and key.strip() == "title":
            return value.strip().strip("\"'"), text[end + 4 :]
    return "", text[end + 4 :]


def encoding_of(data: bytes) -> str | None:
    """UTF-8 where the bytes are; None leaves it to what the page says."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return "utf-8"


def _written(root: Node, title: str, limit: int) -> Parsed:
    flow = Flow(limit)
    body = _main(root)
    _Walk(flow, DROPPED | (ASIDE if body.tag == "body" else set())).walk(body)
    if not flow.length:
        _Walk(flow, DROPPED).walk(body)
    return flow.parsed(title)


def _main(root: Node) -> Node:
    """The one part that the page itself calls its main one, else all of it."""
    for path in (".//main", ".//article"):
        found = root.findall(path)
        if len(found) == 1 and len(one_line(found[0].text_content())) >= 200:
            return found[0]
    body = root.find(".//body")
    return root if body is None else body


class _Walk:
    """Goes through a tree in the order of the text and writes its blocks.

    Without recursion: the depth of a page is for whoever made it to choose.
    """

    def __init__(self, flow: Flow, dropped: set[str]) -> None:
        self._flow = flow
        self._dropped = dropped
        self._line: list[str] = []
        self._lead = ""
        self._gap = "\n\n"

    def walk(self, root: Node) -> None:
        """Write everything below `root`."""
        todo: list[Callable[[], None] | Node] = [root]
        while todo:
            step = todo.pop()
            if callable(step):
                step()
            else:
                todo.extend(reversed(list(self._steps(step))))
        self._flush()

    def _steps(self, node: Node) -> Iterator[Callable[[], None] | Node]:
        tag = node.tag if isinstance(node.tag, str) else ""
        if tag and tag not in self._dropped:
            yield from self._inside(tag, node)
        if node.tail:
            yield lambda: self._line.append(node.tail)

    def _inside(self, tag: str, node: Node) -> Iterator[Callable[[], None] | Node]:
        if tag in HEADINGS:
            yield self._flush
            yield lambda: self._flow.heading(node.text_content(), HEADINGS[tag])
        elif tag == "pre":
            yield self._flush
            yield lambda: self._verbatim(node)
        elif tag == "br":
            yield lambda: self._line.append(BREAK)
        elif tag == "tr":
            yield self._flush
            yield lambda: self._row(node)
        elif tag in ITEMS:
            yield lambda: self._item(ITEMS[tag])
            yield from self._content(node)
            yield self._flush
        elif tag in BLOCKS:
            yield self._flush
            yield from self._content(node)
            yield self._flush
        else:
            yield from self._content(node)

    def _content(self, node: Node) -> Iterator[Callable[[], None] | Node]:
        if node.text:
            yield lambda: self._line.append(node.text)
        yield from node

    def _item(self, lead: str) -> None:
        self._flush()
        self._lead, self._gap = lead, "\n"

    def _row(self, node: Node) -> None:
        cells = [one_line(cell.text_content()) for cell in node if cell.tag in ("td", "th")]
        if any(cells):
            self._flow.block(" | ".join(cells), "\n")

    def _verbatim(self, node: Node) -> None:
        self._flow.block(node.text_content().strip("\n"))

    def _flush(self) -> None:
        text = BLANKS.sub(" ", "".join(self._line).replace("\n", " "))
        lines = [line.strip() for line in text.split(BREAK)]
        body = "\n".join(lines).strip()
        self._line.clear()
        if body:
            self._flow.block(self._lead + body, self._gap)
            self._lead, self._gap = "", "\n\n"
