"""What the scopes of a caller hold, and how far the work is: what the route and the tool tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from app import __version__
from app.errors import QueryError
from app.kernel.caller import Caller, Role
from app.kernel.cypher import Q
from app.kernel.graph import Graph


class StatusOut(msgspec.Struct, frozen=True):
    """A census of the scopes that the caller sees, what is waiting, and the versions in use.

    Kinds that few are told of are counted where the caller administers the scope.
    """

    version: str
    schema: int
    census: dict[str, int]
    backlog: dict[str, int]
    consolidation: dict[str, int]
    jobs: dict[str, int]
    embedding: dict[str, Any]
    neo4j: str
    gds: str | None


@dataclass(frozen=True, slots=True)
class Counted:
    """The parts that are looked at, by the names that they have in the whole."""

    graph: Graph
    embedder: Any
    indexing: Any
    jobs: Any
    consolidation_rows: Any
    told_to_few: tuple[str, ...]  # kinds that fewer are told of than see their scope


async def standing(parts: Counted, caller: Caller) -> StatusOut:
    """Tell what the caller's scopes hold, and how far the work is."""
    versions = await parts.graph.rows(Q.schema.versions)
    census = await parts.graph.rows(
        Q.health.census,
        scopes=caller.visible,
        administered=[scope for scope in caller.visible if caller.may(scope, Role.ADMIN)],
        few=list(parts.told_to_few),
    )
    server = await parts.graph.one(Q.health.server)
    info = parts.embedder.info
    return StatusOut(
        version=__version__,
        schema=max((row["version"] for row in versions), default=0),
        census={row["kind"]: row["count"] for row in census},
        backlog=await _backlog(parts, caller),
        consolidation=await _consolidation(parts, caller.visible),
        jobs=await parts.jobs.count_by_state(caller),
        embedding={
            "model": info.name,
            "version": info.version,
            "dimension": info.dimension,
            "flags_injection": parts.indexing.judge is not None,
        },
        neo4j=server["version"],
        gds=await _gds(parts.graph),
    )


async def _backlog(parts: Counted, caller: Caller) -> dict[str, int]:
    """What waits in the caller's scopes for vectors, for another try, and for its names."""
    row = await parts.graph.one(Q.health.waiting, tenant=caller.tenant, scopes=caller.visible)
    return {name: row[name] for name in ("pending", "failed", "unlinked")}


async def _consolidation(parts: Counted, scopes: list[str]) -> dict[str, int]:
    """Episodes of the caller's scopes by how far they were read, and scopes being restored."""
    rows = await parts.consolidation_rows.status(scopes)
    states = ("raw", "in_progress", "failed", "consolidated")
    counts = {state: sum(row[state] for row in rows) for state in states}
    return counts | {"restoring": sum(row["restoring"] is not None for row in rows)}


async def _gds(graph: Graph) -> str | None:
    try:
        return str((await graph.one(Q.health.gds))["version"])
    except QueryError:
        return None
