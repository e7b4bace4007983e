"""What the REST of the protocol takes and gives, in camel case."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
import orjson
from pydantic import ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from app.agentmemory.bridge_schemas import (
    Description,
    Duration,
    Id,
    Limit,
    Name,
    Query,
    Share,
    Text,
    Words,
    whole,
)
from app.agentmemory.knowing import Relation, Thing
from app.agentmemory.names import shown
from app.agentmemory.reasoning import Stepped
from app.agentmemory.talking import Context, Stated
from app.errors import InvalidInput
from app.kernel.graph import Row
from app.kernel.wire import WireModel
from app.traces.drafts import CallDraft
from app.traces.model import CallStatus, ToolCall
from app.transcripts.kind import TRANSCRIPT
from app.transcripts.model import Transcript, Voice
from app.transcripts.service import Draft, Said

MOST_AT_ONCE = 100  # messages of one request, after SPEC-5.1.4


class CamelIn(WireModel):
    """A body in camel case."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, alias_generator=to_camel, populate_by_name=True
    )


class ConversationIn(CamelIn):
    """A conversation to be begun."""

    user_id: Name | None = Field(None, description="Who the conversation is with.")
    metadata: dict[str, Any] | None = None


class MessageIn(CamelIn):
    """A message."""

    role: Voice
    content: Words
    metadata: dict[str, Any] | None = None

    def to_draft(self) -> Draft:
        """Return the draft that this describes."""
        return Draft(self.role, self.content, self.metadata or {})


class MessagesIn(CamelIn):
    """Messages in their order, kept all or none."""

    messages: Annotated[list[MessageIn], Field(min_length=1, max_length=MOST_AT_ONCE)]


class MessageSearchIn(CamelIn):
    """A question to the messages of a conversation."""

    query: Query
    limit: Limit = 10
    threshold: Share = Field(0.0, description="Least similarity of what has one.")


class EntityIn(CamelIn):
    """An entity; `entityType` is another word for `type`, which some clients send beside it."""

    name: Name
    type: Name | None = Field(
        None, description="person, organization, location, event, object, concept, tool or custom."
    )
    entity_type: Name | None = None
    description: Description | None = None

    @property
    def kind(self) -> str:
        """The type; InvalidInput (`type`) where neither word is there."""
        kind = self.type or self.entity_type
        if kind is None:
            raise InvalidInput("type is missing", field="type")
        return kind


class EntityChangeIn(CamelIn):
    """What of an entity is set; what is left out stays."""

    name: Name | None = None
    description: Description | None = None


class EntitySearchIn(CamelIn):
    """A question to entities."""

    query: Query
    type: Name | None = None
    limit: Limit = 10


class EntityFeedbackIn(CamelIn):
    """What the caller says of an entity."""

    user_score: Share | None = None
    confirmed: bool | None = None


class EntityMergeIn(CamelIn):
    """The entity that another one is."""

    target_id: Id


class StepIn(CamelIn):
    """A step of what was thought in a conversation."""

    conversation_id: Name
    reasoning: Words
    action_taken: Words = ""
    result: Text | None = None


class CallIn(CamelIn):
    """A tool call of a step; `input` and `output` are the same as `arguments` and `result`, as JSON
    in a text."""

    step_id: Id
    tool_name: Name
    arguments: dict[str, Any] | None = None
    input: Words | None = None
    result: Any = None
    output: Words | None = None
    status: CallStatus = CallStatus.SUCCESS
    duration_ms: Duration | None = None
    error: Text | None = None

    def to_draft(self) -> CallDraft:
        """Return the draft that this describes."""
        given = self.arguments if self.arguments is not None else _read(self.input)
        return CallDraft(
            self.tool_name,
            given if isinstance(given, dict) else {} if given is None else {"value": given},
            self.result if self.result is not None else _read(self.output),
            self.status,
            self.duration_ms,
            self.error,
            None,
        )


class CypherIn(CamelIn):
    """A query."""

    cypher: Annotated[str, StringConstraints(min_length=1, max_length=20_000)]
    params: dict[str, Any] = Field(default_factory=dict)


class ApiKeyIn(CamelIn):
    """A key to be minted; of `scopes` the most that one of them allows: read, write, or a role."""

    label: Annotated[str, StringConstraints(max_length=200)] = ""
    scopes: Annotated[list[Name], Field(max_length=20)] = Field(default_factory=list)
    workspace_id: Name | None = Field(None, alias="workspaceId", description="Your home scope.")


