"""A value that is held outside the search indexes, as a search judges it beside memories. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from app.contexts.entries import text_field, text_of
from app.embeddings.tokens import count_tokens
from app.indexing.analysis import analyse, detect_language
from app.indexing.entry import joined
from app.kernel.graph import Row


class Where(StrEnum):
    """What holds a value, in the order in which a key is looked for."""

    WORKING = "working"
    SHORT_TERM = "short_term"
    SHARED = "shared"


@dataclass(frozen=True, slots=True)
class Held:
    """A value under a key: `id` is its entry's, or its pool's name; `at` is when it was written."""

    where: Where
    id: str | None
    key: str
    scope: str
    value: Any
    at: datetime
    ends_at: datetime | None = None
    importance: float | None = None

    @property
    def name(self) -> str:
        """What tells it from every other one; no memory has such an id."""
        return f"{self.where}:{self.scope}:{self.id or ''}:{self.key}"

    @property
    def text(self) -> str:
        """What it says by itself."""
        return told(self.key, self.value)


def told(key: str, value: Any) -> str:
    """Return what a value says by itself: its text, and before what is no text of several words its
    key; the empty string for what is empty."""
    if value in (None, "", [], {}):
        return ""
    said = text_of(value)
    worded = isinstance(value, str) or text_field(value) is not None
    return said if worded and len(said.split(maxsplit=1)) > 1 else f"{key}: {said}"


def row_of(held: Held) -> Row:
    """Return a value as a search reads a memory: its words, those of its key as what it is about,
    its language and its moment."""
    text = held.text
    language = detect_language(text)
    return {
        "id": held.name,
        "kind": held.where.value,
        "scope": held.scope,
        "content": text,
        "title": None,
        "language": language,
        "terms": joined(analyse(text, language)),
        "about_terms": joined(analyse(held.key, language)),
        "captured_at": held.at,
        "tokens": count_tokens(text),
    }


def fitting(found: Sequence[Held], each: int, most: int) -> list[Held]:
    """Return the values that have so many characters together, and those of each pool so many, the
    first ones before others; one that does not fit, or says nothing, is left out, and those behind
    it are not."""
    rooms: dict[tuple[str, str | None], int] = {}
    kept = []
    for one in found:
        place, size = (one.scope, one.id), len(one.text)
        room = rooms.get(place, each) if one.where is Where.SHARED else most
        if 0 < size <= min(room, most):
            most -= size
            rooms[place] = room - size
            kept.append(one)
    return kept
