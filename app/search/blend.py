"""The blended score of a hit for a block of context, after NODYN's retrieval. Pure.

`base = .55 vector + .30 text + .15 graph`, times what its scope, its age and its confidence count.
A half-life is what the word says here: after so many days a hit counts half.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from app.kernel.scope import parse_scope
from app.scopes.tuning import tuned

DAY = timedelta(days=1)
KEPT = 0.3  # of the threshold, above which a hit is kept
OF_VECTOR = 0.8  # of the threshold, below which a similarity counts for nothing
CONFIRMED = 0.1  # confidence that each confirmation adds, of what there is
YEAR, OLDEST = 365, 0.5  # days in which what nobody confirmed loses all, but for a half
OTHER = "other"


class Reach(StrEnum):
    """For whom a memory is, in the order in which a block tells it."""

    USER = "user"
    CONTEXT = "context"
    GLOBAL = "global"


REACHES = {"user": Reach.USER, "agent": Reach.USER, "tenant": Reach.GLOBAL}


def reach_of(scope: str) -> Reach:
    """Return for whom a scope is: a person or an agent, a group that works together, or all."""
    return REACHES.get(parse_scope(scope).kind, Reach.CONTEXT)


@dataclass(frozen=True, slots=True)
class Blend:
    """What counts how much; half-lives are in days, by namespace."""

    vector: float = 0.55
    text: float = 0.30
    graph: float = 0.15
    scopes: Mapping[Reach, float] = field(
        default_factory=lambda: {Reach.USER: 1.0, Reach.CONTEXT: 0.8, Reach.GLOBAL: 0.3}
    )
    half_lives: Mapping[str, float] = field(
        default_factory=lambda: {
            "knowledge": 365.0,
            "methods": 180.0,
            "project-state": 21.0,
            "learnings": 120.0,
            OTHER: 90.0,
        }
    )
    threshold: float = 0.55

    @property
    def least(self) -> float:
        """The score above which a hit is kept."""
        return KEPT * self.threshold


@dataclass(frozen=True, slots=True)
class BlockDefaults:
    """What a scope says of blocks where a request does not: weights, half-lives in days, threshold
    and most characters."""

    vector: float = tuned("blocks.vector")
    text: float = tuned("blocks.text")
    graph: float = tuned("blocks.graph")
    user: float = tuned("blocks.user_scope")
    context: float = tuned("blocks.context_scope")
    everybody: float = tuned("blocks.global_scope")
    knowledge: float = tuned("blocks.knowledge_days")
    methods: float = tuned("blocks.methods_days")
    project_state: float = tuned("blocks.project_state_days")
    learnings: float = tuned("blocks.learnings_days")
    other: float = tuned("blocks.other_days")
    threshold: float = tuned("blocks.threshold")
    characters: int = tuned("blocks.characters")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a hit: its similarity, the share of the question's words that it holds, and
    how near it is in the graph, each from 0 to 1; and what it is itself."""

    vector: float
    text: float
    graph: float
    reach: Reach
    namespace: str
    age: timedelta
    confidence: float
    confirmations: int


def base(blend: Blend, found: Evidence) -> float:
    """Return what the three legs say together; a similarity below .8 of the threshold is none."""
    near = found.vector if found.vector >= round(OF_VECTOR * blend.threshold, 6) else 0.0
    return blend.vector * near + blend.text * found.text + blend.graph * found.graph


def decay(blend: Blend, namespace: str, age: timedelta) -> float:
    """Return `.5^(age / half-life)`."""
    half = blend.half_lives.get(namespace, blend.half_lives[OTHER])
    return float(0.5 ** (max(0.0, age / DAY) / half))


def confidence(given: float, confirmations: int, age: timedelta) -> float:
    """Return `(.5 + .5 min(confidence (1 + .1 confirmations), 1))`, and of what nobody confirmed
    `max(.5, 1 - age / 365)` of it."""
    sure = 0.5 + 0.5 * min(given * (1 + CONFIRMED * confirmations), 1.0)
    return sure if confirmations else sure * max(OLDEST, 1 - max(0.0, age / DAY) / YEAR)


def final(blend: Blend, found: Evidence) -> float:
    """Return the score that ranks and that is shown."""
    return (
        base(blend, found)
        * blend.scopes[found.reach]
        * decay(blend, found.namespace, found.age)
        * confidence(found.confidence, found.confirmations, found.age)
    )
