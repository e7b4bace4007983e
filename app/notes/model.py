"""A note before it is stored, the notes it is held against, and what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.errors import InvalidInput
from app.facts.claim import Tier
from app.sanitize.privacy import Level


class Namespace(StrEnum):
    """What a note is about; a note is only ever held against notes of its own namespace."""

    KNOWLEDGE = "knowledge"
    METHODS = "methods"
    PROJECT_STATE = "project-state"
    LEARNINGS = "learnings"
    DERIVED = "derived"  # made of facts by Loci itself, never written
    MEMORIES = "memories"  # read by a model out of what was said, never written


class Standing(StrEnum):
    """Whether a note is held, was overtaken by a later one, or waits for a curator."""

    HELD = "held"
    SUPERSEDED = "superseded"
    QUARANTINED = "quarantined"
    REJECTED = "rejected"


class Source(StrEnum):
    """Where the words come from, which is their tier."""

    USER = "user"
    TOOL = "tool"
    AGENT = "agent"
    EXTERNAL = "external"


# Method notes stand beside each other, and a state of a project is one line of a log.
UNTESTED = frozenset({Namespace.METHODS, Namespace.PROJECT_STATE})
TIERS = {
    Source.USER: Tier.USER,
    Source.TOOL: Tier.TOOL,
    Source.AGENT: Tier.AGENT,
    Source.EXTERNAL: Tier.EXTERNAL,
}
ENTRY_TYPES = (
    "fact", "observation", "reflection", "decision", "plan", "tool_output",
    "conversation_summary", "memory", "preference", "knowledge", "tool_result", "insight",
)  # fmt: skip
ALIASES = {"status": Namespace.PROJECT_STATE, "project_state": Namespace.PROJECT_STATE}
NOTE = "note"  # kind of what somebody wrote
CONDENSED = "condensed"  # kind of what is made of facts: a search finds it only if asked for
MEMORY = "memory"  # kind of what a model read out of turns, which come along where it is found
MADE = frozenset({Namespace.DERIVED, Namespace.MEMORIES})  # never written by a client
KINDS_OF = {Namespace.DERIVED: CONDENSED, Namespace.MEMORIES: MEMORY}  # what is no plain note
CONFIDENCE = 0.75  # of a note that says nothing of its own
IMPORTANCE = 0.5
SHORTEST = 5  # characters, seed 003
CONFIRMED = 0.05  # what a repetition adds to the confidence, seed 003


def namespace_of(name: str) -> Namespace:
    """Return the namespace of a name or alias; InvalidInput (field `namespace`) for others."""
    folded = name.strip().lower()
    if folded in ALIASES:
        return ALIASES[folded]
    try:
        return Namespace(folded)
    except ValueError:
        known = ", ".join(Namespace)
        raise InvalidInput(f"namespace is one of {known}", field="namespace") from None


def written_namespace(name: str) -> Namespace:
    """Return the same for a note that somebody writes, which the derived ones are not."""
    found = namespace_of(name)
    if found in MADE:
        raise InvalidInput(f"notes of the namespace {found} are made by Loci", field="namespace")
    return found


@dataclass(frozen=True, slots=True)
class Draft:
    """What a client hands in: checked in form, not yet sanitised."""

    content: str
    namespace: Namespace
    scope: str | None = None
    title: str | None = None
    entry_type: str = "fact"
    importance: float = IMPORTANCE
    confidence: float = CONFIDENCE
    tags: tuple[str, ...] = ()
    source: Source | None = None
    valid_from: datetime | None = None
    privacy: Level = "none"  # at least; what is found raises it


@dataclass(frozen=True, slots=True)
class Origin:
    """The turn that a note was read out of, with which it goes, and why it waits for a curator;
    empty where it does not."""

    turn: str
    waits: str = ""


@dataclass(frozen=True, slots=True)
class Original:
    """The note that a new one copies into another scope, where it is held, and with which the copy
    goes; `quality` is how good it was then. A copy that says nothing new confirms what says it,
    unless it `only_adds`."""

    note: str
    scope: str
    quality: float | None = None
    only_adds: bool = False


@dataclass(frozen=True, slots=True)
class Incoming:
    """A sanitised note with its authority and the moment from which it holds; `read_out` says that
    it was read out of a turn."""

    content: str
    namespace: Namespace
    language: str
    tier: Tier
    author: str
    valid_from: datetime
    read_out: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A stored note that the new one is held against; `worded` says that words led
    to it, and `cosine` is None where only they did; `read_out` as above."""

    id: str
    content: str
    language: str
    tier: Tier
    author: str
    valid_from: datetime
    valid_to: datetime
    standing: Standing
    confirmations: int
    cosine: float | None = None
    worded: bool = False
    read_out: bool = False
    confidence: float = CONFIDENCE


@dataclass(frozen=True, slots=True)
class Decision:
    """What a note does to others: it confirms one, ends some, comes before one, or waits.

    `contradicts` are those that a waiting note stands against, or those that wait because of it.
    `reopens` are those that one which waits from now on had ended: they hold again.
    """

    standing: Standing = Standing.HELD
    duplicate: Candidate | None = None
    ends: tuple[Candidate, ...] = ()
    before: Candidate | None = None
    contradicts: tuple[Candidate, ...] = ()
    reopens: tuple[Candidate, ...] = ()
    confirmations: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NoteReceipt:
    """What became of one note. `id` names the first one where this is a repetition."""

    status: str  # stored, duplicate or quarantined
    id: str
    scope: str
    namespace: str
    standing: str
    confidence: float
    confirmations: int
    valid_from: datetime
    valid_to: datetime
    ends: tuple[str, ...] = ()
    before: str | None = None
    contradicts: tuple[str, ...] = ()
    reason: str = ""
    redactions: int = 0
    markers: tuple[str, ...] = ()
