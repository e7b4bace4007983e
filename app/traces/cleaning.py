"""From drafts to what may be stored: sanitised first, then cut, so that no cut halves a secret."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.errors import InvalidInput
from app.kernel.ids import new_id
from app.sanitize.aside import aside
from app.sanitize.fields import redact_fields
from app.sanitize.policy import SanitizePolicy
from app.sanitize.tree import sanitize_tree
from app.traces.bounds import Bounds, bounded, size_of, storable
from app.traces.drafts import CallDraft, StepDraft
from app.traces.kind import TOOL_CALL, TRACE_STEP
from app.traces.model import STEP_TEXTS, ToolCall, Trace, TraceStep

QUICK = 20_000  # bytes that are sanitised without a thread of their own
UNNUMBERED = 1  # until the trace is locked


@dataclass(frozen=True, slots=True)
class Batch:
    """Steps and tool calls in the order given; the step of a call is another one's key where it
    came with it."""

    steps: list[TraceStep]
    calls: list[ToolCall]
    step_of: dict[str, str]  # id of a call to that of its step


@dataclass(frozen=True, slots=True)
class Cleaner:
    """How the texts and values of one trace are cleaned, and when."""

    trace: Trace
    policy: SanitizePolicy
    bounds: Bounds
    at: datetime

    async def batch(self, steps: list[StepDraft], calls: list[CallDraft]) -> Batch:
        """Return what may be stored of a batch; InvalidInput and its kin name the place."""
        size = sum(_size(call) for call in (*calls, *(c for step in steps for c in step.calls)))
        size += sum(len(getattr(step, name) or "") for step in steps for name in STEP_TEXTS)
        if size > QUICK:
            return await asyncio.to_thread(self._batch, steps, calls)
        return self._batch(steps, calls)

    async def text_aside(self, text: str | None, field: str) -> str | None:
        """Return the same as `text`, in a thread where that is long."""
        return await aside(text, lambda: self.text(text, field))

    def text(self, text: str | None, field: str) -> str | None:
        """Return a text as it may be stored."""
        clean = sanitize_tree(text, self.policy, field) if text else None
        return clean or None

    def _batch(self, steps: list[StepDraft], calls: list[CallDraft]) -> Batch:
        made = Batch([], [], {})
        for place, step in enumerate(steps):
            stored = self._step(step, f"steps.{place}")
            made.steps.append(stored)
            for number, call in enumerate(step.calls):
                key = call.key or (f"{step.key}/{number + 1}" if step.key else None)
                field = f"steps.{place}.tool_calls.{number}"
                inner = self._call(call, key, field)
                made.calls.append(inner)
                made.step_of[inner.id] = stored.id
        for place, call in enumerate(calls):
            made.calls.append(self._call(call, call.key, f"tool_calls.{place}"))
        _once([step.key for step in made.steps], "steps")
        _once([call.key for call in made.calls], "tool_calls")
        return made

    def _step(self, draft: StepDraft, field: str) -> TraceStep:
        texts = {name: self.text(getattr(draft, name), f"{field}.{name}") for name in STEP_TEXTS}
        return TRACE_STEP.placed(
            TraceStep(
                id="new",
                scope=self.trace.scope,
                trace=self.trace.id,
                key=draft.key or new_id(),
                number=UNNUMBERED,
                agent=self.trace.agent,
                at=self.at,
                **texts,
            )
        )

    def _call(self, draft: CallDraft, key: str | None, field: str) -> ToolCall:
        arguments, less = self._value(draft.arguments, f"{field}.arguments")
        result, shorter = self._value(draft.result, f"{field}.result")
        return TOOL_CALL.placed(
            ToolCall(
                id="new",
                scope=self.trace.scope,
                trace=self.trace.id,
                key=key or new_id(),
                number=UNNUMBERED,
                step=draft.step,
                tool=self._tool(draft.tool, f"{field}.tool"),
                arguments=arguments,
                result=result,
                status=draft.status,
                duration_ms=draft.duration_ms,
                error=self.text(draft.error, f"{field}.error"),
                cut=tuple(n for n, is_cut in (("arguments", less), ("result", shorter)) if is_cut),
                agent=self.trace.agent,
                at=self.at,
            )
        )

    def _value(self, value: Any, field: str) -> tuple[Any, bool]:
        storable(value, field)
        named = redact_fields(value, self.policy, field)
        return bounded(sanitize_tree(named, self.policy, field), self.bounds)

    def _tool(self, tool: str, field: str) -> str:
        if sanitize_tree(tool, self.policy, field) != tool:
            raise InvalidInput(f"{field} holds what may not be stored", field=field)
        return tool


def _once(keys: list[str], field: str) -> None:
    if len(set(keys)) < len(keys):
        raise InvalidInput(f"two {field} have the same key", field=f"{field}.key")


def _size(call: CallDraft) -> int:
    try:
        return size_of(call.arguments) + size_of(call.result)
    except TypeError:
        return 0  # it is refused by name later
