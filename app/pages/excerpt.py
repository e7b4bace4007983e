"""A few words around a place in a text. Pure."""

from __future__ import annotations

from collections.abc import Iterable

REACH = 90  # characters on either side


def excerpt(text: str, start: int, end: int) -> str:
    """The words around `[start, end)` on one line, with an ellipsis where words were left out."""
    begin = max(0, start - REACH)
    stop = min(len(text), end + REACH)
    if begin > 0:
        begin = _after_blank(text, begin, start)
    if stop < len(text):
        stop = _before_blank(text, end, stop)
    shown = " ".join(text[begin:stop].split())
    return f"{'… ' if begin > 0 else ''}{shown}{' …' if stop < len(text) else ''}"


def around_link(text: str, raws: Iterable[str]) -> str:
    """The words around the first of these links; empty where the text has none of them."""
    for raw in raws:
        for written in (raw, raw.replace("|", r"\|")):
            at = text.find(written)
            if at >= 0:
                return excerpt(text, at, at + len(written))
    return ""


def _after_blank(text: str, begin: int, start: int) -> int:
    found = next((i for i in range(begin, start) if text[i].isspace()), begin)
    return found if found > begin or text[begin].isspace() else begin


def _before_blank(text: str, end: int, stop: int) -> int:
    return next((i for i in range(stop, end, -1) if text[i - 1].isspace()), stop)
