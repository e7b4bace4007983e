"""Reasoning, queries and keys over the REST of the protocol."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from app.access.service import AccessService, NewKey
from app.agentmemory.names import shown
from app.agentmemory.rest_schemas import (
    AgentCallOut,
    AgentStepExplainedOut,
    AgentStepOut,
    AgentStepsOut,
    ApiKeyIn,
    ApiKeyOut,
    ApiKeysOut,
    CallIn,
    ConversationTraceOut,
    CypherIn,
    EntityProvenanceOut,
    MemoryEntityOut,
    RefreshIn,
    StepIn,
)
from app.agentmemory.rest_talks import TAGS, Asking, Serving
from app.errors import InvalidInput, NotOffered
from app.kernel.caller import Caller, Role
from app.kernel.departures import READS as ONLY_READS
from app.transcripts.kind import TRANSCRIPT

SCOPES = {"read": Role.READER, "write": Role.WRITER} | {role.label: role for role in Role}
NO_CYPHER = (
    "Cypher is not taken: the database cannot keep a free query to what a key sees; "
    "search, GraphQL and the lists of facts and entities read the same"
)
OfTalk = Annotated[
    str | None,
    QueryParameter(name="conversation_id", description="The conversation, by id or name."),
]
AlsoOfTalk = Annotated[
    str | None,
    QueryParameter(name="conversationId", description="Another word for `conversation_id`."),
]
Workspace = Annotated[
    str | None, QueryParameter(name="workspace_id", description="Your home scope, if at all.")
]
AlsoWorkspace = Annotated[
    str | None,
    QueryParameter(name="workspaceId", description="Another word for `workspace_id`."),
]
Access = NamedDependency[AccessService]


class MemoryReasoningController(Controller):
    """What an agent thought and did in its conversations."""

    path = "/agent-memory/v1/reasoning"
    tags = TAGS

    @post("/steps", operation_id="recordMemoryStep", opt={"requires": Role.WRITER})
    async def record(
        self, data: JSONBody[StepIn], caller: Asking, agent_memory: Serving
    ) -> AgentStepOut:
        """Add a step to the trace of a conversation, which the first step begins."""
        talk = await agent_memory.talks.open(caller, data.conversation_id)
        made = await agent_memory.reasoning.record(
            caller, talk.conversation, data.reasoning, data.action_taken, data.result
        )
        return AgentStepOut.of(made, talk.id)

    @get("/steps", operation_id="listMemorySteps", opt={"requires": Role.READER})
    async def steps(
        self,
        caller: Asking,
        agent_memory: Serving,
        talk: OfTalk = None,
        same_talk: AlsoOfTalk = None,
    ) -> AgentStepsOut:
        """Read the steps of a conversation, which one of both words names, in their order."""
        named = talk or same_talk
        if not named:
            raise InvalidInput("conversation_id is missing", field="conversation_id")
        held = await agent_memory.talks.open(caller, named)
        found = await agent_memory.reasoning.steps(caller, held.conversation)
        return AgentStepsOut([AgentStepOut.of(one, held.id) for one in found])

    @get("/explain/{step:str}", operation_id="explainMemoryStep", opt={"requires": Role.READER})
    async def explain(
        self, step: FromPath[str], caller: Asking, agent_memory: Serving
    ) -> AgentStepExplainedOut:
        """Read a step with its tool calls and the entities that it touched."""
        found, trace, touched = await agent_memory.reasoning.explain(caller, step)
        told = AgentStepOut.of(found, talk_id(caller, trace.session_key))
        things = [await agent_memory.knowledge.thing(caller, one) for one in touched]
        return AgentStepExplainedOut(
            told.id,
            told.conversation_id,
            told.step_number,
            told.reasoning,
            told.action_taken,
            told.result,
            told.created_at,
            [AgentCallOut.of(call, found.step.id) for call in found.calls],
            [MemoryEntityOut.of(thing) for thing in things],
        )

    @post("/tool-calls", operation_id="recordMemoryToolCall", opt={"requires": Role.WRITER})
    async def call(
        self, data: JSONBody[CallIn], caller: Asking, agent_memory: Serving
    ) -> AgentCallOut:
        """Add a tool call to a step; entities whose ids it holds count as touched."""
        made = await agent_memory.reasoning.add_call(caller, data.step_id, data.to_draft())
        return AgentCallOut.of(made, data.step_id)

    @get("/trace/{talk:str}", operation_id="getMemoryTrace", opt={"requires": Role.READER})
    async def trace(
        self, talk: FromPath[str], caller: Asking, agent_memory: Serving
    ) -> ConversationTraceOut:
        """Read all steps and tool calls of a conversation in their order."""
        held = await agent_memory.talks.open(caller, talk)
        found = await agent_memory.reasoning.steps(caller, held.conversation)
        return ConversationTraceOut(
            shown(held.id),
            [AgentStepOut.of(one, held.id) for one in found],
            [AgentCallOut.of(call, one.step.id) for one in found for call in one.calls],
        )

    @get(
        "/provenance/{entity:str}",
        operation_id="getMemoryProvenance",
        opt={"requires": Role.READER},
    )
    async def provenance(
        self, entity: FromPath[str], caller: Asking, agent_memory: Serving
    ) -> EntityProvenanceOut:
        """Read the steps that touched an entity, the earliest first."""
        thing = await agent_memory.knowledge.thing(caller, entity)
        found = await agent_memory.reasoning.provenance(caller, thing.members)
        told = [AgentStepOut.of(one, talk_id(caller, t.session_key)) for one, t in found]
        return EntityProvenanceOut(shown(thing.id), told)


class MemoryKeyController(Controller):
    """Keys of the caller."""

    path = "/agent-memory/v1/auth"
    tags = TAGS

    @get("/api-keys", operation_id="listMemoryKeys", opt={"requires": Role.ADMIN})
    async def list_keys(
        self,
        caller: Asking,
        access: Access,
        workspace: Workspace = None,
        same_workspace: AlsoWorkspace = None,
    ) -> ApiKeysOut:
        """List the keys of the caller, those that are revoked left out."""
        _own(caller, workspace, "workspace_id")
        _own(caller, same_workspace, "workspaceId")
        rows = await access.repository.list_keys(caller.tenant, [caller.home])
        own = [r for r in rows if r["principal"] == caller.principal and not r["revoked_at"]]
        return ApiKeysOut([ApiKeyOut.of(row, caller.home) for row in own])

    @post("/api-keys", operation_id="createMemoryKey", opt={"requires": Role.ADMIN})
    async def create(self, data: JSONBody[ApiKeyIn], caller: Asking, access: Access) -> ApiKeyOut:
        """Mint a further key of the caller; its text is in this answer only."""
        _own(caller, data.workspace_id, "workspaceId")
        new = NewKey(principal=caller.principal, role=_role(data.scopes), name=data.label)
        minted, row = await access.mint_key(caller, new)
        return ApiKeyOut.of({**row, "id": minted.id}, caller.home, minted.text)

    @delete("/api-keys/{key_id:str}", operation_id="revokeMemoryKey", opt={"requires": Role.ADMIN})
    async def revoke(self, key_id: FromPath[str], caller: Asking, access: Access) -> None:
        """Revoke a key: it answers no more."""
        await access.revoke_key(caller, key_id)

    @get(
        "/api-keys/{key_id:str}/reveal",
        operation_id="revealMemoryKey",
        opt={"requires": Role.ADMIN},
    )
    async def reveal(
        self,
        key_id: FromPath[str],
        caller: Asking,
        workspace: Workspace = None,
        same_workspace: AlsoWorkspace = None,
    ) -> ApiKeyOut:
        """Refuse: of a key only a digest is kept."""
        raise NotOffered("of a key only a digest is kept: mint another one and revoke this one")

    @post("/refresh", operation_id="refreshMemoryToken", opt={"requires": Role.READER})
    async def refresh(self, data: JSONBody[RefreshIn], caller: Asking) -> ApiKeyOut:
        """Refuse: keys are no tokens that run out and are exchanged."""
        raise NotOffered("there are no tokens to refresh: a key holds until it is revoked")


@post(
    "/agent-memory/v1/query",
    operation_id="queryMemory",
    tags=list(TAGS),
    opt={"requires": Role.READER, ONLY_READS: True},
)
async def query_memory(data: JSONBody[CypherIn], caller: Asking) -> ApiKeysOut:
    """Refuse: a query in Cypher cannot be kept to what the key sees."""
    raise NotOffered(NO_CYPHER)


def talk_id(caller: Caller, session: str | None) -> str:
    """Return the id of the caller's conversation that a trace belongs to."""
    return TRANSCRIPT.id_of(caller.home, caller.principal, session or "")


def _own(caller: Caller, workspace: str | None, field: str) -> None:
    if workspace not in (None, "", caller.home):
        caller.require(str(workspace), Role.ADMIN)
        raise InvalidInput("keys are listed and minted for your home scope", field=field)


def _role(scopes: list[str]) -> Role:
    unknown = [scope for scope in scopes if scope.lower() not in SCOPES]
    if unknown:
        raise InvalidInput(f"scopes are {', '.join(SCOPES)}", field="scopes")
    return max((SCOPES[scope.lower()] for scope in scopes), default=Role.WRITER)
