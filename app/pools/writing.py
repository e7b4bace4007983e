"""A change of a pool's data, from what is stored to what is to be stored. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from app.errors import TooLarge
from app.kernel.ids import new_id
from app.pools.data import BULLETIN, Changed, Data, ages, keys_of, marked, same, size_of, trimmed
from app.pools.model import Eviction, Pool, PoolEvent, PoolVersion

MOST_EVENTS = 100  # of one change; beyond it one event with the key `*` stands for the rest
EVENTS_KEPT = 1000  # of one pool, the newest ones

Act = Callable[[Data], Changed]


@dataclass(frozen=True, slots=True)
class Written:
    """A pool after a change, its former data, and what is told of the change."""

    pool: Pool
    former: PoolVersion
    events: list[PoolEvent]


def change(pool: Pool, act: Act, by: str, at: datetime, most: int) -> Written | None:
    """Carry out a change by somebody; None where the data stays as it was.

    `most` is the quota of the settings in bytes. Raises TooLarge where there is no room, and what
    `act` raises.
    """
    changed = act(pool.data)
    if same(changed.data, pool.data):
        return None
    changed = _fitted(pool, changed, min(most, pool.retention_policy.max_size_bytes or most))
    marks = trimmed(marked(pool.marks, changed, by, at), changed.data)
    keys = keys_of(changed)
    told = [*keys[:MOST_EVENTS], *(["*"] if len(keys) > MOST_EVENTS else [])]
    new = pool.model_copy(
        update={
            "data": changed.data,
            "marks": marks,
            "version": pool.version + 1,
            "changed_at": at,
            "changed_by": by,
            "seq": pool.seq + len(told),
        }
    )
    events = [_event(new, key, pool.seq + place) for place, key in enumerate(told, start=1)]
    return Written(new, former_of(pool), events)


def former_of(pool: Pool) -> PoolVersion:
    """Return the present data of a pool as the version that it is about to become."""
    return PoolVersion(
        id="new",
        scope=pool.scope,
        pool_id=pool.pool_id,
        keeper=pool.keeper,
        version=pool.version,
        changed_at=pool.changed_at,
        changed_by=pool.changed_by,
        data=pool.data,
        marks=pool.marks,
    )


def _event(pool: Pool, key: str, seq: int) -> PoolEvent:
    return PoolEvent(
        id=new_id(),
        scope=pool.scope,
        pool_id=pool.pool_id,
        keeper=pool.keeper,
        seq=seq,
        key=key,
        writer=pool.changed_by,
        is_bulletin=key.startswith(f"{BULLETIN}."),
        version=pool.version,
        time=pool.changed_at,
    )


def _fitted(pool: Pool, changed: Changed, most: int) -> Changed:
    """Return the change within the quota: where the pool evicts, keys that were written longest
    ago go, never one of this change. What holds more than the quota, which was another when it was
    written, may be made smaller step by step."""
    data = changed.data
    if size_of(data) <= max(most, size_of(pool.data) - 1):
        return changed
    if pool.retention_policy.eviction is Eviction.OLDEST:
        written = {path[0] for path in changed.paths}
        old = ages({k: v for k, v in data.items() if k not in written}, pool.marks, pool.created_at)
        for name in sorted(old, key=lambda key: (old[key], key)):
            data = {key: value for key, value in data.items() if key != name}
            if size_of(data) <= most:
                return Changed(data, [*changed.paths, *_evicted(changed.data, data)])
    raise TooLarge(f"the pool holds at most {most} bytes", field="data")


def _evicted(before: Data, after: Data) -> list[tuple[str, ...]]:
    return [(name,) for name in sorted(before.keys() - after.keys())]
