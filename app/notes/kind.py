"""What the engines need to know of notes, core blocks and patterns of failure.

A note has one struct: it is what a node is made of however the note came to be, and what a
package holds. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from app.episodes.record import tag_rows
from app.facts.claim import Tier
from app.indexing.entry import ENTRY, LIVE, Facts, entry
from app.kernel.clock import FOREVER
from app.kernel.cypher import Q
from app.kernel.fields import Content, Count, Id, Path, Positive, Properties, Text, Unit
from app.kernel.ids import digest
from app.kernel.labelled import Arrival, Erasing, LabelledKind, Links, Recorded
from app.kernel.scope import parse_scope
from app.kernel.vocab import Label
from app.kernel.wire import Moment, ShortText, TagName, Title, WireModel
from app.notes.candidates import namespace_facet
from app.notes.model import KINDS_OF, MADE, Namespace
from app.sanitize import metadata
from app.sanitize.metadata import Metadata
from app.sanitize.privacy import Level, highest, named, number
from app.sanitize.step import SANITIZER_VERSION
from app.values.wording import normal_text

AUTHOR = "loci"  # of the notes that nobody wrote
FOUND = ("held", "superseded")  # standings of what the indexes hold; the rest waits or was rejected
WAITING = "withheld"  # index state of what nobody may find

Word = Literal["verified", "disproved"]
Check = Annotated[  # a word, a blank, and the principal whose word it is
    str, StringConstraints(pattern=r"^(verified|disproved) \S", max_length=400)
]


class NoteVersionRecord(WireModel):
    """A text that a note had before."""

    version: Positive
    content: Content
    recorded_at: Moment
    retracted_at: Moment | None = None


class SourceRecord(WireModel):
    """What a note was made from."""

    kind: Literal["Episode", "Fact", "Note"]
    id: Id


class NoteRecord(Recorded):
    """A free-text memory. `checks` are what principals said of a learning, each by his last word;
    `checked`, `checked_by` and `checked_at` tell of the last one."""

    id: Id
    scope: Path
    namespace: Literal["knowledge", "methods", "project-state", "learnings", "derived", "memories"]
    entry_type: ShortText = "fact"
    content: Content
    title: Title | None = None
    tags: Annotated[tuple[TagName, ...], Field(max_length=32)] = ()
    author: ShortText | None = None
    tier: Annotated[int, Field(ge=0, le=5)] = 1
    standing: Literal["held", "superseded", "quarantined", "rejected"] = "held"
    reason: ShortText | None = None
    valid_from: Moment
    valid_to: Moment | None = None
    superseded_at: Moment | None = None
    confidence: Unit = 0.75
    confirmations: Count = 0
    version: Positive = 1
    updated_at: Moment | None = None
    ingested_at: Moment | None = None
    expired_at: Moment | None = None
    importance: Unit = 0.5
    trust: Unit = 0.5
    is_pinned: bool = False
    markers: tuple[ShortText, ...] = ()
    pii: tuple[ShortText, ...] = ()
    privacy: Level = "none"
    versions: tuple[NoteVersionRecord, ...] = ()
    sources: tuple[SourceRecord, ...] = ()
    subject: Id | None = None
    cluster: ShortText | None = None
    model: ShortText | None = None
    checked: Word | None = None
    checked_by: ShortText | None = None
    checked_at: Moment | None = None
    checks: tuple[Check, ...] = ()
    metadata: Metadata = Field(default_factory=dict)
    stats: Properties = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _older(cls, given: Any) -> Any:
        """Take what older packages say of a check among the further properties."""
        stats = given.get("stats") if isinstance(given, dict) else None
        if not isinstance(stats, dict) or not _CHECKED & stats.keys():
            return given
        said = {name: stats[name] for name in _CHECKED & stats.keys()}
        rest = {name: value for name, value in stats.items() if name not in said}
        return {**said, **given, "stats": rest}

    @staticmethod
    def of(node: Mapping[str, Any]) -> NoteRecord:
        """Return the note of a node, which is taken as it is."""
        told = NoteRecord.told(node)
        return NoteRecord.model_construct(**{k: v for k, v in told.items() if v is not None})

    @classmethod
    def told(cls, node: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a package says of a node, by field."""
        return {
            **super().told(node),
            "markers": node.get("marker_ids"),
            "metadata": metadata.opened(node),
            "privacy": named(node["privacy"]) if node.get("privacy") else None,
        }

    @property
    def is_written(self) -> bool:
        """Return whether somebody wrote it; Loci makes the others of facts or turns."""
        return Namespace(self.namespace) not in MADE

    @property
    def content_hash(self) -> str:
        """Return what two notes share that say the same."""
        of_turns = Namespace(self.namespace) is Namespace.MEMORIES
        return sentence_hash(self.content) if of_turns else digest(self.content)

    def relocated(self, place: Callable[[str], str]) -> Self:
        """Return the note with its id, its subject's and its sources' replaced."""
        sources = tuple(one.model_copy(update={"id": place(one.id)}) for one in self.sources)
        subject = place(self.subject) if self.subject else None
        given = {"id": place(self.id), "subject": subject, "sources": sources}
        return self.model_copy(update=given)

    def arrived(self, arrival: Arrival) -> Self:
        """Return the note as it may be taken in: what Loci makes has its own authority."""
        tier = Tier(self.tier)
        if tier is Tier.USER and arrival.by_agent:
            tier = Tier.QUOTED
        level = highest(self.privacy, arrival.levels.get("content"))  # type: ignore[arg-type]
        author = arrival.name(self.author) if self.is_written else AUTHOR
        tier = tier if self.is_written else Tier.EXTERNAL
        own = {"tier": int(tier), "author": author, "privacy": level}
        return self.model_copy(update=own | self._checked(arrival))

    def _checked(self, arrival: Arrival) -> dict[str, Any]:
        """Return the checks as those of the principals here, each with his last word."""
        words = [each.split(" ", 1) for each in self.checks]
        said = {arrival.name(who): word for word, who in words}
        by = arrival.name(self.checked_by) if self.checked_by else None
        return {"checks": tuple(f"{word} {who}" for who, word in said.items()), "checked_by": by}

    def row(
        self, identifier: str, at: datetime, *, language: str | None = None, session: str = ""
    ) -> dict[str, Any]:
        """Return every property of a node, those of its index entry included."""
        given = self.model_dump(exclude=_APART, exclude_none=True)
        return {
            **self.indexed(at, language=language, session=session),
            **given,
            **{name: getattr(self, name) or FOREVER for name in _ENDS},
            "id": identifier,
            "tenant": parse_scope(self.scope).tenant,
            "content_hash": self.content_hash,
            "tags": list(self.tags),
            "pii": list(self.pii),
            "marker_ids": list(self.markers),
            **({"checks": list(self.checks)} if self.checks else {}),
            "reason": self.reason or "",
            "ingested_at": at,
            "updated_at": self.updated_at or at,
            "index_state": "pending" if self.standing in FOUND else WAITING,
            "sanitizer": SANITIZER_VERSION,
            "windows": 1,
            **metadata.stored(self.metadata),
            **(self._level if self.is_written else {"cited": self._cited}),
        }

    def indexed(
        self, at: datetime, *, language: str | None = None, session: str = ""
    ) -> dict[str, Any]:
        """Return the index entry of the node; a note that is not held now is not live."""
        namespace = Namespace(self.namespace)
        facts = Facts(
            memory_id=self.id,
            scope=self.scope,
            kind=KINDS_OF.get(namespace, "note"),
            captured_at=self.valid_from,
            ingested_at=at,
            session=session,
            title=self.title or "",
            tags=tuple(self.tags),
            expired_at=self.expired_at or FOREVER,
        )
        made = entry(facts, self.content, language)
        made["facets"] = [*made["facets"], namespace_facet(namespace)]
        if self.standing != "held":
            made["live"] = False
            made["facets"] = [facet for facet in made["facets"] if facet != LIVE]
        return made

    def beside(self, identifier: str) -> dict[str, Any]:
        """Return its former texts, its tags, what it was made from, and whether it is found."""
        return {
            "searchable": self.standing in FOUND,
            "versions": [self._former(each, identifier) for each in self.versions],
            "tags": tag_rows(self.scope, self.tags),
            "sources": [one.model_dump() for one in self.sources],
        }

    @property
    def _level(self) -> dict[str, Any]:
        """Return how private it is, and how many turns it was read out of, with which it goes. One
        that is made of others is as private as these are."""
        turns = sum(source.kind == "Episode" for source in self.sources)
        return {"privacy": number(self.privacy), **({"cited": turns} if turns else {})}

    @property
    def _cited(self) -> int:
        """Return how many sources it has of those that it is hidden with."""
        kind = "Fact" if Namespace(self.namespace) is Namespace.DERIVED else "Episode"
        return max(1, sum(source.kind == kind for source in self.sources))

    def _former(self, version: NoteVersionRecord, note: str) -> dict[str, Any]:
        return {
            **version.model_dump(),
            "id": version_id(note, version.version),
            "note": note,
            "scope": self.scope,
            "retracted_at": version.retracted_at or FOREVER,
        }


