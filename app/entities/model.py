"""Entities as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.extraction.model import Mention
from app.kernel.ids import digest


def alias_id(scope: str, key: str) -> str:
    """The id of the node that stands for a name in a scope."""
    return digest("alias", scope, key)[:32]


def entity_id(scope: str, family: str, key: str, discriminator: str = "") -> str:
    """The id of what is minted under a name: the same name always gives the same thing."""
    return digest("entity", scope, family, key, discriminator)[:32]


@dataclass(frozen=True, slots=True)
class Known:
    """An entity as far as resolution asks for it; `root` is the id of its cluster.

    The first of `keys` is the one that it was made under.
    """

    id: str
    root: str
    type: str
    keys: tuple[str, ...]
    aliases: frozenset[str]
    marks: frozenset[str]


@dataclass(frozen=True, slots=True)
class Context:
    """What one episode knows beside its text.

    `at` is when the episode was taken in. `speaker` names the first person, and whose "we" it is;
    `place` is a word for the document or session, and for what the text is about.
    """

    at: datetime
    speaker: str | None = None
    place: str = ""


def place_of(source: str, title: str | None) -> str:
    """A word for where a phrase without a name means one thing: a document or session, and a
    title."""
    return digest("place", source, title or "")[:8]


@dataclass(frozen=True, slots=True)
class Resolved:
    """Which entity a mention is; `key` is the normalised name that it was made under.

    `row` is what `entities.upsert` takes, on the first mention of each entity; it covers all
    mentions of the episode, and writing it also locks the entity.
    """

    mention: Mention
    entity_id: str
    key: str
    row: dict[str, Any] | None
