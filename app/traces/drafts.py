"""What clients hand in of a trace, not yet sanitised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.traces.model import CallStatus


@dataclass(frozen=True, slots=True)
class CallDraft:
    """A tool call; without a key it is a new one each time. `step` is the number of its step."""

    tool: str
    arguments: dict[str, Any]
    result: Any
    status: CallStatus
    duration_ms: float | None
    error: str | None
    key: str | None
    step: int | None = None


@dataclass(frozen=True, slots=True)
class StepDraft:
    """A step with the tool calls that belong to it."""

    thought: str | None
    action: str | None
    observation: str | None
    key: str | None
    calls: tuple[CallDraft, ...] = ()
