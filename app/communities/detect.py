"""Leiden in the database's own Graph Data Science library, over a projection of our making."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.communities.model import Network
from app.errors import GdsUnavailable, GraphBusy, GraphUnavailable, LeaseLost, QueryError
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.kernel.ids import digest

PREFIX = "loci-communities-"
SEED = 20_240_305
SHARE = 0.6  # of the heap, which all queries need as well
# What the server calls a statement about itself, as those of the schema are.
HEAP = "CALL dbms.queryJmx('java.lang:type=Memory') YIELD attributes"
LEASE = timedelta(minutes=10)
STRAY = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Turn:
    """Whose turn a pass is: one holder works on a scope at a time."""

    scope: str
    holder: str

    @property
    def until(self) -> datetime:
        """The end of the lease, renewed now."""
        return now() + LEASE

    @property
    def projection(self) -> str:
        """The name of the scope's graph in memory."""
        return PREFIX + digest(self.scope)[:24]


async def leiden(graph: Graph, turn: Turn, given: Network) -> dict[str, Sequence[int]]:
    """Communities (Traag et al. 2019) of each entity that has an edge, by level, finest first.

    Raises GdsUnavailable where the library is missing, refuses, or would take too much of the
    heap; LeaseLost where another has taken the scope over. Nothing stays in memory.
    """
    if not len(given.left):
        return {}
    try:
        await _allowed(graph, given)
        return await _projected(graph, turn, given)
    except QueryError as error:
        raise GdsUnavailable(f"Graph Data Science refuses: {error.detail}") from error
    except (GraphBusy, GraphUnavailable) as error:
        raise GdsUnavailable(f"Graph Data Science does not answer: {error.detail}") from error


async def drop_strays(graph: Graph) -> int:
    """Take what killed processes left in memory out of it; returns how many graphs that were."""
    before = now() - STRAY
    rows = await graph.rows(Q.communities.stray_projections, prefix=PREFIX, before=before)
    for row in rows:
        await graph.rows(Q.communities.drop_projection, name=row["name"])
    return len(rows)


async def _allowed(graph: Graph, given: Network) -> None:
    await graph.rows(Q.communities.version)
    counts: Mapping[str, int] = {"nodes": len(given.ids), "edges": 2 * len(given.left)}
    row = await graph.one(Q.communities.estimate, nodes=counts["nodes"], edges=counts["edges"])
    (memory,) = await graph.raw(HEAP)
    heap = memory["attributes"]["HeapMemoryUsage"]["value"]["properties"]["max"]
    if row["bytes"] > SHARE * heap:
        raise GdsUnavailable(
            f"communities of {counts['nodes']:,} entities may take {row['bytes'] >> 20:,} MiB, "
            f"more than {SHARE:.0%} of a heap of {heap >> 20:,} MiB: "
            "give the database a larger heap"
        )


async def _projected(graph: Graph, turn: Turn, given: Network) -> dict[str, Sequence[int]]:
    edges = [
        [one, two, weight]
        for one, two, weight in zip(
            given.left.tolist(), given.right.tolist(), given.weight.tolist(), strict=True
        )
    ]
    name = turn.projection
    # One that a killed process left would be in the way.
    await graph.rows(Q.communities.drop_projection, name=name)
    try:
        made = await graph.rows(
            Q.communities.project,
            scope=turn.scope,
            holder=turn.holder,
            until=turn.until,
            name=name,
            edges=edges,
        )
        if not made or made[0]["nodes"] is None:
            raise LeaseLost(f"another worker has the communities of {turn.scope}")
        (row,) = await graph.rows(
            Q.communities.leiden,
            scope=turn.scope,
            holder=turn.holder,
            until=turn.until,
            name=name,
            seed=SEED,
        ) or [{"places": [], "paths": []}]
    finally:
        await graph.rows(Q.communities.drop_projection, name=name)
    found = zip(row["places"], row["paths"], strict=True)
    return {given.ids[place]: path for place, path in found}
