"""The values of pools, each with its path and when it was written last. Pure."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.pools.data import Data, Mark
from app.pools.model import Pool


@dataclass(frozen=True, slots=True)
class PoolValue:
    """A value of a pool that is no object, which `path` leads to."""

    pool: Pool
    path: tuple[str, ...]
    value: Any
    at: datetime

    @property
    def key(self) -> str:
        """The path with dots between its names."""
        return ".".join(self.path)


def newest(pools: Iterable[Pool], most: int) -> list[PoolValue]:
    """Return so many values of pools, those that were written last; of one moment by pool and
    path."""
    every = (value for pool in pools for value in values_of(pool))
    return heapq.nsmallest(most, every, key=lambda one: (-_seconds(one.at), one.pool.id, one.path))


def values_of(pool: Pool) -> Iterator[PoolValue]:
    """Yield all values of a pool. A mark at a path, or above it, tells when it was written; where
    none does, that was when the pool was made."""
    written = _moments(pool.marks)
    for path, value, at in _leaves(pool.data, (), pool.created_at, written):
        yield PoolValue(pool, path, value, at)


def _moments(marks: Iterable[Mark]) -> dict[tuple[str, ...], datetime]:
    found: dict[tuple[str, ...], datetime] = {}
    for mark in marks:
        found[mark.path] = max(mark.at, found.get(mark.path, mark.at))
    return found


def _leaves(
    data: Data,
    above: tuple[str, ...],
    since: datetime,
    written: dict[tuple[str, ...], datetime],
) -> Iterator[tuple[tuple[str, ...], Any, datetime]]:
    for name, value in data.items():
        path = (*above, name)
        at = max(since, written.get(path, since))
        if isinstance(value, dict):
            yield from _leaves(value, path, at, written)
        else:
            yield path, value, at


def _seconds(at: datetime) -> float:
    return at.timestamp()
