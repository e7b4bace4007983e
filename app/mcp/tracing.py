"""The tools of reasoning traces, which only the profile `traces` lists."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from app.kernel.caller import Caller, Role
from app.kernel.wire import Moment, ShortText, WireModel
from app.mcp import telling
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.traces.model import Id
from app.traces.schemas import (
    SimilarTraceOut,
    SimilarTracesIn,
    SimilarTracesOut,
    ToolCallIn,
    ToolFiguresOut,
    ToolStatisticsOut,
    TraceAddedOut,
    TraceEndIn,
    TraceIn,
    TraceOut,
    TraceStepIn,
    WholeTraceOut,
)
from app.traces.statistics import Asked, Grouped

Trace = Annotated[Id, Field(description="Id of the trace.")]


class AddStepIn(TraceStepIn):
    """A step of a trace."""

    trace: Trace


class RecordCallIn(ToolCallIn):
    """A tool call of a trace."""

    trace: Trace


class CompleteIn(TraceEndIn):
    """How a trace ended."""

    trace: Trace


class ReadTraceIn(WireModel):
    """A trace."""

    trace: Trace


class ToolStatsIn(WireModel):
    """Which calls are counted, and by what."""

    tool: ShortText | None = None
    agent: ShortText | None = Field(None, description="Its principal, or its name.")
    by: Grouped = Grouped.TOOL
    since: Moment | None = Field(None, description="From then on; some weeks ago if unset.")
    until: Moment | None = Field(None, description="Before then; now if unset.")
    scopes: tuple[str, ...] | None = Field(
        None, description="Scopes to read; all visible if unset."
    )
    limit: Annotated[int, Field(ge=1, le=200)] = 50


async def start(services: Services, caller: Caller, given: TraceIn) -> Told:
    """Begin the trace of a task."""
    made = await services.traces.start(caller, given.task, given.scope, given.session)
    return Told(TraceOut.of(made), f"Trace {made.id} has begun.")


async def add_step(services: Services, caller: Caller, given: AddStepIn) -> Told:
    """Add a step with its calls."""
    added = await services.traces.add(caller, given.trace, [given.to_draft()], [])
    return Told(TraceAddedOut.of(added), f"Step {added.steps[0].number} is added.")


async def record(services: Services, caller: Caller, given: RecordCallIn) -> Told:
    """Add a tool call, or finish one that was pending."""
    added = await services.traces.add(caller, given.trace, [], [given.to_draft(given.step)])
    call = added.calls[0]
    return Told(TraceAddedOut.of(added), f"Call {call.number} of {call.tool}: {call.status.value}.")


async def complete(services: Services, caller: Caller, given: CompleteIn) -> Told:
    """End a trace."""
    done = await services.traces.complete(caller, given.trace, given.outcome, given.result)
    return Told(TraceOut.of(done), f"Trace {done.id} has ended: {given.outcome.value}.")


async def read(services: Services, caller: Caller, given: ReadTraceIn) -> Told:
    """Read a whole trace."""
    shown = WholeTraceOut.of(await services.traces.whole(caller, given.trace))
    return Told(shown, telling.data(f"Trace {shown.trace.id}.", shown))


async def similar(services: Services, caller: Caller, given: SimilarTracesIn) -> Told:
    """Find traces of tasks alike."""
    sought = given.to_sought(services.alike.floor)
    found = await services.alike.find(caller, given.scope, sought)
    shown = SimilarTracesOut([SimilarTraceOut.of(each) for each in found], sought.floor)
    says = telling.counted(len(found), "trace of a task alike.", "traces of tasks alike.")
    return Told(shown, telling.data(says, shown))


async def statistics(services: Services, caller: Caller, given: ToolStatsIn) -> Told:
    """Count tool calls."""
    within = None if given.scopes is None else list(given.scopes)
    asked = Asked(given.since, given.until, given.tool, given.agent, given.by)
    since, until, found = await services.figures.of(caller, within, asked, given.limit)
    shown = ToolStatisticsOut(since, until, [ToolFiguresOut.of(each) for each in found])
    return Told(shown, telling.data(telling.counted(len(found), "row.", "rows."), shown))


TRACES = (
    Tool(
        name="start_trace",
        title="Begin a trace",
        description="Begin the trace of a task: its steps, tool calls and outcome are kept, and "
        "found when a task like it comes.",
        takes=TraceIn,
        gives=TraceOut,
        run=start,
        requires=Role.WRITER,
        again=False,
    ),
    Tool(
        name="add_step",
        title="Add a step",
        description="Add a thought, an action and what was observed to a trace, with its tool "
        "calls.",
        takes=AddStepIn,
        gives=TraceAddedOut,
        run=add_step,
        requires=Role.WRITER,
        again=False,
    ),
    Tool(
        name="record_tool_call",
        title="Record a tool call",
        description="Record a tool call with arguments, result and status; a pending one is "
        "finished by its key. Secrets in arguments are redacted.",
        takes=RecordCallIn,
        gives=TraceAddedOut,
        run=record,
        requires=Role.WRITER,
        again=False,
    ),
    Tool(
        name="complete_trace",
        title="End a trace",
        description="End a trace with its outcome and result.",
        takes=CompleteIn,
        gives=TraceOut,
        run=complete,
        requires=Role.WRITER,
    ),
    Tool(
        name="get_trace",
        title="Read a trace",
        description="Read a trace with its steps, tool calls, and what it touched.",
        takes=ReadTraceIn,
        gives=WholeTraceOut,
        run=read,
    ),
    Tool(
        name="find_similar_traces",
        title="Find how tasks like this were solved",
        description="Find completed traces of tasks that mean the same; successes if not told "
        "otherwise.",
        takes=SimilarTracesIn,
        gives=SimilarTracesOut,
        run=similar,
    ),
    Tool(
        name="tool_stats",
        title="Figures of tool calls",
        description="Count calls, successes, failures and durations by tool or agent in a window "
        "of time.",
        takes=ToolStatsIn,
        gives=ToolStatisticsOut,
        run=statistics,
    ),
)
