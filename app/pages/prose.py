"""What a page says, without its Markdown: what is cut into passages, read and embedded. Pure.

A link reads as its text. Code stays, since people look for it; HTML and front matter do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from markdown_it.token import Token

from app.documents.flow import Flow
from app.documents.model import Parsed
from app.pages.front_matter import body_start
from app.pages.wikilink import tokens

_ROOM = 2  # the text is at most so many times as long as its Markdown: gaps between blocks


def plain(text: str) -> Parsed:
    """The text of a page with the places of its headings."""
    body = text[body_start(text) :]
    flow = Flow(_ROOM * len(body) + 1000)
    level, cells = 0, list[str]()
    item = False
    for token in tokens(body):
        if token.type == "heading_open":
            level = int(token.tag[1:])
        elif token.type == "list_item_open":
            item = True
        elif token.type == "inline" and level:
            flow.heading(shown(token.children or ()), level)
            level = 0
        elif token.type == "inline" and cells:
            cells.append(shown(token.children or ()))
        elif token.type == "tr_open":
            cells = [""]
        elif token.type == "tr_close":
            flow.block(" | ".join(cells[1:]), "\n")
            cells = []
        elif token.type in ("inline", "fence", "code_block"):
            words = shown(token.children or ()) if token.type == "inline" else token.content
            flow.block(f"- {words}" if item else words.strip("\n"), "\n" if item else "\n\n")
            item = False
    return flow.parsed()


def shown(children: Sequence[Token]) -> str:
    """Inline content as it reads."""
    return "".join(_words(children))


def _words(children: Sequence[Token]) -> Iterator[str]:
    for token, after in zip_longest(children, children[1:]):
        if token.type == "wikilink":
            target, bar, text = token.content[2:-2].partition("|")
            yield (text if bar else target).strip()
        elif token.type in ("text", "text_special", "code_inline"):
            embeds = after is not None and after.type == "wikilink"
            yield token.content.removesuffix("!") if embeds else token.content
        elif token.type == "image":
            yield shown(token.children or ())
        elif token.type == "softbreak":
            yield " "
        elif token.type == "hardbreak":
            yield "\n"
