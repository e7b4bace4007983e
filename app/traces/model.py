"""A trace of a task as it is stored and exported, its steps, its tool calls, and what it touched.

A trace is its agent's alone to write, so that it goes whole with him. Steps and tool calls are
numbered in the order of their coming; a call names its step by number, since ids follow from the
scope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any, Self

import orjson
from pydantic import BeforeValidator, Field, StringConstraints

from app.kernel.kind import Gone, Place, Searched, Stored, unpacked
from app.kernel.wire import Moment
from app.pools.data import without
from app.scopes.sessions import session_id

LONGEST_TASK = 5000  # characters
LONGEST_TEXT = 20_000  # characters of a thought, an action, an observation, a result or an error


class Outcome(StrEnum):
    """How a task ended; the first ones are the most worth repeating."""

    SUCCESS = "success"
    PARTIAL = "partial"
    FAILURE = "failure"
    CANCELLED = "cancelled"


class CallStatus(StrEnum):
    """How a tool call ended, or that it has not."""

    PENDING = "pending"
    SUCCESS = "success"
    FAILURE = "failure"
    ERROR = "error"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


class Touched(StrEnum):
    """What a trace may be linked to."""

    EPISODE = "episode"
    ENTITY = "entity"
    NOTE = "note"
    FACT = "fact"
    PAGE = "page"


Who = Annotated[str, StringConstraints(max_length=200)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Tool = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Text = Annotated[str, StringConstraints(min_length=1)]
Number = Annotated[int, Field(ge=1, le=2**31)]


class Trace(Stored):
    """A task and how it went; `steps` and `calls` count those that were given a number."""

    task: Text
    session_key: Who | None = None
    agent: Who
    started_at: Moment
    changed_at: Moment
    completed_at: Moment | None = None
    outcome: Outcome | None = None
    result: Text | None = None
    tools: Annotated[list[Tool], BeforeValidator(unpacked)] = Field(default_factory=list)
    steps: Annotated[int, Field(ge=0, le=2**31)] = 0
    calls: Annotated[int, Field(ge=0, le=2**31)] = 0

    def derived(self) -> dict[str, Any]:
        """Return the tools as a list, for filters, and the id of the session."""
        return {"labels": list(self.tools), "session": self.spoken_in() or ""}

    def spoken_in(self) -> str | None:
        """Return the id of the session that goes by the client's name for it."""
        return session_id(self.scope, self.session_key) if self.session_key else None

    def searched(self) -> Searched | None:
        """Return the task, tagged with its outcome and tools; None as long as it runs.

        The task alone, since a vector of more would be compared with that of a task.
        """
        if self.outcome is None or self.completed_at is None:
            return None
        session = self.spoken_in() or ""
        tags = (self.outcome.value, *(tool.lower() for tool in self.tools))
        return Searched(self.task, self.completed_at, session=session, tags=tags)

    def people(self) -> Iterable[str]:
        """Return the agent."""
        return {self.agent}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the trace as another agent's."""
        return self.model_copy(update={"agent": name(self.agent)})

    def without(self, gone: Gone) -> Self | None:
        """Return the trace without a result or tools that name somebody; None where he is its agent
        or the task names him, and where its session is forgotten."""
        if gone.wrote(self.agent) or gone.named(self.task):
            return None
        if gone.ended(self.spoken_in()):
            return None
        return self.model_copy(
            update={
                "result": None if self.result and gone.named(self.result) else self.result,
                "tools": [tool for tool in self.tools if not gone.named(tool)],
            }
        )


class TraceStep(Stored):
    """What was thought, done and seen."""

    trace: Id
    key: Who
    number: Number
    thought: Text | None = None
    action: Text | None = None
    observation: Text | None = None
    agent: Who
    at: Moment

    def relocated(self, place: Place) -> Self:
        """Return the step of the trace that stands for the former one."""
        return self.model_copy(update={"trace": place(self.trace, self.scope)[0]})

    def people(self) -> Iterable[str]:
        """Return the agent."""
        return {self.agent}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the step as another agent's."""
        return self.model_copy(update={"agent": name(self.agent)})

    def without(self, gone: Gone) -> Self | None:
        """Return the step without the texts that name somebody; None where he is its agent."""
        if gone.wrote(self.agent):
            return None
        texts = {name: getattr(self, name) for name in STEP_TEXTS}
        lost = {name: None for name, text in texts.items() if text and gone.named(text)}
        return self.model_copy(update=lost)


class ToolCall(Stored):
    """A call of a tool; `cut` names the fields of which a part is missing."""

    trace: Id
    key: Who
    number: Number
    step: Number | None = None
    tool: Tool
    arguments: Annotated[dict[str, Any], BeforeValidator(unpacked)] = Field(default_factory=dict)
    result: Any = None
    status: CallStatus
    duration_ms: Annotated[float, Field(ge=0, le=1e12)] | None = None
    error: Text | None = None
    cut: tuple[str, ...] = ()
    agent: Who
    at: Moment

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """Read a node's properties; the result is JSON of any kind."""
        result = orjson.loads(row["result"]) if row.get("result") else None
        return super().of({**row, "result": result})

    def row(self) -> dict[str, Any]:
        """Return the properties of the node."""
        result = None if self.result is None else orjson.dumps(self.result).decode()
        return {**super().row(), "result": result}

    def relocated(self, place: Place) -> Self:
        """Return the call of the trace that stands for the former one."""
        return self.model_copy(update={"trace": place(self.trace, self.scope)[0]})

    def people(self) -> Iterable[str]:
        """Return the agent."""
        return {self.agent}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the call as another agent's."""
        return self.model_copy(update={"agent": name(self.agent)})

    def without(self, gone: Gone) -> Self | None:
        """Return the call without what names somebody, string by string; None where he is its agent
        or the tool bears his name."""
        if gone.wrote(self.agent) or gone.named(self.tool):
            return None
        left = without({"a": self.arguments, "r": self.result}, (), _nobody, gone.named)
        return self.model_copy(
            update={
                "arguments": left.get("a", {}),
                "result": left.get("r"),
                "error": None if self.error and gone.named(self.error) else self.error,
            }
        )


class TraceLink(Stored):
    """A message, an entity or a memory that a trace touched; it goes with either of them."""

    trace: Id
    memory: Id
    memory_kind: Touched
    memory_scope: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    step: Number | None = None
    agent: Who
    linked_at: Moment

    def refers(self) -> str | None:
        """Return what was touched."""
        return self.memory

    def people(self) -> Iterable[str]:
        """Return the agent."""
        return {self.agent}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the link as another agent's."""
        return self.model_copy(update={"agent": name(self.agent)})

    def relocated(self, place: Place) -> Self:
        """Return the link between what stands for its two ends."""
        trace, _ = place(self.trace, self.scope)
        memory, scope = place(self.memory, self.memory_scope, older=True)
        return self.model_copy(update={"trace": trace, "memory": memory, "memory_scope": scope})

    def without(self, gone: Gone) -> Self | None:
        """Return the link; None where its agent or what it leads to is gone."""
        return None if gone.wrote(self.agent) or gone.took(self.memory) else self


STEP_TEXTS = ("thought", "action", "observation")


def _nobody(principal: str) -> bool:
    """A call has no second writer."""
    return False
