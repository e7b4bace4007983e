"""The bridge: one POST for each method, flat JSON in and out, errors as `{"error": …}`."""

from __future__ import annotations

from typing import Any

import orjson
from litestar import Controller, Request, Response, post
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency
from litestar.exceptions import (
    HTTPException,
    InternalServerException,
    NotFoundException,
    ValidationException,
)
from litestar.handlers import BaseRouteHandler
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from app.agentmemory.bridge_schemas import (
    AddEntityIn,
    AddFactIn,
    AddMessageIn,
    AddPreferenceIn,
    AddStepIn,
    CompleteIn,
    ConversationOut,
    EntityNameIn,
    EntityOut,
    FactOut,
    GetConversationIn,
    ListIn,
    ListTracesIn,
    MergeIn,
    MessageIn,
    MessageOut,
    PreferenceOut,
    RelatedIn,
    RelationshipIn,
    RelationshipOut,
    SearchEntitiesIn,
    SearchMessagesIn,
    SearchPreferencesIn,
    SessionIn,
    SessionOut,
    SimilarIn,
    StartTraceIn,
    StepOut,
    ToolCallIn,
    ToolCallOut,
    ToolStatsIn,
    ToolStatsOut,
    TraceIn,
    TraceOut,
)
from app.agentmemory.names import shown
from app.agentmemory.wired import AgentMemory
from app.errors import LociError
from app.kernel.caller import Caller, Role
from app.kernel.departures import READS as ONLY_READS
from app.kernel.problems import http_error, internal_error, loci_error, unexpected, validation_error
from app.transcripts.service import Draft

VERSION = "0.1.0"  # of the bridge, as its document counts
KEPT = frozenset({401, 403, 405, 429, 501})  # statuses that clients tell apart
READS: dict[str, Any] = {"requires": Role.READER, ONLY_READS: True}
WRITES: dict[str, Any] = {"requires": Role.WRITER}


