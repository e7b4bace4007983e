"""What the bridge takes and gives: flat JSON in small letters, after the protocol's 0.1.0."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from pydantic import Field, StringConstraints

from app.agentmemory.knowing import Relation, Thing
from app.agentmemory.names import shown
from app.agentmemory.preferring import Preferred
from app.agentmemory.reasoning import Stepped, Traced
from app.kernel.wire import WireModel
from app.traces.drafts import CallDraft
from app.traces.model import LONGEST_TASK, LONGEST_TEXT, CallStatus, ToolCall
from app.traces.statistics import Figures
from app.transcripts.model import Transcript, Voice
from app.transcripts.service import Counted, Said

LONGEST_MESSAGE = 200_000  # characters
MOST = 1000  # items that may be asked for

Id = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Words = Annotated[str, StringConstraints(max_length=LONGEST_MESSAGE)]
Query = Annotated[str, StringConstraints(max_length=4000)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TEXT)]
Description = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Predicate = Annotated[str, StringConstraints(max_length=120, pattern=r"^[^\W\d_][\w :/.%&+'-]*$")]
Limit = Annotated[int, Field(ge=1, le=MOST)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Duration = Annotated[float, Field(ge=0, le=1e12)]


class AddMessageIn(WireModel):
    """A message of a session."""

    session_id: Name
    role: Voice
    content: Words
    metadata: dict[str, Any] | None = None


class GetConversationIn(WireModel):
    """A session."""

    session_id: Name
    limit: Limit | None = None


class SearchMessagesIn(WireModel):
    """A question to messages; `threshold` is the least similarity where there is one."""

    query: Query
    session_id: Name | None = None
    limit: Limit = 10
    threshold: Share = 0.7


class ListIn(WireModel):
    """How many are wanted."""

    limit: Limit = 100


class MessageIn(WireModel):
    """A message by id."""

    message_id: Id


class SessionIn(WireModel):
    """A session by name."""

    session_id: Name


class AddEntityIn(WireModel):
    """An entity; `type` is another word for `entity_type`, which some clients send beside it."""

    name: Name
    entity_type: Name
    type: Name | None = None
    description: Description | None = None


class AddPreferenceIn(WireModel):
    """What somebody prefers."""

    category: Name
    preference: Annotated[str, StringConstraints(min_length=1, max_length=8000)]
    context: Description | None = None


class AddFactIn(WireModel):
    """A fact of two things."""

    subject: Name
    predicate: Predicate
    obj: Name


class SearchEntitiesIn(WireModel):
    """A question to entities."""

    query: Query
    limit: Limit = 10
    type: Name | None = None


class SearchPreferencesIn(WireModel):
    """A question to preferences."""

    query: Query
    category: Name | None = None
    limit: Limit = 10


class EntityNameIn(WireModel):
    """An entity by name."""

    name: Name


class RelatedIn(WireModel):
    """What is related to an entity."""

    entity_id: Id
    relationship_type: Predicate | None = None
    depth: Annotated[int, Field(ge=1, le=3)] = 1


class RelationshipIn(WireModel):
    """A relationship of two entities."""

    source_id: Id
    target_id: Id
    relationship_type: Predicate
    properties: dict[str, Any] | None = None


class MergeIn(WireModel):
    """Two entities that are one."""

    source_id: Id
    target_id: Id
    canonical_name: Name | None = None


class StartTraceIn(WireModel):
    """A task."""

    session_id: Name
    task: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TASK)]


class AddStepIn(WireModel):
    """A step of a trace."""

    trace_id: Id
    thought: Text | None = None
    action: Text | None = None
    observation: Text | None = None


class ToolCallIn(WireModel):
    """A tool call of a step."""

    step_id: Id
    tool_name: Name
    arguments: dict[str, Any] = Field(default_factory=dict)
    result: Any = None
    status: CallStatus = CallStatus.SUCCESS
    duration_ms: Duration | None = None
    error: Text | None = None

    def to_draft(self) -> CallDraft:
        """Return the draft that this describes."""
        return CallDraft(
            self.tool_name,
            self.arguments,
            self.result,
            self.status,
            self.duration_ms,
            self.error,
            None,
        )


class CompleteIn(WireModel):
    """How a task ended."""

    trace_id: Id
    outcome: Text | None = None
    success: bool | None = None


class TraceIn(WireModel):
    """A trace by id."""

    trace_id: Id


class ListTracesIn(WireModel):
    """Which traces are wanted."""

    session_id: Name | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 100


class ToolStatsIn(WireModel):
    """Which tool is asked about."""

    tool_name: Name | None = None


class SimilarIn(WireModel):
    """A task, and which traces of tasks like it are wanted."""

    task: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TASK)]
    limit: Annotated[int, Field(ge=1, le=50)] = 5
    success_only: bool = True


class MessageOut(msgspec.Struct, frozen=True):
    """A message."""

    id: str
    role: str
    content: str
    timestamp: datetime
    metadata: dict[str, Any]
    embedding: None = None

    @classmethod
    def of(cls, said: Said) -> MessageOut:
        """Return the wire form of a message."""
        one = said.message
        return cls(shown(one.id), one.voice.value, said.text, one.said_at, one.shown())


class ConversationOut(msgspec.Struct, frozen=True):
    """A session with its messages in their order."""

    id: str
    session_id: str
    messages: list[MessageOut]
    title: str | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, talk: Transcript, said: list[Said]) -> ConversationOut:
        """Return the wire form of a transcript."""
        return cls(
            shown(talk.id),
            talk.conversation,
            [MessageOut.of(one) for one in said],
            None,
            talk.began_at,
            talk.changed_at,
        )


class SessionOut(msgspec.Struct, frozen=True):
    """A session with how many messages it has."""

    session_id: str
    message_count: int
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, one: Counted) -> SessionOut:
        """Return the wire form of a transcript."""
        talk = one.transcript
        return cls(talk.conversation, one.messages, talk.began_at, talk.changed_at)


class EntityOut(msgspec.Struct, frozen=True):
    """An entity."""

    id: str
    name: str
    type: str
    description: str | None
    canonical_name: str
    created_at: datetime
    subtype: str | None = None
    embedding: None = None

    @classmethod
    def of(cls, thing: Thing) -> EntityOut:
        """Return the wire form of an entity."""
        return cls(
            shown(thing.id),
            thing.name,
            thing.kind.upper(),
            thing.description,
            thing.name,
            thing.created_at,
        )


class PreferenceOut(msgspec.Struct, frozen=True):
    """A preference."""

    id: str
    category: str
    preference: str
    context: str | None
    embedding: None = None

    @classmethod
    def of(cls, one: Preferred) -> PreferenceOut:
        """Return the wire form of a preference."""
        return cls(shown(one.id), one.category, one.text, one.context)


class FactOut(msgspec.Struct, frozen=True):
    """A fact."""

    id: str
    subject: str
    predicate: str
    object: str
    embedding: None = None


class RelationshipOut(msgspec.Struct, frozen=True):
    """A relationship."""

    id: str
    source_id: str
    target_id: str
    relationship_type: str
    properties: dict[str, Any]

    @classmethod
    def of(cls, one: Relation, properties: dict[str, Any]) -> RelationshipOut:
        """Return the wire form of a relationship."""
        return cls(shown(one.id), shown(one.source), shown(one.target), one.predicate, properties)


class ToolCallOut(msgspec.Struct, frozen=True):
    """A tool call."""

    id: str
    tool_name: str
    arguments: dict[str, Any]
    result: Any
    status: str
    duration_ms: float | None
    error: str | None

    @classmethod
    def of(cls, call: ToolCall) -> ToolCallOut:
        """Return the wire form of a tool call."""
        return cls(
            shown(call.id),
            call.tool,
            call.arguments,
            call.result,
            call.status.value,
            whole(call.duration_ms),
            call.error,
        )


class StepOut(msgspec.Struct, frozen=True):
    """A step with its tool calls."""

    id: str
    trace_id: str
    step_number: int
    thought: str | None
    action: str | None
    observation: str | None
    tool_calls: list[ToolCallOut]

    @classmethod
    def of(cls, one: Stepped) -> StepOut:
        """Return the wire form of a step."""
        step = one.step
        return cls(
            shown(step.id),
            shown(step.trace),
            step.number,
            step.thought,
            step.action,
            step.observation,
            [ToolCallOut.of(call) for call in one.calls],
        )


class TraceOut(msgspec.Struct, frozen=True):
    """A trace with its steps."""

    id: str
    session_id: str
    task: str
    steps: list[StepOut]
    outcome: str | None
    success: bool | None
    started_at: datetime
    completed_at: datetime | None

    @classmethod
    def of(cls, one: Traced) -> TraceOut:
        """Return the wire form of a trace."""
        trace = one.trace
        return cls(
            shown(trace.id),
            trace.session_key or "",
            trace.task,
            [StepOut.of(step) for step in one.steps],
            trace.result,
            one.success,
            trace.started_at,
            trace.completed_at,
        )


class ToolStatsOut(msgspec.Struct, frozen=True):
    """Figures of a tool; `success_rate` is the share of all its calls, durations are in ms."""

    name: str
    total_calls: int
    successful_calls: int
    failed_calls: int
    success_rate: float
    avg_duration_ms: float | None

    @classmethod
    def of(cls, one: Figures) -> ToolStatsOut:
        """Return the wire form of figures."""
        return cls(
            one.tool or "",
            one.calls,
            one.successes,
            one.failures,
            one.successes / one.calls if one.calls else 0.0,
            one.mean,
        )


def whole(value: float | None) -> float | None:
    """Return a duration as an integer where it is one: clients hold it in one."""
    return int(value) if value is not None and value.is_integer() else value
