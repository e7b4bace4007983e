"""Who bears a name, as the rules for names see it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from app.entities.clusters import Link
from app.entities.names import UNKNOWN

SHORT_TO_WHOLE = 2  # weight of a whole name, so that it stands for a short one
SAME_NAME = 1  # weight of the entity that stands for others of its name


@dataclass(frozen=True, slots=True)
class Bearer:
    """An entity; `key` is the name that it was made under, `speaks` whether texts are its own."""

    id: str
    root: str
    key: str
    keys: frozenset[str]
    name: str
    type: str
    marks: frozenset[str]
    speaks: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    """A word that is a name by itself (`alone`) and with which others begin (`whole`).

    `parts` are the entities in sets of those that are one as far as curators and the rule for
    same names know; `is_surname` tells whether the last name of a person there is this word, and
    `waits` whether a name that begins with it waits in a passage, and is none of theirs.
    """

    scope: str
    word: str
    alone: Sequence[Bearer]
    whole: Sequence[Bearer]
    parts: Sequence[Collection[str]]
    is_surname: bool = False
    waits: bool = False

    def sets_of(self, bearers: Collection[Bearer]) -> int:
        """How many things some entities are."""
        ids = {bearer.id for bearer in bearers}
        return sum(1 for part in self.parts if not ids.isdisjoint(part))

    def one_of_each(self, bearers: Collection[Bearer]) -> list[Bearer]:
        """Of every thing that some entities are, one entity that stands for it here."""
        found: dict[int, Bearer] = {}
        for bearer in sorted(bearers, key=lambda b: (b.type == UNKNOWN, b.id)):
            home = next(i for i, part in enumerate(self.parts) if bearer.id in part)
            found.setdefault(home, bearer)
        return list(found.values())


def link(other: str, meant: str, weight: int) -> Link:
    """A tie by which `meant` stands for both, in whatever order they came."""
    left, right = sorted((other, meant))
    return Link(left, right, weight * (left == meant), weight * (right == meant))
