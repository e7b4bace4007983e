"""What must hold of the derived graph at every moment, whatever was cut short: one list of checks.

`loci doctor` and the crash tests ask it; a broken invariant is told by its name and some ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.extraction.predicates import standard
from app.facts.repository import Terms
from app.kernel.cypher import Q, Query
from app.kernel.graph import Graph, Row

SHOWN = 20  # ids of each broken invariant
LOOKED_AT = 10_000  # pairs of beliefs that stand side by side
DOUBLED = "one open belief for each functional key"

CHECKS: Mapping[str, Query] = {
    DOUBLED: Q.lifecycle.doubled_beliefs,
    "no two open intervals of one fact that overlap": Q.lifecycle.overlapping_intervals,
    "every fact is supported": Q.lifecycle.unsupported_facts,
    "every edge of the derived graph stays in one scope": Q.lifecycle.crossing_edges,
    "what a fact mirrors is what its edges say": Q.lifecycle.stale_mirrors,
    "every relation between entities has its fact": Q.lifecycle.orphan_relations,
    "every entity's mentions are counted": Q.lifecycle.miscounted_mentions,
    "no entity without mention, fact, merge or table": Q.lifecycle.stray_entities,
    "every name names something": Q.lifecycle.empty_aliases,
    "every window has its memory": Q.lifecycle.stray_windows,
    "every provenance has its episode": Q.lifecycle.stray_provenance,
    "every line of a condensed note is a fact that is held": Q.condensed.baseless,
    "every version, use and conflict has its skill": Q.erasure.stray_parts,
    "every skill says what its version in use says": Q.erasure.unled_skills,
    "every part of a declared kind has its whole": Q.kinds.stray_parts,
    "everything of a declared kind lies in a scope": Q.kinds.lost,
    "every root is its own": Q.lifecycle.broken_roots,
}


@dataclass(frozen=True, slots=True)
class Broken:
    """One invariant that does not hold, and ids of nodes for which it does not."""

    invariant: str
    ids: list[str]


async def broken(graph: Graph, tenant: str | None = None) -> list[Broken]:
    """Every invariant that does not hold, of one tenant or of the whole store."""
    below = f"{tenant}/" if tenant else None
    found = []
    for name, query in CHECKS.items():
        most = LOOKED_AT if name == DOUBLED else SHOWN
        rows = await graph.rows(query, tenant=tenant, below=below, limit=most)
        if name == DOUBLED:
            rows = [row for row in rows if not _may_both_be_so(row)]
        ids = list(dict.fromkeys(str(row["id"]) for row in rows))
        if ids:
            found.append(Broken(name, ids[:SHOWN]))
    return found


def _may_both_be_so(row: Row) -> bool:
    """Whether belief holds both on purpose, by the predicates that Loci knows."""
    one, other = row["one_key"], row["other_key"]
    names = {one: row["one"], other: row["other"]}
    rules = Terms(standard()).rules(row["predicate"], one, names)
    return replace(rules, functional=True).may_share(one, other)  # such a key takes one value
