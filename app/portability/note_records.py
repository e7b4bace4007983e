"""What a line says of what people wrote: notes, core blocks, patterns, predicates."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from app.kernel.fields import MOST_CHARACTERS, Count, Id, Path, Positive, Properties, Text, Unit
from app.kernel.wire import Moment, ShortText, TagName, Title, WireModel
from app.sanitize.metadata import Metadata
from app.sanitize.privacy import Level

Content = Annotated[str, StringConstraints(min_length=1, max_length=MOST_CHARACTERS)]


class PredicateRecord(WireModel):
    """What a workspace changed in the registry of predicates."""

    scope: Path
    name: ShortText
    definition: dict[str, Any]


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


class NoteRecord(WireModel):
    """A free-text memory."""

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
    metadata: Metadata = Field(default_factory=dict)
    stats: Properties = Field(default_factory=dict)


class NoteLinkRecord(WireModel):
    """Which note took the place of another, or which one waits because of it."""

    scope: Path
    type: Literal["SUPERSEDED_BY", "CONTRADICTS"]
    note: Id
    other: Id
    reason: ShortText | None = None
    recorded_at: Moment


class BlockRecord(WireModel):
    """A text that stands in every bundle of its scope."""

    scope: Path
    kind: Literal["identity", "persona", "redline"]
    content: Annotated[str, StringConstraints(min_length=1, max_length=4_000)]
    author: ShortText | None = None
    version: Positive = 1
    ingested_at: Moment | None = None
    updated_at: Moment | None = None
    expired_at: Moment | None = None


class PatternRecord(WireModel):
    """Something that went wrong before."""

    scope: Path
    content: Text
    reason: Annotated[str, StringConstraints(max_length=65_536)] = ""
    author: ShortText | None = None
    count: Positive = 1
    ingested_at: Moment | None = None
    expired_at: Moment | None = None
