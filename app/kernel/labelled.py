"""Kinds whose nodes have a label of their own, declared once by their slice.

They are older than `app/kernel/kind.py`: their nodes do not bear `Declared`, and have edges and
properties of the search indexes that only the queries of their slice write. A slice declares one
struct and one `LabelledKind`; `LABELLED` in `app/kinds.py` lists the declarations, and the engines
read it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Self, TypeVar

from app.kernel.clock import FOREVER
from app.kernel.cypher import Query
from app.kernel.ids import digest
from app.kernel.scope import parse_scope
from app.kernel.vocab import Label
from app.kernel.wire import WireModel

# Moments of which a package says nothing where they are open, and a node FOREVER.
ENDS = frozenset(
    ("valid_to", "retracted_at", "expired_at", "superseded_at", "active_from", "active_to")
)


@dataclass(frozen=True, slots=True)
class Arrival:
    """How a record comes in.

    `name` gives the principal here for the one that a record names, and the importer for none.
    `by_agent` tells that an agent hands it in, who asserts nothing for a user. `levels` say by
    field how private the sanitised texts are.
    """

    name: Callable[[str | None], str]
    by_agent: bool
    levels: Mapping[str, str]


class Recorded(WireModel):
    """One value of a kind, as it is stored and exported.

    A subclass declares its fields; `scope` is one of them.
    """

    @classmethod
    def told(cls, node: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a package says of a node, by field; nothing of an empty text."""
        return {name: None if node.get(name) == "" else node.get(name) for name in cls.model_fields}

    def relocated(self, place: Callable[[str], str]) -> Self:
        """Return the value with each id of a node replaced by what `place` gives for it."""
        return self

    def arrived(self, arrival: Arrival) -> Self:
        """Return the value as it may be taken in: on whose word, and how private."""
        return self

    def row(self, identifier: str, at: datetime) -> dict[str, Any]:
        """Return all properties of the node; `at` is when Loci learnt of it."""
        own = self.model_dump(exclude_none=True)
        ends = {name: own.get(name, FOREVER) for name in ENDS & type(self).model_fields.keys()}
        tenant = parse_scope(own["scope"]).tenant
        return {**own, **ends, "id": identifier, "tenant": tenant, "ingested_at": at}

    def beside(self, identifier: str) -> dict[str, Any]:
        """Return what the kind's `restore` writes beside the node, by name."""
        return {}

    def graves(self, identifier: str) -> tuple[str, ...]:
        """Return what an erasure of the value buried, so that it does not come back."""
        return (identifier,)


R = TypeVar("R", bound=Recorded)


@dataclass(frozen=True, slots=True)
class Links:
    """Edges between values of one kind, each a record of its own.

    The struct has `scope`, `type`, the ids `ends` of both values, `reason` and `recorded_at`.
    """

    name: str
    struct: type[WireModel]
    ends: tuple[str, str]
    restore: Query

    @property
    def file(self) -> str:
        """The name of the file in a package."""
        return f"{self.name}s.jsonl"


@dataclass(frozen=True, slots=True)
class Erasing:
    """The queries by which an erasure takes values of a kind, each given `ids`.

    `closure` tells of each the `node`, its `tags`, and what was `derived` from it; `lock` writes
    them first; `drop` takes them out and counts that.
    """

    closure: Query
    lock: Query
    drop: Query


@dataclass(frozen=True, slots=True)
class LabelledKind(Generic[R]):
    """A kind as its slice declares it.

    `pages` reads values of some scopes by their `cursor`, each as `node`, with its `parts` and
    `links`; `restore` writes rows that are new and tells their lines. Without an `identity` an id
    is given and kept, else it follows from `seed`, the scope and those fields. `sanitised` names
    the fields that clients wrote: texts, tags, JSON, or as `versions.content` texts in a list.
    `made` names the properties of nodes that follow from others, which no package holds, and
    `changed` the moment that tells a new value from one erased before.
    """

    name: str
    struct: type[R]
    label: Label
    pages: Query
    restore: Query
    sanitised: tuple[str, ...]
    made: frozenset[str] = frozenset()
    identity: tuple[str, ...] = ()
    seed: str = ""
    cursor: str = "id"
    changed: str = "ingested_at"
    parts: tuple[str, ...] = ()
    links: Links | None = None
    erasing: Erasing | None = None
    shared: bool = False

    @property
    def file(self) -> str:
        """The name of its file in a package."""
        return f"{self.name}s.jsonl"

    @property
    def known(self) -> frozenset[str]:
        """The properties that nothing beside the fields may say."""
        return self.made | self.struct.model_fields.keys()

    def node(self, value: R, at: datetime) -> dict[str, Any]:
        """Return the properties of the node of a value that Loci learns of at a moment."""
        return value.row(self.id_of(value), at)

    def id_of(self, value: R) -> str:
        """Return the id of a value, in the scope that it has."""
        if not self.identity:
            return str(getattr(value, "id"))  # noqa: B009 (each such struct has one)
        names = ("scope", *self.identity)
        return digest(self.seed, *(str(getattr(value, name)) for name in names))[:32]
