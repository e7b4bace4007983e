"""Which members of a team cover what is needed: a greedy set cover, pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MEMBERS = 5


@dataclass(frozen=True, slots=True)
class Cover:
    """The members chosen, in order, with what each adds, and what nobody has."""

    members: tuple[tuple[str, tuple[str, ...]], ...]
    missing: tuple[str, ...]


def ratio(needed: frozenset[str], held: frozenset[str]) -> float:
    """The share of what is needed that is there; 1 where nothing is needed."""
    return len(needed & held) / len(needed) if needed else 1.0


def greedy(
    needed: frozenset[str], held: Mapping[str, frozenset[str]], most: int = MEMBERS
) -> Cover:
    """At each step the member that adds most of what is missing; equals go by id."""
    missing = set(needed)
    chosen: list[tuple[str, tuple[str, ...]]] = []
    while missing and len(chosen) < most:
        name = min(held, key=lambda member: (-len(held[member] & missing), member), default=None)
        added = held[name] & missing if name is not None else frozenset()
        if name is None or not added:
            break
        chosen.append((name, tuple(sorted(added))))
        missing -= added
    return Cover(tuple(chosen), tuple(sorted(missing)))
