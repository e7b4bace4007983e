"""What was erased stays so: an import asks before it brings something back."""

from __future__ import annotations

from collections.abc import Iterable

from app.kernel.cypher import Q
from app.kernel.graph import Tx
from app.lifecycle.model import tombstone_id


async def erased(tx: Tx, values: Iterable[str]) -> set[str]:
    """Those of some ids and dedup keys that were erased from this store."""
    ids = {tombstone_id(value): value for value in values}
    rows = await tx.rows(Q.lifecycle.buried, ids=sorted(ids)) if ids else []
    return {ids[row["id"]] for row in rows}
