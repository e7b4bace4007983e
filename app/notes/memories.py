"""Memories: sentences that a model read out of what was said, each with the turns it rests on.

A memory is a note that nobody wrote: it holds since its latest turn was said, leaves with any turn
that it rests on, and is shown with them. One that takes the place of another ends it with an
interval; nothing is overwritten. What a model merely says of two memories is a possible change:
both stand, and the older one names the newer. This module decides and makes rows; it is pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from app.contradiction.repetition import says_the_same
from app.facts.claim import Tier
from app.kernel.ids import digest
from app.notes.kind import AUTHOR, NoteRecord, SourceRecord, sentence_hash
from app.notes.model import MEMORY, Namespace

KINDS = ("fact", "preference", "event", "plan", "decision", "opinion", "procedure")
RELATIONS = ("new", "same", "adds", "updates", "ends", "contradicts")
CHANGES = ("updates", "ends", "contradicts")  # relations that make a possible change
TRUST = 0.5  # as of what an agent infers
CONFIDENCE = 0.5
IMPORTANCE = 0.5


@dataclass(frozen=True, slots=True)
class Memory:
    """One sentence with the episodes it rests on, in their order; `of` is the id of the held
    memory that the `relation` is to, where it is to one."""

    text: str
    kind: str
    language: str
    turns: tuple[str, ...]
    said_at: datetime
    session: str
    relation: str = "new"
    of: str | None = None
    pii: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        """Return what two memories share that are one sentence."""
        return sentence_hash(self.text)


@dataclass(frozen=True, slots=True)
class Stored:
    """A memory that is held, with the episodes it rests on."""

    id: str
    text: str
    language: str
    hash: str
    turns: frozenset[str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where memories are written, when, and by which model."""

    scope: str
    tenant: str
    at: datetime
    model: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What becomes of the memories of one window.

    `made` by id, `rests` adds episodes to a memory that says the same, `ends` are held memories
    that a new reading of their turns no longer finds, `changes` are possible changes: the older
    memory, the newer one and the relation.
    """

    made: Mapping[str, Memory] = field(default_factory=dict)
    rests: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ends: tuple[str, ...] = ()
    changes: tuple[tuple[str, str, str], ...] = ()


def plan(
    memories: Sequence[Memory], held: Sequence[Stored], turns: Iterable[str], at: Place
) -> Plan:
    """Decide what a window's memories do to the held ones with the same sentence or turns.

    `turns` are the episodes that were read: a held memory that rests on nothing else, and that
    this reading does not find again, ends.
    """
    read = frozenset(turns)
    known = list(held)
    made: dict[str, Memory] = {}
    rests: dict[str, tuple[str, ...]] = {}
    changes: list[tuple[str, str, str]] = []
    found: set[str] = set()
    for memory in memories:
        same = next((old for old in known if repeats(memory, old)), None)
        if same is None:
            identifier = memory_id(at.scope, memory)
            made[identifier] = memory
            known.append(_stored(identifier, memory))
            if memory.relation in CHANGES and memory.of and memory.of != identifier:
                changes.append((memory.of, identifier, memory.relation))
        else:
            identifier = same.id
            more = tuple(turn for turn in memory.turns if turn not in same.turns)
            if more and same.hash == memory.hash and identifier not in made:
                rests[identifier] = tuple(dict.fromkeys((*rests.get(identifier, ()), *more)))
        found.add(identifier)
    stale = (old for old in held if old.turns <= read and old.id not in found)
    return Plan(made, rests, tuple(sorted(old.id for old in stale)), tuple(changes))


def repeats(memory: Memory, old: Stored) -> bool:
    """Return whether a held memory is this one: the same sentence, or over one of the same turns
    nothing that the other does not say."""
    if memory.hash == old.hash:
        return True
    if old.turns.isdisjoint(memory.turns):
        return False
    return says_the_same(memory.text, old.text, memory.language)


def memory_id(scope: str, memory: Memory) -> str:
    """Return the id of a memory: the same sentence from the same first turn is the same one."""
    return digest(MEMORY, scope, memory.hash, memory.turns[0])[:32]


def row(identifier: str, memory: Memory, at: Place) -> dict[str, Any]:
    """Return every property of a memory, those of its index entry included."""
    fields: dict[str, Any] = {
        "id": identifier,
        "scope": at.scope,
        "namespace": str(Namespace.MEMORIES),
        "entry_type": memory.kind,
        "content": memory.text,
        "author": AUTHOR,
        "tier": int(Tier.AGENT),
        "valid_from": memory.said_at,
        "confidence": CONFIDENCE,
        "importance": IMPORTANCE,
        "trust": TRUST,
        "pii": memory.pii,
        "sources": tuple(SourceRecord(kind="Episode", id=turn) for turn in memory.turns),
        "model": at.model,
    }
    note = NoteRecord.model_construct(**fields)
    return note.row(identifier, at.at, language=memory.language, session=memory.session)


def _stored(identifier: str, memory: Memory) -> Stored:
    return Stored(identifier, memory.text, memory.language, memory.hash, frozenset(memory.turns))
