"""What is done to the characters of every text: NFC, none hidden, no controls, no surrogates."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from app.sanitize.hidden import hidden
from app.sanitize.trace import Edit, Traced

# C0 and C1 without tab and line feed, DEL, and surrogates, which no UTF-8 text can hold.
# A carriage return is dropped where a line feed follows it, and becomes one where none does.
_UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0d\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
# Nothing below U+0300 composes with what stands before it, so such a run is a closed stretch.
_COMPOSABLE = re.compile(".?[\u0300-\U0010ffff]+", re.DOTALL)


def normalise(text: str) -> Traced:
    """The text in NFC, without hidden characters, and without controls but `\\n` and `\\t`."""
    traced = Traced.of(text)
    if _UNWANTED.search(text):
        traced = traced.edit(_drop(text))
    traced = reveal(traced)
    if not traced.text.isascii() and not unicodedata.is_normalized("NFC", traced.text):
        traced = traced.edit(_compose(traced.text))
    return traced


def reveal(traced: Traced) -> Traced:
    """The text without hidden characters; where one goes, another may no longer be needed."""
    while edits := hidden(traced.text):
        traced = traced.edit(edits)
    return traced


def visible(text: str) -> str:
    """The text as it is seen: nothing of it hidden, and else unchanged."""
    return reveal(Traced.of(text)).text


def visible_tree(value: Any) -> Any:
    """The same of every text and name in a JSON value; RecursionError where it is too deep."""
    if isinstance(value, str):
        return value if value.isascii() else visible(value)
    if isinstance(value, dict):
        return {visible_tree(name): visible_tree(item) for name, item in value.items()}
    return [visible_tree(item) for item in value] if isinstance(value, list) else value


def _drop(text: str) -> list[Edit]:
    return [
        Edit(match.start(), match.end(), _instead(text, match))
        for match in _UNWANTED.finditer(text)
    ]


def _instead(text: str, match: re.Match[str]) -> str:
    lone = match.group() == "\r" and text[match.end() : match.end() + 1] != "\n"
    return "\n" if lone else ""


def _compose(text: str) -> list[Edit]:
    """Edits that make the text NFC, one for each stretch that differs."""
    edits = []
    for match in _COMPOSABLE.finditer(text):
        composed = unicodedata.normalize("NFC", match.group())
        if composed != match.group():
            edits.append(_tight(match, composed))
    return edits


def _tight(match: re.Match[str], composed: str) -> Edit:
    """The edit without what both forms share at the front and at the end."""
    before = match.group()
    front = _shared(before, composed)
    back = _shared(before[front:][::-1], composed[front:][::-1])
    return Edit(match.start() + front, match.end() - back, composed[front : len(composed) - back])


def _shared(one: str, other: str) -> int:
    """How many characters both begin with."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count
