"""Which steps and tool calls of a batch are new, and the numbers that they get. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from app.errors import InvalidInput, NotFound
from app.traces.cleaning import Batch
from app.traces.model import CallStatus, ToolCall, Trace, TraceStep

MOST_TOOLS = 200  # of one trace that are told apart in lists


@dataclass(frozen=True, slots=True)
class Held:
    """What of a batch is stored already, by id."""

    steps: dict[str, TraceStep]
    calls: dict[str, ToolCall]


@dataclass(frozen=True, slots=True)
class Numbered:
    """The trace after a batch; all of the batch in order, and what of it is new or finished."""

    trace: Trace
    steps: list[TraceStep]
    calls: list[ToolCall]
    new_steps: list[TraceStep]
    new_calls: list[ToolCall]
    finished: list[ToolCall]


def numbered(trace: Trace, batch: Batch, held: Held) -> Numbered:
    """Number what is new of a batch, on from the counts of the trace, whose lock is held.

    Raises NotFound (`step`) for a call of a step that the trace does not have.
    """
    steps, new_steps = _steps(trace, batch, held)
    number_of = {step.id: step.number for step in steps}
    calls: list[ToolCall] = []
    new: list[ToolCall] = []
    finished: list[ToolCall] = []
    for call in batch.calls:
        before = held.calls.get(call.id)
        if before is None:
            own = number_of.get(batch.step_of.get(call.id, ""), call.step)
            if own is not None and own > trace.steps + len(new_steps):
                raise NotFound(f"the trace has no step {own}", field="step")
            number = trace.calls + len(new) + 1
            new.append(call.model_copy(update={"number": number, "step": own}))
            calls.append(new[-1])
        else:
            calls.append(_finished(before, call))
            finished += calls[-1:] if calls[-1] is not before else []
    after = _after(trace, new_steps, new)
    return Numbered(after, steps, calls, new_steps, new, finished)


def _steps(trace: Trace, batch: Batch, held: Held) -> tuple[list[TraceStep], list[TraceStep]]:
    steps: list[TraceStep] = []
    new: list[TraceStep] = []
    for step in batch.steps:
        made = held.steps.get(step.id)
        if made is None:
            made = step.model_copy(update={"number": trace.steps + len(new) + 1})
            new.append(made)
        steps.append(made)
    return steps, new


def _finished(before: ToolCall, given: ToolCall) -> ToolCall:
    """Return a pending call with how it ended; any other as it is. InvalidInput (`tool`) where the
    key is that of another tool's call."""
    if before.tool != given.tool:
        raise InvalidInput(f"the key {given.key} is that of a call of {before.tool}", field="tool")
    if before.status is not CallStatus.PENDING or given.status is CallStatus.PENDING:
        return before
    cut = {"arguments"} & {*before.cut} | {"result"} & {*given.cut}
    told = {name: getattr(given, name) for name in ("status", "result", "duration_ms", "error")}
    return before.model_copy(update={**told, "cut": tuple(sorted(cut))})


def _after(trace: Trace, steps: list[TraceStep], calls: list[ToolCall]) -> Trace:
    tools = sorted({*trace.tools, *(call.tool for call in calls)})[:MOST_TOOLS]
    at = max([trace.changed_at, *(step.at for step in steps), *(call.at for call in calls)])
    update = {
        "steps": trace.steps + len(steps),
        "calls": trace.calls + len(calls),
        "tools": tools,
        "changed_at": at,
    }
    return trace.model_copy(update=update)
