"""Names that nothing but one passage gives: they wait there until something makes things of them.

A name is the name of a thing once two passages write it, or one passage has a reason of its own
(it says something of the thing, or is titled or spoken by it). Until then the passage keeps what
its reading made of the name, and no node stands for it. Whether a name waits follows from the
passages of its scope alone, so neither the order nor the size of batches decides it: whoever writes
names of a scope locks its cursor first, and lets every name that others write as well wait no more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from app.entities.model import Known, Resolved, alias_id
from app.entities.names import read_name
from app.entities.repository import mention_rows
from app.entities.resolve import entity_row
from app.errors import InvalidInput
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.sanitize.aside import READ, aside

READ_AS = ("person", "organization", "unknown")  # types that make keys of their own
CLAUSES = 500  # tokens of one query of the text index, which takes 1,024


@dataclass(frozen=True, slots=True)
class Named:
    """The names of one passage, and the keys of those for which it has a reason of its own."""

    passage: str
    answers: Sequence[Resolved]
    reasons: Collection[str] = ()


@dataclass(slots=True)
class Admitted:
    """The keys that are names of things, and those of them that were before (`borne`).

    `rows` and `mentions` are what other passages had waiting under them, for `upsert` and
    `link_mentions`.
    """

    keys: set[str] = field(default_factory=set)
    borne: set[str] = field(default_factory=set)
    rows: list[Row] = field(default_factory=list)
    mentions: list[Row] = field(default_factory=list)

    def of(self, answers: Iterable[Resolved]) -> list[Resolved]:
        """Those of some answers that are things."""
        return [answer for answer in answers if answer.key in self.keys]


async def admit(tx: Tx, scope: str, named: Sequence[Named], at: datetime) -> Admitted:
    """Decide which names of some passages are things; locks the scope's names.

    What other passages had waiting under them waits no more.
    """
    await tx.rows(Q.entities.hold_names, scope=scope, at=at)
    passages = sorted(one.passage for one in named)
    keys, found = await aside([one.answers for one in named], lambda: _counted(named))
    if not keys:
        return found
    rows = await tx.rows(Q.entities.borne, scope=scope, keys=keys)
    found.borne = {row["key"] for row in rows}
    found.keys |= found.borne
    left = [key for key in keys if key not in found.borne]
    tokens = await aside(left, lambda: [alias_id(scope, key) for key in left])
    for row in await _waiting(tx, scope, tokens, passages):
        await _release(tx, scope, row, (set(left), at), found)
    return found


def _counted(named: Sequence[Named]) -> tuple[list[str], Admitted]:
    """The keys of some passages in order, and those that are things by these passages alone."""
    counts = Counter(key for one in named for key in {answer.key for answer in one.answers})
    reasons = {key for one in named for key in one.reasons if key in counts}
    often = {key for key, count in counts.items() if count > 1}
    return sorted(counts), Admitted(reasons | often)


async def _waiting(tx: Tx, scope: str, tokens: Sequence[str], passages: list[str]) -> list[Row]:
    """Other passages with names that wait under one of some tokens, each once."""
    found: dict[str, Row] = {}
    for start in range(0, len(tokens), CLAUSES):
        words = " ".join(tokens[start : start + CLAUSES])
        rows = await tx.rows(Q.entities.waiting, scope=scope, words=words, passages=passages)
        found |= {row["id"]: row for row in rows}
    return [found[id] for id in sorted(found)]


async def _release(
    tx: Tx, scope: str, row: Row, given: tuple[set[str], datetime], found: Admitted
) -> None:
    """Let what a passage has waiting under some keys wait no more."""
    keys, at = given
    freed, kept = await aside(row["lone"], lambda: _parted(row, keys, scope), READ)
    found.keys |= {entry["key"] for entry in freed}
    found.rows += [_entity(entry, scope, at) for entry in freed]
    mentions = [
        {"entity": entry["id"], "start": start, "end": end, "name": name}
        for entry in freed
        for start, end, name in entry["at"]
    ]
    found.mentions.append({"episode": row["id"], "mentions": mentions})
    await tx.rows(Q.entities.keep_lone, rows=[kept])


def _parted(row: Row, keys: Collection[str], scope: str) -> tuple[list[dict[str, Any]], Row]:
    """What a passage has waiting under some keys, and the row that keeps the rest."""
    entries = unpack(row["lone"])
    kept = [entry for entry in entries if entry["key"] not in keys]
    return [e for e in entries if e["key"] in keys], lone_row(scope, row["id"], kept)


@dataclass(slots=True)
class Demoted:
    """Things that are names of one passage alone again, and what that passage keeps of them."""

    entities: list[Row] = field(default_factory=list)
    kept: list[Row] = field(default_factory=list)


async def single(tx: Tx, scope: str, keys: Iterable[str], *, alone: bool = False) -> Demoted:
    """The things under some keys that nothing but one passage names any more.

    Whoever asks holds the scope's names, drops the entities and then has `kept` kept. `alone` takes
    none that is joined to another, or was.
    """
    bearers: dict[str, list[Row]] = {}
    for row in await tx.rows(Q.entities.sources, scope=scope, keys=sorted(set(keys))):
        bearers.setdefault(row["entity"]["canonical_key"], []).append(row)
    thin = [found for found in bearers.values() if _is_thin(found, alone=alone)]
    entities = {row["entity"]["id"]: row["entity"] for found in thin for row in found}
    places = await tx.rows(Q.entities.places_of, ids=sorted(entities), scope=scope)
    found = Demoted()
    for place in places:
        own = own_keys(place["title"], place["speaker"], place["links"])
        gone = [
            entity
            for id in sorted({at["entity"] for at in place["mentions"]})
            if (entity := entities[id])["canonical_key"] not in own
        ]
        if gone:
            found.entities += gone
            at = places_by(place["mentions"])
            entries = [entry_of(entity, at) for entity in gone]
            found.kept.append(lone_row(scope, place["id"], [*unpack(place["lone"]), *entries]))
    return found


def _is_thin(bearers: Sequence[Row], *, alone: bool) -> bool:
    passages = {id for row in bearers for id in row["passages"]}
    held = any(row["held"] or (alone and row["joined"]) for row in bearers)
    return len(passages) == 1 and all(row["passages"] for row in bearers) and not held


def own_keys(
    title: str | None, speaker: str | None, links: Collection[str] | None = None
) -> set[str]:
    """The keys of what a passage is titled, of who speaks it and of what it links to, as they may
    have been read."""
    return {key for name in (title, speaker, *(links or ())) if name for key in _keys(name)}


def _keys(name: str) -> set[str]:
    try:
        return {read_name(name, kind).canonical for kind in READ_AS}
    except InvalidInput:
        return set()


def waiting_in(named: Named, admitted: Admitted, scope: str) -> Row:
    """The row of `keep_lone` for the names of a passage that are no things."""
    places = places_by(mention_rows(named.passage, named.answers)["mentions"])
    entries = [
        entry_of(answer.row["entity"], places)
        for answer in named.answers
        if answer.row is not None and answer.key not in admitted.keys
    ]
    return lone_row(scope, named.passage, entries)


Places = Mapping[str, Sequence[list[Any]]]  # by entity: start, end and name of each


def places_by(mentions: Iterable[Row]) -> Places:
    """The places of a passage by what they mention: a long one has thousands of both."""
    found: dict[str, list[list[Any]]] = {}
    for place in mentions:
        at = [place["start"], place["end"], place["name"]]
        found.setdefault(place["entity"], []).append(at)
    return found


def entry_of(entity: Row, places: Places) -> dict[str, Any]:
    """What a passage keeps of one name, with its places in the text."""
    return {
        "id": entity["id"],
        "type": entity["type"],
        "key": entity["canonical_key"],
        "keys": sorted(entity["keys"]),
        "aliases": sorted(entity["aliases"]),
        "marks": sorted(entity["marks"]),
        "at": sorted(places.get(entity["id"], ())),
    }


def opening(key: str) -> str | None:
    """The word with which a name of several words begins, as far as it is one of letters."""
    first, _, rest = key.partition(" ")
    return first if rest and first.isalnum() else None


def opening_words(keys: Iterable[str]) -> set[str]:
    """The words with which names of several words begin."""
    return {word for key in keys if (word := opening(key))}


def opening_token(scope: str, word: str) -> str:
    """What names that begin with a word are found by; scopes and words hold no blank or quote."""
    return f"{scope}|{word}"


def lone_row(scope: str, passage: str, entries: Sequence[Row]) -> Row:
    """The row of `keep_lone` for all that a passage has waiting."""
    ordered = sorted(entries, key=lambda entry: str(entry["id"]))
    packed = orjson.dumps(ordered, option=orjson.OPT_SORT_KEYS).decode() if ordered else None
    keys = {entry["key"] for entry in ordered}
    tokens = sorted(alias_id(scope, key) for key in keys)
    tokens += sorted(opening_token(scope, word) for word in opening_words(keys))
    return {"id": passage, "lone": packed, "tokens": " ".join(tokens) or None}


def unpack(packed: str | None) -> list[dict[str, Any]]:
    """What a passage has waiting."""
    entries: list[dict[str, Any]] = orjson.loads(packed) if packed else []
    return entries


def _entity(entry: Row, scope: str, at: datetime) -> Row:
    keys = (entry["key"], *(key for key in entry["keys"] if key != entry["key"]))
    aliases, marks = frozenset(entry["aliases"]), frozenset(entry["marks"])
    known = Known(entry["id"], entry["id"], entry["type"], keys, aliases, marks)
    return entity_row(known, scope, at)
