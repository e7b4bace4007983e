"""From what Leiden says of each entity to nested groups: pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from app.communities.model import Group, Members

SMALLEST = 3  # members, seed 000
COARSENS = 0.5  # a level with more groups than this share of the one below says little beside it


def nested(found: Mapping[str, Sequence[int]]) -> list[Group]:
    """The outermost groups, with what is in them, of Leiden's communities by level, finest first.

    What has fewer than three members is no group: its entities belong to the next larger one. Nor
    is one that holds the same as the only group in it, or a level that hardly joins anything.
    """
    groups: list[Group] = []
    for level in _telling(found):
        groups = _joined(level, groups)
    return sorted(groups, key=_order)


def finest(groups: Sequence[Group]) -> list[Group]:
    """The groups that are made of entities, in the order of the whole."""
    leaves: list[Group] = []
    for group in groups:
        leaves += finest(group.inner) if group.inner else [group]
    return leaves


def every(groups: Sequence[Group]) -> list[Group]:
    """All groups, inner ones before those that they are in."""
    return [one for group in groups for one in (*every(group.inner), group)]


def _telling(found: Mapping[str, Sequence[int]]) -> list[list[Members]]:
    """The levels that are kept, as sets of entities, each within the next.

    Leiden may split at a level what was together at the one before, so that a set is what is
    together there and at every level from there on.
    """
    kept: list[int] = []
    for level in range(max((len(path) for path in found.values()), default=0)):
        if not kept or _width(found, level) <= COARSENS * _width(found, kept[-1]):
            kept.append(level)
    parts = []
    for place in range(len(kept)):
        sets: dict[tuple[int, ...], set[str]] = defaultdict(set)
        for entity, path in found.items():
            sets[tuple(path[level] for level in kept[place:])].add(entity)
        parts.append([frozenset(members) for members in sets.values()])
    return parts


def _width(found: Mapping[str, Sequence[int]], level: int) -> int:
    return len({path[level] for path in found.values()})


def _joined(level: Sequence[Members], below: Sequence[Group]) -> list[Group]:
    owner = {member: place for place, group in enumerate(below) for member in group.members}
    groups = []
    for members in level:
        inner = [below[place] for place in sorted({owner[m] for m in members if m in owner})]
        held = frozenset[str]().union(*(group.members for group in inner))
        loose = members - held
        if len(inner) == 1 and not loose:
            groups.append(inner[0])
        elif inner:
            groups.append(_around(members, inner, loose))
        elif len(members) >= SMALLEST:
            groups.append(Group(members))
    return groups


def _around(members: Members, inner: list[Group], loose: Members) -> Group:
    """A group around others; the few that were too small for one of their own join the largest."""
    ordered = sorted(inner, key=_order)
    if loose and len(loose) < SMALLEST:
        first, *rest = ordered
        ordered = [_with(first, loose), *rest]
    elif loose:
        ordered.append(Group(loose))
    return ordered[0] if len(ordered) == 1 else Group(members, tuple(sorted(ordered, key=_order)))


def _with(group: Group, loose: Members) -> Group:
    if not group.inner:
        return Group(group.members | loose)
    first, *rest = group.inner
    return Group(group.members | loose, (_with(first, loose), *rest))


def _order(group: Group) -> tuple[int, str]:
    return -len(group.members), min(group.members)