_ENDS = ("valid_to", "superseded_at", "expired_at")
_APART = {"versions", "sources", "stats", "markers", "privacy", "metadata", "checks"}
_CHECKED = frozenset(("checked", "checked_by", "checked_at"))


def version_id(note: str, version: int) -> str:
    """Return the id of a former text of a note."""
    return f"{note}~v{version}"


def sentence_hash(text: str) -> str:
    """Return a hash of a sentence without its articles, case and punctuation."""
    return digest(normal_text(text))


class NoteLinkRecord(WireModel):
    """Which note took the place of another, or which one waits because of it."""

    scope: Path
    type: Literal["SUPERSEDED_BY", "CONTRADICTS"]
    note: Id
    other: Id
    reason: ShortText | None = None
    recorded_at: Moment


class BlockRecord(Recorded):
    """A text that stands in every bundle of its scope."""

    scope: Path
    kind: Literal["identity", "persona", "redline"]
    content: Annotated[str, StringConstraints(min_length=1, max_length=4_000)]
    author: ShortText | None = None
    version: Positive = 1
    ingested_at: Moment | None = None
    updated_at: Moment | None = None
    expired_at: Moment | None = None

    def arrived(self, arrival: Arrival) -> Self:
        """Return the block with its author here."""
        return self.model_copy(update={"author": arrival.name(self.author)})

    def row(self, identifier: str, at: datetime) -> dict[str, Any]:
        """Return all properties of the node."""
        made = {"content_hash": digest(self.content), "updated_at": self.updated_at or at}
        return super().row(identifier, at) | made

    def graves(self, identifier: str) -> tuple[str, ...]:
        """Return what it is buried under: its id is that of every block of its kind and scope."""
        return (buried_block(identifier, digest(self.content)),)