class RefreshIn(WireModel):
    """A token to be exchanged."""

    refresh_token: Annotated[str, StringConstraints(min_length=1, max_length=4000)] = Field(
        alias="refreshToken"
    )
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class TalkOut(msgspec.Struct, frozen=True, rename="camel"):
    """A conversation without its messages; `sessionId` is the name that a client chose."""

    id: str
    session_id: str
    user_id: str | None
    workspace_id: str
    title: str | None
    metadata: dict[str, Any]
    message_count: int | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, talk: Transcript, messages: int | None) -> TalkOut:
        """Return the wire form of a transcript."""
        return cls(
            shown(talk.id),
            talk.conversation,
            talk.user,
            talk.scope,
            None,
            talk.metadata,
            messages,
            talk.began_at,
            talk.changed_at,
        )


class TalksOut(msgspec.Struct, frozen=True):
    """Conversations, the newest first; `next_cursor` continues them."""

    conversations: list[TalkOut]
    next_cursor: str | None


class TalkMessageOut(msgspec.Struct, frozen=True, rename="camel"):
    """A message."""

    id: str
    conversation_id: str
    role: str
    content: str
    timestamp: datetime
    created_at: datetime
    metadata: dict[str, Any]
    score: float | None = None

    @classmethod
    def of(cls, said: Said, talk: str, score: float | None = None) -> TalkMessageOut:
        """Return the wire form of a message of the conversation of an id."""
        one = said.message
        return cls(
            shown(one.id),
            shown(talk),
            one.voice.value,
            said.text,
            one.said_at,
            one.said_at,
            one.shown(),
            score,
        )


class TalkMessagesOut(msgspec.Struct, frozen=True, rename="camel"):
    """Messages, and for a search how they were found."""

    messages: list[TalkMessageOut]
    search_type: str | None = None


class StatedOut(msgspec.Struct, frozen=True, rename="camel"):
    """A statement that messages bear out."""

    id: str
    conversation_id: str
    content: str
    window_start: datetime | None
    window_end: datetime | None
    created_at: datetime

    @classmethod
    def of(cls, one: Stated, talk: Transcript) -> StatedOut:
        """Return the wire form of a statement."""
        return cls(shown(one.id), shown(talk.id), one.text, one.first, one.last, one.at)


class MemoryContextOut(msgspec.Struct, frozen=True, rename="camel"):
    """What is known of a conversation, in three tiers."""

    reflections: list[StatedOut]
    observations: list[StatedOut]
    recent_messages: list[TalkMessageOut]

    @classmethod
    def of(cls, found: Context) -> MemoryContextOut:
        """Return the wire form of a context."""
        talk = found.transcript
        return cls(
            [StatedOut.of(one, talk) for one in found.reflections],
            [StatedOut.of(one, talk) for one in found.observations],
            [TalkMessageOut.of(said, talk.id) for said in found.messages],
        )


class TalkObservationsOut(msgspec.Struct, frozen=True):
    """Observations of a conversation."""

    observations: list[StatedOut]


class TalkReflectionsOut(msgspec.Struct, frozen=True):
    """Reflections of a conversation."""

    reflections: list[StatedOut]


class RelatedOut(msgspec.Struct, frozen=True, rename="camel"):
    """What an entity is related to."""

    rel_type: str
    target_id: str
    target_name: str
    target_type: str


class MemoryEntityOut(msgspec.Struct, frozen=True, rename="camel"):
    """An entity; `relationships` is null in lists."""

    id: str
    name: str
    type: str
    description: str | None
    aliases: list[str]
    created_at: datetime
    relationships: list[RelatedOut] | None = None

    @classmethod
    def of(cls, thing: Thing, related: list[RelatedOut] | None = None) -> MemoryEntityOut:
        """Return the wire form of an entity."""
        return cls(
            shown(thing.id),
            thing.name,
            thing.kind,
            thing.description,
            list(thing.aliases),
            thing.created_at,
            related,
        )


class MemoryEntitiesOut(msgspec.Struct, frozen=True, rename="camel"):
    """Entities, and for a search how they were found."""

    entities: list[MemoryEntityOut]
    search_type: str | None = None


class EntityFeedbackOut(msgspec.Struct, frozen=True):
    """Whether something was kept."""

    id: str
    updated: bool


class EntityMentionOut(msgspec.Struct, frozen=True, rename="camel"):
    """A message that mentions an entity."""

    conversation_id: str
    message_id: str
    content: str
    timestamp: datetime

    @classmethod
    def of(cls, said: Said) -> EntityMentionOut:
        """Return the wire form of a message that mentions an entity."""
        one = said.message
        talk = TRANSCRIPT.id_of(one.scope, one.agent, one.conversation)
        return cls(shown(talk), shown(one.id), said.text, one.said_at)


