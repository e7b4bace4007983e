"""Kinds that own themselves: declared once by their slice, read by the engines.

A slice writes one struct and one `Kind`; `app/kinds.py` lists every declaration. Export, import,
digest, erasure, deletion of scopes, checks of an erasure and `loci verify` work on the list, so
that a further kind needs no line of theirs. Every declared node bears the label `Declared` beside
its own, and the properties `id`, `scope`, `tenant`, `kind` and `people`; a part of another kind has
`whole`, the id of that node, and an edge `PART_OF` to it. One that refers to another node has
`refers`, the id of that node, and is asked what is left of it when that node is erased.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Generic, Protocol, Self, TypeVar

import orjson
from pydantic import BaseModel, StringConstraints

from app.kernel.ids import ID, digest
from app.kernel.vocab import Label
from app.kernel.wire import WireModel

PLAIN = (str, int, float, bool, datetime)  # what a property holds as it is
SEPARATORS = "-_.:~"  # what parts the words of a name that a program gave
_AS_BLANKS = str.maketrans(SEPARATORS, " " * len(SEPARATORS))


class Place(Protocol):
    """Gives what stands here for the id of a node and its scope."""

    def __call__(self, identifier: str, scope: str, *, older: bool = False) -> tuple[str, str]:
        """Return both; `older` tells that the node is of no declared kind."""


@dataclass(frozen=True, slots=True)
class Gone:
    """Whom an erasure forgets: an author by id, a person by what finds his names in a text, a
    session by id; and ids of what went, which nothing may refer to any more."""

    author: str | None = None
    names: re.Pattern[str] | None = None
    ids: frozenset[str] = frozenset()
    session: str | None = None

    def wrote(self, principal: str) -> bool:
        """Return whether this principal is the author who is forgotten."""
        return self.author is not None and principal == self.author

    def took(self, identifier: str | None) -> bool:
        """Return whether the node of this id went."""
        return identifier in self.ids

    def named(self, text: str) -> bool:
        """Return whether a text names the person who is forgotten, or a key or tag does, such as
        `thomas-weber`."""
        found = self.names.search if self.names is not None else None
        return found is not None and any(found(each) for each in (text, spaced(text)))

    def ended(self, session: str | None) -> bool:
        """Return whether the session of this id is forgotten."""
        return self.session is not None and session == self.session


@dataclass(frozen=True, slots=True)
class Searched:
    """What search finds a value by: its text, and when it was said or made.

    `session` is any id that searches may keep to. From `until` on the value is no longer current:
    only a search about an earlier moment finds it.
    """

    text: str
    at: datetime
    title: str = ""
    session: str = ""
    tags: tuple[str, ...] = ()
    until: datetime | None = None


class Stored(WireModel):
    """One value of a declared kind, as it is stored and exported.

    A subclass adds its fields. A field that is an object or a list of objects is stored as JSON in
    a string property; its type reads both (`unpacked`).
    """

    id: Annotated[str, StringConstraints(pattern=ID.pattern.replace(r"\Z", "$"), max_length=128)]
    scope: Annotated[str, StringConstraints(min_length=1, max_length=200)]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """Read a node's properties; those that are no field are ignored."""
        return cls.model_validate(
            {name: row[name] for name in cls.model_fields if row.get(name) is not None}
        )

    def row(self) -> dict[str, Any]:
        """Return the properties of the node; null removes one."""
        own = {name: _packed(getattr(self, name)) for name in type(self).model_fields}
        return {**own, **self.derived()}

    def derived(self) -> dict[str, Any]:
        """Return properties that follow from the fields, for indexes."""
        return {}

    def searched(self) -> Searched | None:
        """Return what search finds the value by; None where it never does. Only a kind with an
        `entry` is asked."""
        return None

    def refers(self) -> str | None:
        """Return the id of the node that the value refers to, beside what it is a part of."""
        return None

    def relocated(self, place: Place) -> Self:
        """Return the value with the ids of other nodes replaced, where a package takes them to
        other scopes."""
        return self

    def people(self) -> Iterable[str]:
        """Return the ids of all principals that the value names."""
        return ()

    def spoken_in(self) -> str | None:
        """Return the id of the session that the value goes with, which its property `session` has
        too; None for a value that outlives all of them."""
        return None

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the value with every principal replaced by what `name` gives for it."""
        return self

    def without(self, gone: Gone) -> Self | None:
        """Return what is left where somebody is forgotten; None where the value goes whole."""
        return None


S = TypeVar("S", bound=Stored)
# A kind's name, a value and what search finds it by, to the properties of both search indexes.
Entry = Callable[[str, "Stored", Searched], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Readable:
    """That whoever reads the scope of a value may read it, as over REST; `hidden` names fields that
    nobody is shown. A part is read below its whole, as far as what it refers to is visible."""

    hidden: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Kind(Generic[S]):
    """A kind as its slice declares it.

    `identity` names the fields that the id follows from, beside the scope; without them an id is
    given and kept. `sanitised` names the fields whose strings were written by clients: texts, or
    JSON at any depth; in those of them that are `secretive`, names of fields tell of secrets.
    `part_of` is the kind that this one goes with: it has the fields of that
    kind's identity, or in the field `whole` the id of its node. `changed` names the moment that
    tells a new value from one erased before. What is not `exported` is in no package and no digest;
    what is `guarded` is told to fewer than see its scope, and only who administers that exports it.
    What is `narrow` is told to fewer as well, while packages of others bring it.
    `plural` is the word for several of it, where that is not the name with an s. What is `readable`
    has types and fields of GraphQL.
    """

    name: str
    struct: type[S]
    label: Label
    identity: tuple[str, ...] = ()
    sanitised: tuple[str, ...] = ()
    secretive: tuple[str, ...] = ()
    part_of: Kind[Any] | None = None
    whole: str | None = None
    changed: str | None = None
    exported: bool = True
    guarded: bool = False
    narrow: bool = False
    entry: Entry | None = None
    recalled: bool = False
    plural: str = ""
    readable: Readable | None = None

    @property
    def many(self) -> str:
        """The word for several of it."""
        return self.plural or f"{self.name}s"

    @property
    def is_told_to_few(self) -> bool:
        """Whether fewer than see its scope are told of it, or of what it is a part of: how much of
        it there is, is told to who administers the scope."""
        above = self.part_of is not None and self.part_of.is_told_to_few
        return self.guarded or self.narrow or above

    @property
    def file(self) -> str:
        """The name of its file in a package."""
        return f"{self.many}.jsonl"

    def id_of(self, scope: str, *values: object) -> str:
        """Return the id of the value with this identity in a scope."""
        return digest(self.name, scope, *(str(value) for value in values))[:32]

    def placed(self, value: S) -> S:
        """Return the value with the id that follows from its scope and identity."""
        if not self.identity:
            return value
        own = self.id_of(value.scope, *(getattr(value, name) for name in self.identity))
        return value.model_copy(update={"id": own})

    def whole_of(self, value: S) -> str | None:
        """Return the id of the node that the value is a part of; None where it is none."""
        above = self.part_of
        if above is None:
            return None
        if self.whole is not None:
            return str(getattr(value, self.whole))
        return above.id_of(value.scope, *(getattr(value, name) for name in above.identity))

    def row(self, value: S) -> dict[str, Any]:
        """Return all properties of the node."""
        return {
            **value.row(),
            "kind": self.name,
            "tenant": value.scope.partition("/")[0],
            "people": sorted({one for one in value.people() if one}),
            "whole": self.whole_of(value),
            "refers": value.refers(),
            **self._indexed(value),
        }

    @property
    def labels(self) -> list[str]:
        """The labels of its nodes beside `Declared`."""
        found = (Label.MEMORY.value, Label.SEARCHABLE.value) if self.entry else ()
        return [self.label.value, *found]

    def _indexed(self, value: S) -> dict[str, Any]:
        """Return what both search indexes hold of a value.

        Raises ValueError where a field of the struct says something else than the entry.
        """
        found = value.searched() if self.entry else None
        if self.entry is None or found is None:
            return {}
        entry = self.entry(self.name, value, found)
        own = value.row()
        for name in entry.keys() & own.keys():
            if own[name] is not None and own[name] != entry[name]:
                raise ValueError(f"{self.name}.{name} is a property of the search index")
        return entry

    def concerns(self, value: S, gone: Gone) -> bool:
        """Return whether a value names somebody: as a principal, or in what clients wrote."""
        if gone.author is not None and gone.author in value.people():
            return True
        if gone.ended(value.spoken_in()):
            return True
        texts = (getattr(value, name) for name in self.sanitised)
        return any(gone.named(text) for text in strings_in(list(texts)))

    def new(self, value: S, line: int = 0) -> dict[str, Any]:
        """Return the row that `kinds.restore` writes."""
        return {
            "line": line,
            "scope": value.scope,
            "id": value.id,
            "labels": self.labels,
            "properties": self.row(value),
        }


def spaced(text: str) -> str:
    """Return a text with one blank for each run of blanks, hyphens, dots and their like."""
    return " ".join(text.translate(_AS_BLANKS).split())


def strings_in(value: Any) -> Iterator[str]:
    """Yield every string of a JSON value, names of fields too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from strings_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_in(inner)


def unpacked(given: Any) -> Any:
    """Return the value of a JSON property; anything but a string is the value already.

    Raises ValueError for a string that is no JSON.
    """
    return orjson.loads(given) if isinstance(given, str) else given


def _packed(value: Any) -> Any:
    if isinstance(value, StrEnum):
        return value.value
    if value is None or isinstance(value, PLAIN):
        return value
    if isinstance(value, tuple | list) and all(isinstance(each, str) for each in value):
        return list(value)
    return orjson.dumps(_jsonable(value)).decode()


def _jsonable(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, tuple | list):
        return [_jsonable(each) for each in value]
    return value
