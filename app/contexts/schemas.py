"""Wire types of contexts. What clients wrote stands under `untrusted`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from pydantic import Field

from app.contexts.drafting import Draft
from app.contexts.entries import (
    ENTRY_TYPES,
    MOST_TAGS,
    SOURCES,
    Count,
    Entry,
    EntryType,
    EntryVersion,
    Key,
    MemoryType,
    Share,
    Source,
    Word,
)
from app.contexts.finding import Asked, Found
from app.contexts.formulas import Bucket, confidence_is_high, importance_bucket
from app.contexts.model import REACH_WORDS, Access, Context, ContextType, Level, Reach
from app.contexts.own import Recalled
from app.contexts.restoring import Restored
from app.contexts.service import ContextDraft
from app.contexts.snapshots import ContextSnapshot
from app.contexts.staleness import Verdict
from app.contexts.upkeep import NAMED, Receipt, RotReport, Stale
from app.contexts.writing import Imported
from app.kernel.wire import ShortText, TagName, WireModel
from app.pools.model import synonym_of

TypeWord = Annotated[EntryType, synonym_of(ENTRY_TYPES)]
SourceWord = Annotated[Source, synonym_of(SOURCES)]
ReachWord = Annotated[Reach, synonym_of(REACH_WORDS)]
Tags = Annotated[tuple[TagName, ...], Field(max_length=MOST_TAGS)]
Question = Annotated[str, Field(min_length=1, max_length=4000)]
Most = Annotated[int, Field(ge=1, le=100)]
IMPORTS = 500  # facts of one import


class ContextIn(WireModel):
    """A new context."""

    name: ShortText
    description: Annotated[str, Field(max_length=2000)] | None = None
    type: ContextType = ContextType.AGENT_MEMORY
    scope: str | None = Field(None, description="Scope path; by the reach, else the key's home.")
    reach: ReachWord | None = Field(
        None,
        description="For whom: `agent` lies in an agent's own scope, `team` in a team's, `account` "
        "in a workspace, `global` in the tenant.",
    )

    def to_draft(self) -> ContextDraft:
        """Return the draft that this describes."""
        return ContextDraft(**{name: getattr(self, name) for name in type(self).model_fields})


class ContextGrantIn(WireModel):
    """What an agent may do."""

    agent: ShortText = Field(
        description="`agent:tenant:name`, `user:tenant:name`, or the name of an agent here."
    )
    level: Level = Field(
        Level.READ, description="`read` and no more, `write` entries, or `admin` of the context."
    )


class ContextEntryIn(WireModel):
    """An entry under a key."""

    key: Key = Field(description="Its name in the context, unique while the entry is in use.")
    content: Any = Field(
        description="JSON of any kind; of an object, `text`, `value` or `description` is embedded."
    )
    entry_type: TypeWord = EntryType.FACT
    source_type: SourceWord = Source.AGENT
    memory_type: MemoryType = MemoryType.WORKING
    tags: Tags = ()
    importance: Share | None = None
    confidence: Share | None = None
    decay_rate: Share | None = Field(None, description="Share of the importance lost in a day.")
    agent: ShortText | None = Field(
        None, description="Whose experience it is; the agent of the key if unset."
    )
    from_agent: ShortText | None = Field(None, description="Whom the experience was learnt from.")
    task_id: Word | None = None
    run_id: Word | None = None
    duration_ms: Count | None = None
    failed: bool = False

    def to_draft(self) -> Draft:
        """Return the draft that this describes."""
        given = {n: getattr(self, n) for n in ContextEntryIn.model_fields if n != "content"}
        return Draft(**given, value=self.content)


class ContentIn(WireModel):
    """Another content of an entry."""

    content: Any


class FactIn(WireModel):
    """One fact of an import."""

    key: Key
    content: Any
    tags: Tags = ()

    def to_draft(self) -> Draft:
        """Return the draft that this describes."""
        return Draft(self.key, self.content, memory_type=MemoryType.FACTUAL, tags=self.tags)


class FactsIn(WireModel):
    """Facts that are written together, all or none."""

    facts: Annotated[tuple[FactIn, ...], Field(min_length=1, max_length=IMPORTS)]
    overwrite: bool = Field(False, description="Keys that are there get the new value.")


class ContextSnapshotIn(WireModel):
    """A new snapshot."""

    name: ShortText | None = None


class ContextSearchIn(WireModel):
    """A question to one context."""

    query: Question
    limit: Most = 10
    threshold: Share | None = Field(
        None,
        description="Least calibrated similarity; .7, or as the scope's settings say, if unset.",
    )
    tag: TagName | None = Field(None, description="Among the entries of this tag alone.")

    def to_asked(self) -> Asked:
        """Return the question that this describes."""
        return Asked(self.query, self.limit, self.threshold, self.tag)


class DryRunIn(WireModel):
    """Whether something is done or only told."""

    dry_run: bool = True


class ContextUpkeepIn(DryRunIn):
    """Upkeep by hand."""

    scope: str | None = Field(None, description="One scope; all that the key administers if unset.")


class RememberIn(WireModel):
    """Something to remember."""

    key: Key
    content: Any
    importance: Share | None = None
    tags: Tags = ()

    def to_draft(self) -> Draft:
        """Return the draft that this describes."""
        return Draft(
            self.key,
            self.content,
            entry_type=EntryType.OBSERVATION,
            importance=self.importance,
            tags=self.tags,
        )


class RecallOwnIn(WireModel):
    """What to recall."""

    query: Question
    limit: Most = 10


class ForgetIn(WireModel):
    """What to forget."""

    key: Key


class ContextOut(msgspec.Struct, frozen=True):
    """A context; `level` is what the caller may do in it."""

    id: str
    scope: str
    type: str
    reach: str
    status: str
    owner: str
    level: str
    grants: dict[str, str]
    created_at: datetime
    changed_at: datetime
    archived_at: datetime | None
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, context: Context, reader: str) -> ContextOut:
        """Return the wire form of a context for a reader; who manages it sees the grants."""
        managed = context.managed_by(reader)
        level = Level.ADMIN if managed else Level.READ
        if not managed and context.writable_by(reader):
            level = Level.WRITE
        shown = context.grants if managed else {}
        return cls(
            id=context.id,
            scope=context.scope,
            type=context.type.value,
            reach=context.reach.value,
            status=context.status.value,
            owner=context.owner,
            level=level.value,
            grants={who: each.value for who, each in shown.items()},
            created_at=context.created_at,
            changed_at=context.changed_at,
            archived_at=context.archived_at,
            untrusted={"name": context.name, "description": context.description},
        )


class ContextsOut(msgspec.Struct, frozen=True):
    """A page of contexts; `next` is the cursor of the one after it."""

    items: list[ContextOut]
    next: str | None


class ContextEntryOut(msgspec.Struct, frozen=True):
    """An entry with what it weighs now."""

    id: str
    scope: str
    context_id: str
    entry_type: str
    source_type: str
    memory_type: str
    importance: float | None
    importance_bucket: str
    confidence: float | None
    confidence_bucket: str
    decay_rate: float | None
    effective_relevance_score: float
    access_count: int
    last_accessed_at: datetime | None
    agent: str | None
    from_agent: str | None
    duration_ms: int | None
    failed: bool
    version: int
    status: str
    archived_at: datetime | None
    reason: str | None
    merged: list[str]
    forgotten_at: datetime | None
    promoted_from: str | None
    integrity: str
    created_at: datetime
    created_by: str
    changed_at: datetime
    changed_by: str
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, entry: Entry, at: datetime) -> ContextEntryOut:
        """Return the wire form of an entry at a moment."""
        sure = Bucket.HIGH if confidence_is_high(entry.confidence) else Bucket.LOW
        told = ("key", "tags", "task_id", "run_id")
        return cls(
            **{name: getattr(entry, name) for name in _ALIKE},
            entry_type=entry.entry_type.value,
            source_type=entry.source_type.value,
            memory_type=entry.memory_type.value,
            importance_bucket=importance_bucket(entry.importance).value,
            confidence_bucket=sure.value,
            effective_relevance_score=entry.relevance(at),
            status=entry.status.value,
            reason=entry.reason.value if entry.reason else None,
            merged=list(entry.merged),
            integrity=entry.verdict.value,
            untrusted={"content": entry.value, **{name: getattr(entry, name) for name in told}},
        )


_ALIKE = (
    *("id", "scope", "context_id", "importance", "confidence", "decay_rate", "access_count"),
    *("last_accessed_at", "agent", "from_agent", "duration_ms", "failed", "version"),
    *("archived_at", "forgotten_at", "promoted_from"),
    *("created_at", "created_by", "changed_at", "changed_by"),
)


class ContextEntriesOut(msgspec.Struct, frozen=True):
    """A page of entries; `next` is the cursor of the one after it."""

    items: list[ContextEntryOut]
    next: str | None


class EntryVersionOut(msgspec.Struct, frozen=True):
    """A content that an entry had before."""

    version: int
    changed_at: datetime
    changed_by: str
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, version: EntryVersion) -> EntryVersionOut:
        """Return the wire form of a version."""
        told = {"content": version.value}
        return cls(version.version, version.changed_at, version.changed_by, told)


class EntryVersionsOut(msgspec.Struct, frozen=True):
    """Former contents, newest first."""

    items: list[EntryVersionOut]


class ImportedOut(msgspec.Struct, frozen=True):
    """Keys of facts that were new, that got another value, and that stayed as they were."""

    created: int
    updated: int
    kept: int
    untrusted: dict[str, list[str]]

    @classmethod
    def of(cls, done: Imported) -> ImportedOut:
        """Return the wire form of an import."""
        keys = {"created": done.created, "updated": done.updated, "kept": done.kept}
        return cls(len(done.created), len(done.updated), len(done.kept), keys)


class ContextIntegrityOut(msgspec.Struct, frozen=True):
    """How many entries in use have each verdict, and the ids of those tampered with."""

    unsealed: int
    valid: int
    tampered: int
    entries: list[str]


class ContextSnapshotOut(msgspec.Struct, frozen=True):
    """A snapshot."""

    id: str
    context_id: str
    entries: int
    sha256: str
    created_at: datetime
    created_by: str
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, snapshot: ContextSnapshot) -> ContextSnapshotOut:
        """Return the wire form of a snapshot."""
        names = ("id", "context_id", "entries", "sha256", "created_at", "created_by")
        given = {name: getattr(snapshot, name) for name in names}
        return cls(**given, untrusted={"name": snapshot.name})


class ContextSnapshotsOut(msgspec.Struct, frozen=True):
    """Snapshots of a context, oldest first."""

    items: list[ContextSnapshotOut]


class RestoredOut(msgspec.Struct, frozen=True):
    """What a restoration did: entries made, changed, left alone, archived, and places that an
    erasure had emptied."""

    created: int
    updated: int
    kept: int
    archived: int
    erased: int

    @classmethod
    def of(cls, done: Restored) -> RestoredOut:
        """Return the wire form of a restoration."""
        return cls(done.created, done.updated, done.kept, done.archived, done.erased)


class ContextAccessOut(msgspec.Struct, frozen=True):
    """One reading of a context."""

    at: datetime
    by: str
    act: str
    entry_id: str | None

    @classmethod
    def of(cls, access: Access) -> ContextAccessOut:
        """Return the wire form of an access."""
        return cls(access.at, access.by, access.act, access.entry_id)


class ContextAccessesOut(msgspec.Struct, frozen=True):
    """Readings of a context, the latest first."""

    items: list[ContextAccessOut]


class ContextHitOut(msgspec.Struct, frozen=True):
    """An entry and its similarity to the question."""

    similarity: float
    entry: ContextEntryOut

    @classmethod
    def of(cls, found: Found, at: datetime) -> ContextHitOut:
        """Return the wire form of something found."""
        return cls(round(found.similarity, 4), ContextEntryOut.of(found.entry, at))


class ContextHitsOut(msgspec.Struct, frozen=True):
    """What was found, the most similar first."""

    items: list[ContextHitOut]


class RecalledOut(msgspec.Struct, frozen=True):
    """What was recalled: by `meaning`, or by `words`, where the share of words stands for the
    similarity."""

    way: str
    items: list[ContextHitOut]

    @classmethod
    def of(cls, recalled: Recalled, at: datetime) -> RecalledOut:
        """Return the wire form of a recall."""
        return cls(recalled.way.value, [ContextHitOut.of(each, at) for each in recalled.found])


class ReflectedOut(msgspec.Struct, frozen=True):
    """The last reflection; null where nothing was read twice."""

    entry: ContextEntryOut | None


class MergedOut(msgspec.Struct, frozen=True):
    """Ids of experiences that say the same, the kept one of each group first."""

    dry_run: bool
    groups: list[list[str]]


class ArchivedOut(msgspec.Struct, frozen=True):
    """An entry that goes to the archive, and why."""

    entry: str
    context: str
    reason: str


class ContextUpkeepOut(msgspec.Struct, frozen=True):
    """What an upkeep did, or would do; `archived` names at most 1,000 entries, `counts` all."""

    receipt: str
    dry_run: bool
    at: datetime
    contexts: int
    counts: dict[str, int]
    archived: list[ArchivedOut]

    @classmethod
    def of(cls, receipt: Receipt) -> ContextUpkeepOut:
        """Return the wire form of a receipt."""
        named = [ArchivedOut(**row) for row in receipt.archived]
        return cls(
            receipt.id, receipt.dry_run, receipt.at, receipt.contexts, dict(receipt.counts), named
        )


class StaleEntryOut(msgspec.Struct, frozen=True):
    """An entry with its three factors."""

    entry: str
    context: str
    verdict: str
    score: float
    age: float
    access: float
    unimportance: float

    @classmethod
    def of(cls, stale: Stale) -> StaleEntryOut:
        """Return the wire form of a stale entry."""
        found = stale.staleness
        factors = (round(f, 4) for f in (found.age, found.access, found.unimportance))
        return cls(
            stale.entry.id,
            stale.entry.context_id,
            found.verdict.value,
            round(found.score, 4),
            *factors,
        )


class ContextRotOut(msgspec.Struct, frozen=True):
    """What is stale among entries in use, the stalest first, at most 1,000 of them."""

    dry_run: bool
    at: datetime
    total: int
    stale: int
    review: int
    archive: int
    entries: list[StaleEntryOut]

    @classmethod
    def of(cls, report: RotReport) -> ContextRotOut:
        """Return the wire form of a report."""
        return cls(
            report.dry_run,
            report.at,
            report.total,
            len(report.stale),
            len(report.of(Verdict.REVIEW)),
            len(report.of(Verdict.ARCHIVE)),
            [StaleEntryOut.of(each) for each in report.stale[:NAMED]],
        )
