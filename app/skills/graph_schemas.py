"""Wire types of learnings, of the registry of agents, and of the knowledge graph."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from app.kernel.graph import Row
from app.skills.coverage import Coverage
from app.skills.knowledge import Found, Reached, Statistics
from app.skills.learnings import Answer, Learnt, Shared, Standing


class SharedAsOut(msgspec.Struct, frozen=True):
    """A note in a wider scope that a learning was shared as: how good it was then, and when.

    Both are null for one that a package brought.
    """

    note: str
    scope: str
    quality: float | None
    at: datetime | None


class LearningItemOut(msgspec.Struct, frozen=True):
    """One learning with what its use tells; `effectiveness` is null below three prompts.

    `quality` is how good it would be if it were shared now, 0 to 1.
    """

    id: str
    scope: str
    importance: float
    effective_importance: float
    confidence: float
    effectiveness: float | None
    freshness: str
    quality: float
    similarity: float | None
    checked: str | None
    checked_by: str | None
    checked_at: datetime | None
    shared: list[SharedAsOut]
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, item: Learnt) -> LearningItemOut:
        """The wire form of a learning."""
        note = item.note
        return cls(
            **{name: note[name] for name in ("id", "scope", "importance", "confidence")},
            **{name: note[name] for name in ("checked", "checked_by", "checked_at")},
            effective_importance=item.effective,
            effectiveness=item.rate,
            freshness=item.fresh,
            quality=item.quality,
            shared=[SharedAsOut(**copy) for copy in note["shared"]],
            similarity=item.similarity,
            untrusted={name: note[name] for name in ("content", "title", "tags")},
        )


class LearningAnswerOut(msgspec.Struct, frozen=True):
    """Learnings for a question; `mode` tells which step of the ladder found them."""

    mode: str
    items: list[LearningItemOut]

    @classmethod
    def of(cls, answer: Answer) -> LearningAnswerOut:
        """The wire form of an answer."""
        return cls(answer.mode, [LearningItemOut.of(item) for item in answer.items])


class LearningScoreOut(msgspec.Struct, frozen=True):
    """How learnings stand, as a score of 0 to 100, and how fresh they are."""

    active: int
    categories: int
    score: float
    fresh: int
    aging: int
    stale: int

    @classmethod
    def of(cls, told: Standing) -> LearningScoreOut:
        """The wire form of a standing."""
        return cls(told.active, told.categories, told.score, told.fresh, told.aging, told.stale)


class SharedOut(msgspec.Struct, frozen=True):
    """The note that a learning was shared as; `made` is false where it had been before.

    `quality` is how good it was when it was shared, 0 to 1.
    """

    note: str
    scope: str
    quality: float
    made: bool

    @classmethod
    def of(cls, shared: Shared) -> SharedOut:
        """The wire form of what was shared."""
        return cls(shared.note, shared.scope, shared.quality, shared.made)


class ClusterOut(msgspec.Struct, frozen=True):
    """Learnings that suggest a skill."""

    name: str
    learnings: list[str]


class ClustersOut(msgspec.Struct, frozen=True):
    """The receipt of a look for clusters."""

    scope: str
    dry_run: bool
    clusters: list[ClusterOut]


class AgentEntryOut(msgspec.Struct, frozen=True):
    """An agent of the registry; `trust`, 0 to 1, is set at night where the rules of its home switch
    `maintenance` on, and null elsewhere."""

    id: str
    name: str
    home: str
    model_family: str | None
    created_at: datetime
    trust: float | None
    trust_at: datetime | None
    teams: list[str]
    skills: list[dict[str, Any]]

    @classmethod
    def of(cls, row: Row) -> AgentEntryOut:
        """The wire form of a row of `skills.agents`."""
        return cls(**{**row, "teams": sorted(row["teams"])})


class AgentsOut(msgspec.Struct, frozen=True):
    """The registry of agents."""

    items: list[AgentEntryOut]


class TeamOut(msgspec.Struct, frozen=True):
    """A team and its members."""

    scope: str
    name: str
    members: list[dict[str, Any]]


class TeamsOut(msgspec.Struct, frozen=True):
    """Teams by path."""

    items: list[TeamOut]


class ChosenOut(msgspec.Struct, frozen=True):
    """A member and what it adds."""

    agent: str
    adds: list[str]


class CoverageOut(msgspec.Struct, frozen=True):
    """How a team covers what is needed, and a choice of at most five members by greed."""

    team: str
    needed: list[str]
    ratio: float
    density: float
    members: list[str]
    chosen: list[ChosenOut]
    missing: list[str]

    @classmethod
    def of(cls, team: str, found: Coverage) -> CoverageOut:
        """The wire form of a coverage."""
        return cls(
            team=team,
            needed=list(found.needed),
            ratio=found.ratio,
            density=found.density,
            members=list(found.members),
            chosen=[ChosenOut(agent, list(adds)) for agent, adds in found.cover.members],
            missing=list(found.cover.missing),
        )


class NodeOut(msgspec.Struct, frozen=True):
    """A node of the knowledge graph with the best path to it."""

    id: str
    kind: str
    scope: str | None
    type: str | None
    score: float
    depth: int
    quality: float
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, reached: Reached) -> NodeOut:
        """The wire form of a node."""
        node = reached.node
        return cls(
            **{name: node[name] for name in ("id", "kind", "scope", "type")},
            score=reached.score,
            depth=reached.depth,
            quality=reached.quality,
            untrusted={"name": node["name"]},
        )


class EdgeOut(msgspec.Struct, frozen=True):
    """An edge of the knowledge graph, as it points; a fact's edge names its predicate."""

    source: str
    target: str
    type: str
    predicate: str | None
    strength: float


class SubgraphOut(msgspec.Struct, frozen=True):
    """Nodes, best first, and the edges among them; `truncated` where a hop had more."""

    nodes: list[NodeOut]
    edges: list[EdgeOut]
    confidence: float
    truncated: bool

    @classmethod
    def of(cls, found: Found) -> SubgraphOut:
        """The wire form of what was found."""
        edges = [EdgeOut(**edge) for edge in found.edges]
        return cls(
            [NodeOut.of(each) for each in found.nodes], edges, found.confidence, found.truncated
        )


class GraphStatisticsOut(msgspec.Struct, frozen=True):
    """What the knowledge graph is made of."""

    nodes: dict[str, int]
    relations: dict[str, int]
    density: float
    mean_degree: float

    @classmethod
    def of(cls, found: Statistics) -> GraphStatisticsOut:
        """The wire form of statistics."""
        return cls(found.nodes, found.relations, found.density, found.mean_degree)
