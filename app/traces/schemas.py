"""Wire types of traces. What clients wrote stands under `untrusted`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from pydantic import Field, StringConstraints

from app.kernel.wire import ShortText, WireModel
from app.traces.drafts import CallDraft, StepDraft
from app.traces.model import (
    LONGEST_TASK,
    LONGEST_TEXT,
    CallStatus,
    Id,
    Number,
    Outcome,
    ToolCall,
    Trace,
    TraceLink,
    TraceStep,
)
from app.traces.service import Added, Whole, outcome_of
from app.traces.similar import Similar, Sought
from app.traces.statistics import Figures

MOST_AT_ONCE = 100
Task = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_TASK, strip_whitespace=True)
]
Text = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TEXT)]
Key = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[\w.:/~-]+$")]
ToolName = Annotated[
    str, StringConstraints(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9_][\w.:/-]*$")
]
Duration = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]
KEY = "What comes again by the same key is not added again."


class TraceIn(WireModel):
    """A task that is begun."""

    task: Task = Field(description="What is to be done, in a sentence: later searches compare it.")
    scope: str | None = Field(None, description="Scope path to write to; the key's home if unset.")
    session: ShortText | None = Field(None, description="Your own name of the conversation.")


class StepCallIn(WireModel):
    """A tool call of the step that it comes with."""

    tool: ToolName
    arguments: dict[str, Any] = Field(
        default_factory=dict, description="JSON; what is too large or too deep is cut."
    )
    result: Any = Field(None, description="JSON of any kind; cut likewise.")
    status: CallStatus | None = Field(
        None, description="`success` if unset, `error` if unset and there is an error."
    )
    duration_ms: Duration | None = None
    error: Text | None = None
    key: Key | None = Field(None, description=f"{KEY} A pending call is finished.")

    def to_draft(self, step: int | None = None) -> CallDraft:
        """Return the draft that this describes."""
        return CallDraft(
            self.tool,
            self.arguments,
            self.result,
            outcome_of(self.error, self.status),
            self.duration_ms,
            self.error,
            self.key,
            step,
        )


class ToolCallIn(StepCallIn):
    """A tool call of a trace."""

    step: Number | None = Field(None, description="The number of its step.")


class TraceStepIn(WireModel):
    """What was thought, done and seen."""

    thought: Text | None = None
    action: Text | None = None
    observation: Text | None = None
    tool_calls: Annotated[list[StepCallIn], Field(max_length=MOST_AT_ONCE)] = Field(
        default_factory=list
    )
    key: Key | None = Field(None, description=KEY)

    def to_draft(self) -> StepDraft:
        """Return the draft that this describes."""
        calls = tuple(call.to_draft() for call in self.tool_calls)
        return StepDraft(self.thought, self.action, self.observation, self.key, calls)


class TraceStepsIn(WireModel):
    """Steps in the order in which they were taken."""

    steps: Annotated[list[TraceStepIn], Field(min_length=1, max_length=MOST_AT_ONCE)]


class ToolCallsIn(WireModel):
    """Tool calls in the order in which they were made."""

    tool_calls: Annotated[list[ToolCallIn], Field(min_length=1, max_length=MOST_AT_ONCE)]


class TraceEndIn(WireModel):
    """How a task ended."""

    outcome: Outcome
    result: Text | None = None


class TraceLinksIn(WireModel):
    """What a trace touched."""

    memories: Annotated[list[Id], Field(min_length=1, max_length=MOST_AT_ONCE)] = Field(
        description="Ids of episodes, entities, notes, facts or pages that the key sees."
    )
    step: Number | None = Field(None, description="The number of the step that touched them.")


class SimilarTracesIn(WireModel):
    """A task, and which traces of tasks like it are wanted."""

    task: Task
    outcomes: Annotated[list[Outcome], Field(min_length=1, max_length=len(Outcome))] = Field(
        default_factory=lambda: [Outcome.SUCCESS]
    )
    agent: ShortText | None = Field(None, description="Only traces of this agent.")
    tool: ToolName | None = Field(None, description="Only traces that used this tool.")
    floor: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = Field(
        None, description="The least similarity, calibrated; that of the settings if unset."
    )
    limit: Annotated[int, Field(ge=1, le=50)] = 5
    scope: list[str] | None = Field(None, description="Scopes to read; all visible if unset.")

    def to_sought(self, floor: float) -> Sought:
        """Return what is sought, with the floor of the settings where none is given."""
        least = floor if self.floor is None else self.floor
        outcomes = tuple(dict.fromkeys(self.outcomes))
        return Sought(self.task, least, self.limit, outcomes, self.agent, self.tool)


class TraceOut(msgspec.Struct, frozen=True):
    """A trace; `outcome` is null as long as it runs, `steps` and `tool_calls` are counts."""

    id: str
    scope: str
    agent: str
    outcome: str | None
    started_at: datetime
    completed_at: datetime | None
    duration_ms: int | None
    steps: int
    tool_calls: int
    tools: list[str]
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, trace: Trace) -> TraceOut:
        """Return the wire form of a trace."""
        ended = trace.completed_at
        took = None if ended is None else ended - trace.started_at
        return cls(
            id=trace.id,
            scope=trace.scope,
            agent=trace.agent,
            outcome=trace.outcome and trace.outcome.value,
            started_at=trace.started_at,
            completed_at=ended,
            duration_ms=None if took is None else round(took.total_seconds() * 1000),
            steps=trace.steps,
            tool_calls=trace.calls,
            tools=list(trace.tools),
            untrusted={"task": trace.task, "session": trace.session_key, "result": trace.result},
        )


class TracesOut(msgspec.Struct, frozen=True):
    """A page of traces, those that began last first; `next` is the cursor of the one after it."""

    items: list[TraceOut]
    next: str | None


class ToolCallOut(msgspec.Struct, frozen=True):
    """A tool call; `cut` names the fields of which a part is missing."""

    id: str
    number: int
    step: int | None
    key: str
    tool: str
    status: str
    duration_ms: float | None
    cut: list[str]
    at: datetime
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, call: ToolCall) -> ToolCallOut:
        """Return the wire form of a call."""
        return cls(
            id=call.id,
            number=call.number,
            step=call.step,
            key=call.key,
            tool=call.tool,
            status=call.status.value,
            duration_ms=call.duration_ms,
            cut=list(call.cut),
            at=call.at,
            untrusted={"arguments": call.arguments, "result": call.result, "error": call.error},
        )


class TraceStepOut(msgspec.Struct, frozen=True):
    """A step with its tool calls in order."""

    id: str
    number: int
    key: str
    at: datetime
    tool_calls: list[ToolCallOut]
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, step: TraceStep, calls: list[ToolCall]) -> TraceStepOut:
        """Return the wire form of a step with those of some calls that are its own."""
        return cls(
            id=step.id,
            number=step.number,
            key=step.key,
            at=step.at,
            tool_calls=[ToolCallOut.of(call) for call in calls if call.step == step.number],
            untrusted={
                "thought": step.thought,
                "action": step.action,
                "observation": step.observation,
            },
        )


class TraceAddedOut(msgspec.Struct, frozen=True):
    """The trace as it is then, and what was handed in, in that order: steps with their calls, and
    calls that came without a step."""

    trace: TraceOut
    steps: list[TraceStepOut]
    tool_calls: list[ToolCallOut]

    @classmethod
    def of(cls, added: Added) -> TraceAddedOut:
        """Return the wire form of what was added."""
        within = {step.number for step in added.steps}
        return cls(
            TraceOut.of(added.trace),
            [TraceStepOut.of(step, added.calls) for step in added.steps],
            [ToolCallOut.of(call) for call in added.calls if call.step not in within],
        )


class TraceLinkOut(msgspec.Struct, frozen=True):
    """A message, an entity or a memory that a trace touched."""

    memory: str
    kind: str
    scope: str
    step: int | None
    linked_at: datetime

    @classmethod
    def of(cls, link: TraceLink) -> TraceLinkOut:
        """Return the wire form of a link."""
        return cls(
            link.memory, link.memory_kind.value, link.memory_scope, link.step, link.linked_at
        )


class TraceLinksOut(msgspec.Struct, frozen=True):
    """The links that were asked for."""

    items: list[TraceLinkOut]


class WholeTraceOut(msgspec.Struct, frozen=True):
    """A trace with its steps, tool calls outside any step, and what it touched."""

    trace: TraceOut
    steps: list[TraceStepOut]
    tool_calls: list[ToolCallOut]
    links: list[TraceLinkOut]

    @classmethod
    def of(cls, whole: Whole) -> WholeTraceOut:
        """Return the wire form of a whole trace."""
        numbers = {step.number for step in whole.steps}
        return cls(
            TraceOut.of(whole.trace),
            [TraceStepOut.of(step, whole.calls) for step in whole.steps],
            [ToolCallOut.of(call) for call in whole.calls if call.step not in numbers],
            [TraceLinkOut.of(link) for link in whole.links],
        )


class SimilarTraceOut(msgspec.Struct, frozen=True):
    """A trace and how like its task is, 0 to 1, calibrated."""

    similarity: float
    trace: TraceOut

    @classmethod
    def of(cls, found: Similar) -> SimilarTraceOut:
        """Return the wire form of a trace that was found."""
        return cls(found.similarity, TraceOut.of(found.trace))


class SimilarTracesOut(msgspec.Struct, frozen=True):
    """Traces of tasks alike, by similarity, outcome and age; `floor` is the least similarity."""

    items: list[SimilarTraceOut]
    floor: float


class ToolFiguresOut(msgspec.Struct, frozen=True):
    """Figures of tool calls. `rate` is the share of successes among those that succeeded or failed;
    durations are in milliseconds, of the `timed` calls that tell theirs."""

    tool: str | None
    agent: str | None
    calls: int
    successes: int
    failures: int
    rate: float | None
    timed: int
    mean_ms: float | None
    p50_ms: float | None
    p95_ms: float | None
    last_used_at: datetime

    @classmethod
    def of(cls, one: Figures) -> ToolFiguresOut:
        """Return the wire form of figures."""
        return cls(
            tool=one.tool,
            agent=one.agent,
            calls=one.calls,
            successes=one.successes,
            failures=one.failures,
            rate=one.rate,
            timed=one.timed,
            mean_ms=_tenths(one.mean),
            p50_ms=_tenths(one.p50),
            p95_ms=_tenths(one.p95),
            last_used_at=one.last,
        )


class ToolStatisticsOut(msgspec.Struct, frozen=True):
    """Figures of the calls of a window of time, the most calls first."""

    since: datetime
    until: datetime
    items: list[ToolFiguresOut]


def _tenths(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
