"""How far a search reaches: whole subtrees of scopes are one clause of the text index each.

A reader of a whole tenant names it once, and not each of its thousand scopes. What a subtree may
hold beyond the scopes that the reader sees is kept out by the list, which every query has as well.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import lru_cache

from app.kernel.cypher import Q
from app.kernel.graph import Graph

FEW = 16  # scopes that are as well named one by one
KEPT_SECONDS = 10.0
READERS = 64  # whose subtrees are kept that long


def subtrees(scopes: Iterable[str], known: Iterable[str]) -> list[str]:
    """The widest scopes below which every known scope is among `scopes`; at least one is."""
    seen = set(scopes)
    missing: set[str] = set()
    inner: set[str] = set()
    for path in known:
        above = _above(path)
        inner.update(above)
        if path not in seen:
            missing.update((path, *above))
    whole = {path for path in seen & inner if path not in missing}
    return sorted(path for path in whole if whole.isdisjoint(_above(path)))


def alone(scopes: Sequence[str], trees: Sequence[str]) -> list[str]:
    """The scopes that lie in none of the subtrees."""
    return list(_alone(tuple(scopes), tuple(trees))) if trees else list(scopes)


@lru_cache(maxsize=READERS)
def _alone(scopes: tuple[str, ...], trees: tuple[str, ...]) -> list[str]:
    """The same, once for all searches of a reader: a thousand paths take most of a millisecond."""
    whole = set(trees)
    return [s for s in scopes if s not in whole and whole.isdisjoint(_above(s))]


def _above(path: str) -> list[str]:
    steps = path.split("/")
    return ["/".join(steps[:count]) for count in range(1, len(steps))]


class Reach:
    """The scopes of tenants, as they were a moment ago."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[str, tuple[float, list[str]]] = {}
        self._trees: dict[tuple[str, ...], list[str]] = {}

    async def trees(self, scopes: Sequence[str]) -> list[str]:
        """The subtrees that lie in these scopes of one tenant; none where they are few."""
        if len(scopes) <= FEW:
            return []
        tenants = {scope.partition("/")[0] for scope in scopes}
        known = [path for tenant in sorted(tenants) for path in await self._of(tenant)]
        asked = tuple(scopes)
        if asked not in self._trees:
            if len(self._trees) >= READERS:
                self._trees.clear()
            self._trees[asked] = subtrees(scopes, known)
        return self._trees[asked]

    async def _of(self, tenant: str) -> list[str]:
        kept = self._known.get(tenant)
        if kept is None or kept[0] < time.monotonic():
            found = await self._graph.one(Q.scopes.paths, tenant=tenant)
            kept = (time.monotonic() + KEPT_SECONDS, found["paths"])
            self._known[tenant] = kept
            self._trees.clear()
        return kept[1]
