"""Circles of dependencies, each once, and the edge that is weakest in it: pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

LONGEST = 9  # edges: a path below ten


@dataclass(frozen=True, slots=True)
class Edge:
    """One dependency; its strength is its weight times its confidence."""

    source: str
    target: str
    strength: float = 1.0


def circles(edges: Iterable[Edge]) -> list[tuple[str, ...]]:
    """One shortest circle of at most nine edges for each edge that closes one, without repeats.

    A circle begins at its smallest member. Work grows with the edges inside strongly connected
    parts only: a search starts only where both ends lie in the same part.
    """
    known = sorted(edges, key=lambda edge: (edge.source, edge.target))
    onward: dict[str, list[str]] = {}
    for edge in known:
        onward.setdefault(edge.source, []).append(edge.target)
    part = parts(onward)
    found: dict[tuple[str, ...], None] = {}
    for edge in known:
        if part[edge.source] == part[edge.target]:
            path = _way_back(onward, edge, part)
            if path is not None:
                found[_turned(path)] = None
    return list(found)


def weakest(circle: tuple[str, ...], strengths: Mapping[tuple[str, str], float]) -> tuple[str, str]:
    """The edge of a circle with the least strength; equals go by their ends."""
    steps = list(zip(circle, (*circle[1:], circle[0]), strict=True))
    return min(steps, key=lambda pair: (strengths.get(pair, 0.0), pair))


def _way_back(
    onward: Mapping[str, list[str]], edge: Edge, part: Mapping[str, int]
) -> tuple[str, ...] | None:
    paths: dict[str, tuple[str, ...]] = {edge.target: (edge.source, edge.target)}
    if edge.source == edge.target:
        return (edge.source,)
    waiting = [edge.target]
    while waiting:
        following: list[str] = []
        for node in waiting:
            for after in onward.get(node, ()):
                if after == edge.source:
                    return paths[node]
                if after not in paths and part[after] == part[node] and len(paths[node]) < LONGEST:
                    paths[after] = (*paths[node], after)
                    following.append(after)
        waiting = following
    return None


def _turned(path: tuple[str, ...]) -> tuple[str, ...]:
    first = path.index(min(path))
    return (*path[first:], *path[:first])


def parts(onward: Mapping[str, list[str]]) -> dict[str, int]:
    """The strongly connected part of each node (Tarjan 1972, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    part: dict[str, int] = {}
    stack: list[str] = []
    for root in onward:
        if root in index:
            continue
        trail = [(root, iter(onward.get(root, ())))]
        index[root] = low[root] = len(index)
        stack.append(root)
        while trail:
            node, rest = trail[-1]
            after = next(rest, None)
            if after is None:
                trail.pop()
                _close(node, index, low, part, stack)
                if trail:
                    above = trail[-1][0]
                    low[above] = min(low[above], low[node])
            elif after not in index:
                index[after] = low[after] = len(index)
                stack.append(after)
                trail.append((after, iter(onward.get(after, ()))))
            elif after not in part:
                low[node] = min(low[node], index[after])
    return part


def _close(
    node: str, index: dict[str, int], low: dict[str, int], part: dict[str, int], stack: list[str]
) -> None:
    if low[node] != index[node]:
        return
    while True:
        member = stack.pop()
        part[member] = index[node]
        if member == node:
            return
