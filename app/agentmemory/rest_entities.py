"""Entities over the REST of the protocol."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, delete, get, post, put
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from app.agentmemory.names import shown
from app.agentmemory.rest_schemas import (
    EntityChangeIn,
    EntityFeedbackIn,
    EntityFeedbackOut,
    EntityGraphOut,
    EntityHistoryOut,
    EntityIn,
    EntityMergedOut,
    EntityMergeIn,
    EntitySearchIn,
    MemoryEntitiesOut,
    MemoryEntityOut,
    RelatedOut,
)
from app.agentmemory.rest_talks import TAGS, Asking, Most, Serving
from app.kernel.caller import Role
from app.kernel.departures import READS as ONLY_READS

OfType = Annotated[
    str | None, QueryParameter(name="type", description="Only entities of this type.")
]


class MemoryEntityController(Controller):
    """Entities that the key sees."""

    path = "/agent-memory/v1/entities"
    tags = TAGS

    @post("/", operation_id="addMemoryEntity", opt={"requires": Role.WRITER})
    async def add(
        self, data: JSONBody[EntityIn], caller: Asking, agent_memory: Serving
    ) -> MemoryEntityOut:
        """State that there is an entity; one that is there is added to."""
        made = await agent_memory.knowledge.add_entity(
            caller, data.name, data.kind, data.description
        )
        return MemoryEntityOut.of(made)

    @get("/", operation_id="listMemoryEntities", opt={"requires": Role.READER})
    async def list_entities(
        self, caller: Asking, agent_memory: Serving, kind: OfType = None, limit: Most = None
    ) -> MemoryEntitiesOut:
        """List entities in the order of their ids."""
        most = min(limit or agent_memory.settings.page, agent_memory.settings.page)
        found = await agent_memory.knowledge.page(caller, kind, most)
        return MemoryEntitiesOut([MemoryEntityOut.of(thing) for thing in found])

    @get("/graph", operation_id="getMemoryGraph", opt={"requires": Role.READER})
    async def graph(self, caller: Asking, agent_memory: Serving) -> EntityGraphOut:
        """Read entities and the facts between them."""
        return EntityGraphOut.of(*await agent_memory.knowledge.graph(caller))

    @post(
        "/search",
        operation_id="searchMemoryEntities",
        opt={"requires": Role.READER, ONLY_READS: True},
        status_code=HTTP_200_OK,
    )
    async def search(
        self, data: JSONBody[EntitySearchIn], caller: Asking, agent_memory: Serving
    ) -> MemoryEntitiesOut:
        """Find entities by name, and by what is said of them."""
        found = await agent_memory.knowledge.search(caller, data.query, data.type, data.limit)
        return MemoryEntitiesOut([MemoryEntityOut.of(thing) for thing in found], "hybrid")

    @get("/{entity:str}", operation_id="getMemoryEntity", opt={"requires": Role.READER})
    async def read(
        self, entity: FromPath[str], caller: Asking, agent_memory: Serving
    ) -> MemoryEntityOut:
        """Read an entity with what it is related to."""
        knowledge = agent_memory.knowledge
        thing = await knowledge.thing(caller, entity)
        near = {one.id: one for one, _ in await knowledge.related(caller, entity, None, 1)}
        related = []
        for edge in await knowledge.relations(caller, entity):
            other = near.get(edge.target if edge.source == thing.id else edge.source)
            if other is not None:
                kind = edge.predicate.upper()
                related.append(RelatedOut(kind, shown(other.id), other.name, other.kind))
        return MemoryEntityOut.of(thing, related)

    @put("/{entity:str}", operation_id="updateMemoryEntity", opt={"requires": Role.WRITER})
    async def change(
        self,
        entity: FromPath[str],
        data: JSONBody[EntityChangeIn],
        caller: Asking,
        agent_memory: Serving,
    ) -> MemoryEntityOut:
        """Add a name to an entity, as a curator, and say how it is described from now on."""
        made = await agent_memory.knowledge.change(caller, entity, data.name, data.description)
        return MemoryEntityOut.of(made)

    @delete("/{entity:str}", operation_id="deleteMemoryEntity", opt={"requires": Role.WRITER})
    async def delete(self, entity: FromPath[str], caller: Asking, agent_memory: Serving) -> None:
        """Forget what this key has stated of an entity; it is gone unless others speak of it."""
        await agent_memory.knowledge.delete(caller, entity)

    @put(
        "/{entity:str}/feedback",
        operation_id="giveMemoryEntityFeedback",
        opt={"requires": Role.WRITER},
    )
    async def feedback(
        self,
        entity: FromPath[str],
        data: JSONBody[EntityFeedbackIn],
        caller: Asking,
        agent_memory: Serving,
    ) -> EntityFeedbackOut:
        """Keep a score of an entity, and whether it is as it should be."""
        thing = await agent_memory.knowledge.judge(caller, entity, data.user_score, data.confirmed)
        return EntityFeedbackOut(shown(thing.id), updated=True)

    @get(
        "/{entity:str}/history",
        operation_id="getMemoryEntityHistory",
        opt={"requires": Role.READER},
    )
    async def history(
        self, entity: FromPath[str], caller: Asking, agent_memory: Serving
    ) -> EntityHistoryOut:
        """Read the messages that mention an entity, in any of the agent's conversations."""
        return EntityHistoryOut.of(*await agent_memory.knowledge.history(caller, entity))

    @post(
        "/{entity:str}/merge",
        operation_id="mergeMemoryEntities",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def merge(
        self,
        entity: FromPath[str],
        data: JSONBody[EntityMergeIn],
        caller: Asking,
        agent_memory: Serving,
    ) -> EntityMergedOut:
        """Make two entities one, as a curator; both ids lead to it from then on."""
        await agent_memory.knowledge.merge(caller, entity, data.target_id)
        return EntityMergedOut(shown(entity), shown(data.target_id), "merged")
