"""One value for all that a scope holds of entities: equal exactly when nothing that counts differs.

The ledger of merges is no part of it, so that a merge that was undone leaves it as it was.
"""

from __future__ import annotations

import orjson

from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.kernel.ids import digest


async def scope_digest(graph: Graph, scope: str) -> str:
    """SHA-256 (hex) over the scope's entities, names, mentions and edges."""
    rows = await graph.rows(Q.entities.digest_entities, scope=scope)
    for row in rows:
        row["labels"] = sorted(row["labels"])
    return digest(*(orjson.dumps(row, option=orjson.OPT_SORT_KEYS).decode() for row in rows))
