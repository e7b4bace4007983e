"""A format of another program: how it is recognised, and what one of its items becomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from app.kernel.ids import digest
from app.kernel.leaf import leaf_of
from app.portability.foreign.values import SHORT, cut, filled, is_set, labels, short, tagged, whole
from app.sanitize.metadata import ROOM, kept, size_of

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
    apart: bool = False  # whether what is of a user goes to the leaf of that user
    users: set[str] = field(default_factory=set)  # digests of those whose memories were read
    shared: int = 0  # items of nobody, where users are kept apart
    leaves: dict[str, str] = field(default_factory=dict)  # ids of users, by paths that are others

    def of_user(self, user: Any) -> Reading:
        """The reading of what belongs to a user: into the leaf of that user where users are kept
        apart. There what is no id, such as an object, is left for the import to refuse."""
        if not is_set(user) or (isinstance(user, str) and not user.strip()):
            return self
        if short(user) is None:
            return replace(self, scope=f"{self.scope}/user:") if self.apart else self
        self.users.add(digest("user", whole(user))[:16])
        return self._at_leaf(str(user)) if self.apart else self

    def _at_leaf(self, user: str) -> Reading:
        leaf = leaf_of(user)
        path = f"{self.scope}/user:{leaf}"
        if leaf != user:
            self.leaves[path] = " ".join(whole(user).split())[:SHORT]
        return replace(self, scope=path)

    def lose(self, *names: str) -> None:
        """Count what is not kept, by the name of its field."""
        for name in names:
            known = " ".join(whole(name).split())[:80]
            full = len(self.lost) >= MOST_NAMES and known not in self.lost
            self.lost[OTHERS if full else known] += 1

    def rest(
        self,
        item: Mapping[str, Any],
        used: Collection[str],
        dropped: Collection[str] = (),
        within: str = "",
    ) -> dict[str, Any]:
        """The fields of an item that are set and that its reader does not use, to be kept beside
        its record; those that it drops on purpose are counted as lost."""
        left = {}
        for name, value in item.items():
            if name in used or not is_set(value):
                continue
            if name in dropped:
                self.lose(f"{within}{name}")
            elif name != "updated_at" or value != item.get("created_at"):
                left[name] = value
        return left

    def name(self, field: str, given: Any) -> str | None:
        """A name of at most 200 characters; one that is cut, or is no name, is counted as lost."""
        if cut(given):
            self.lose(field)
        return short(given)

    def id(self, *given: Any) -> str | None:
        """The id of a record: it follows from the format, the scope and the id there, so that a
        second import changes nothing. None where the last part is none."""
        if not given or given[-1] is None or given[-1] == "":
            return None
        return digest("foreign", self.format, self.scope, *map(whole, given))[:32]

    def episode(
        self,
        session: Any,
        content: Any,
        labelled: Any = None,
        categories: Any = None,
        beside: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> Record:
        """An episode. `labelled` and the fields of `beside` are kept as its metadata; plain values
        of `labelled` become tags as well, and so do `categories`."""
        made = filled(
            scope=self.scope,
            session=_plain(self.name("session", session)) or self.format,
            content=content,
            origin=self.format,
            **self._beside(labelled, categories, beside or {}),
            **more,
        )
        return "episode", made | {"content": content}

    def _beside(self, labelled: Any, categories: Any, beside: Mapping[str, Any]) -> dict[str, Any]:
        """The tags and the metadata of a record; what there is no room for is counted as lost."""
        own = labelled if isinstance(labelled, Mapping) else {}
        further = {"metadata": labelled} if is_set(labelled) and labelled is not own else {}
        marks, left = tagged(categories)
        over = {"tags": left} if left else {}
        fields = [(n, n, v) for n, v in (dict(beside) | further | over).items()]
        fields += [(f"metadata.{n}", n, v) for n, v in own.items() if is_set(v)]
        found, lost = kept(fields)
        self.lose(*lost)
        return {"tags": tagged([*marks, *labels(own)])[0], "metadata": found or None}

    def whole(
        self, records: Iterable[Record], name: str, fields: Mapping[str, Any]
    ) -> Iterator[Record]:
        """The records, of which the first episode keeps the fields of the whole that they are
        parts of, under `name`; they are counted as lost where there is none."""
        given = dict(fields)
        for kind, record in records:
            if kind == "episode" and given:
                own = record.get("metadata", {})
                room = ROOM - (size_of(own) or 0)
                found, lost = kept([(f"{name}.{n}", n, v) for n, v in given.items()], room)
                self.lose(*lost)
                given = {}
                record = record | ({"metadata": {**own, name: found}} if found else {})
            yield kind, record
        self.lose(*(f"{name}.{field}" for field in given))

    def session(self, key: Any, **more: Any) -> Record:
        """A conversation."""
        metadata = {k: v for k, v in more.pop("metadata", {}).items() if v is not None}
        return "session", filled(
            scope=self.scope,
            key=_plain(short(key)) or self.format,
            metadata=metadata or None,
            **more,
        )

    def note(
        self,
        content: Any,
        labelled: Any = None,
        categories: Any = None,
        beside: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> Record:
        """A note of knowledge, with its tags and metadata as an episode has them. Of one that has
        an end, the end was known when its first store knew the note, unless it is told otherwise.
        """
        own = self._beside(labelled, categories, beside or {})
        if more.get("valid_to") and not more.get("superseded_at"):
            more["superseded_at"] = more.get("ingested_at") or self.at
        made = filled(scope=self.scope, namespace="knowledge", **own, **more)
        return "note", made | {"content": content}


def _plain(session: str | None) -> str | None:
    """The name of a session; one with an address, which no session may be called by, is called as
    the leaf of a user of that name."""
    return leaf_of(session) if session and "@" in session else session


FILE = 1 << 40  # a place is a line, or an item, plus this times the number of its file
Items = Callable[[Path], Iterator[tuple[int, str | None, Any]]]
Reader = Callable[[Reading, str | None, dict[str, Any]], Iterator[Record]]


def of_file(member: str) -> str:
    """What the text of a member that tells of the whole file goes by in the names of a reading."""
    return f"of the file: {member}"


@dataclass(frozen=True, slots=True)
class Format:
    """A format. `read` gives the records of one item, `name` being the member of the file that
    holds it, and `lists` names those members. Where `learn` is given, all items go through it
    before the first is read. `fields` tells by which field a field of ours comes, and `texts` as
    which field a plain text is read, by the member that holds it. `tells` names members that say
    something of the whole file: their texts are in the reading's names as `of_file` calls them.
    `user` is the field that names whose an item is; none where no item says so. `about` has members
    that `learn` reads and that hold no items, each with the fields that it takes of their objects.
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
    texts: Mapping[str, str] = field(default_factory=dict)  # members that hold plain texts too
    tells: frozenset[str] = frozenset()
    user: str | None = None
    about: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