def buried_block(identifier: str, content_hash: str) -> str:
    """Return what a core block is buried under, beside its id the hash of its text."""
    return f"{identifier}:{content_hash}"


class PatternRecord(Recorded):
    """Something that went wrong before."""

    scope: Path
    content: Text
    reason: Annotated[str, StringConstraints(max_length=65_536)] = ""
    author: ShortText | None = None
    count: Positive = 1
    ingested_at: Moment | None = None
    expired_at: Moment | None = None

    def arrived(self, arrival: Arrival) -> Self:
        """Return the pattern with the one who reported it here."""
        return self.model_copy(update={"author": arrival.name(self.author)})

    def row(self, identifier: str, at: datetime) -> dict[str, Any]:
        """Return all properties of the node."""
        made = {"content_hash": digest(self.content), "touched_at": at}
        return super().row(identifier, at) | made


NOTE = LabelledKind(
    "note",
    NoteRecord,
    Label.NOTE,
    pages=Q.notes.export,
    restore=Q.notes.restore,
    sanitised=("content", "title", "tags", "reason", "metadata", "versions.content"),
    made=ENTRY
    | {"tenant", "content_hash", "marker_ids", "sanitizer", "windows", "cited", "touched_at"},
    parts=("versions", "sources"),
    links=Links("note_link", NoteLinkRecord, ("note", "other"), restore=Q.notes.restore_links),
    erasing=Erasing(closure=Q.notes.closure, lock=Q.notes.lock, drop=Q.notes.drop),
    shared=True,
)
BLOCK = LabelledKind(
    "block",
    BlockRecord,
    Label.CORE_BLOCK,
    pages=Q.blocks.export,
    restore=Q.blocks.restore,
    sanitised=("content",),
    identity=("kind",),
    seed="core-block",
    cursor="kind",
    changed="updated_at",
)
PATTERN = LabelledKind(
    "pattern",
    PatternRecord,
    Label.BAD_PATTERN,
    pages=Q.blocks.export_patterns,
    restore=Q.blocks.restore_patterns,
    sanitised=("content", "reason"),
    identity=("content",),
    seed="bad-pattern",
)
