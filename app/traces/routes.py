"""Reasoning traces over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from app.access.parameters import Within, aware, one_of
from app.errors import InvalidInput
from app.kernel.caller import Caller, Role
from app.kernel.departures import READS as ONLY_READS
from app.traces.model import Outcome
from app.traces.schemas import (
    SimilarTraceOut,
    SimilarTracesIn,
    SimilarTracesOut,
    ToolCallsIn,
    ToolFiguresOut,
    ToolStatisticsOut,
    TraceAddedOut,
    TraceEndIn,
    TraceIn,
    TraceLinkOut,
    TraceLinksIn,
    TraceLinksOut,
    TraceOut,
    TracesOut,
    TraceStepsIn,
    WholeTraceOut,
)
from app.traces.service import TraceService, Wanted
from app.traces.similar import SimilarTraces
from app.traces.statistics import Asked, Grouped, ToolStatistics

RUNNING = "running"
Most = Annotated[int, QueryParameter(ge=1, le=200, description="Most items of a page.")]
Ended = Annotated[
    str | None,
    QueryParameter(
        name="outcome", enum=[*Outcome, RUNNING], description="Only traces that ended so, or run."
    ),
]
Since = Annotated[datetime | None, QueryParameter(name="since", description="From then on.")]
Until = Annotated[datetime | None, QueryParameter(name="until", description="Before then.")]
OfTool = Annotated[str | None, QueryParameter(name="tool", description="Only of this tool.")]
OfAgent = Annotated[
    str | None, QueryParameter(name="agent", description="Only of this agent: its id or name.")
]
InSession = Annotated[
    str | None, QueryParameter(name="session", description="Only of the conversation so named.")
]
Touching = Annotated[
    str | None,
    QueryParameter(
        name="touched", description="Only traces linked to this id; no other filter beside it."
    ),
]
By = Annotated[
    str, QueryParameter(name="by", enum=[*Grouped], description="What is counted together.")
]


class TraceController(Controller):
    """How tasks were solved."""

    path = "/v1/traces"
    tags = ("Traces",)

    @post("/", operation_id="startTrace", opt={"requires": Role.WRITER})
    async def start(
        self,
        data: JSONBody[TraceIn],
        caller: NamedDependency[Caller],
        traces: NamedDependency[TraceService],
    ) -> TraceOut:
        """Begin the trace of a task; the caller is its agent."""
        return TraceOut.of(await traces.start(caller, data.task, data.scope, data.session))

    @get("/", operation_id="listTraces", opt={"requires": Role.READER})
    async def list_traces(
        self,
        caller: NamedDependency[Caller],
        traces: NamedDependency[TraceService],
        within: Within = None,
        session: InSession = None,
        agent: OfAgent = None,
        ended: Ended = None,
        tool: OfTool = None,
        since: Since = None,
        until: Until = None,
        touched: Touching = None,
        cursor: FromQuery[str | None] = None,
        limit: Most = 50,
    ) -> TracesOut:
        """List traces, those that began last first."""
        running = ended == RUNNING
        outcome = None if running else one_of(Outcome, ended, "outcome")
        wanted = Wanted(
            session=session,
            agent=agent,
            outcomes=[] if running else [outcome] if outcome else None,
            running=running,
            tool=tool,
            since=aware(since, "since"),
            until=aware(until, "until"),
        )
        before, most = cursor or "", limit + 1
        if touched is None:
            found = await traces.page(caller, within, wanted, before, most)
        elif wanted != Wanted():
            raise InvalidInput("touched goes with no other filter", field="touched")
        else:
            found = await traces.touching(caller, within, touched, before, most)
        items = [TraceOut.of(trace) for trace in found[:limit]]
        return TracesOut(items, items[-1].id if len(found) > limit else None)

    @get("/{trace:str}", operation_id="getTrace", opt={"requires": Role.READER})
    async def read(
        self,
        trace: FromPath[str],
        caller: NamedDependency[Caller],
        traces: NamedDependency[TraceService],
    ) -> WholeTraceOut:
        """Read a trace with its steps, tool calls, and what it touched."""
        return WholeTraceOut.of(await traces.whole(caller, trace))

    @post("/{trace:str}/steps", operation_id="addTraceSteps", opt={"requires": Role.WRITER})
    async def add_steps(
        self,
        trace: FromPath[str],
        data: JSONBody[TraceStepsIn],
        caller: NamedDependency[Caller],
        traces: NamedDependency[TraceService],
    ) -> TraceAddedOut:
        """Add steps with their tool calls, all or none, in the order given."""
        drafts = [step.to_draft() for step in data.steps]
        return TraceAddedOut.of(await traces.add(caller, trace, drafts, []))

    @post("/{trace:str}/tool-calls", operation_id="addToolCalls", opt={"requires": Role.WRITER})
    async def add_calls(
        self,
        trace: FromPath[str],
        data: JSONBody[ToolCallsIn],
        caller: NamedDependency[Caller],
        traces: NamedDependency[TraceService],
    ) -> TraceAddedOut:
        """Add tool calls, of steps or of none; a pending one is finished by its key."""
        drafts = [call.to_draft(call.step) for call in data.tool_calls]
        return TraceAddedOut.of(await traces.add(caller, trace, [], drafts))

    @post(
        "/{trace:str}/complete",
        operation_id="completeTrace",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def complete(
        self,
        trace: FromPath[str],
        data: JSONBody[TraceEndIn],
        caller: NamedDependency[Caller],
        traces: NamedDependency[TraceService],
    ) -> TraceOut:
        """End a trace; the same again changes nothing."""
        return TraceOut.of(await traces.complete(caller, trace, data.outcome, data.result))

    @post("/{trace:str}/links", operation_id="linkTrace", opt={"requires": Role.WRITER})
    async def link(
        self,
        trace: FromPath[str],
        data: JSONBody[TraceLinksIn],
        caller: NamedDependency[Caller],
        traces: NamedDependency[TraceService],
    ) -> TraceLinksOut:
        """Link a trace to what it touched; a link that is there stays as it is."""
        links = await traces.link(caller, trace, data.memories, data.step)
        return TraceLinksOut([TraceLinkOut.of(link) for link in links])

    @post(
        "/similar",
        operation_id="findSimilarTraces",
        opt={"requires": Role.READER, ONLY_READS: True},
        status_code=HTTP_200_OK,
    )
    async def similar(
        self,
        data: JSONBody[SimilarTracesIn],
        caller: NamedDependency[Caller],
        alike: NamedDependency[SimilarTraces],
    ) -> SimilarTracesOut:
        """Find completed traces of tasks alike by meaning; successes if not told otherwise."""
        sought = data.to_sought(alike.floor)
        found = await alike.find(caller, data.scope, sought)
        return SimilarTracesOut([SimilarTraceOut.of(each) for each in found], sought.floor)

    @get("/tool-statistics", operation_id="toolStatistics", opt={"requires": Role.READER})
    async def statistics(
        self,
        caller: NamedDependency[Caller],
        figures: NamedDependency[ToolStatistics],
        within: Within = None,
        tool: OfTool = None,
        agent: OfAgent = None,
        by: By = Grouped.TOOL.value,
        since: Since = None,
        until: Until = None,
        limit: Most = 100,
    ) -> ToolStatisticsOut:
        """Count tool calls by tool, by agent or by both, in a window of time."""
        grouped = one_of(Grouped, by, "by") or Grouped.TOOL
        asked = Asked(aware(since, "since"), aware(until, "until"), tool, agent, grouped)
        start, end, found = await figures.of(caller, within, asked, limit)
        return ToolStatisticsOut(start, end, [ToolFiguresOut.of(each) for each in found])
