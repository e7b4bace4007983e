"""What skills are tied to: other skills, agents, and the entities that they are about."""

from __future__ import annotations

from dataclasses import dataclass

from app.entities.model import alias_id
from app.entities.names import prefix_key
from app.errors import InvalidInput, NotFound
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.skills.service import SkillService
from app.skills.vocabulary import Dependency, Status

LONGEST_NAME = 4  # words of a name that is looked for in a text
WORDS_READ = 400  # of a skill's text
FACTS_EACH = 5  # statements that are shown of an entity


@dataclass(frozen=True, slots=True)
class Link:
    """One dependency; weight and confidence are between 0 and 1."""

    source: str
    target: str
    type: Dependency
    weight: float = 1.0
    confidence: float = 1.0


class LinkService:
    """Edges of the skill graph; each is written once, however often it is said."""

    def __init__(self, graph: Graph, skills: SkillService) -> None:
        self._graph = graph
        self._skills = skills

    async def link(self, who: Caller, link: Link) -> Row:
        """Let a skill lean on another. Raises NotFound for either, Forbidden without the right to
        write to the first one's scope, InvalidInput (field `target`) for a skill and itself."""
        if link.source == link.target:
            raise InvalidInput("a skill does not lean on itself", field="target")
        scope = await self._writable(who, link.source)
        properties = {"weight": link.weight, "confidence": link.confidence, "at": now()}
        event = audit.event(who, "skill.link", scope, target=link.target, type=link.type)
        row = await self._graph.optional(
            Q.skills.link,
            source=link.source,
            target=link.target,
            scopes=who.visible,
            type=str(link.type),
            properties=properties | {"by": who.principal},
            audit=event,
        )
        if row is None:
            raise NotFound(f"there is no skill {link.target}", field="target")
        return {"source": link.source, "target": link.target, "type": str(link.type),
                "weight": link.weight, "confidence": link.confidence}  # fmt: skip

    async def unlink(self, who: Caller, link: Link) -> None:
        """Take a dependency away; NotFound where there is none."""
        scope = await self._writable(who, link.source)
        event = audit.event(who, "skill.unlink", scope, target=link.target, type=link.type)
        row = await self._graph.optional(
            Q.skills.unlink,
            source=link.source,
            target=link.target,
            scopes=who.visible,
            type=str(link.type),
            audit=event,
        )
        if row is None:
            raise NotFound(f"{link.source} does not lean on {link.target} so", field="target")

    async def around(self, who: Caller, skill: str) -> list[Row]:
        """The dependencies that begin or end at a skill."""
        await self._skills.get(who, skill)
        return await self._graph.rows(
            Q.skills.around, ids=[skill], scopes=who.visible, statuses=list(Status)
        )

    async def assign(self, who: Caller, skill: str, agent: str, place: int | None) -> None:
        """Give an agent a skill; `place` is the order in which it prefers its skills. NotFound for
        a skill or an agent whose home the caller does not see."""
        scope = await self._writable(who, skill)
        row = await self._graph.optional(
            Q.skills.assign,
            skill=skill,
            agent=agent,
            scopes=who.visible,
            tenant=who.tenant,
            properties={"at": now(), "by": who.principal, "place": place},
            audit=audit.event(who, "skill.assign", scope, agent=agent),
        )
        if row is None:
            raise NotFound(f"there is no agent {agent}", field="agent")

    async def unassign(self, who: Caller, skill: str, agent: str) -> None:
        """Take a skill from an agent; NotFound where it has not got it."""
        scope = await self._writable(who, skill)
        event = audit.event(who, "skill.unassign", scope, agent=agent)
        row = await self._graph.optional(
            Q.skills.unassign, skill=skill, agent=agent, scopes=who.visible, audit=event
        )
        if row is None:
            raise NotFound(f"{agent} has no such skill", field="agent")

    async def holders(self, who: Caller, skill: str) -> list[Row]:
        """The agents that have a skill."""
        await self._skills.get(who, skill)
        return await self._graph.rows(Q.skills.holders, id=skill, scopes=who.visible)

    async def bridge(self, who: Caller, skill: str) -> list[Row]:
        """Tie a skill to the entities of its scope that its text names; what no longer stands
        there is let go. Returns all entities that it is about."""
        scope = await self._writable(who, skill)
        row = (await self._skills.get(who, skill))["skill"]
        keys = candidate_names(f"{row['name']}\n{row['content']}")
        found = await self._graph.rows(
            Q.skills.entities_named, aliases=[alias_id(scope, key) for key in keys], scope=scope
        )
        entities = [{"id": each, "by": "text"} for each in sorted({e["id"] for e in found})]
        await self._concern(who, skill, scope, entities)
        return await self.concerns(who, skill)

    async def tie(self, who: Caller, skill: str, entity: str) -> list[Row]:
        """Tie a skill to one entity by hand, which no text takes back."""
        scope = await self._writable(who, skill)
        kept = [
            {"id": row["id"], "by": row["by"]}
            for row in await self.concerns(who, skill)
            if row["by"] == "text"
        ]
        await self._concern(who, skill, scope, [*kept, {"id": entity, "by": "hand"}])
        found = await self.concerns(who, skill)
        if entity not in {row["id"] for row in found}:
            raise NotFound(f"there is no entity {entity}", field="entity")
        return found

    async def concerns(self, who: Caller, skill: str) -> list[Row]:
        """The entities that a skill is about, with what is held of each."""
        await self._skills.get(who, skill)
        return await self._graph.rows(
            Q.skills.concerns, id=skill, scopes=who.visible, limit=FACTS_EACH
        )

    async def _concern(self, who: Caller, skill: str, scope: str, entities: list[Row]) -> None:
        event = audit.event(who, "skill.bridge", scope, entities=[e["id"] for e in entities])
        await self._graph.one(
            Q.skills.concern,
            id=skill,
            scopes=[scope],
            entities=entities,
            at=now(),
            audit=event,
        )

    async def _writable(self, who: Caller, skill: str) -> str:
        stored = (await self._skills.get(who, skill))["skill"]
        return who.require(stored["scope"], Role.WRITER)


def candidate_names(text: str) -> list[str]:
    """Keys of every run of one to four words that begins with a capital, once each."""
    words = text.split()[:WORDS_READ]
    found: dict[str, None] = {}
    for start, word in enumerate(words):
        if not word.lstrip("(\"'`*[").strip()[:1].isupper():
            continue
        for end in range(start + 1, min(start + LONGEST_NAME, len(words)) + 1):
            key = prefix_key(" ".join(words[start:end]).strip(".,;:!?()[]\"'`*"))
            if key:
                found[key] = None
    return list(found)
