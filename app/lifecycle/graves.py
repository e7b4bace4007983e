"""What was erased stays so: an import asks before it brings something back."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from app.kernel.cypher import Q
from app.kernel.graph import Tx
from app.lifecycle.model import tombstone_id


async def graves(tx: Tx, values: Iterable[str]) -> dict[str, tuple[str, datetime]]:
    """Those of some ids and dedup keys that were erased from this store, with the tenant that they
    were erased in, and when."""
    ids = {tombstone_id(value): value for value in values}
    rows = await tx.rows(Q.lifecycle.buried, ids=sorted(ids)) if ids else []
    return {ids[row["id"]]: (row["tenant"], row["created_at"]) for row in rows}


async def erased(tx: Tx, values: Iterable[str]) -> set[str]:
    """Those of some ids and dedup keys that were erased from this store."""
    return set(await graves(tx, values))
