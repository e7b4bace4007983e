"""How a scope's skill graph is, and where a skill is going."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from app.errors import StateRefused
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.ids import digest
from app.skills.effectiveness import (
    WEAK,
    WEAK_USES,
    Trend,
    evolution_confidence,
    is_weak,
)
from app.skills.health import Health, Vitals, health, penalty
from app.skills.outcomes import OutcomeService, rated
from app.skills.proposals import ProposalService, Proposed
from app.skills.service import SkillService
from app.skills.writing import draft_of

FRESH = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Checkup:
    """The health of a scope with what it is made of."""

    scope: str
    health: Health
    vitals: Vitals
    open_conflicts: int


@dataclass(frozen=True, slots=True)
class Evolution:
    """A skill over its versions, newest first, each with how well it works (None below five
    uses)."""

    skill: Row
    versions: list[tuple[Row, float | None]]
    trend: Trend
    weak: bool
    confidence: float


class ConditionService:
    """Reads what is there; a proposal is all that it may write."""

    def __init__(
        self,
        graph: Graph,
        skills: SkillService,
        outcomes: OutcomeService,
        proposals: ProposalService,
    ) -> None:
        self._graph = graph
        self._skills = skills
        self._outcomes = outcomes
        self._proposals = proposals

    async def checkup(self, who: Caller, scope: str) -> Checkup:
        """The health of one scope. Covered is a skill that an agent has, fresh one that was used
        or changed within 30 days."""
        who.require(scope, Role.READER)
        row = await self._graph.one(Q.skills.vitals, scope=scope, since=now() - FRESH)
        conflicts = (await self._graph.one(Q.skills.open_conflicts, scope=scope))["open"]
        count = row["skills"]
        vitals = Vitals(
            skills=count,
            coverage=row["covered"] / count if count else 0.0,
            edges_per_skill=row["edges"] / count if count else 0.0,
            freshness=row["fresh"] / count if count else 0.0,
            effectiveness=row["effectiveness"],
            penalty=penalty(conflicts, count),
        )
        return Checkup(scope, health(vitals), vitals, conflicts)

    async def evolution(self, who: Caller, skill: str) -> Evolution:
        """How a skill went over its versions."""
        row = (await self._skills.get(who, skill))["skill"]
        versions = await self._skills.versions(who, skill)
        held = row["effectiveness"]
        return Evolution(
            skill=row,
            versions=[(version, rated(version)) for version in versions],
            trend=await self._outcomes.trend(who, skill),
            weak=is_weak(row["usage_count"], held),
            confidence=evolution_confidence(held),
        )

    async def evolve(self, who: Caller, skill: str) -> Row:
        """Propose to renew a skill that was tried ten times and works badly, once a version.

        Raises StateRefused (field `effectiveness`) for any other.
        """
        found = await self.evolution(who, skill)
        row = found.skill
        if not found.weak:
            raise StateRefused(
                f"only a skill with {WEAK_USES} uses and an effectiveness below {WEAK} is renewed",
                field="effectiveness",
            )
        draft = replace(
            draft_of(row),
            name=f"{row['name']} (renewed)",
            description=row["description"] or f"In place of {row['name']}.",
        )
        return await self._proposals.propose(
            who,
            Proposed(
                draft,
                origin="evolution",
                seed=digest("evolution", skill, row["version"]),
                confidence=found.confidence,
                effectiveness=row["effectiveness"],
                sources=(skill,),
            ),
        )
