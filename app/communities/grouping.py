"""What becomes of communities once entities were grouped anew: pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from app.communities.matching import continued, new_id
from app.communities.model import Group, Members, Plan, Stored, Written
from app.communities.nesting import every


def replanned(scope: str, old: Mapping[str, Stored], groups: Sequence[Group]) -> Plan:
    """The plan for a whole scope: every group goes on as the old community most like it.

    Finest ones go on as finest ones. What is as it was is not written.
    """
    sets = {group.members: group for group in every(groups)}
    spread = _spread(old)
    used = set(old)
    names: dict[Members, str] = {}
    for finest in (True, False):
        wanted = [members for members, group in sets.items() if finest != bool(group.inner)]
        known = {i: spread[i] for i, one in old.items() if finest == (one.level == 0)}
        names |= dict(zip(wanted, named(scope, known, wanted, used), strict=True))
    rows = [_row(group, names) for group in sets.values()]
    leaves = {names[members]: members for members, group in sets.items() if not group.inner}
    fresh = tuple(row for row in rows if not _same(row, old.get(row.id)))
    return Plan(leaves, fresh, tuple(sorted(old.keys() - names.values())))


def replaced(scope: str, old: Mapping[str, Stored], sets: Sequence[Members]) -> Plan:
    """The plan for some finest communities whose entities were grouped anew, apart from the rest.

    `old` holds them and all that they are in. A new one is in what most of its members were in;
    what nothing is left in goes.
    """
    before = {i: one.inner for i, one in old.items() if one.level == 0}
    names = named(scope, before, sets, set(old))
    leaves = dict(zip(names, sets, strict=True))
    rows = [Written(i, 0, len(members), members) for i, members in leaves.items()]
    fresh = [row for row in rows if not _same(row, old.get(row.id))]
    homes = _homes(old, leaves)
    nests, emptied = _nests(old, before.keys() - leaves.keys(), homes, leaves)
    gone = (before.keys() - leaves.keys()) | emptied
    return Plan(leaves, (*fresh, *nests), tuple(sorted(gone)))


def named(
    scope: str, old: Mapping[str, Members], sets: Sequence[Members], used: set[str]
) -> list[str]:
    """The id of each set: the one of the community that it goes on as, or a new one.

    Adds to `used`.
    """
    kept = continued(old, sets)
    names = []
    for place, members in enumerate(sets):
        name = kept.get(place) or new_id(scope, members, used)
        used.add(name)
        names.append(name)
    return names


def _spread(old: Mapping[str, Stored]) -> dict[str, Members]:
    """The entities of each community, however deep."""
    found: dict[str, Members] = {}
    for one in sorted(old.values(), key=lambda one: (one.level, one.id)):
        inner = [found.get(i, frozenset()) for i in one.inner]
        found[one.id] = frozenset[str]().union(*inner) if one.level else one.inner
    return found


def _row(group: Group, names: Mapping[Members, str]) -> Written:
    inner = frozenset(names[part.members] for part in group.inner) or group.members
    return Written(names[group.members], group.level, len(group.members), inner)


def _same(row: Written, old: Stored | None) -> bool:
    return old is not None and (row.level, row.size, row.inner) == (old.level, old.size, old.inner)


def _homes(old: Mapping[str, Stored], leaves: Mapping[str, Members]) -> dict[str, str]:
    """For each finest community the one that it is in from now on, where there is one."""
    was = {entity: one.parent for one in old.values() if not one.level for entity in one.inner}
    homes = {}
    for leaf, members in leaves.items():
        votes = Counter(parent for entity in members if (parent := was.get(entity)) is not None)
        if votes:
            homes[leaf] = min(votes, key=lambda parent: (-votes[parent], parent))
    return homes


def _nests(
    old: Mapping[str, Stored],
    gone: Iterable[str],
    homes: Mapping[str, str],
    leaves: Mapping[str, Members],
) -> tuple[list[Written], set[str]]:
    """Communities of communities whose parts are others now, and those that nothing is left in."""
    placed: dict[str, set[str]] = defaultdict(set)
    for leaf, home in homes.items():
        placed[home].add(leaf)
    taken = {*gone, *leaves}
    sizes = {i: one.size for i, one in old.items()}
    sizes |= {i: len(members) for i, members in leaves.items()}
    rows: list[Written] = []
    emptied: set[str] = set()
    for one in sorted(old.values(), key=lambda one: (one.level, one.id)):
        if not one.level:
            continue
        inner = frozenset((one.inner - taken - emptied) | placed.get(one.id, set()))
        if not inner:
            emptied.add(one.id)
            continue
        # What else is in it is not known here, and stays as it was.
        rest = one.size - sum(old[i].size for i in one.inner if i in old)
        sizes[one.id] = rest + sum(sizes[i] for i in inner if i in sizes)
        row = Written(one.id, one.level, sizes[one.id], inner)
        if not _same(row, one):
            rows.append(row)
    return rows, emptied
