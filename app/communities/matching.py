"""Which community goes on as which: pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from app.communities.model import Members
from app.kernel.ids import digest

ALIKE = 1 / 3  # least Jaccard index of what goes on under one id: half of two equal sets is shared


def jaccard(one: Members, other: Members) -> float:
    """Share of all members that both have (Jaccard 1901); 1 for two empty sets."""
    together = len(one | other)
    return len(one & other) / together if together else 1.0


def continued(old: Mapping[str, Members], new: Sequence[Members]) -> dict[int, str]:
    """For places of new sets the id of the old set that each goes on as, the most alike first.

    Each id is given once; equal likeness goes by size and then by name, so that the answer does
    not depend on the order of either side.
    """
    having: dict[str, list[str]] = defaultdict(list)
    for identifier, members in old.items():
        for member in members:
            having[member].append(identifier)
    pairs = []
    for place, members in enumerate(new):
        shared = Counter(i for member in members for i in having.get(member, ()))
        for identifier, common in shared.items():
            likeness = common / (len(members) + len(old[identifier]) - common)
            if likeness >= ALIKE:
                pairs.append((-likeness, -len(members), identifier, min(members), place))
    taken: dict[int, str] = {}
    gone: set[str] = set()
    for _, _, identifier, _, place in sorted(pairs):
        if place not in taken and identifier not in gone:
            taken[place] = identifier
            gone.add(identifier)
    return taken


def new_id(scope: str, members: Members, used: set[str]) -> str:
    """The id of a community that none goes on as: the same members give the same id.

    Where a community of that id has since become another, the next number is taken.
    """
    ordered = sorted(members)
    number = 0
    while (made := digest("community", scope, str(number), *ordered)[:32]) in used:
        number += 1
    return made
