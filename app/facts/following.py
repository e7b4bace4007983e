"""A fact is recalled as long as one of its sources is: forgotten with the last, back with one."""

from __future__ import annotations

from collections.abc import Iterable

from app.indexing.entry import time_key
from app.kernel.clock import FOREVER, now
from app.kernel.cypher import Q
from app.kernel.graph import Tx


async def follow_sources(tx: Tx, facts: Iterable[str]) -> list[str]:
    """Hide facts whose every source is forgotten, and show those again that had gone so and have a
    source once more; ids of those that changed. What was forgotten by itself stays so."""
    at = now()
    rows = await tx.rows(
        Q.facts.follow,
        ids=sorted(set(facts)),
        at=at,
        key=time_key(at),
        never=FOREVER,
        never_key=time_key(FOREVER),
    )
    return [row["id"] for row in rows]
