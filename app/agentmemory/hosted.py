"""The hosted operations over the bridge: what the protocol's fifth volume has over REST as well."""

from __future__ import annotations

from litestar import Controller, post
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from app.agentmemory.bridge import HANDLERS, READS, WRITES, Asking, Serving, switched_on
from app.agentmemory.bridge_schemas import EntityOut, ToolCallOut
from app.agentmemory.hosted_schemas import (
    BulkIn,
    ConversationIn,
    ConversationsIn,
    EntitiesIn,
    EntityChangeIn,
    EntityFeedbackIn,
    EntityIn,
    Flat,
    MergeEntitiesIn,
    NewConversationIn,
    ObservationsIn,
    RecordStepIn,
    StepIn,
    flat,
)
from app.agentmemory.names import shown
from app.agentmemory.rest_reasoning import NO_CYPHER, talk_id
from app.agentmemory.rest_schemas import (
    AgentStepOut,
    CypherIn,
    EntityFeedbackOut,
    EntityGraphOut,
    EntityHistoryOut,
    EntityMergedOut,
    MemoryContextOut,
    StatedOut,
    TalkMessageOut,
    TalkOut,
)
from app.errors import NotOffered


class HostedBridgeController(Controller):
    """The methods that a hosted service of the protocol has beside those of the kit's lower tiers.
    A conversation is named by its id, or by a name of the client's."""

    path = "/agent-memory/bridge"
    tags = ("Agent memory",)
    include_in_schema = False
    guards = (switched_on,)
    exception_handlers = HANDLERS

    # --- conversations ------------------------------------------------------------------------

    @post("/create_conversation", opt=WRITES, status_code=HTTP_200_OK)
    async def create_conversation(
        self, data: JSONBody[NewConversationIn], caller: Asking, agent_memory: Serving
    ) -> Flat:
        """Begin a conversation."""
        made = await agent_memory.talks.create(caller, data.user_id, data.metadata or {})
        return flat(TalkOut.of(made, 0))

    @post("/list_conversations", opt=READS, status_code=HTTP_200_OK)
    async def list_conversations(
        self, data: JSONBody[ConversationsIn], caller: Asking, agent_memory: Serving
    ) -> list[Flat]:
        """List conversations, the newest first."""
        most = min(data.limit or 50, agent_memory.settings.page)
        found = await agent_memory.talks.page(caller, None, None, most)
        return [flat(TalkOut.of(one.transcript, one.messages)) for one in found]

    @post("/get_conversation_metadata", opt=READS, status_code=HTTP_200_OK)
    async def get_conversation_metadata(
        self, data: JSONBody[ConversationIn], caller: Asking, agent_memory: Serving
    ) -> Flat:
        """Read a conversation without its messages."""
        return flat(TalkOut.of(await agent_memory.talks.open(caller, data.conversation_id), None))

    @post("/delete_conversation", opt=WRITES, status_code=HTTP_204_NO_CONTENT)
    async def delete_conversation(
        self, data: JSONBody[ConversationIn], caller: Asking, agent_memory: Serving
    ) -> None:
        """Forget a conversation with its messages; again, it changes nothing."""
        await agent_memory.talks.clear(caller, data.conversation_id)

    @post("/bulk_add_messages", opt=WRITES, status_code=HTTP_200_OK)
    async def bulk_add_messages(
        self, data: JSONBody[BulkIn], caller: Asking, agent_memory: Serving
    ) -> list[Flat]:
        """Keep up to 100 messages in their order, all or none."""
        held = await agent_memory.talks.open(caller, data.conversation_id)
        drafts = [message.to_draft() for message in data.messages]
        made = await agent_memory.talks.add(caller, data.conversation_id, drafts)
        return [flat(TalkMessageOut.of(said, held.id)) for said in made]

    @post("/get_context", opt=READS, status_code=HTTP_200_OK)
    async def get_context(
        self, data: JSONBody[ConversationIn], caller: Asking, agent_memory: Serving
    ) -> Flat:
        """Read notes made of a conversation, the facts that it bears out, and its last messages."""
        recent = agent_memory.settings.recent
        found = await agent_memory.talks.context(caller, data.conversation_id, recent)
        return flat(MemoryContextOut.of(found))

    @post("/get_observations", opt=READS, status_code=HTTP_200_OK)
    async def get_observations(
        self, data: JSONBody[ObservationsIn], caller: Asking, agent_memory: Serving
    ) -> list[Flat]:
        """Read the facts that the messages bear out and that are held, the latest first."""
        held = await agent_memory.talks.open(caller, data.conversation_id)
        most = min(data.limit or agent_memory.settings.recent, agent_memory.settings.page)
        found = await agent_memory.talks.observations(held, most)
        return [flat(StatedOut.of(one, held)) for one in found]

    @post("/get_reflections", opt=READS, status_code=HTTP_200_OK)
    async def get_reflections(
        self, data: JSONBody[ConversationIn], caller: Asking, agent_memory: Serving
    ) -> list[Flat]:
        """Read the notes that Loci made of the messages, the latest first."""
        held = await agent_memory.talks.open(caller, data.conversation_id)
        found = await agent_memory.talks.reflections(held, agent_memory.settings.recent)
        return [flat(StatedOut.of(one, held)) for one in found]

    # --- entities -----------------------------------------------------------------------------

    @post("/list_entities", opt=READS, status_code=HTTP_200_OK)
    async def list_entities(
        self, data: JSONBody[EntitiesIn], caller: Asking, agent_memory: Serving
    ) -> list[EntityOut]:
        """List entities in the order of their ids."""
        most = min(data.limit or agent_memory.settings.page, agent_memory.settings.page)
        found = await agent_memory.knowledge.page(caller, data.type, most)
        return [EntityOut.of(thing) for thing in found]

    @post("/get_entity", opt=READS, status_code=HTTP_200_OK)
    async def get_entity(
        self, data: JSONBody[EntityIn], caller: Asking, agent_memory: Serving
    ) -> EntityOut:
        """Read an entity."""
        return EntityOut.of(await agent_memory.knowledge.thing(caller, data.entity_id))

    @post("/update_entity", opt=WRITES, status_code=HTTP_200_OK)
    async def update_entity(
        self, data: JSONBody[EntityChangeIn], caller: Asking, agent_memory: Serving
    ) -> EntityOut:
        """Add a name to an entity, as a curator, and say how it is described from now on."""
        made = await agent_memory.knowledge.change(
            caller, data.entity_id, data.name, data.description
        )
        return EntityOut.of(made)

    @post("/delete_entity", opt=WRITES, status_code=HTTP_204_NO_CONTENT)
    async def delete_entity(
        self, data: JSONBody[EntityIn], caller: Asking, agent_memory: Serving
    ) -> None:
        """Forget what this key has stated of an entity; it is gone unless others speak of it."""
        await agent_memory.knowledge.delete(caller, data.entity_id)

    @post("/set_entity_feedback", opt=WRITES, status_code=HTTP_200_OK)
    async def set_entity_feedback(
        self, data: JSONBody[EntityFeedbackIn], caller: Asking, agent_memory: Serving
    ) -> Flat:
        """Keep a score of an entity, and whether it is as it should be."""
        thing = await agent_memory.knowledge.judge(
            caller, data.entity_id, data.user_score, data.confirmed
        )
        return flat(EntityFeedbackOut(shown(thing.id), updated=True))

    @post("/get_entity_history", opt=READS, status_code=HTTP_200_OK)
    async def get_entity_history(
        self, data: JSONBody[EntityIn], caller: Asking, agent_memory: Serving
    ) -> Flat:
        """Read the messages that mention an entity, in any of the agent's conversations."""
        return flat(
            EntityHistoryOut.of(*await agent_memory.knowledge.history(caller, data.entity_id))
        )

    @post("/merge_entities", opt=WRITES, status_code=HTTP_200_OK)
    async def merge_entities(
        self, data: JSONBody[MergeEntitiesIn], caller: Asking, agent_memory: Serving
    ) -> Flat:
        """Make two entities one, as a curator; both ids lead to it from then on."""
        await agent_memory.knowledge.merge(caller, data.source_id, data.target_id)
        return flat(EntityMergedOut(shown(data.source_id), shown(data.target_id), "merged"))

    @post("/get_entity_graph", opt=READS, status_code=HTTP_200_OK)
    async def get_entity_graph(self, caller: Asking, agent_memory: Serving) -> Flat:
        """Read entities and the facts between them."""
        return flat(EntityGraphOut.of(*await agent_memory.knowledge.graph(caller)))

    # --- reasoning ----------------------------------------------------------------------------

    @post("/record_step", opt=WRITES, status_code=HTTP_200_OK)
    async def record_step(
        self, data: JSONBody[RecordStepIn], caller: Asking, agent_memory: Serving
    ) -> Flat:
        """Add a step to the trace of a conversation, which the first step begins."""
        talk = await agent_memory.talks.open(caller, data.conversation_id)
        made = await agent_memory.reasoning.record(
            caller, talk.conversation, data.reasoning, data.action_taken, data.result
        )
        return flat(AgentStepOut.of(made, talk.id))

    @post("/list_steps", opt=READS, status_code=HTTP_200_OK)
    async def list_steps(
        self, data: JSONBody[ConversationIn], caller: Asking, agent_memory: Serving
    ) -> list[Flat]:
        """Read the steps of a conversation in their order."""
        held = await agent_memory.talks.open(caller, data.conversation_id)
        found = await agent_memory.reasoning.steps(caller, held.conversation)
        return [flat(AgentStepOut.of(one, held.id)) for one in found]

    @post("/explain_step", opt=READS, status_code=HTTP_200_OK)
    async def explain_step(
        self, data: JSONBody[StepIn], caller: Asking, agent_memory: Serving
    ) -> Flat:
        """Read a step with its tool calls and the entities that it touched."""
        found, trace, touched = await agent_memory.reasoning.explain(caller, data.step_id)
        things = [await agent_memory.knowledge.thing(caller, one) for one in touched]
        return {
            **flat(AgentStepOut.of(found, talk_id(caller, trace.session_key))),
            "tool_calls": [ToolCallOut.of(call) for call in found.calls],
            "influenced_entities": [EntityOut.of(thing) for thing in things],
        }

    @post("/get_trace_by_conversation", opt=READS, status_code=HTTP_200_OK)
    async def get_trace_by_conversation(
        self, data: JSONBody[ConversationIn], caller: Asking, agent_memory: Serving
    ) -> Flat:
        """Read all steps and tool calls of a conversation in their order."""
        held = await agent_memory.talks.open(caller, data.conversation_id)
        found = await agent_memory.reasoning.steps(caller, held.conversation)
        return {
            "conversation_id": shown(held.id),
            "steps": [flat(AgentStepOut.of(one, held.id)) for one in found],
            "tool_calls": [ToolCallOut.of(call) for one in found for call in one.calls],
        }

    @post("/get_entity_provenance", opt=READS, status_code=HTTP_200_OK)
    async def get_entity_provenance(
        self, data: JSONBody[EntityIn], caller: Asking, agent_memory: Serving
    ) -> Flat:
        """Read the steps that touched an entity, the earliest first."""
        thing = await agent_memory.knowledge.thing(caller, data.entity_id)
        found = await agent_memory.reasoning.provenance(caller, thing.members)
        told = [flat(AgentStepOut.of(one, talk_id(caller, t.session_key))) for one, t in found]
        return {"entity_id": shown(thing.id), "steps": told}

    # --- queries ------------------------------------------------------------------------------

    @post("/cypher_query", opt=READS, status_code=HTTP_200_OK)
    async def cypher_query(self, data: JSONBody[CypherIn], caller: Asking) -> Flat:
        """Refuse: a query in Cypher cannot be kept to what the key sees."""
        raise NotOffered(NO_CYPHER)
