"""Which entities of a scope may be one: pure, out of their names; context is weighed afterwards.

Every kind of likeness looks candidates up by a key, so that the work grows with the number of
entities and not with that of pairs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import orjson

from app.entities.match import EDITIONS, Kind, Match, Rarity, Record, match
from app.entities.names import UNKNOWN, clashes, compatible, family, gender, read_name

MOST_PAIRS = 2000  # candidates of one run; the next one goes on where curators have decided
SPELT = range(5, 41)  # letters of names that may differ by one
AGAINST = -3.0  # what attributes say together from which two are not one
CONTEXT = 0.3  # weight of shared company from which a likeness of names counts
KINDS = {
    **dict.fromkeys(("phone", "telephone", "telefon"), Kind.PHONE),
    **dict.fromkeys(("address", "adresse"), Kind.ADDRESS),
    **dict.fromkeys(("city", "place", "ort", "stadt"), Kind.PLACE),
    **dict.fromkeys(("owner", "maker", "hersteller"), Kind.OWNER),
    **dict.fromkeys(("domain", "vat_id", "isbn", "email"), Kind.IDENTIFIER),
}


class Likeness(StrEnum):
    """In what two names are alike."""

    NAME = "name"  # one key, but two types, or nothing that tells bearers apart
    ABBREVIATION = "abbreviation"
    PART = "part"  # the one name is a part of the other
    SPELLING = "spelling"  # one letter more, less or other
    VECTOR = "vector"  # what is known of the two reads alike


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity as the search for candidates sees it."""

    id: str
    root: str
    name: str
    type: str
    keys: tuple[str, ...]
    marks: frozenset[str]
    attributes: Mapping[str, Any]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Candidate:
        """The candidate of an entity's properties."""
        canonical = row["canonical_key"]
        return cls(
            id=row["id"],
            root=row["root"],
            name=row["canonical_name"],
            type=row["type"],
            keys=(canonical, *(k for k in row["keys"] if k != canonical)),
            marks=frozenset(row["marks"]),
            attributes=orjson.loads(row["attributes"]),
        )

    @property
    def tokens(self) -> list[str]:
        """The words of its canonical key."""
        return self.keys[0].split()


@dataclass(frozen=True, slots=True)
class Company:
    """What two entities share: others mentioned with both, rare ones weighing more, and facts
    that say the same of both."""

    shared: int = 0
    weight: float = 0.0
    facts: int = 0


Pair = tuple[str, str]


def pairs(entities: Sequence[Candidate]) -> dict[Pair, list[Likeness]]:
    """Pairs of ids, the smaller first, with their likenesses; at most `MOST_PAIRS`, by id."""
    found: dict[Pair, list[Likeness]] = defaultdict(list)
    by_id = {entity.id: entity for entity in entities}
    for likeness, search in _SEARCHES.items():
        for pair in sorted(set(_ordered(search(entities)))):
            one, other = by_id[pair[0]], by_id[pair[1]]
            if one.root != other.root and not _barred(one, other, likeness):
                found[pair].append(likeness)
    return dict(sorted(found.items())[:MOST_PAIRS])


def evidence(
    one: Candidate,
    other: Candidate,
    likenesses: Iterable[Likeness],
    company: Company,
    rarity: Rarity,
) -> dict[str, Any] | None:
    """What speaks for a merge, as it is shown to a curator; None where too little does.

    One and the same name speaks for itself; any other likeness needs company in common, since
    names are alike by chance. Attributes that differ as they cannot for one thing speak against.
    """
    found = list(likenesses)
    compared = compare(one, other, rarity)
    if sum(v for k, v in compared.evidence.items() if k != "name") <= AGAINST:
        return None
    if Likeness.NAME not in found and company.weight < CONTEXT and not company.facts:
        return None
    return {
        "likeness": sorted(found),
        "types": sorted({one.type, other.type}),
        "shared_company": company.shared,
        "shared_weight": round(company.weight, 3),
        "shared_facts": company.facts,
        "score": compared.score,
        "attributes": compared.evidence,
    }


def alike(one: Candidate, other: Candidate) -> bool:
    """Whether two entities that read alike may be one: of one type, in two clusters, and nothing in
    their names tells them apart, such as a number, a title, or another surname."""
    if one.root == other.root or one.type != other.type or one.type == UNKNOWN:
        return False
    if clashes(one.marks, other.marks) or not _one_gender(one, other):
        return False
    if one.type == "person" and one.tokens[-1] != other.tokens[-1]:
        return False
    apart = set(one.tokens) ^ set(other.tokens)
    return not any(_edition([token]) for token in apart)


