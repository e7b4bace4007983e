"""A format of another program: how it is recognised, and what one of its items becomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from app.kernel.ids import digest
from app.portability.foreign.values import filled, labels, short, tags, whole

MOST_NAMES = 100  # of what is told to be lost; further ones count together
OTHERS = "other fields"

Record = tuple[str, Any]  # the kind of a line of a package, and what it says
Shape = Literal["folder", "list", "object", "lines", "table", "none"]


@dataclass(frozen=True, slots=True)
class Probe:
    """The beginning of a file or folder: the first item, and the members of an object by name."""

    path: Path
    shape: Shape
    first: Mapping[str, Any] = field(default_factory=dict)
    members: Mapping[str, Any] = field(default_factory=dict)

    def listed(self, *names: str) -> Mapping[str, Any]:
        """The first item of a list or of lines; of an object that of the member so named."""
        if self.shape in ("list", "lines"):
            return self.first
        found = next((self.members[name] for name in names if name in self.members), None)
        return found if isinstance(found, dict) else {}


@dataclass(slots=True)
class Reading:
    """One reading of one file: where its records go, and what of it is not kept."""

    format: str
    scope: str
    at: str  # when the file was last changed: the moment of what has none of its own
    mapping: Mapping[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)  # what ids of things stand for
    lost: Counter[str] = field(default_factory=Counter)
    items: int = 0

    def lose(self, *names: str) -> None:
        """Count what is not kept, by the name of its field."""
        for name in names:
            known = " ".join(whole(name).split())[:80]
            full = len(self.lost) >= MOST_NAMES and known not in self.lost
            self.lost[OTHERS if full else known] += 1

    def rest(self, item: Mapping[str, Any], known: Iterable[str], within: str = "") -> None:
        """Count the fields of an item that are set, and that its reader does not know."""
        kept = frozenset(known)
        empty: tuple[Any, ...] = ("", [], {})
        self.lose(
            *(
                f"{within}{name}"
                for name, value in item.items()
                if name not in kept and value is not None and value not in empty
            )
        )

    def id(self, *given: Any) -> str | None:
        """The id of a record: it follows from the format, the scope and the id there, so that a
        second import changes nothing. None where the last part is none."""
        if not given or given[-1] is None or given[-1] == "":
            return None
        return digest("foreign", self.format, self.scope, *map(whole, given))[:32]

    def episode(
        self, session: Any, content: Any, labelled: Any = None, categories: Any = None, **more: Any
    ) -> Record:
        """An episode; plain values of `labelled` become tags of it."""
        own, lost = labels(labelled)
        self.lose(*(f"metadata.{name}" for name in lost))
        made = filled(
            scope=self.scope,
            session=short(session) or self.format,
            content=content,
            origin=self.format,
            tags=tags(categories, *own),
            **more,
        )
        return "episode", made | {"content": content}

    def session(self, key: Any, **more: Any) -> Record:
        """A conversation."""
        metadata = {k: v for k, v in more.pop("metadata", {}).items() if v is not None}
        return "session", filled(
            scope=self.scope, key=short(key) or self.format, metadata=metadata or None, **more
        )

    def note(self, content: Any, **more: Any) -> Record:
        """A note of knowledge."""
        made = filled(scope=self.scope, namespace="knowledge", **more)
        return "note", made | {"content": content}


FILE = 1 << 40  # a place is a line, or an item, plus this times the number of its file
Items = Callable[[Path], Iterator[tuple[int, str | None, Any]]]
Reader = Callable[[Reading, str | None, dict[str, Any]], Iterator[Record]]


def nothing(reading: Reading, name: str | None, item: dict[str, Any]) -> None:
    """Learn nothing of an item before all are read."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format. `read` gives the records of one item, `name` being the member of the file that
    holds it, and `lists` names those members. Where `learn` is given, all items go through it
    before the first is read. `fields` tells by which field a field of ours comes.
    """

    name: str
    recognises: Callable[[Probe], bool]
    read: Reader
    lists: frozenset[str | None] = frozenset([None])
    fields: Mapping[str, str] = field(default_factory=dict)
    learn: Callable[[Reading, str | None, dict[str, Any]], None] | None = None
    items: Items | None = None  # its own way through the file
    names: Callable[[Path], list[str]] | None = None  # of the files in a folder, for its places
    kind: str = "episode"  # what an item that is no object is refused as
