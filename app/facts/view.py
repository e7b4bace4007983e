"""What holds for a reader: the beliefs of every scope that he sees, settled together.

Each scope keeps its own beliefs, so that nothing said in a narrow one shows in a wide one. A
reader of both sees what follows from both: the newer word retires the older for him, by the same
function and the same rules, and nothing is written.

What is settled in a scope is kept as intervals, and these are what is read. Where scopes that are
read together say different things, what each fact keeps of its claims is settled together. All
claims are gone through only where that does not tell.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from operator import itemgetter

from app.facts.belief import Settlement, settle
from app.facts.carried import date
from app.facts.claim import Rules
from app.facts.interval import Standing
from app.facts.possible import PossibleChange, possible_changes
from app.facts.record import read_claim
from app.facts.repository import Terms
from app.facts.revision import names_of, reviews_of
from app.facts.runs import told_by
from app.facts.service import Moments
from app.facts.standing import Across, Beliefs, Dispute, by_key, unsettled
from app.facts.turns import in_turns
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row

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
        disputes = [one for row in rows for one in unsettled(row, terms, moments.as_of, beliefs)]
        rest = await self._merge(disputes, scopes, terms, moments.as_of, beliefs)
        if rest:
            await self._settle(rest, scopes, moments, beliefs)
        return beliefs

    async def _merge(
        self,
        disputes: Sequence[Dispute],
        scopes: list[str],
        terms: Mapping[str, Terms],
        as_of: datetime,
        beliefs: Beliefs,
    ) -> list[str]:
        """Settle by what facts keep of their claims; those of which only all claims tell."""
        ids = {row["fact"]["id"] for one in disputes if one.plain for row in one.members}
        found = await self._graph.rows(Q.facts.kept, ids=sorted(ids), scopes=scopes) if ids else []
        runs = {row["id"]: row["runs"] for row in found}
        rest: list[str] = []
        for one in disputes:
            settled = _merged(one, runs, terms, as_of) if one.plain else None
            if settled is None:
                rest += one.asked
                continue
            _add(one.asked, settled, as_of, True, beliefs)
        return rest

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


def _merged(
    one: Dispute,
    runs: Mapping[str, Collection[str] | None],
    terms: Mapping[str, Terms],
    as_of: datetime,
) -> Settlement | None:
    """What the facts of a dispute come to by what they keep; None where that does not tell."""
    rules = _rules(one.members, one.predicate, terms)
    settled = in_turns(one.members, runs, rules, as_of)
    if settled is not None:
        return settled
    claims = told_by(one.members, runs)
    return None if claims is None else settle(claims, rules)


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
        for rows in by_key(group, predicate, terms).values()
    ]


def _settlement(rows: list[Row], predicate: str, terms: Mapping[str, Terms]) -> Settlement:
    claims = [
        read_claim(claim, m["fact"]["id"], m["value"], claim.get("voids_name"))
        for m in rows
        for claim in m["claims"]
    ]
    claims += [read_claim(c, c["fact"], m["value"], None) for m in rows for c in m["ended"]]
    return settle(claims, _rules(rows, predicate, terms), reviews_of(rows))


def _rules(rows: Sequence[Row], predicate: str, terms: Mapping[str, Terms]) -> Rules:
    """The rules of the scopes that facts lie in."""
    first = min((row["fact"] for row in rows), key=itemgetter("scope", "id"))
    involved = [terms[scope] for scope in _scopes([rows])]
    rules = terms[first["scope"]].rules(predicate, first["object_key"], names_of(rows))
    return rules.with_members(all(term.members for term in involved))
