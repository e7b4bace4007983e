"""What the engines need to know of pools, their versions and their events."""

from __future__ import annotations

from app.kernel.kind import Kind
from app.kernel.vocab import Label
from app.pools.model import Pool, PoolEvent, PoolVersion

POOL = Kind(
    "pool",
    Pool,
    Label.MEMORY_POOL,
    identity=("pool_id", "keeper"),
    sanitised=("name", "workflow", "data"),
    changed="changed_at",
    guarded=True,
)
POOL_VERSION = Kind(
    "pool_version",
    PoolVersion,
    Label.POOL_VERSION,
    identity=("pool_id", "keeper", "version"),
    sanitised=("data",),
    part_of=POOL,
    changed="changed_at",
    guarded=True,
)
# Kept for a day: a package would bring back what has been told.
POOL_EVENT = Kind(
    "pool_event",
    PoolEvent,
    Label.POOL_EVENT,
    sanitised=("key",),
    part_of=POOL,
    exported=False,
)