def switched_on(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Raise NotFoundException where the settings leave the bridge off."""
    if not connection.app.state.settings.agent_memory.bridge:
        raise NotFoundException("the bridge is switched off here")


def told(answer: Response[bytes]) -> Response[bytes]:
    """Return a problem in the shape of the protocol: an error, and 400 or 500 where clients tell
    no more apart."""
    problem = orjson.loads(answer.content)
    fields = [one["field"] for one in problem.get("errors", ()) if one.get("field")]
    said = f"{', '.join(fields)}: {problem['detail']}" if fields else problem["detail"]
    status = answer.status_code
    if status is None or status not in KEPT:
        status = 500 if (status or 500) >= 500 else 400
    body = orjson.dumps({"error": said})
    return Response(
        body, status_code=status, media_type="application/json", headers=dict(answer.headers)
    )


def _loci(request: Request[Any, Any, Any], error: LociError) -> Response[bytes]:
    return told(loci_error(request, error))


def _invalid(request: Request[Any, Any, Any], error: ValidationException) -> Response[bytes]:
    return told(validation_error(request, error))


def _internal(request: Request[Any, Any, Any], error: InternalServerException) -> Response[bytes]:
    return told(internal_error(request, error))


def _http(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    answer = http_error(request, error)
    return answer if error.status_code == 404 else told(answer)


def _unexpected(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    return told(unexpected(request, error))


HANDLERS: dict[int | type[Exception], Any] = {
    LociError: _loci,
    ValidationException: _invalid,
    InternalServerException: _internal,
    HTTPException: _http,
    Exception: _unexpected,
}
Serving = NamedDependency[AgentMemory]
Asking = NamedDependency[Caller]


class BridgeController(Controller):
    """The methods of the protocol's test kit."""

    path = "/agent-memory/bridge"
    tags = ("Agent memory",)
    include_in_schema = False
    guards = (switched_on,)
    exception_handlers = HANDLERS

    @post("/setup", opt=READS, status_code=HTTP_200_OK)
    async def setup(self, caller: Asking) -> dict[str, Any]:
        """Tell which protocol is spoken."""
        return {"ok": True, "protocol_version": VERSION}

    @post("/teardown", opt=READS, status_code=HTTP_204_NO_CONTENT)
    async def teardown(self, caller: Asking) -> None:
        """Do nothing: a session of a client holds nothing here."""

    @post("/clear_all_data", opt={"requires": Role.ADMIN}, status_code=HTTP_204_NO_CONTENT)
    async def clear_all_data(self, caller: Asking, agent_memory: Serving) -> None:
        """Take out everything in the home of the key, and nothing elsewhere."""
        await agent_memory.clearing.clear(caller)

    # --- conversations ------------------------------------------------------------------------

    @post("/add_message", opt=WRITES, status_code=HTTP_200_OK)
    async def add_message(
        self, data: JSONBody[AddMessageIn], caller: Asking, agent_memory: Serving
    ) -> MessageOut:
        """Keep a message."""
        draft = Draft(data.role, data.content, data.metadata or {})
        return MessageOut.of((await agent_memory.talks.add(caller, data.session_id, [draft]))[0])

    @post("/get_conversation", opt=READS, status_code=HTTP_200_OK)
    async def get_conversation(
        self, data: JSONBody[GetConversationIn], caller: Asking, agent_memory: Serving
    ) -> ConversationOut:
        """Read the last messages of a session in their order."""
        limit = data.limit or agent_memory.settings.messages
        return ConversationOut.of(*await agent_memory.talks.read(caller, data.session_id, limit))

    @post("/search_messages", opt=READS, status_code=HTTP_200_OK)
    async def search_messages(
        self, data: JSONBody[SearchMessagesIn], caller: Asking, agent_memory: Serving
    ) -> list[MessageOut]:
        """Find messages."""
        found = await agent_memory.talks.search(
            caller, data.query, data.session_id, data.limit, data.threshold
        )
        return [MessageOut.of(said) for said, _ in found]

    @post("/list_sessions", opt=READS, status_code=HTTP_200_OK)
    async def list_sessions(
        self, data: JSONBody[ListIn], caller: Asking, agent_memory: Serving
    ) -> list[SessionOut]:
        """List sessions, the newest first."""
        found = await agent_memory.talks.page(caller, None, None, data.limit)
        return [SessionOut.of(one) for one in found]

    @post("/delete_message", opt=WRITES, status_code=HTTP_200_OK)
    async def delete_message(
        self, data: JSONBody[MessageIn], caller: Asking, agent_memory: Serving
    ) -> dict[str, bool]:
        """Forget a message."""
        return {"deleted": await agent_memory.talks.delete_message(caller, data.message_id)}

    @post("/clear_session", opt=WRITES, status_code=HTTP_204_NO_CONTENT)
    async def clear_session(
        self, data: JSONBody[SessionIn], caller: Asking, agent_memory: Serving
    ) -> None:
        """Forget the messages of a session."""
        await agent_memory.talks.clear(caller, data.session_id)

    # --- what is known ------------------------------------------------------------------------

    @post("/add_entity", opt=WRITES, status_code=HTTP_200_OK)
    async def add_entity(
        self, data: JSONBody[AddEntityIn], caller: Asking, agent_memory: Serving
    ) -> EntityOut:
        """State that there is an entity."""
        return EntityOut.of(
            await agent_memory.knowledge.add_entity(
                caller, data.name, data.entity_type, data.description
            )
        )

    @post("/add_preference", opt=WRITES, status_code=HTTP_200_OK)
    async def add_preference(
        self, data: JSONBody[AddPreferenceIn], caller: Asking, agent_memory: Serving
    ) -> PreferenceOut:
        """Write a preference."""
        return PreferenceOut.of(
            await agent_memory.preferences.add(caller, data.category, data.preference, data.context)
        )

    @post("/add_fact", opt=WRITES, status_code=HTTP_200_OK)
    async def add_fact(
        self, data: JSONBody[AddFactIn], caller: Asking, agent_memory: Serving
    ) -> FactOut:
        """State a fact."""
        fact = await agent_memory.knowledge.add_fact(caller, data.subject, data.predicate, data.obj)
        return FactOut(shown(fact["id"]), data.subject, data.predicate, data.obj)

    @post("/search_entities", opt=READS, status_code=HTTP_200_OK)
    async def search_entities(
        self, data: JSONBody[SearchEntitiesIn], caller: Asking, agent_memory: Serving
    ) -> list[EntityOut]:
        """Find entities."""
        found = await agent_memory.knowledge.search(caller, data.query, data.type, data.limit)
        return [EntityOut.of(thing) for thing in found]

    @post("/search_preferences", opt=READS, status_code=HTTP_200_OK)
    async def search_preferences(
        self, data: JSONBody[SearchPreferencesIn], caller: Asking, agent_memory: Serving
    ) -> list[PreferenceOut]:
        """Find preferences."""
        found = await agent_memory.preferences.search(caller, data.query, data.category, data.limit)
        return [PreferenceOut.of(one) for one in found]

    @post("/get_entity_by_name", opt=READS, status_code=HTTP_200_OK)
    async def get_entity_by_name(
        self, data: JSONBody[EntityNameIn], caller: Asking, agent_memory: Serving
    ) -> Response[EntityOut | None]:
        """Read the entity of a name, or null."""
        found = await agent_memory.knowledge.named(caller, data.name)
        return Response(EntityOut.of(found)) if found else null()

    @post("/get_related_entities", opt=READS, status_code=HTTP_200_OK)
    async def get_related_entities(
        self, data: JSONBody[RelatedIn], caller: Asking, agent_memory: Serving
    ) -> list[EntityOut]:
        """Read what is related to an entity."""
        found = await agent_memory.knowledge.related(
            caller, data.entity_id, data.relationship_type, data.depth
        )
        return [EntityOut.of(thing) for thing, _ in found]

    @post("/add_relationship", opt=WRITES, status_code=HTTP_200_OK)
    async def add_relationship(
        self, data: JSONBody[RelationshipIn], caller: Asking, agent_memory: Serving
    ) -> RelationshipOut:
        """State that two entities are related."""
        properties = data.properties or {}
        made = await agent_memory.knowledge.relate(
            caller, data.source_id, data.target_id, data.relationship_type, properties
        )
        return RelationshipOut.of(made, made.properties)

    @post("/merge_duplicate_entities", opt=WRITES, status_code=HTTP_200_OK)
    async def merge_duplicate_entities(
        self, data: JSONBody[MergeIn], caller: Asking, agent_memory: Serving
    ) -> EntityOut:
        """Make two entities one; the answer bears the id of the target."""
        made = await agent_memory.knowledge.merge(
            caller, data.source_id, data.target_id, data.canonical_name
        )
        return EntityOut.of(made)

    # --- reasoning ----------------------------------------------------------------------------

    @post("/start_trace", opt=WRITES, status_code=HTTP_200_OK)
    async def start_trace(
        self, data: JSONBody[StartTraceIn], caller: Asking, agent_memory: Serving
    ) -> TraceOut:
        """Begin a trace."""
        return TraceOut.of(await agent_memory.reasoning.start(caller, data.session_id, data.task))

    @post("/add_step", opt=WRITES, status_code=HTTP_200_OK)
    async def add_step(
        self, data: JSONBody[AddStepIn], caller: Asking, agent_memory: Serving
    ) -> StepOut:
        """Add a step."""
        return StepOut.of(
            await agent_memory.reasoning.add_step(
                caller, data.trace_id, data.thought, data.action, data.observation
            )
        )

    @post("/record_tool_call", opt=WRITES, status_code=HTTP_200_OK)
    async def record_tool_call(
        self, data: JSONBody[ToolCallIn], caller: Asking, agent_memory: Serving
    ) -> ToolCallOut:
        """Add a tool call."""
        return ToolCallOut.of(
            await agent_memory.reasoning.add_call(caller, data.step_id, data.to_draft())
        )

    @post("/complete_trace", opt=WRITES, status_code=HTTP_200_OK)
    async def complete_trace(
        self, data: JSONBody[CompleteIn], caller: Asking, agent_memory: Serving
    ) -> TraceOut:
        """End a trace."""
        return TraceOut.of(
            await agent_memory.reasoning.complete(caller, data.trace_id, data.outcome, data.success)
        )

    @post("/get_trace_with_steps", opt=READS, status_code=HTTP_200_OK)
    async def get_trace_with_steps(
        self, data: JSONBody[TraceIn], caller: Asking, agent_memory: Serving
    ) -> Response[TraceOut | None]:
        """Read a trace, or null."""
        found = await agent_memory.reasoning.read(caller, data.trace_id)
        return Response(TraceOut.of(found)) if found else null()

    @post("/list_traces", opt=READS, status_code=HTTP_200_OK)
    async def list_traces(
        self, data: JSONBody[ListTracesIn], caller: Asking, agent_memory: Serving
    ) -> list[TraceOut]:
        """List traces, those that began last first."""
        found = await agent_memory.reasoning.page(caller, data.session_id, data.limit)
        return [TraceOut.of(one) for one in found]

    @post("/get_tool_stats", opt=READS, status_code=HTTP_200_OK)
    async def get_tool_stats(
        self, data: JSONBody[ToolStatsIn], caller: Asking, agent_memory: Serving
    ) -> list[ToolStatsOut]:
        """Read figures of tools."""
        found = await agent_memory.reasoning.statistics(
            caller, data.tool_name, agent_memory.settings.page
        )
        return [ToolStatsOut.of(one) for one in found]

    @post("/get_similar_traces", opt=READS, status_code=HTTP_200_OK)
    async def get_similar_traces(
        self, data: JSONBody[SimilarIn], caller: Asking, agent_memory: Serving
    ) -> list[TraceOut]:
        """Find traces of tasks alike."""
        found = await agent_memory.reasoning.similar(
            caller, data.task, data.limit, data.success_only
        )
        return [TraceOut.of(one) for one in found]


def null() -> Response[Any]:
    """Return an answer that says null, which an empty one would not."""
    return Response(b"null", media_type="application/json")
