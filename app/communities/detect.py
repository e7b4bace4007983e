"""Leiden in the database's own Graph Data Science library, over a projection of our making."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib import import_module
from typing import Any

from app.communities.model import Network
from app.errors import GdsUnavailable, GraphBusy, GraphUnavailable, LeaseLost, QueryError
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.kernel.ids import digest

PREFIX = "loci-communities-"
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
        """The name of the pass's graph in memory, which no other pass has."""
        return PREFIX + digest(self.scope, self.holder)[:24]


async def leiden(graph: Graph, turn: Turn, given: Network) -> dict[str, Sequence[int]]:
    """Communities (Traag et al. 2019) of each entity that has an edge, by level, finest first.

    Raises GdsUnavailable where the library is missing, refuses, or would take too much of the
    heap; LeaseLost where another has taken the scope over. Nothing stays in memory.
    """
    if not len(given.left):
        return {}
    await _renew(graph, turn)
    try:
        await _allowed(graph, given)
        async with graph.turn():
            found: dict[str, Sequence[int]] = await _called(
                "leiden_paths", graph, turn.projection, given
            )
        return found
    except QueryError as error:
        raise GdsUnavailable(f"Graph Data Science refuses: {error.detail}") from error
    except (GraphBusy, GraphUnavailable) as error:
        raise GdsUnavailable(f"Graph Data Science does not answer: {error.detail}") from error


async def drop_strays(graph: Graph) -> int:
    """Take what killed processes left in memory out of it; returns how many graphs that were."""
    dropped: int = await _called("drop_older", graph, PREFIX, now() - STRAY)
    return dropped


async def _called(name: str, *args: Any) -> Any:
    """Call the client in a thread; it is loaded here, since only workers need it."""
    module = await asyncio.to_thread(import_module, "app.communities.gds")
    return await asyncio.to_thread(getattr(module, name), *args)


async def _renew(graph: Graph, turn: Turn) -> None:
    mine = await graph.optional(
        Q.communities.renew, scope=turn.scope, holder=turn.holder, until=turn.until
    )
    if mine is None:
        raise LeaseLost(f"another worker has the communities of {turn.scope}")


async def _allowed(graph: Graph, given: Network) -> None:
    nodes = len(given.ids)
    wanted = await _called("estimate", graph, nodes, 2 * len(given.left))
    (memory,) = await graph.raw(HEAP)
    heap = memory["attributes"]["HeapMemoryUsage"]["value"]["properties"]["max"]
    if wanted > SHARE * heap:
        raise GdsUnavailable(
            f"communities of {nodes:,} entities may take {wanted >> 20:,} MiB, "
            f"more than {SHARE:.0%} of a heap of {heap >> 20:,} MiB: "
            "give the database a larger heap"
        )
