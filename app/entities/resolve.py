"""Which entity a mention is: pure, and a function of its own episode alone.

The cascade: the same person in the same episode; the same name in the same episode; else the
entity that the name, its type and its marks stand for, whose id follows from them. Nothing that
the graph holds decides anything here, so neither order nor size of a batch can: what other
episodes say of a name joins entities afterwards, by rule (`app.entities.ruling`), and how near two
vectors are decides nothing (decision 0021). A name with several bearers in its episode that
nothing tells apart is none of them, since a wrong merge costs more than a missed one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from app.entities.model import Context, Known, Resolved, alias_id, entity_id
from app.entities.names import (
    KEY_LENGTH,
    UNKNOWN,
    Name,
    compatible,
    family,
    gender,
    joint_type,
    read_name,
    word_set,
)
from app.extraction.model import Mention
from app.kernel.clock import FOREVER
from app.kernel.scope import parse_scope

IMPORTANCE, TRUST = 0.5, 0.5  # of a new entity
WE = word_set("we us our ours wir uns unser unsere unserem unseren unserer")


@dataclass(frozen=True, slots=True)
class Read:
    """A mention with its name read; `place` is where it stands in the caller's list."""

    place: int
    mention: Mention
    name: Name
    type: str

    @property
    def rank(self) -> tuple[Any, ...]:
        """What is said more exactly is settled first; ties by what is said and where."""
        return (
            self.type == UNKNOWN,
            -len(self.name.marks),
            -len(self.name.tokens),
            self.name.keys,
            self.type,
            self.mention.span.start,
            self.mention.span.end,
        )


def resolve(mentions: Sequence[Mention], scope: str, context: Context) -> list[Resolved]:
    """The entity of each mention of one episode, in the order given.

    Raises InvalidInput (field `name`) for a mention without a name.
    """
    reads = sorted(
        (_read(place, mention, context) for place, mention in enumerate(mentions)),
        key=lambda read: read.rank,
    )
    full_names = _FullNames(reads)
    partial = {r.place: full for r in reads if (full := full_names.meant_by(r)) is not None}
    whole = [read for read in reads if read.place not in partial]
    episode = _Episode(scope, context)
    waiting = [read for read in whole if not episode.settle(read)]
    for read in waiting:
        episode.mint(read)
    by_key = {read.name.canonical: read.place for read in reversed(whole) if _is_full(read)}
    for place, full in partial.items():
        episode.found[place] = episode.found[by_key[full]]
    return episode.answers(mentions)


def _read(place: int, mention: Mention, context: Context) -> Read:
    name, kind, own = mention.name, mention.type, mention.named or mention.is_speaker
    if _is_we(mention):
        kind, own = "group", context.speaker is not None
        name = f"we of {context.speaker}" if own else "we"
    elif mention.is_speaker:
        name = context.speaker or name
    read = read_name(name, kind)
    return Read(place, mention, read if own else _within(read, context.place), kind)


def _within(name: Name, place: str) -> Name:
    """A phrase that names nothing beyond its document or session: its keys end in that."""
    room = KEY_LENGTH - len(place) - 1
    return Name(name.text, tuple(f"{key[:room]} {place}" for key in name.keys), name.marks)


def _is_we(mention: Mention) -> bool:
    said = mention.name.casefold() in WE and not mention.name.isupper()  # the US is a country
    if mention.is_speaker:
        return said or mention.type == "group"
    return said and mention.type in {"group", UNKNOWN}


# --- the same person in the same episode --------------------------------------------------------


class _FullNames:
    """The full names of persons that the episode speaks of, by their first and last words.

    Not those of who speaks: one who names a namesake does not mean himself.
    """

    def __init__(self, reads: Sequence[Read]) -> None:
        self._names: dict[str, dict[str, Name]] = {}  # by first or last word, then canonical key
        self._answers: dict[tuple[str, str | None], str | None] = {}
        for read in reversed(reads):
            if _is_full(read):
                for token in (read.name.tokens[0], read.name.tokens[-1]):
                    self._names.setdefault(token, {})[read.name.canonical] = read.name

    def meant_by(self, read: Read) -> str | None:
        """The one full name that a first or last name alone stands for; None where there is not
        one."""
        tokens = read.name.tokens
        if len(tokens) != 1 or read.mention.is_speaker or read.type not in {"person", UNKNOWN}:
            return None
        said = tokens[0], gender(read.name)
        if said not in self._answers:
            self._answers[said] = self._only(*said)
        return self._answers[said]

    def _only(self, token: str, said: str | None) -> str | None:
        names = self._names.get(token, {})
        fitting = [key for key, full in names.items() if _goes_with(said, gender(full))]
        return fitting[0] if len(fitting) == 1 else None


