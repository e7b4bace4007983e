"""Which entity a mention is: pure, and the same for any order of the mentions of an episode.

The cascade: the same person in the same episode; an exact name or alias; else a new entity. How
near two vectors are decides nothing here (decision 0021). A name with several bearers that nothing
tells apart is none of them: it becomes an entity of its own, since a wrong merge costs more than a
missed one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from app.entities.model import Context, Known, Resolved, alias_id, entity_id
from app.entities.names import (
    UNKNOWN,
    Name,
    clashes,
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

AMBIGUOUS = "ambiguous"  # discriminator of what a name stands for that has several bearers
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


def lookup_keys(mentions: Iterable[Mention], context: Context) -> list[str]:
    """Every key to ask the graph for, sorted."""
    return sorted({key for read in _reads(mentions, context) for key in read.name.keys})


def resolve(
    mentions: Sequence[Mention],
    known: Mapping[str, Sequence[Known]],
    scope: str,
    context: Context,
) -> list[Resolved]:
    """The entity of each mention of one episode, in the order given.

    `known` is what the graph holds under `lookup_keys`. Raises InvalidInput (field `name`) for a
    mention without a name.
    """
    reads = sorted(_reads(mentions, context), key=lambda read: read.rank)
    asked = {key: known[key] for read in reads for key in read.name.keys if key in known}
    episode = _Episode(scope, context, asked)
    full_names = _full_names(reads)
    partial = {r.place: full for r in reads if (full := _antecedent(r, full_names)) is not None}
    whole = [read for read in reads if read.place not in partial]
    waiting = [read for read in whole if not episode.settle(read)]
    for read in waiting:
        episode.decide(read)
    by_key = {read.name.canonical: read.place for read in reversed(whole) if _is_full(read)}
    for place, full in partial.items():
        episode.found[place] = episode.found[by_key[full]]
    return episode.answers(mentions)


def with_new(
    known: Mapping[str, Sequence[Known]], resolved: Iterable[Resolved]
) -> dict[str, Sequence[Known]]:
    """`known` and what one episode has added to it, for the next one of the same transaction."""
    grown = {**known}
    for answer in resolved:
        if answer.row is not None:
            new = _known_of(answer.row)
            before = {k.id: k for key in new.keys for k in grown.get(key, ())}
            if new.id in before:
                new = replace(new, companions=before[new.id].companions)
            for key in new.keys:
                others = [k for k in grown.get(key, ()) if k.id != new.id]
                grown[key] = [*others, new]
    return grown


def _reads(mentions: Iterable[Mention], context: Context) -> list[Read]:
    return [_read(place, mention, context) for place, mention in enumerate(mentions)]


def _read(place: int, mention: Mention, context: Context) -> Read:
    name, kind = mention.name, mention.type
    if _is_we(mention):
        name, kind = context.group or name, "group"
    elif mention.is_speaker:
        name = context.speaker or name
    return Read(place, mention, read_name(name, kind), kind)


def _is_we(mention: Mention) -> bool:
    said = mention.name.casefold() in WE and not mention.name.isupper()  # the US is a country
    if mention.is_speaker:
        return said or mention.type == "group"
    return said and mention.type in {"group", UNKNOWN}


# --- the same person in the same episode --------------------------------------------------------


def _full_names(reads: Sequence[Read]) -> dict[str, Name]:
    """The full names of persons that the episode speaks of, by canonical key.

    Not those of who speaks: one who names a namesake does not mean himself.
    """
    return {read.name.canonical: read.name for read in reversed(reads) if _is_full(read)}


def _is_full(read: Read) -> bool:
    return read.type == "person" and len(read.name.tokens) > 1 and not read.mention.is_speaker


def _antecedent(read: Read, full_names: Mapping[str, Name]) -> str | None:
    """The one full name that a first or last name alone stands for; None where there is not one."""
    tokens = read.name.tokens
    if len(tokens) != 1 or read.mention.is_speaker or read.type not in {"person", UNKNOWN}:
        return None
    fitting = [
        key
        for key, full in full_names.items()
        if tokens[0] in (full.tokens[0], full.tokens[-1]) and _same_gender(read.name, full)
    ]
    return fitting[0] if len(fitting) == 1 else None


def _same_gender(part: Name, full: Name) -> bool:
    said, meant = gender(part), gender(full)
    return said is None or meant is None or said == meant


# --- names and aliases --------------------------------------------------------------------------

_Index = dict[str, dict[str, Known]]


class _Episode:
    """What is known while one episode is resolved; grows by what it mints."""

    def __init__(self, scope: str, context: Context, known: Mapping[str, Sequence[Known]]) -> None:
        self.scope = scope
        self.context = context
        self.index = _index(known)
        self.stored = {k.id: k for found in known.values() for k in found}
        self.found: dict[int, str] = {}
        self.near = set(context.near)

    def settle(self, read: Read) -> bool:
        """Resolve or mint, unless the name has several bearers."""
        bearers = self._earlier(read) or self._bearers(read)
        if len({bearer.root for bearer in bearers}) > 1:
            return False
        if bearers:
            self._take(read, _own(bearers, read, self.scope))
        else:
            self._mint(read, self._discriminator(read))
        return True

    def decide(self, read: Read) -> None:
        """Choose among several bearers by the company they keep; else mint one of its own."""
        bearers = self._bearers(read)
        fitting = [
            b
            for b in bearers
            if not self._is_open(b) and (b.root in self.near or b.companions & self.near)
        ]
        if len({bearer.root for bearer in fitting}) == 1:
            self._take(read, _own(fitting, read, self.scope))
        else:
            self._mint(read, AMBIGUOUS)

    def _earlier(self, read: Read) -> list[Known]:
        """Whom an earlier pass found here, however close others have come since."""
        span = read.mention.span
        found = self.context.before.get((span.start, span.end))
        return [k for k in self._named(read) if k.id == found]

    def _named(self, read: Read) -> list[Known]:
        found = {k.id: k for key in read.name.keys for k in self.index.get(key, {}).values()}
        return list(found.values())

    def _bearers(self, read: Read) -> list[Known]:
        """Whom the name may mean: the closest of the classes that has anybody in it."""
        fitting = [k for k in self._named(read) if self._fits(read, k)]
        if not fitting:
            return []
        closest = min(_closeness(read, k) for k in fitting)
        return sorted((k for k in fitting if _closeness(read, k) == closest), key=lambda k: k.id)

    def _take(self, read: Read, bearer: Known) -> None:
        self.found[read.place] = bearer.id
        self.near.add(bearer.root)
        self._remember(read, bearer)

    def _mint(self, read: Read, discriminator: str) -> None:
        identifier = entity_id(self.scope, family(read.type), read.name.canonical, discriminator)
        there = next(
            (f[identifier] for f in self.index.values() if identifier in f),
            Known(identifier, identifier, read.type, read.name.keys, frozenset(), frozenset()),
        )
        self._take(read, there)

    def _remember(self, read: Read, bearer: Known) -> None:
        """The bearer with what this mention says of it, under all its names."""
        marks = frozenset() if self._is_open(bearer) else read.name.marks
        _add(
            self.index,
            replace(
                bearer,
                type=joint_type(bearer.type, read.type),
                keys=tuple(dict.fromkeys((*bearer.keys, *read.name.keys))),
                aliases=bearer.aliases | {read.name.text},
                marks=_united(bearer.marks, marks),
            ),
        )

    def _discriminator(self, read: Read) -> str:
        """What keeps a new entity apart from a namesake that has the plain id.

        A surname with a title always says whose it is: Herr Weber and Frau Weber are two, in
        whatever order they come.
        """
        marks = sorted(read.name.marks)
        if len(read.name.tokens) == 1 and any(m.startswith("honorific:") for m in marks):
            return ",".join(marks)
        plain = entity_id(self.scope, family(read.type), read.name.canonical)
        taken = any(plain in bearers for bearers in self.index.values())
        return ",".join(marks) or AMBIGUOUS if taken else ""

    def _fits(self, read: Read, known: Known) -> bool:
        if read.name.marks and self._is_open(known):
            return False
        return compatible(read.type, known.type) and not clashes(read.name.marks, known.marks)

    def _is_open(self, known: Known) -> bool:
        """Whether it stands for a name that has several bearers."""
        return known.id == entity_id(self.scope, family(known.type), known.keys[0], AMBIGUOUS)

    def answers(self, mentions: Sequence[Mention]) -> list[Resolved]:
        """One answer a mention; the first of each entity carries its row."""
        current = {k.id: k for found in self.index.values() for k in found.values()}
        answers: list[Resolved] = []
        written: set[str] = set()
        for place, mention in enumerate(mentions):
            identifier = self.found[place]
            row = None
            if identifier not in written:
                written.add(identifier)
                row = self._row(current[identifier])
            answers.append(Resolved(mention, identifier, row))
        return answers

    def _row(self, known: Known) -> dict[str, Any]:
        before = self.stored.get(known.id)
        new = [key for key in known.keys if before is None or key not in before.keys]
        return {**entity_row(known, self.scope, self.context.at), "names": named(self.scope, new)}


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
        "keys": list(known.keys),
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


def _closeness(read: Read, known: Known) -> tuple[bool, bool, bool]:
    """Smaller is closer: the canonical name, one of the same family, the same marks."""
    return (
        read.name.canonical not in known.keys,
        family(known.type) != family(read.type),
        bool(read.name.marks) and not read.name.marks <= known.marks,
    )


def _own(bearers: Sequence[Known], read: Read, scope: str) -> Known:
    """Of the members of one cluster the one that bears this very name, so that a merge can be
    undone without moving what was said since."""
    plain = entity_id(scope, family(read.type), read.name.canonical)
    return min(bearers, key=lambda b: (b.id != plain, b.keys[0] != read.name.canonical, b.id))


def _united(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    kinds = {mark.partition(":")[0] for mark in one}
    return one | {mark for mark in other if mark.partition(":")[0] not in kinds}


def _index(known: Mapping[str, Sequence[Known]]) -> _Index:
    return {key: {k.id: k for k in found} for key, found in known.items()}


def _add(index: _Index, known: Known) -> None:
    for key in known.keys:
        index.setdefault(key, {})[known.id] = known


def _known_of(row: dict[str, Any]) -> Known:
    entity = row["entity"]
    return Known(
        id=entity["id"],
        root=entity["root"],
        type=entity["type"],
        keys=tuple(entity["keys"]),
        aliases=frozenset(entity["aliases"]),
        marks=frozenset(entity["marks"]),
    )
