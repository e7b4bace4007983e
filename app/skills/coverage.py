"""Which skills agents and teams have, what a team lacks, and which members to choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.errors import NotFound
from app.kernel.caller import Caller
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.skills.cover import Cover, greedy, ratio
from app.skills.discovery import DiscoveryService, Sought
from app.skills.vocabulary import Category
from app.skills.walk import density

NEEDED = 10  # skills that a task is taken to need


@dataclass(frozen=True, slots=True)
class Needs:
    """What a team should cover: skills by id, categories, or what a task calls for."""

    skills: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    task: str = ""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what is needed a team has, none where no skill fits the task; `density` is that
    of the dependencies among its skills, `cover` a smallest choice of members by greed."""

    needed: tuple[str, ...]
    ratio: float
    density: float
    cover: Cover
    members: tuple[str, ...]


class CoverageService:
    """Reads the registry: agents, their homes and teams, and the skills that they have."""

    def __init__(self, graph: Graph, discovery: DiscoveryService) -> None:
        self._graph = graph
        self._discovery = discovery

    async def agents(self, who: Caller) -> list[Row]:
        """Agents whose home the caller sees, with teams and skills."""
        return await self._graph.rows(Q.skills.agents, tenant=who.tenant, scopes=who.visible)

    async def teams(self, who: Caller) -> list[Row]:
        """Teams that the caller sees, with their members."""
        return await self._graph.rows(Q.skills.teams, scopes=who.visible)

    async def of_team(self, who: Caller, team: str, needs: Needs) -> Coverage:
        """How a team covers what is needed, which is every category where nothing is named.

        NotFound for a team that the caller does not see.
        """
        known = {row["scope"]: row for row in await self.teams(who)}
        if team not in known:
            raise NotFound(f"there is no team {team}", field="team")
        members = [member["id"] for member in known[team]["members"]]
        held = await self._held(who, members)
        needed = await self._needed(who, needs)
        fits = {agent: frozenset(has) & needed for agent, has in held.items()}
        have = frozenset(thing for has in held.values() for thing in has)
        skills = sorted({s for row in held.values() for s in row if s not in set(Category)})
        edges = await self._graph.one(Q.skills.edges_among, ids=skills, scopes=who.visible)
        return Coverage(
            needed=tuple(sorted(needed)),
            ratio=round(ratio(needed, have), 4) if needed else 0.0,
            density=round(density(edges["edges"], len(skills)), 4),
            cover=greedy(needed, fits),
            members=tuple(members),
        )

    async def _held(self, who: Caller, agents: Sequence[str]) -> dict[str, set[str]]:
        """For each agent its skills and their categories."""
        rows = await self._graph.rows(Q.skills.held_skills, agents=list(agents), scopes=who.visible)
        held: dict[str, set[str]] = {agent: set() for agent in agents}
        for row in rows:
            held[row["agent"]] |= {row["skill"], row["category"]}
        return held

    async def _needed(self, who: Caller, needs: Needs) -> frozenset[str]:
        wanted = {*needs.skills, *needs.categories}
        if needs.task.strip():
            sought = Sought(needs.task, who.visible, limit=NEEDED)
            found = await self._discovery.discover(sought)
            wanted |= {hit.skill["id"] for hit in found.hits}
        if not wanted and not needs.task.strip():
            return frozenset(str(category) for category in Category)
        return frozenset(wanted)