def _is_full(read: Read) -> bool:
    return read.type == "person" and len(read.name.tokens) > 1 and not read.mention.is_speaker


def _goes_with(said: str | None, meant: str | None) -> bool:
    return said is None or meant is None or said == meant


# --- the same name in the same episode ----------------------------------------------------------


class _Episode:
    """The entities of one episode, while they are found."""

    def __init__(self, scope: str, context: Context) -> None:
        self.scope = scope
        self.context = context
        self.entities: dict[str, Known] = {}
        self.by_key: dict[str, dict[str, None]] = {}  # ids of entities, in the order they came
        self.found: dict[int, str] = {}

    def settle(self, read: Read) -> bool:
        """Resolve or mint, unless the name has several bearers here."""
        bearers = self._bearers(read)
        if len(bearers) > 1:
            return False
        if bearers:
            self._take(read, bearers[0])
        else:
            self.mint(read)
        return True

    def mint(self, read: Read) -> None:
        """The entity that stands for just this name, type and marks, here as everywhere."""
        marks = ",".join(sorted(read.name.marks))
        identifier = entity_id(self.scope, family(read.type), read.name.canonical, marks)
        keys, said = read.name.keys, read.name.marks
        blank = Known(identifier, identifier, read.type, keys, frozenset(), said)
        self._take(read, self.entities.get(identifier, blank))

    def _bearers(self, read: Read) -> list[Known]:
        """Whom the name may mean: the closest of the classes that has anybody in it."""
        named = dict.fromkeys(id for key in read.name.keys for id in self.by_key.get(key, ()))
        fitting = [known for id in named if _fits(read, known := self.entities[id])]
        closest = min((_closeness(read, k) for k in fitting), default=None)
        return [k for k in fitting if _closeness(read, k) == closest]

    def _take(self, read: Read, bearer: Known) -> None:
        """The bearer gains what this mention says of it."""
        self.found[read.place] = bearer.id
        for key in read.name.keys:
            self.by_key.setdefault(key, {})[bearer.id] = None
        self.entities[bearer.id] = replace(
            bearer,
            type=joint_type(bearer.type, read.type),
            keys=tuple(dict.fromkeys((*bearer.keys, *read.name.keys))),
            aliases=bearer.aliases | {read.name.text},
        )

    def answers(self, mentions: Sequence[Mention]) -> list[Resolved]:
        """One answer a mention; the first of each entity carries its row."""
        answers: list[Resolved] = []
        written: set[str] = set()
        for place, mention in enumerate(mentions):
            known = self.entities[self.found[place]]
            row = None
            if known.id not in written:
                written.add(known.id)
                row = entity_row(known, self.scope, self.context.at)
            answers.append(Resolved(mention, known.id, known.keys[0], row))
        return answers


def _fits(read: Read, known: Known) -> bool:
    """Marks are part of what an entity is: it never gains one."""
    return compatible(read.type, known.type) and read.name.marks <= known.marks


def _closeness(read: Read, known: Known) -> tuple[bool, bool]:
    """Smaller is closer: the canonical name, one of the same family."""
    return read.name.canonical not in known.keys, family(known.type) != family(read.type)


def entity_row(known: Known, scope: str, at: datetime) -> dict[str, Any]:
    """What `entities.upsert` writes: all properties of a new entity, and what an old one gains."""
    names = sorted(known.aliases)
    entity = {
        "id": known.id,
        "scope": scope,
        "tenant": parse_scope(scope).tenant,
        "root": known.root,
        "canonical_name": display_name(names),
        "canonical_key": known.keys[0],
        "type": known.type,
        "aliases": names,
        "keys": sorted(known.keys),
        "marks": sorted(known.marks),
        "attributes": "{}",
        "curated": [],
        "mention_count": 0,
        "importance": IMPORTANCE,
        "trust": TRUST,
        "is_pinned": False,
        "ingested_at": at,
        "expired_at": FOREVER,
    }
    return {"id": known.id, "entity": entity, "names": named(scope, known.keys), "at": at}


def named(scope: str, keys: Iterable[str]) -> list[dict[str, str]]:
    """The nodes that stand for names, by id."""
    rows = [{"id": alias_id(scope, key), "key": key} for key in keys]
    return sorted(rows, key=lambda row: row["id"])


def display_name(names: Iterable[str]) -> str:
    """The longest of the names, the first in the alphabet among equals."""
    return min(names, key=lambda name: (-len(name), name), default="")
