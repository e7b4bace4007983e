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
from operator import itemgetter

from app.facts.belief import Settlement, settle
from app.facts.carried import date
from app.facts.heads import agreed, agreeing
from app.facts.interval import Segment, Standing
from app.facts.possible import PossibleChange, possible_changes
from app.facts.record import read_claim
from app.facts.repository import Terms
from app.facts.revision import names_of, reviews_of
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

    async def possible_changes(
        self, facts: Collection[str], scopes: list[str], moments: Moments
    ) -> dict[str, PossibleChange]:
        """What may have changed of facts that hold at both moments, by their ids."""
        return await possible_changes(self._graph, facts, scopes, moments)

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
        terms = await self._terms_of(_scopes([*row["asked"], *row["told"]] for row in rows))
        rest = [fact for row in rows for fact in unsettled(row, terms, moments.as_of, beliefs)]
        if rest:
            await self._settle(rest, scopes, moments, beliefs)
        return beliefs

    async def _settle(
        self, ids: Sequence[str], scopes: list[str], moments: Moments, beliefs: Beliefs
    ) -> None:
        rows = await self._graph.rows(
            Q.facts.same_subject, ids=list(ids), scopes=scopes, known_at=moments.known_at
        )
        terms = await self._terms_of(_scopes(row["group"] for row in rows))
        for row in rows:
            for member in row["group"]:
                for claim in (*member["claims"], *member["ended"]):
                    date(claim)
            for facts, settled in settled_together(row["group"], row["predicate"], terms):
                asked = [fact for fact in row["asked"] if fact in facts]
                _add(asked, settled, moments.as_of, len(_scopes([row["group"]])) > 1, beliefs)


def unsettled(row: Row, terms: Mapping[str, Terms], as_of: datetime, beliefs: Beliefs) -> list[str]:
    """The facts of which it cannot be told without any claim how they stand; the others are added.

    `row` is one of the query `facts.standing`.
    """
    shared = _by_key(row["told"], row["predicate"], terms)
    return [
        own["fact"]["id"]
        for own in row["asked"]
        if not _stood(own, row["predicate"], shared, terms, as_of, beliefs)
    ]


def _stood(
    own: Row,
    predicate: str,
    shared: Mapping[str, list[Row]],
    terms: Mapping[str, Terms],
    as_of: datetime,
    beliefs: Beliefs,
) -> bool:
    fact = own["fact"]
    members = shared.get(_keyed(own, predicate, terms), [])
    if any(member["fact"]["scope"] != fact["scope"] for member in members):
        rows = [own, *(member for member in members if member["fact"]["id"] != fact["id"])]
        if not agreeing(rows):
            return False
        segments = tuple(s for s in agreed(rows) if s.fact == fact["id"])
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


def _by_key(
    members: Iterable[Row], predicate: str, terms: Mapping[str, Terms]
) -> dict[str, list[Row]]:
    keyed: dict[str, list[Row]] = defaultdict(list)
    for member in members:
        keyed[_keyed(member, predicate, terms)].append(member)
    return keyed


def _keyed(member: Row, predicate: str, terms: Mapping[str, Terms]) -> str:
    """What of a fact's value tells its key from others of its subject and predicate."""
    fact = member["fact"]
    single = terms[fact["scope"]].single(predicate, fact["object_key"])
    return f"{fact['qualifier'] or ''} {'' if single else member['value']}"


def _scopes(groups: Iterable[Iterable[Row]]) -> list[str]:
    return sorted({member["fact"]["scope"] for group in groups for member in group})


def _add(
    facts: Iterable[str], settled: Settlement, as_of: datetime, several: bool, beliefs: Beliefs
) -> None:
    for fact in facts:
        own = tuple(s for s in settled.segments if s.fact == fact)
        if any(s.standing is Standing.HELD and s.valid_from <= as_of < s.valid_to for s in own):
            beliefs.held.add(fact)
        elif several:
            beliefs.across[fact] = Across(own, _successor(fact, settled))


def _successor(fact: str, settled: Settlement) -> str | None:
    """The latest of those that took a fact's place."""
    starts = {s.fact: s.valid_from for s in settled.segments if s.standing is Standing.HELD}
    after = {new for old, new, _ in settled.superseded if old == fact and new in starts}
    return max(after, key=lambda new: (starts[new], new), default=None)


def settled_together(
    group: Iterable[Row], predicate: str, terms: Mapping[str, Terms]
) -> list[tuple[set[str], Settlement]]:
    """The facts that share a belief key, whatever their scope, with the settlement of their claims.

    Members may revise each other only where every scope at hand lets them.
    """
    return [
        ({row["fact"]["id"] for row in rows}, _settlement(rows, predicate, terms))
        for rows in _by_key(group, predicate, terms).values()
    ]


def _settlement(rows: list[Row], predicate: str, terms: Mapping[str, Terms]) -> Settlement:
    first = min((row["fact"] for row in rows), key=itemgetter("scope", "id"))
    involved = [terms[scope] for scope in _scopes([rows])]
    rules = terms[first["scope"]].rules(predicate, first["object_key"], names_of(rows))
    claims = [
        read_claim(claim, m["fact"]["id"], m["value"], claim.get("voids_name"))
        for m in rows
        for claim in m["claims"]
    ]
    claims += [read_claim(c, c["fact"], m["value"], None) for m in rows for c in m["ended"]]
    members = all(term.members for term in involved)
    return settle(claims, rules.with_members(members), reviews_of(rows))
