"""What the engines need to know of pools, their versions, their events and their texts."""

from __future__ import annotations

from app.indexing.declared import indexed
from app.kernel.kind import Kind
from app.kernel.vocab import Label
from app.pools.model import Pool, PoolEvent, PoolText, PoolVersion

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
# It follows from the data, which packages bring; the id is drawn, so that nobody guesses one.
POOL_TEXT = Kind(
    "pool_text",
    PoolText,
    Label.POOL_TEXT,
    sanitised=("key", "content"),
    part_of=POOL,
    whole="pool",
    exported=False,
    guarded=True,
    entry=indexed,
    recalled=True,
)