def compare(one: Candidate, other: Candidate, rarity: Rarity) -> Match:
    """Two entities as records."""
    return match(_record(one), _record(other), rarity)


def best(proposed: Mapping[Pair, dict[str, Any]]) -> dict[Pair, dict[str, Any]]:
    """Without parts of a name that fit several wholes equally well: which one is meant is open."""
    wholes: dict[str, list[float]] = defaultdict(list)
    for pair, shown in proposed.items():
        if shown["likeness"] == [Likeness.PART]:
            for side in pair:
                wholes[side].append(_strength(shown))
    kept = {}
    for pair, shown in proposed.items():
        rivals = [wholes[side] for side in pair if len(wholes[side]) > 1]
        partial = shown["likeness"] == [Likeness.PART]
        if not partial or all(_wins(_strength(shown), rival) for rival in rivals):
            kept[pair] = shown
    return kept


def _strength(shown: Mapping[str, Any]) -> float:
    return float(shown["shared_weight"]) + float(shown["shared_facts"])


def _wins(strength: float, rivals: Sequence[float]) -> bool:
    return strength == max(rivals) and rivals.count(strength) == 1


def _record(entity: Candidate) -> Record:
    attributes = {
        name: (KINDS[name], str(value))
        for name, value in entity.attributes.items()
        if name in KINDS and value is not None
    }
    return Record(entity.name, attributes)


def _barred(one: Candidate, other: Candidate, likeness: Likeness) -> bool:
    if clashes(one.marks, other.marks):
        return True
    return likeness is not Likeness.NAME and not compatible(one.type, other.type)


# --- the searches -------------------------------------------------------------------------------


def _ordered(found: Iterable[Pair]) -> Iterator[Pair]:
    return ((min(pair), max(pair)) for pair in found if pair[0] != pair[1])


def _same_name(entities: Sequence[Candidate]) -> Iterator[Pair]:
    bearers: dict[str, list[str]] = defaultdict(list)
    for entity in entities:
        for key in entity.keys:
            bearers[key].append(entity.id)
    for ids in bearers.values():
        yield from ((one, other) for i, one in enumerate(ids[:20]) for other in ids[i + 1 : 20])


def _abbreviated(entities: Sequence[Candidate]) -> Iterator[Pair]:
    short = _by(entities, lambda e: [e.keys[0]] if len(e.tokens) == 1 else [])
    for entity in entities:
        if len(entity.tokens) > 1 and family(entity.type) != "person":
            initials = "".join(token[0] for token in entity.tokens)
            yield from ((entity.id, other) for other in short.get(initials, ()))


def _contained(entities: Sequence[Candidate]) -> Iterator[Pair]:
    whole = _by(entities, lambda e: [e.keys[0]])
    by_id = {entity.id: entity for entity in entities}
    for entity in entities:
        for part in _parts(entity):
            for other in whole.get(part, ()):
                if _one_gender(entity, by_id[other]):
                    yield entity.id, other


def _parts(entity: Candidate) -> set[str]:
    tokens = entity.tokens
    if family(entity.type) == "person":
        return {tokens[0], tokens[-1]} if len(tokens) > 1 else set()
    # Vega 2 is not Vega, however much company they share.
    ends = [end for end in range(1, len(tokens)) if not _edition(tokens[end:])]
    return {" ".join(tokens[:end]) for end in ends}


def _edition(rest: Iterable[str]) -> bool:
    return any(token in EDITIONS or any(c.isdigit() for c in token) for token in rest)


def _one_gender(one: Candidate, other: Candidate) -> bool:
    first, second = (gender(read_name(e.name, "person")) for e in (one, other))
    return first is None or second is None or first == second


def _misspelt(entities: Sequence[Candidate]) -> Iterator[Pair]:
    near: dict[str, list[str]] = defaultdict(list)
    for entity in entities:
        key = entity.keys[0]
        if len(key) in SPELT and not any(c.isdigit() for c in key):
            for cut in {key, *(key[:i] + key[i + 1 :] for i in range(len(key)))}:
                near[cut].append(entity.id)
    for ids in near.values():
        yield from ((one, other) for i, one in enumerate(ids[:20]) for other in ids[i + 1 : 20])


def _by(entities: Sequence[Candidate], keys: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for entity in entities:
        for key in keys(entity):
            found[key].append(entity.id)
    return found


_SEARCHES = {
    Likeness.NAME: _same_name,
    Likeness.ABBREVIATION: _abbreviated,
    Likeness.PART: _contained,
    Likeness.SPELLING: _misspelt,
}
