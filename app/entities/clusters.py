"""Which entity stands for a cluster: a pure function of the accepted merges.

Nothing else enters into it, so undoing a merge gives exactly what would be there without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """A merge of two entities; the counts are how often each was mentioned when it was accepted."""

    left: str
    right: str
    left_count: int
    right_count: int


def roots(members: Collection[str], links: Iterable[Link]) -> dict[str, str]:
    """The root of every member: of those joined by links, the one most mentioned by their record,
    the smallest id among equals; a member without links is its own."""
    known = list(links)
    weights = _weights(known)
    found: dict[str, str] = {}
    for group in groups(members, known):
        root = min(group, key=lambda member: (-weights.get(member, 0), member))
        found |= dict.fromkeys(group, root)
    return found


def groups(members: Collection[str], links: Iterable[Link]) -> list[set[str]]:
    """The members in sets that links join."""
    home = {member: {member} for member in members}
    for link in links:
        one, other = home[link.left], home[link.right]
        if one is not other:
            one |= other
            home |= dict.fromkeys(other, one)
    return list({id(group): group for group in home.values()}.values())


def opposed(
    members: Collection[str], links: Iterable[Link], rejected: Iterable[tuple[str, str]]
) -> tuple[str, str] | None:
    """The first rejected pair that these links would join; None where there is none."""
    root = roots(members, links)
    return next(
        (pair for pair in sorted(rejected) if root.get(pair[0]) == root.get(pair[1]) is not None),
        None,
    )


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[dict[str, str]]:
    """Members whose root differs, by id: `id`, `before`, `root`."""
    return [
        {"id": member, "before": before[member], "root": after[member]}
        for member in sorted(before)
        if before[member] != after[member]
    ]


def _weights(links: Iterable[Link]) -> dict[str, int]:
    weights: dict[str, int] = {}
    for link in links:
        for member, count in ((link.left, link.left_count), (link.right, link.right_count)):
            weights[member] = max(count, weights.get(member, 0))
    return weights
