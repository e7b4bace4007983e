"""Notes made of facts: which facts make one, and what it says. Pure.

A condensed note is an extract: every line is the statement of one fact that is held, word for word.
Nothing is put in between, so nothing is said that no fact says. The thresholds are those of seed
001 (annex 3.a): three facts, two entities, nine tenths of the entities kept, confidence 0.6.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.facts.claim import Tier
from app.facts.record import DERIVED_TRUST
from app.kernel.clock import FOREVER
from app.kernel.ids import digest
from app.notes.kind import AUTHOR, NoteRecord, SourceRecord
from app.notes.model import CONDENSED, IMPORTANCE, Namespace

FEWEST_FACTS = 3
FEWEST_ENTITIES = 2
ENTITIES_KEPT = 0.9
CONFIDENT = 0.6
MOST = 32  # statements of one note; what more is held of a thing is told by predicate
SEPARATOR = "\n"


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact that is held, with the interval that covers now and the entities that it names."""

    id: str
    statement: str
    language: str
    predicate: str
    confidence: float
    trust: float
    entities: frozenset[str]
    valid_from: datetime
    valid_to: datetime


@dataclass(frozen=True, slots=True)
class Extract:
    """What a note is to say: its cluster by name, and its facts in the order of their lines."""

    cluster: str
    language: str
    facts: tuple[Stated, ...]

    @property
    def content(self) -> str:
        """Return one statement a line."""
        return SEPARATOR.join(fact.statement for fact in self.facts)

    @property
    def valid_from(self) -> datetime:
        """Return since when all of it holds."""
        return max(fact.valid_from for fact in self.facts)

    @property
    def valid_to(self) -> datetime:
        """Return until when all of it holds."""
        return min(fact.valid_to for fact in self.facts)


@dataclass(frozen=True, slots=True)
class Stored:
    """The notes of one cluster of a subject: those that are held, and the number of the last."""

    cluster: str
    version: int
    held: tuple[tuple[str, str], ...]  # id and content


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one cluster: an extract to make under a number, and notes that it ends."""

    cluster: str
    extract: Extract | None
    version: int
    ends: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Which entity a note is about, where, and when it is made."""

    scope: str
    tenant: str
    subject: str
    at: datetime


def extracts(facts: Iterable[Stated]) -> list[Extract]:
    """Return the notes that the held facts of one entity make, by the name of their cluster.

    Each language makes notes of its own; where there is more to say than fits, each predicate.
    """
    made = []
    for name, cluster in sorted(_clusters(facts).items()):
        extract = _extract(name, cluster)
        if extract is not None:
            made.append(extract)
    return made


def changes(wanted: Sequence[Extract], stored: Sequence[Stored]) -> list[Change]:
    """Return what must be made and ended; nothing where the held note says what it should."""
    before = {s.cluster: s for s in stored}
    named = {extract.cluster: extract for extract in wanted}
    found = []
    for cluster in sorted({*before, *named}):
        extract = named.get(cluster)
        old = before.get(cluster, Stored(cluster, 0, ()))
        same = [note for note, content in old.held if extract and content == extract.content]
        ends = tuple(note for note, _ in old.held if note not in same[:1])
        make = None if same else extract
        if make is not None or ends:
            found.append(Change(cluster, make, old.version + 1, ends))
    return found


def note_id(place: Place, extract: Extract, version: int) -> str:
    """Return the id of a note: the same words about an entity for the same time have one."""
    parts = (place.scope, place.subject, extract.cluster, str(version), extract.content)
    return digest(CONDENSED, *parts)[:32]


def note_row(place: Place, extract: Extract, version: int) -> dict[str, Any]:
    """Return the row of `condensed.create`.

    Its authority is below that of every written note. An end that is known from the start was never
    unknown, so that `superseded_at` is then the moment of its making.
    """
    identifier = note_id(place, extract, version)
    facts = [fact.id for fact in extract.facts]
    fields: dict[str, Any] = {
        "id": identifier,
        "scope": place.scope,
        "namespace": str(Namespace.DERIVED),
        "entry_type": CONDENSED,
        "content": extract.content,
        "author": AUTHOR,
        "tier": int(Tier.EXTERNAL),
        "valid_from": extract.valid_from,
        "valid_to": extract.valid_to,
        "superseded_at": place.at if extract.valid_to < FOREVER else None,
        "confidence": min(fact.confidence for fact in extract.facts),
        "version": version,
        "importance": IMPORTANCE,
        "trust": round(DERIVED_TRUST * min(f.trust for f in extract.facts), 6),
        "sources": tuple(SourceRecord(kind="Fact", id=fact) for fact in facts),
        "subject": place.subject,
        "cluster": extract.cluster,
    }
    note = NoteRecord.model_construct(**fields)
    properties = note.row(identifier, place.at, language=extract.language)
    return {"id": identifier, "properties": properties, "facts": facts}


def stated(row: Mapping[str, Any]) -> Stated:
    """Read a row of `condensed.material`."""
    fact = row["fact"]
    named = {row["root"], row["object"]} - {None}
    return Stated(
        id=fact["id"],
        statement=fact["statement"],
        language=fact["language"],
        predicate=fact["predicate"],
        confidence=fact["confidence"],
        trust=fact["trust"],
        entities=frozenset(named),
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
    )


def _clusters(facts: Iterable[Stated]) -> dict[str, list[Stated]]:
    by_language: dict[str, list[Stated]] = defaultdict(list)
    for fact in _single(facts):
        by_language[fact.language].append(fact)
    found: dict[str, list[Stated]] = defaultdict(list)
    for language, cluster in by_language.items():
        for fact in cluster:
            name = language if len(cluster) <= MOST else f"{language}/{fact.predicate}"
            found[name].append(fact)
    return found


def _single(facts: Iterable[Stated]) -> list[Stated]:
    """Return each statement once, by the surest fact for it."""
    best = sorted(facts, key=lambda f: (-f.confidence, f.valid_from, f.id))
    firsts = {f.statement: f for f in reversed(best) if SEPARATOR not in f.statement}
    return list(firsts.values())


def _extract(name: str, cluster: Sequence[Stated]) -> Extract | None:
    sure = [fact for fact in cluster if fact.confidence >= CONFIDENT]
    sure.sort(key=lambda f: (-f.confidence, f.valid_from, f.statement))
    kept = sorted(sure[:MOST], key=lambda f: (f.valid_from, f.statement))
    every, told = _entities(cluster), _entities(kept)
    if len(kept) < FEWEST_FACTS or len(told) < FEWEST_ENTITIES:
        return None
    if len(told) < ENTITIES_KEPT * len(every):
        return None
    return Extract(name, kept[0].language, tuple(kept))


def _entities(facts: Iterable[Stated]) -> set[str]:
    return {entity for fact in facts for entity in fact.entities}