class EntityHistoryOut(msgspec.Struct, frozen=True, rename="camel"):
    """The messages that mention an entity, the latest first."""

    entity_id: str
    mentions: list[EntityMentionOut]

    @classmethod
    def of(cls, thing: Thing, found: list[Said]) -> EntityHistoryOut:
        """Return the wire form of the messages that mention an entity."""
        return cls(shown(thing.id), [EntityMentionOut.of(said) for said in found])


class EntityMergedOut(msgspec.Struct, frozen=True, rename="camel"):
    """Two entities that are one."""

    source_id: str
    target_id: str
    status: str


class GraphNodeOut(msgspec.Struct, frozen=True):
    """A node of the graph of entities."""

    id: str
    name: str
    type: str


class GraphEdgeOut(msgspec.Struct, frozen=True):
    """A fact between two entities."""

    id: str
    source: str
    target: str
    type: str


class EntityGraphOut(msgspec.Struct, frozen=True):
    """Entities and the facts between them."""

    nodes: list[GraphNodeOut]
    edges: list[GraphEdgeOut]

    @classmethod
    def of(cls, things: list[Thing], relations: list[Relation]) -> EntityGraphOut:
        """Return the wire form of a graph."""
        return cls(
            [GraphNodeOut(shown(one.id), one.name, one.kind) for one in things],
            [
                GraphEdgeOut(shown(e.id), shown(e.source), shown(e.target), e.predicate.upper())
                for e in relations
            ],
        )


class AgentCallOut(msgspec.Struct, frozen=True, rename="camel"):
    """A tool call; `input` and `output` are its arguments and result as JSON in a text."""

    id: str
    step_id: str
    tool_name: str
    arguments: dict[str, Any]
    input: str
    result: Any
    output: str | None
    status: str
    duration_ms: float | None
    error: str | None
    created_at: datetime

    @classmethod
    def of(cls, call: ToolCall, step: str) -> AgentCallOut:
        """Return the wire form of a tool call of the step of an id."""
        return cls(
            shown(call.id),
            shown(step),
            call.tool,
            call.arguments,
            orjson.dumps(call.arguments).decode(),
            call.result,
            None if call.result is None else orjson.dumps(call.result).decode(),
            call.status.value,
            whole(call.duration_ms),
            call.error,
            call.at,
        )


class AgentStepOut(msgspec.Struct, frozen=True, rename="camel"):
    """A step of what was thought in a conversation."""

    id: str
    conversation_id: str
    step_number: int
    reasoning: str
    action_taken: str
    result: str | None
    created_at: datetime

    @classmethod
    def of(cls, one: Stepped, talk: str) -> AgentStepOut:
        """Return the wire form of a step of the conversation of an id."""
        step = one.step
        return cls(
            shown(step.id),
            shown(talk),
            step.number,
            step.thought or "",
            step.action or "",
            step.observation,
            step.at,
        )


class AgentStepsOut(msgspec.Struct, frozen=True):
    """Steps in their order."""

    steps: list[AgentStepOut]


class AgentStepExplainedOut(msgspec.Struct, frozen=True, rename="camel"):
    """A step with its tool calls and the entities that it touched."""

    id: str
    conversation_id: str
    step_number: int
    reasoning: str
    action_taken: str
    result: str | None
    created_at: datetime
    tool_calls: list[AgentCallOut]
    influenced_entities: list[MemoryEntityOut]


class ConversationTraceOut(msgspec.Struct, frozen=True, rename="camel"):
    """The steps and tool calls of a conversation."""

    conversation_id: str
    steps: list[AgentStepOut]
    tool_calls: list[AgentCallOut]


class EntityProvenanceOut(msgspec.Struct, frozen=True, rename="camel"):
    """The steps that touched an entity."""

    entity_id: str
    steps: list[AgentStepOut]


class ApiKeyOut(msgspec.Struct, frozen=True, rename="camel"):
    """A key; `key` is its text, once, when it is minted."""

    id: str
    label: str
    scopes: list[str]
    workspace_id: str
    created_at: datetime | None
    expires_at: datetime | None
    key: str | None = None

    @classmethod
    def of(cls, row: Row, workspace: str, key: str | None = None) -> ApiKeyOut:
        """Return the wire form of a key's row."""
        return cls(
            id=row["id"],
            label=row.get("name") or "",
            scopes=[row["role"]],
            workspace_id=workspace,
            created_at=row.get("created_at"),
            expires_at=row.get("expires_at"),
            key=key,
        )


class ApiKeysOut(msgspec.Struct, frozen=True):
    """Keys without their texts."""

    keys: list[ApiKeyOut]


class ExtractionOut(msgspec.Struct, frozen=True):
    """How far the messages of a conversation have been read for what they say."""

    messages: list[dict[str, Any]]
    summary: dict[str, int]


def _read(text: str | None) -> Any:
    """Return what JSON in a text says; the text itself where it is none."""
    if text is None:
        return None
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
