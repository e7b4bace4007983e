"""An entry of a context with its weights and its seal, and the contents that it had before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Self

import orjson
from pydantic import BeforeValidator, Field, StringConstraints

from app.contexts.formulas import decayed, recency, relevance, whole_days
from app.contexts.model import Id, Status, Who, moved
from app.kernel.ids import digest
from app.kernel.kind import Gone, Place, Searched, Stored, unpacked
from app.kernel.wire import Moment
from app.scopes.sessions import session_id

LONGEST_KEY = 255
TEXT_MOST = 10_000  # characters of the text that is embedded
MOST_TAGS = 32
TEXT_FIELDS = ("text", "value", "description")  # of a content that is an object, the first is read
CLIENTS = ("key", "value", "tags", "task_id", "run_id")  # what clients wrote of an entry


class EntryType(StrEnum):
    """What an entry is."""

    FACT = "fact"
    OBSERVATION = "observation"
    REFLECTION = "reflection"
    DECISION = "decision"
    PLAN = "plan"
    TOOL_OUTPUT = "tool_output"
    CONVERSATION_SUMMARY = "conversation_summary"


class Source(StrEnum):
    """Where an entry comes from."""

    AGENT = "agent"
    USER = "user"
    SYSTEM = "system"
    TOOL = "tool"
    WORKFLOW = "workflow"


# Other systems' words, which are accepted.
ENTRY_TYPES: Mapping[str, str] = {
    "memory": EntryType.OBSERVATION,
    "preference": EntryType.FACT,
    "knowledge": EntryType.FACT,
    "tool_result": EntryType.TOOL_OUTPUT,
    "insight": EntryType.REFLECTION,
}
SOURCES: Mapping[str, str] = {
    "user_input": Source.USER,
    "agent_output": Source.AGENT,
    "import": Source.SYSTEM,
    "api": Source.SYSTEM,
}


class MemoryType(StrEnum):
    """By which rules an entry is weighed."""

    FACTUAL = "factual"
    EXPERIENTIAL = "experiential"
    WORKING = "working"


class Reason(StrEnum):
    """Why an entry was archived."""

    REMOVED = "removed"
    RESTORED = "restored"
    DECAYED = "decayed"
    STALE = "stale"
    ROTTEN = "rotten"
    MERGED = "merged"
    SURPLUS = "surplus"


class Verdict(StrEnum):
    """What a seal says of an entry."""

    UNSEALED = "unsealed"
    VALID = "valid"
    TAMPERED = "tampered"


Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Key = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_KEY)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Count = Annotated[int, Field(ge=0, le=2**53 - 1)]
Version = Annotated[int, Field(ge=1, le=2**53 - 1)]


def parsed(given: str) -> Any:
    """Return the JSON of a stored content."""
    return orjson.loads(given)


def stored(content: Any) -> str:
    """Return a content as JSON, its names in the order in which they came."""
    return orjson.dumps(content).decode()


def packed(content: Any) -> str:
    """Return a content as canonical JSON: sorted, without blanks, so that equal ones are equal."""
    return orjson.dumps(content, option=orjson.OPT_SORT_KEYS).decode()


def text_of(content: Any) -> str:
    """Return the text of a content that is embedded: the content if it is a text, else its field
    `text`, `value` or `description`, else its JSON; 10,000 characters at most."""
    name = text_field(content)
    said = content if name is None else content[name]
    return (said if isinstance(said, str) else packed(said))[:TEXT_MOST]


def text_field(content: Any) -> str | None:
    """Return the field of a content that is read for its text; None where all of it is."""
    if not isinstance(content, dict):
        return None
    return next((name for name in TEXT_FIELDS if content.get(name)), None)


def slot_of(context: str, key: str) -> str:
    """Return the place that a key takes in a context while its entry is in use."""
    return digest(context, key)[:32]


def promoted_out_of(told: Mapping[str, Any]) -> str | None:
    """Return the id of the session out of which an entry, or what it was, had been promoted."""
    if told.get("promoted_from") is None or told.get("task_id") is None:
        return None
    return session_id(told.get("session_scope") or told["scope"], told["task_id"])


class Entry(Stored):
    """An entry. `value` is its content, JSON of any kind.

    Its importance fades from `base_importance`, which it had at `based_at`; `decayed_days` tells
    how many days have been counted, so that a pass that runs again counts none of them twice.
    `promoted_from` is the id of the short-term entry that it was, in the session `task_id` of the
    scope `session_scope`, which is its own where unset, and `kept_at` when that one was written;
    what a client writes over it has no such moment.
    """

    context_id: Id
    key: Annotated[str, StringConstraints(min_length=1)]
    value: Any
    entry_type: EntryType = EntryType.FACT
    source_type: Source = Source.AGENT
    memory_type: MemoryType = MemoryType.WORKING
    tags: Annotated[list[str], Field(max_length=MOST_TAGS), BeforeValidator(unpacked)] = Field(
        default_factory=list
    )
    importance: Share | None = None
    confidence: Share | None = None
    decay_rate: Share | None = None
    base_importance: Share | None = None
    based_at: Moment
    decayed_days: Count = 0
    access_count: Count = 0
    last_accessed_at: Moment | None = None
    agent: Who | None = None
    from_agent: Who | None = None
    task_id: str | None = None
    run_id: str | None = None
    duration_ms: Count | None = None
    failed: bool = False
    version: Version = 1
    status: Status = Status.ACTIVE
    archived_at: Moment | None = None
    reason: Reason | None = None
    merged: tuple[Id, ...] = ()
    forgotten_at: Moment | None = None
    promoted_from: Id | None = None
    kept_at: Moment | None = None
    session_scope: str | None = None
    seal: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] | None = None
    created_at: Moment
    created_by: Who
    changed_at: Moment
    changed_by: Who

    @classmethod
    def of(cls, row: Any) -> Self:
        """Read a node's properties, of which the value is JSON."""
        return super().of({**row, "value": parsed(row["value"])})

    def row(self) -> dict[str, Any]:
        """Return the properties of the node."""
        return {**super().row(), "value": stored(self.value)}

    @property
    def promoted_at(self) -> datetime | None:
        """When what it holds was written in short-term memory; None where a client wrote it."""
        if self.kept_at is None and self.promoted_from is not None and self.version == 1:
            return self.created_at  # promoted before that moment was kept
        return self.kept_at

    @property
    def active(self) -> bool:
        """Whether the entry is in use."""
        return self.status is Status.ACTIVE

    def derived(self) -> dict[str, Any]:
        """Return what lists ask the graph for; `slot` is the key while it is taken."""
        taken = slot_of(self.context_id, self.key) if self.active else None
        return {"slot": taken, "labels": list(self.tags)}

    def spoken_in(self) -> str | None:
        """Return the id of the session out of which the entry was promoted."""
        return promoted_out_of(self.model_dump())

    def relevance(self, at: datetime) -> float:
        """Return the effective relevance score at a moment."""
        idle = None if self.last_accessed_at is None else at - self.last_accessed_at
        return relevance(self.importance, self.confidence, recency(self.decay_rate, idle))

    def weighed(self, importance: float | None, at: datetime) -> Self:
        """Return the entry with an importance from which it fades from now on."""
        return self.model_copy(
            update={
                "importance": importance,
                "base_importance": importance,
                "based_at": at,
                "decayed_days": 0,
            }
        )

    def faded(self, at: datetime) -> Self:
        """Return the entry as whole days since it was weighed have left it."""
        if self.memory_type is MemoryType.FACTUAL or self.decay_rate == 0:
            return self
        days = whole_days(self.based_at, at)
        if days <= self.decayed_days:
            return self
        left = decayed(self.base_importance, self.decay_rate, days)
        return self.model_copy(update={"importance": left, "decayed_days": days})

    def archived(self, reason: Reason, at: datetime) -> Self:
        """Return the entry out of use; its key is free."""
        update = {"status": Status.ARCHIVED, "archived_at": at, "reason": reason}
        return self.model_copy(update=update)

    def searched(self) -> Searched:
        """Return the text of the content, without the key, which would make what says the same
        less alike; the context is the session. What is archived is no longer current."""
        return Searched(
            text_of(self.value),
            self.created_at,
            session=self.context_id,
            tags=tuple(self.tags),
            until=self.archived_at,
        )

    # --- integrity ----------------------------------------------------------------------------

    def fingerprint(self) -> str:
        """Return the SHA-256 of content and metadata, which reading and fading do not change."""
        told = [self.key, self.value, self.tags]
        kinds = [self.entry_type, self.source_type, self.memory_type]
        rest = [self.task_id, self.run_id, self.duration_ms, self.failed]
        return digest(packed([*told, *kinds, *rest]))

    @property
    def verdict(self) -> Verdict:
        """What the seal says."""
        if self.seal is None:
            return Verdict.UNSEALED
        return Verdict.VALID if self.seal == self.fingerprint() else Verdict.TAMPERED

    # --- engines ------------------------------------------------------------------------------

    def people(self) -> Iterable[str]:
        """Return who made and changed the entry, and the agents whose experience it is."""
        return {self.created_by, self.changed_by, self.agent or "", self.from_agent or ""}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the entry with every principal replaced."""
        names = ("created_by", "changed_by", "agent", "from_agent")
        return self.model_copy(
            update={f: name(who) if (who := getattr(self, f)) else who for f in names}
        )

    def relocated(self, place: Place) -> Self:
        """Return the entry in what stands for its context."""
        merged = tuple(moved(one, self.scope, place) for one in self.merged)
        there = self.session_scope and place(self.id, self.session_scope)[1]
        update = {"context_id": moved(self.context_id, self.scope, place), "merged": merged}
        return self.model_copy(update={**update, "session_scope": there})

    def without(self, gone: Gone) -> Self | None:
        """Return the entry without somebody who has only made it first, and without what it took in
        that goes; None where its content is his or names him, and where its session goes."""
        texts = [self.key, packed(self.value), *self.tags, self.task_id or "", self.run_id or ""]
        his = gone.wrote(self.changed_by) or gone.ended(self.spoken_in())
        if his or any(map(gone.named, texts)):
            return None
        names = ("created_by", "agent", "from_agent")
        left = {f: None if f != "created_by" else "" for f in names if gone.wrote(self._who(f))}
        merged = tuple(one for one in self.merged if not gone.took(one))
        return self.model_copy(update={**left, "merged": merged})

    def _who(self, field: str) -> str:
        return getattr(self, field) or ""


class EntryVersion(Stored):
    """A content that an entry had before, and who had given it that."""

    context_id: Id
    entry_id: Id
    version: Version
    value: Any
    changed_at: Moment
    changed_by: Who
    kept_at: Moment | None = None
    promoted_from: Id | None = None
    task_id: str | None = None
    session_scope: str | None = None

    @classmethod
    def of(cls, row: Any) -> Self:
        """Read a node's properties, of which the value is JSON."""
        return super().of({**row, "value": parsed(row["value"])})

    def spoken_in(self) -> str | None:
        """Return the id of the session out of which the content was promoted."""
        return promoted_out_of(self.model_dump())

    @classmethod
    def former(cls, entry: Entry) -> Self:
        """Return the version that an entry is now."""
        return cls(
            id="new",
            scope=entry.scope,
            context_id=entry.context_id,
            entry_id=entry.id,
            version=entry.version,
            value=entry.value,
            changed_at=entry.changed_at,
            changed_by=entry.changed_by,
            kept_at=entry.kept_at,
            promoted_from=entry.promoted_from,
            task_id=entry.task_id if entry.promoted_from else None,
            session_scope=entry.session_scope,
        )

    def row(self) -> dict[str, Any]:
        """Return the properties of the node."""
        return {**super().row(), "value": stored(self.value)}

    def refers(self) -> str | None:
        """Return the entry."""
        return self.entry_id

    def people(self) -> Iterable[str]:
        """Return the writer."""
        return {self.changed_by}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the version with its writer replaced."""
        return self.model_copy(
            update={"changed_by": name(self.changed_by) if self.changed_by else ""}
        )

    def relocated(self, place: Place) -> Self:
        """Return the version of what stands for its entry."""
        context = moved(self.context_id, self.scope, place)
        entry = moved(self.entry_id, self.scope, place)
        there = self.session_scope and place(self.id, self.session_scope)[1]
        update = {"context_id": context, "entry_id": entry, "session_scope": there}
        return self.model_copy(update=update)
