"""What holds for a reader: the beliefs of every scope that he sees, settled together.

Each scope keeps its own beliefs, so that nothing said in a narrow one shows in a wide one. A
reader of both sees what follows from both: the newer word retires the older for him, by the same
function and the same rules, and nothing is written.

What is settled in a scope is kept as intervals, and these are what is read. Only where scopes that
are read together say different things are their claims gone through.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.facts.belief import Settlement, settle
from app.facts.heads import agreed, agreeing
from app.facts.interval import Segment, Standing
from app.facts.record import read_claim
from app.facts.repository import Terms
from app.facts.revision import reviews_of
from app.facts.service import Moments
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row


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


TermsOfAll = Callable[[Collection[str]], Awaitable[Mapping[str, Terms]]]


class FactView:
    """Reads only; holds no tenant state."""

    def __init__(self, graph: Graph, terms_of: TermsOfAll) -> None:
        self._graph = graph
        self._terms_of = terms_of

    async def held(self, ids: Sequence[str], scopes: list[str], moments: Moments) -> set[str]:
        """Those of the facts that hold at both moments for a reader of these scopes."""
        return (await self.beliefs(ids, scopes, moments)).held

    async def beliefs(self, ids: Sequence[str], scopes: list[str], moments: Moments) -> Beliefs:
        """How the facts stand at both moments for a reader of these scopes.

        What was settled in one scope is read as it stands there. Claims are settled here only
        where several scopes say different things, and for what was known at an earlier moment.
        """
        beliefs = Beliefs(set(), {})
        if not ids:
            return beliefs
        if not moments.latest:
            await self._settle(ids, scopes, moments, beliefs)
            return beliefs
        found = await self._graph.one(
            Q.facts.standing, ids=list(ids), scopes=scopes, as_of=moments.as_of
        )
        rows: list[Row] = found["found"]
        terms = await self._terms_of(_scopes({"group": [row, *row["others"]]} for row in rows))
        rest = [row["fact"]["id"] for row in rows if not stood(row, terms, moments.as_of, beliefs)]
        if rest:
            await self._settle(rest, scopes, moments, beliefs)
        return beliefs

    async def _settle(
        self, ids: Sequence[str], scopes: list[str], moments: Moments, beliefs: Beliefs
    ) -> None:
        rows = await self._graph.rows(
            Q.facts.same_subject, ids=list(ids), scopes=scopes, known_at=moments.known_at
        )
        terms = await self._terms_of(_scopes(rows))
        for row in rows:
            _add(row, terms, moments.as_of, beliefs)


def stood(row: Row, terms: Mapping[str, Terms], as_of: datetime, beliefs: Beliefs) -> bool:
    """Whether it can be told without any claim how a fact stands; if so, it is added.

    `row` is one of the query `facts.standing`.
    """
    fact, predicate = row["fact"], row["predicate"]
    if _meets(row, terms):
        others = _sharing(row, row["others"], terms)
        if not agreeing([row, *others]):
            return False
        own = tuple(s for s in agreed([row, *others]) if s.fact == fact["id"])
        if any(s.valid_from <= as_of < s.valid_to for s in own):
            beliefs.held.add(fact["id"])
        else:
            beliefs.across[fact["id"]] = Across(own, None)
        return True
    rules = terms[fact["scope"]].rules(predicate, fact["object_key"])
    if row["apart"] or fact["settled_by"] != rules.terms:
        return False
    if row["held"]:
        beliefs.held.add(fact["id"])
    return True


def _meets(row: Row, terms: Mapping[str, Terms]) -> bool:
    """Whether another scope tells something under the same key."""
    scope = row["fact"]["scope"]
    elsewhere = [other for other in row["others"] if other["fact"]["scope"] != scope]
    return bool(_sharing(row, elsewhere, terms))


def _sharing(row: Row, others: Iterable[Row], terms: Mapping[str, Terms]) -> list[Row]:
    own = _keyed(row, row["predicate"], terms)
    return [other for other in others if _keyed(other, row["predicate"], terms) == own]


def _keyed(member: Row, predicate: str, terms: Mapping[str, Terms]) -> str:
    """What of a fact's value tells its key from others of its subject and predicate."""
    fact = member["fact"]
    return "" if terms[fact["scope"]].single(predicate, fact["object_key"]) else member["value"]


def _scopes(rows: Iterable[Row]) -> list[str]:
    return sorted({member["fact"]["scope"] for row in rows for member in row["group"]})


def _add(row: Row, terms: Mapping[str, Terms], as_of: datetime, beliefs: Beliefs) -> None:
    fact = row["id"]
    if all(member["fact"]["id"] != fact for member in row["group"]):
        return  # it is forgotten
    settled = settled_together(row["group"], fact, row["predicate"], terms)
    own = tuple(s for s in settled.segments if s.fact == fact)
    if any(s.standing is Standing.HELD and s.valid_from <= as_of < s.valid_to for s in own):
        beliefs.held.add(fact)
    elif len(_scopes([row])) > 1:
        beliefs.across[fact] = Across(own, _successor(fact, settled))


def _successor(fact: str, settled: Settlement) -> str | None:
    """The latest of those that took a fact's place."""
    starts = {s.fact: s.valid_from for s in settled.segments if s.standing is Standing.HELD}
    after = {new for old, new, _ in settled.superseded if old == fact and new in starts}
    return max(after, key=lambda new: (starts[new], new), default=None)


def settled_together(
    group: Collection[Row], fact: str, predicate: str, terms: Mapping[str, Terms]
) -> Settlement:
    """The settlement of the claims that share a belief key with one fact, whatever their scope.

    Members may revise each other only where every scope at hand lets them.
    """
    keyed: dict[str, list[Row]] = defaultdict(list)
    for member in group:
        keyed[_keyed(member, predicate, terms)].append(member)
    rows = next(rows for rows in keyed.values() if any(m["fact"]["id"] == fact for m in rows))
    involved = [terms[scope] for scope in {m["fact"]["scope"] for m in rows}]
    value = next(m["fact"]["object_key"] for m in rows if m["fact"]["id"] == fact)
    rules = involved[0].rules(predicate, value)
    members = all(term.members for term in involved)
    claims = [
        read_claim(claim, m["fact"]["id"], m["value"], claim.get("voids_name"))
        for m in rows
        for claim in m["claims"]
    ]
    return settle(claims, rules.with_members(members), reviews_of(rows))
