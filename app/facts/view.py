"""What holds for a reader: the beliefs of every scope that he sees, settled together.

Each scope keeps its own beliefs, so that nothing said in a narrow one shows in a wide one. A
reader of both sees what follows from both: the newer word retires the older for him, by the same
function and the same rules, and nothing is written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from app.facts.belief import Settlement, settle
from app.facts.interval import Standing
from app.facts.record import read_claim
from app.facts.repository import Terms
from app.facts.revision import reviews_of
from app.facts.service import Moments, TermsOf
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row


class FactView:
    """Reads only; holds no tenant state."""

    def __init__(self, graph: Graph, terms_of: TermsOf) -> None:
        self._graph = graph
        self._terms_of = terms_of

    async def held(self, ids: Sequence[str], scopes: list[str], moments: Moments) -> set[str]:
        """Those of the facts that hold at both moments for a reader of these scopes."""
        if not ids:
            return set()
        rows = await self._graph.rows(
            Q.facts.same_subject, ids=list(ids), scopes=scopes, known_at=moments.known_at
        )
        terms = {scope: await self._terms_of(scope) for scope in _scopes(rows)}
        return {row["id"] for row in rows if _holds(row, terms, moments.as_of)}


def _scopes(rows: Sequence[Row]) -> list[str]:
    return sorted({member["fact"]["scope"] for row in rows for member in row["group"]})


def _holds(row: Row, terms: Mapping[str, Terms], as_of: datetime) -> bool:
    settled = settled_together(row["group"], row["id"], row["predicate"], terms)
    return any(
        s.fact == row["id"] and s.standing is Standing.HELD and s.valid_from <= as_of < s.valid_to
        for s in settled.segments
    )


def settled_together(
    group: Collection[Row], fact: str, predicate: str, terms: Mapping[str, Terms]
) -> Settlement:
    """The settlement of the claims that share a belief key with one fact, whatever their scope.

    Members may revise each other only where every scope at hand lets them.
    """
    keyed: dict[str, list[Row]] = defaultdict(list)
    for member in group:
        own = terms[member["fact"]["scope"]]
        single = own.single(predicate, member["fact"]["object_key"])
        keyed["" if single else member["value"]].append(member)
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
