"""Entities of one name are one where types and marks leave no choice: joined by rule.

"Jenkins" without a type is the tool as long as no person of that name is known; "Acme" is Acme GmbH
as long as there is no Acme AG. Where there is a choice, a name stands for itself, as a question.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from app.entities.bearer import SAME_NAME, Bearer, link
from app.entities.clusters import Link, groups
from app.entities.names import UNKNOWN, clashes, family

RULE = "same_name"


def wanted(bearers: Collection[Bearer], home: Mapping[str, str]) -> list[Link]:
    """The ties among entities; `home` is the same for those that a curator has made one."""
    return [tie for part in names(bearers) for tie in _within(part, home)]


def names(bearers: Collection[Bearer]) -> Iterator[list[Bearer]]:
    """The entities in sets that are written alike, in one or more steps."""
    by_id = {b.id: b for b in bearers}
    by_key: dict[str, list[str]] = {}
    for bearer in bearers:
        for key in bearer.keys:
            by_key.setdefault(key, []).append(bearer.id)
    alike = [Link(*pair, 0, 0) for ids in by_key.values() for pair in pairwise(ids)]
    for part in groups(by_id, alike):
        yield [by_id[member] for member in sorted(part)]


def _within(part: Sequence[Bearer], home: Mapping[str, str]) -> Iterator[Link]:
    kinds = {b.id: _family(b, part, home) for b in part}
    for kind in sorted(set(kinds.values())):
        members = [b for b in part if kinds[b.id] == kind]
        for group in groups([b.id for b in members], _unforced(members, home)):
            yield from _star([b for b in members if b.id in group])


def _family(bearer: Bearer, part: Iterable[Bearer], home: Mapping[str, str]) -> str:
    """The family of its type; of one without a type that of its only typed namesake."""
    own = family(bearer.type)
    if own != UNKNOWN:
        return own
    typed = [t for t in part if family(t.type) != UNKNOWN and not clashes(bearer.marks, t.marks)]
    families = {family(t.type) for t in typed}
    one = len(families) == 1 or len({home[t.id] for t in typed}) == 1
    return min(families) if one else UNKNOWN


def _unforced(members: Sequence[Bearer], home: Mapping[str, str]) -> list[Link]:
    """Pairs of one family whose marks agree, where no other choice of a partner is at odds."""
    near = {b.id: [t for t in members if not clashes(b.marks, t.marks)] for b in members}
    sure = {b.id for b in members if not _at_odds(near[b.id], home)}
    return [
        Link(one.id, other.id, 0, 0)
        for one, other in combinations(members, 2)
        if not clashes(one.marks, other.marks)
        and (one.marks == other.marks or {one.id, other.id} <= sure)
    ]


def _at_odds(bearers: Iterable[Bearer], home: Mapping[str, str]) -> bool:
    return any(
        clashes(one.marks, other.marks) and home[one.id] != home[other.id]
        for one, other in combinations(bearers, 2)
    )


def _star(group: Sequence[Bearer]) -> Iterator[Link]:
    """Each tied to the one that says most: undoing one tie leaves the others as they are."""
    centre = min(group, key=_rank)
    return (link(b.id, centre.id, SAME_NAME) for b in group if b is not centre)


def _rank(bearer: Bearer) -> tuple[bool, int, int, str, str]:
    said = sum(1 for mark in bearer.marks if not mark.startswith("domain:"))
    return bearer.type == UNKNOWN, -said, len(bearer.marks) - said, bearer.key, bearer.id
