"""A search and what it finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import compress

from app.kernel.graph import Row

KINDS = ("episode",)
ROLES = ("user", "assistant", "tool")


class Mode(StrEnum):
    """Which legs run."""

    KEYWORD = "keyword"
    VECTOR = "vector"
    HYBRID = "hybrid"


class Fusion(StrEnum):
    """How two legs become one list."""

    RRF = "rrf"
    WEIGHTED = "weighted"


@dataclass(frozen=True, slots=True)
class Filters:
    """What a hit must satisfy; None leaves a filter out."""

    scopes: list[str]
    kinds: list[str] = field(default_factory=lambda: list(KINDS))
    sessions: list[str] | None = None
    roles: list[str] | None = None
    tags: list[str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None

    @property
    def plain(self) -> bool:
        """Whether only scope and kind count, which the fastest query answers."""
        rest = (self.sessions, self.roles, self.tags, self.since, self.until)
        return all(f is None for f in rest) and self.as_of is None and self.known_at is None


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One checked search."""

    query: str
    filters: Filters
    mode: Mode = Mode.HYBRID
    fusion: Fusion = Fusion.WEIGHTED
    weights: tuple[float, float] | None = None  # keyword, vector; the fusion's own where None
    limit: int = 10
    token_budget: int | None = None
    diversity: float | None = None  # MMR's lambda; None keeps the fused order


@dataclass(frozen=True, slots=True)
class Leg:
    """Rank (from 1) and score of one memory in one leg; `place` is its best window."""

    rank: int
    score: float
    place: int = 0


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one leg found, best first: a long text has several windows, and is there once.

    `places` are the best windows, `titled` the memories with a title.
    """

    scores: dict[str, float]
    places: dict[str, int]
    titled: set[str]

    @classmethod
    def of(cls, columns: Row) -> Ranking:
        """From the columns of a leg's query, whose rows come best first."""
        scores: dict[str, float] = {}
        places: dict[str, int] = {}
        for memory, score, place in zip(
            columns["ids"], columns["scores"], columns["places"], strict=True
        ):
            if memory not in scores:
                scores[memory], places[memory] = score, place
        return cls(scores, places, set(compress(columns["ids"], columns["titled"])))

    @classmethod
    def empty(cls) -> Ranking:
        """Of a leg with nothing to look for."""
        return cls({}, {}, set())


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory found, with the reasons."""

    id: str
    rank: int
    score: float
    band: str
    legs: dict[str, Leg]
    memory: Row
    span: tuple[int, int]
    tokens: int


@dataclass(frozen=True, slots=True)
class Found:
    """Hits in order, and how they came about."""

    hits: list[Hit]
    mode: Mode
    candidates: int
    tokens: int
    dropped: int
    milliseconds: dict[str, float]
