"""Values of communities: a graph of entities, nested groups of it, and what a group shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import numpy.typing as npt

Members = frozenset[str]


@dataclass(frozen=True, slots=True)
class Network:
    """An undirected weighted graph: `ids` in their order, edges as places with `left` < `right`."""

    ids: Sequence[str]
    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Group:
    """A set of entities; `inner` are the groups that it is made of, none for a finest one."""

    members: Members
    inner: tuple[Group, ...] = ()

    @property
    def level(self) -> int:
        """0 for a finest group, else one more than the highest of its inner groups."""
        return 1 + max(group.level for group in self.inner) if self.inner else 0


@dataclass(frozen=True, slots=True)
class Central:
    """An entity at the heart of a community; `score` is its PageRank within (1 on average)."""

    entity: str
    score: float


@dataclass(frozen=True, slots=True)
class Cite:
    """A fact, or a range of a passage's text in characters, that a summary shows."""

    id: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Outline:
    """What a summary shows, in order: it holds no words, so it has none that could outlive them."""

    central: tuple[Central, ...] = ()
    facts: tuple[Cite, ...] = ()
    sentences: tuple[Cite, ...] = ()


@dataclass(frozen=True, slots=True)
class Stored:
    """A community as it is kept: `inner` are ids of entities at level 0, else of communities."""

    id: str
    level: int
    size: int  # entities
    inner: frozenset[str]
    parent: str | None
    outline: Outline
    damaged: bool  # something that it holds or cites has gone


@dataclass(frozen=True, slots=True)
class Written:
    """A community to be written: what is in it, and how many entities that is."""

    id: str
    level: int
    size: int
    inner: frozenset[str]


@dataclass(frozen=True, slots=True)
class Plan:
    """What becomes of communities: the finest ones that there are now, what to write, what goes."""

    leaves: Mapping[str, Members]
    rows: tuple[Written, ...]
    gone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a scope's communities are; counts in entities, `moved` since the last whole run."""

    reached_at: datetime | None
    whole_at: datetime | None
    entities: int
    moved: int


@dataclass(slots=True)
class Pass:
    """What a pass over one scope did; `told` is how many communities it described anew."""

    scope: str
    whole: bool = False
    entities: int = 0
    communities: int = 0
    regrouped: int = 0
    told: int = 0
    changed: int = 0
    removed: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)
