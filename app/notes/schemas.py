"""Wire types of notes, core blocks and patterns of failure."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field, StringConstraints

from app.kernel.clock import open_end
from app.kernel.graph import Row
from app.kernel.wire import Moment, ShortText, TagName, Title, WireModel, metadata_of
from app.notes.blocks import Pattern
from app.notes.model import CONFIDENCE, IMPORTANCE, Draft, NoteReceipt, Source, written_namespace
from app.notes.service import Change
from app.sanitize.privacy import Level, named

LONGEST = 8_000  # characters of a note, seed 003
Text = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
EntryType = Literal[
    "fact", "observation", "reflection", "decision", "plan", "tool_output",
    "conversation_summary", "memory", "preference", "knowledge", "tool_result", "insight",
]  # fmt: skip
BlockKind = Literal["identity", "persona", "redline"]


class NoteIn(WireModel):
    """A free-text memory."""

    content: Text = Field(description="The text; 5 to 8,000 characters.")
    namespace: ShortText = Field(
        "knowledge",
        description="knowledge, methods, project-state (or status) or learnings.",
    )
    scope: str | None = Field(None, description="Scope path to write to; the key's home if unset.")
    title: Title | None = Field(None, description="What it is about.")
    entry_type: EntryType = Field("fact", description="What kind of entry it is.")
    importance: Share = Field(IMPORTANCE, description="0 to 1.")
    confidence: Share = Field(CONFIDENCE, description="How sure its author is, 0 to 1.")
    tags: tuple[TagName, ...] = Field((), max_length=32, description="Labels to filter by.")
    source: Literal["user", "tool", "agent", "external"] | None = Field(
        None, description="Whose words they are; by the kind of the key's principal if unset."
    )
    valid_from: Moment | None = Field(None, description="Since when it is so; now if unset.")
    privacy: Level = Field(
        "none", description="At least so private; what is found in the text may raise it."
    )

    def to_draft(self) -> Draft:
        """The draft that this describes; InvalidInput for a namespace that there is not."""
        return Draft(
            content=self.content,
            namespace=written_namespace(self.namespace),
            scope=self.scope,
            title=self.title,
            entry_type=self.entry_type,
            importance=self.importance,
            confidence=self.confidence,
            tags=tuple(dict.fromkeys(self.tags)),
            source=Source(self.source) if self.source else None,
            valid_from=self.valid_from,
            privacy=self.privacy,
        )


class NoteChangeIn(WireModel):
    """What of a note is set; what is left out stays."""

    content: Text | None = None
    title: Title | None = None
    entry_type: EntryType | None = None
    importance: Share | None = None
    confidence: Share | None = None
    tags: Annotated[tuple[TagName, ...], Field(max_length=32)] | None = None
    privacy: Level | None = Field(None, description="Raises the level.")

    def to_change(self) -> Change:
        """The change that this describes."""
        return Change(
            content=self.content,
            title=self.title,
            entry_type=self.entry_type,
            importance=self.importance,
            confidence=self.confidence,
            tags=None if self.tags is None else tuple(dict.fromkeys(self.tags)),
            privacy=self.privacy,
        )


class NoteReviewIn(WireModel):
    """What becomes of a note that waits."""

    decision: Literal["accept", "keep", "reject"] = Field(
        description="accept ends what it contradicts, keep lets both stand, reject leaves it out."
    )
    ends: list[str] | None = Field(
        None, description="With accept: of what it contradicts, end only the notes of these ids."
    )


class NoteReceiptOut(msgspec.Struct, frozen=True):
    """What became of a note. `id` names the first one where this one says nothing new."""

    status: Literal["stored", "duplicate", "quarantined"]
    id: str
    scope: str
    namespace: str
    standing: str
    confidence: float
    confirmations: int
    valid_from: datetime
    valid_to: datetime | None
    ends: list[str]
    before: str | None
    contradicts: list[str]
    reason: str
    redactions: int
    markers: list[str]

    @classmethod
    def of(cls, receipt: NoteReceipt) -> NoteReceiptOut:
        """The wire form of a receipt."""
        return cls(
            status=receipt.status,  # type: ignore[arg-type]
            id=receipt.id,
            scope=receipt.scope,
            namespace=receipt.namespace,
            standing=receipt.standing,
            confidence=receipt.confidence,
            confirmations=receipt.confirmations,
            valid_from=receipt.valid_from,
            valid_to=open_end(receipt.valid_to),
            ends=list(receipt.ends),
            before=receipt.before,
            contradicts=list(receipt.contradicts),
            reason=receipt.reason,
            redactions=receipt.redactions,
            markers=list(receipt.markers),
        )


class NoteOut(msgspec.Struct, frozen=True):
    """One note; `untrusted` holds what other people or models wrote.

    `sources` are the facts whose statements a note of the namespace `derived` consists of.
    """

    id: str
    scope: str
    namespace: str
    entry_type: str
    standing: str
    tier: int
    author: str
    importance: float
    confidence: float
    confirmations: int
    trust: float
    is_pinned: bool
    version: int
    valid_from: datetime
    valid_to: datetime | None
    ingested_at: datetime
    updated_at: datetime
    index_state: str
    supersedes: list[str]
    superseded_by: list[str]
    contradicts: list[str]
    reason: str
    sources: list[str]
    privacy: Level
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> NoteOut:
        """The wire form of a row of `notes.get`, or of a note alone."""
        note = row.get("note", row)
        return cls(
            **{name: note[name] for name in _PLAIN},
            valid_to=open_end(note["valid_to"]),
            supersedes=row.get("supersedes", []),
            superseded_by=row.get("superseded_by", []),
            contradicts=row.get("contradicts", []),
            sources=row.get("sources", []),
            privacy=named(note.get("privacy")),
            untrusted={
                "content": note["content"],
                "title": note.get("title"),
                "tags": note["tags"],
                **metadata_of(note),
            },
        )


_PLAIN = (
    "id", "scope", "namespace", "entry_type", "standing", "tier", "author", "importance",
    "confidence", "confirmations", "trust", "is_pinned", "version", "valid_from", "ingested_at",
    "updated_at", "index_state", "reason",
)  # fmt: skip


class NotesOut(msgspec.Struct, frozen=True):
    """A page of notes; `next` continues it."""

    items: list[NoteOut]
    next: str | None


class NoteVersionOut(msgspec.Struct, frozen=True):
    """A text that a note had before."""

    version: int
    recorded_at: datetime
    retracted_at: datetime
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> NoteVersionOut:
        """The wire form of a row of `notes.versions`."""
        return cls(
            version=row["version"],
            recorded_at=row["recorded_at"],
            retracted_at=row["retracted_at"],
            untrusted={"content": row["content"]},
        )


class NoteVersionsOut(msgspec.Struct, frozen=True):
    """The former texts of a note, newest first."""

    items: list[NoteVersionOut]


class CoreBlockIn(WireModel):
    """What a block says."""

    content: Annotated[str, StringConstraints(min_length=1)] = Field(
        description="The text; at most 4,000 characters."
    )
    scope: str | None = Field(None, description="Scope path; the key's home if unset.")


class CoreBlockOut(msgspec.Struct, frozen=True):
    """A core block, which stands in every bundle."""

    id: str
    scope: str
    kind: str
    author: str
    version: int
    updated_at: datetime
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> CoreBlockOut:
        """The wire form of a block."""
        return cls(
            **{name: row[name] for name in ("id", "scope", "kind", "author", "version")},
            updated_at=row["updated_at"],
            untrusted={"content": row["content"]},
        )


class CoreBlocksOut(msgspec.Struct, frozen=True):
    """Blocks, the widest scope first."""

    items: list[CoreBlockOut]


class BadPatternIn(WireModel):
    """Something that went wrong before."""

    content: Text = Field(description="What was done.")
    reason: Annotated[str, StringConstraints(max_length=2_000)] | None = Field(
        None, description="Why it went wrong."
    )
    scope: str | None = Field(None, description="Scope path; the key's home if unset.")

    def to_pattern(self) -> Pattern:
        """The pattern that this describes."""
        return Pattern(content=self.content, scope=self.scope, reason=self.reason)


class BadPatternOut(msgspec.Struct, frozen=True):
    """A pattern of failure, and how often it was reported."""

    id: str
    scope: str
    author: str
    count: int
    ingested_at: datetime
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> BadPatternOut:
        """The wire form of a pattern."""
        return cls(
            **{name: row[name] for name in ("id", "scope", "author", "count", "ingested_at")},
            untrusted={"content": row["content"], "reason": row["reason"]},
        )


class BadPatternsOut(msgspec.Struct, frozen=True):
    """A page of patterns; `next` continues it."""

    items: list[BadPatternOut]
    next: str | None
