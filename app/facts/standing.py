"""How facts stand by their intervals, and which of them that leaves open: pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.facts.heads import agreed, agreeing
from app.facts.interval import Segment
from app.facts.repository import Terms
from app.kernel.graph import Row

MOST = 1000  # facts of one subject and predicate that `facts.standing` reads


@dataclass(frozen=True, slots=True)
class Across:
    """How a fact that does not hold stands, settled over several scopes: its intervals, and the
    fact that took its place."""

    segments: tuple[Segment, ...]
    replaced_by: str | None


@dataclass(frozen=True, slots=True)
class Beliefs:
    """Facts that hold for a reader; of those that do not, `across` has what only several scopes
    together tell."""

    held: set[str]
    across: dict[str, Across]


@dataclass(frozen=True, slots=True)
class Dispute:
    """Facts that are asked for, with all that is visibly told under their key in several scopes;
    `plain` tells that what they keep may settle it, since no review takes part."""

    predicate: str
    asked: list[str]
    members: list[Row]
    plain: bool


def unsettled(
    row: Row, terms: Mapping[str, Terms], as_of: datetime, beliefs: Beliefs
) -> list[Dispute]:
    """The facts of which their intervals do not tell how they stand; the others are added.

    `row` is one of the query `facts.standing`.
    """
    shared = by_key(row["told"], row["predicate"], terms)
    found = []
    for key, asked in by_key(row["asked"], row["predicate"], terms).items():
        told = shared.get(key, [])  # nothing where other scopes mean others by the name
        every = [*told, *asked] if told else []
        members = list({one["fact"]["id"]: one for one in every}.values())
        left = [
            own["fact"]["id"]
            for own in asked
            if not _stood(own, row["predicate"], members, terms, as_of, beliefs)
        ]
        if left:
            plain = len(row["told"]) < MOST and _shared(members)
            found.append(Dispute(row["predicate"], left, members, plain))
    return found


def _shared(members: Sequence[Row]) -> bool:
    """Whether several scopes tell of it, and nothing of it was reviewed."""
    scopes = {row["fact"]["scope"] for row in members}
    return len(scopes) > 1 and not any(row["reviewed"] for row in members)


def _stood(
    own: Row,
    predicate: str,
    members: Sequence[Row],
    terms: Mapping[str, Terms],
    as_of: datetime,
    beliefs: Beliefs,
) -> bool:
    fact = own["fact"]
    if any(member["fact"]["scope"] != fact["scope"] for member in members):
        if not agreeing(members):
            return False
        segments = tuple(s for s in agreed(members) if s.fact == fact["id"])
        if any(s.valid_from <= as_of < s.valid_to for s in segments):
            beliefs.held.add(fact["id"])
        else:
            beliefs.across[fact["id"]] = Across(segments, None)
        return True
    rules = terms[fact["scope"]].rules(predicate, fact["object_key"])
    if own["apart"] or fact["settled_by"] != rules.terms:
        return False
    if own["held"]:
        beliefs.held.add(fact["id"])
    return True


def by_key(
    members: Iterable[Row], predicate: str, terms: Mapping[str, Terms]
) -> dict[str, list[Row]]:
    """Facts of one subject and predicate by what they are settled with."""
    keyed: dict[str, list[Row]] = defaultdict(list)
    for member in members:
        keyed[_keyed(member, predicate, terms)].append(member)
    return keyed


def _keyed(member: Row, predicate: str, terms: Mapping[str, Terms]) -> str:
    """What of a fact's value tells its key from others of its subject and predicate."""
    fact = member["fact"]
    single = terms[fact["scope"]].single(predicate, fact["object_key"])
    return f"{fact['qualifier'] or ''} {'' if single else member['value']}"
