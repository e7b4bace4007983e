"""Traces: begun, added to, completed, linked, read and listed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.access.parameters import principal_of
from app.errors import Forbidden, NotFound, QuotaReached, StateRefused
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import new_id
from app.kernel.scope import parse_scope
from app.sanitize.labels import require_plain
from app.sanitize.normalise import visible
from app.scopes.service import ScopeService
from app.scopes.tuning import tuned
from app.traces.bounds import Bounds
from app.traces.cleaning import Batch, Cleaner
from app.traces.drafts import CallDraft, StepDraft
from app.traces.kind import TOOL_CALL, TRACE, TRACE_LINK, TRACE_STEP
from app.traces.model import (
    CallStatus,
    Outcome,
    ToolCall,
    Touched,
    Trace,
    TraceLink,
    TraceStep,
)
from app.traces.numbering import Held, numbered

LAST = "~"  # after every id


@dataclass(frozen=True, slots=True)
class TraceLimits:
    """Limits of the settings: bounds of arguments and results, most steps, tool calls and links
    of a trace."""

    bounds: Bounds
    steps: int = tuned("traces.steps")
    calls: int = tuned("traces.tool_calls")
    links: int = tuned("traces.links")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a list is to hold; `running` adds traces without an outcome to those with one of
    `outcomes`."""

    session: str | None = None
    agent: str | None = None
    outcomes: list[Outcome] | None = None
    running: bool = False
    tool: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Whole:
    """A trace with its steps and tool calls in order, and its links to what the caller sees."""

    trace: Trace
    steps: list[TraceStep]
    calls: list[ToolCall]
    links: list[TraceLink]


@dataclass(frozen=True, slots=True)
class Added:
    """The trace as it is then, and steps and tool calls in the order in which they were given."""

    trace: Trace
    steps: list[TraceStep]
    calls: list[ToolCall]


class TraceService:
    """Every operation on traces; those of a scope that is not seen are not there."""

    def __init__(self, graph: Graph, scopes: ScopeService, limits: TraceLimits) -> None:
        self.graph = graph
        self.limits = limits
        self._scopes = scopes

    async def start(
        self, caller: Caller, task: str, scope: str | None, session: str | None
    ) -> Trace:
        """Begin the trace of a task; the caller is its agent."""
        place = caller.require(str(parse_scope(scope or caller.home)), Role.WRITER)
        policy = await self._scopes.policy(place)
        if session is not None:
            require_plain(session, "session", policy)
        at = now()
        trace = Trace(
            id=new_id(),
            scope=place,
            task="-",
            session_key=session and visible(session),
            agent=caller.principal,
            started_at=at,
            changed_at=at,
        )
        bounds = (await self.bounds(place)).bounds
        clean = await Cleaner(trace, policy, bounds, at).text_aside(task, "task")
        made = trace.model_copy(update={"task": clean})

        async def work(tx: Tx) -> Trace:
            if await tx.optional(Q.traces.scope_is_there, scope=place, at=now()) is None:
                raise NotFound(f"there is no scope {place}", field="scope")
            await tx.rows(Q.kinds.restore, rows=[TRACE.new(made)])
            await tx.rows(Q.traces.tell, events=[_event(caller, "trace.start", made)])
            return made

        return await self.graph.write("traces.start", work)

    async def add(
        self,
        caller: Caller,
        identifier: str,
        steps: list[StepDraft],
        calls: list[CallDraft],
    ) -> Added:
        """Add steps and tool calls, all or none; what came before by the same key is not added
        again, but a call that was pending is finished.

        Raises StateRefused for a trace that is completed, QuotaReached beyond the settings.
        """
        seen = await self._own(caller, identifier)
        policy = await self._scopes.policy(seen.scope)
        limits = await self.bounds(seen.scope)
        batch = await Cleaner(seen, policy, limits.bounds, now()).batch(steps, calls)

        async def work(tx: Tx) -> Added:
            held = await self._locked(tx, caller, identifier)
            return await self._add(tx, caller, held, batch, limits)

        return await self.graph.write("traces.add", work)

    async def complete(
        self, caller: Caller, identifier: str, outcome: Outcome, result: str | None
    ) -> Trace:
        """End a trace; the same again changes nothing, StateRefused for another outcome."""
        seen = await self._own(caller, identifier)
        policy = await self._scopes.policy(seen.scope)
        bounds = (await self.bounds(seen.scope)).bounds
        clean = await Cleaner(seen, policy, bounds, now()).text_aside(result, "result")

        async def work(tx: Tx) -> Trace:
            held = await self._locked(tx, caller, identifier)
            if held.outcome is not None:
                if (held.outcome, held.result) == (outcome, clean):
                    return held
                raise StateRefused(f"the trace has ended as {held.outcome}", field="outcome")
            at = max(now(), held.started_at)
            update = {"outcome": outcome, "result": clean, "completed_at": at, "changed_at": at}
            made = held.model_copy(update=update)
            await tx.rows(Q.kinds.change, rows=[TRACE.row(made)])
            event = _event(caller, "trace.complete", made, outcome=outcome.value)
            await tx.rows(Q.traces.tell, events=[event])
            return made

        return await self.graph.write("traces.complete", work)

    async def link(
        self, caller: Caller, identifier: str, memories: list[str], step: int | None
    ) -> list[TraceLink]:
        """Link a trace to what it touched and the caller sees; a link that is there stays.

        Raises NotFound (`memories`, `step`), QuotaReached beyond the settings.
        """
        most = (await self.bounds((await self._own(caller, identifier)).scope)).links

        async def work(tx: Tx) -> list[TraceLink]:
            held = await self._locked(tx, caller, identifier)
            if step is not None and step > held.steps:
                raise NotFound(f"the trace has no step {step}", field="step")
            asked = dict.fromkeys(memories)
            made = [await self._link(tx, caller, held, memory, step) for memory in asked]
            ids = [link.id for link in made]
            before = await tx.rows(Q.kinds.present, ids=ids)
            new = [link for link in made if link.id not in {row["id"] for row in before}]
            await tx.rows(Q.kinds.restore, rows=[TRACE_LINK.new(link) for link in new])
            links = await tx.many(
                Q.traces.links, TraceLink, id=held.id, scope=held.scope, scopes=caller.visible
            )
            if new and len(links) > most:
                raise QuotaReached(f"a trace has {most} links", field="memories")
            if new:
                event = _event(caller, "trace.link", held, links=len(new))
                await tx.rows(Q.traces.tell, events=[event])
            return [link for link in links if link.id in ids]

        return await self.graph.write("traces.link", work)

    async def get(self, caller: Caller, identifier: str) -> Trace:
        """Return a trace that the caller sees; NotFound."""
        found = await self.graph.many(Q.traces.find, Trace, id=identifier, scopes=caller.visible)
        if not found:
            raise _missing(identifier)
        return found[0]

    async def whole(self, caller: Caller, identifier: str) -> Whole:
        """Return a trace with all that belongs to it."""
        trace = await self.get(caller, identifier)
        own = {"id": trace.id, "scope": trace.scope}
        return Whole(
            trace,
            await self.graph.many(Q.traces.steps, TraceStep, **own),
            await self.graph.many(Q.traces.calls, ToolCall, **own),
            await self.graph.many(Q.traces.links, TraceLink, **own, scopes=caller.visible),
        )

    async def begun(self, caller: Caller, identifier: str, most: int) -> Whole:
        """Return a trace with its first steps and tool calls, so many of each, without the results
        of these, and without links."""
        trace = await self.get(caller, identifier)
        given = {"id": trace.id, "scope": trace.scope, "limit": most}
        return Whole(
            trace,
            await self.graph.many(Q.traces.first_steps, TraceStep, **given),
            await self.graph.many(Q.traces.first_calls, ToolCall, **given),
            [],
        )

    async def page(
        self, caller: Caller, within: list[str] | None, wanted: Wanted, before: str, limit: int
    ) -> list[Trace]:
        """Return traces that began before the one of an id, the last first."""
        return await self.graph.many(
            Q.traces.page,
            Trace,
            scopes=caller.among(within),
            session=wanted.session and visible(wanted.session),
            agent=principal_of(caller, wanted.agent, "agent") if wanted.agent else None,
            outcomes=wanted.outcomes,
            running=wanted.running,
            tool=wanted.tool,
            since=wanted.since,
            until=wanted.until,
            before=before or LAST,
            limit=limit,
        )

    async def touching(
        self, caller: Caller, within: list[str] | None, memory: str, before: str, limit: int
    ) -> list[Trace]:
        """Return traces that touched a message, an entity or a memory that the caller sees."""
        return await self.graph.many(
            Q.traces.touching,
            Trace,
            memory=memory,
            scopes=caller.among(within),
            seen=caller.visible,
            before=before or LAST,
            limit=limit,
        )

    async def bounds(self, scope: str) -> TraceLimits:
        """Return the bounds that hold in a scope."""
        return await self._scopes.limits(self.limits, scope)

    # --- within -------------------------------------------------------------------------------

    async def _own(self, caller: Caller, identifier: str) -> Trace:
        trace = await self.get(caller, identifier)
        caller.require(trace.scope, Role.WRITER)
        if trace.agent != caller.principal:
            raise Forbidden("a trace is written by its agent alone", field="trace")
        return trace

    async def _locked(self, tx: Tx, caller: Caller, identifier: str) -> Trace:
        found = await tx.many(Q.traces.lock, Trace, id=identifier, scopes=caller.visible, at=now())
        if not found:
            raise _missing(identifier)
        return found[0]

    async def _add(
        self, tx: Tx, caller: Caller, held: Trace, batch: Batch, limits: TraceLimits
    ) -> Added:
        done = numbered(held, batch, await _held(tx, batch))
        if done.new_steps or done.new_calls or done.finished:
            if held.outcome is not None:
                raise StateRefused(f"the trace has ended as {held.outcome}", field="trace")
            _require_room(done.trace, limits)
            rows = [TRACE_STEP.new(step) for step in done.new_steps]
            rows += [TOOL_CALL.new(call) for call in done.new_calls]
            await tx.rows(Q.kinds.restore, rows=rows)
            changed = [TRACE.row(done.trace), *map(TOOL_CALL.row, done.finished)]
            await tx.rows(Q.kinds.change, rows=changed)
            counts = {"steps": len(done.new_steps), "calls": len(done.new_calls)}
            event = _event(caller, "trace.add", held, **counts, finished=len(done.finished))
            await tx.rows(Q.traces.tell, events=[event])
        return Added(done.trace, done.steps, done.calls)

    async def _link(
        self, tx: Tx, caller: Caller, held: Trace, memory: str, step: int | None
    ) -> TraceLink:
        at = now()
        found = await tx.optional(Q.traces.lock_touched, id=memory, scopes=caller.visible, at=at)
        if found is None:
            raise NotFound(
                f"there is no episode, entity, note, fact or page {memory}", field="memories"
            )
        return TRACE_LINK.placed(
            TraceLink(
                id="new",
                scope=held.scope,
                trace=held.id,
                memory=memory,
                memory_kind=Touched(found["kind"]),
                memory_scope=found["scope"],
                step=step,
                agent=held.agent,
                linked_at=at,
            )
        )


def _require_room(trace: Trace, limits: TraceLimits) -> None:
    if trace.steps > limits.steps:
        raise QuotaReached(f"a trace has {limits.steps} steps", field="steps")
    if trace.calls > limits.calls:
        raise QuotaReached(f"a trace has {limits.calls} tool calls", field="tool_calls")


async def _held(tx: Tx, batch: Batch) -> Held:
    """Read what of a batch is there already."""
    ids = [one.id for one in (*batch.steps, *batch.calls)]
    rows = [row["row"] for row in await tx.rows(Q.kinds.lock, ids=ids, at=now())]
    return Held(
        {row["id"]: TraceStep.of(row) for row in rows if row["kind"] == TRACE_STEP.name},
        {row["id"]: ToolCall.of(row) for row in rows if row["kind"] == TOOL_CALL.name},
    )


def outcome_of(error: str | None, status: CallStatus | None) -> CallStatus:
    """Return the status of a call: as told, else by whether there is an error."""
    return status or (CallStatus.ERROR if error else CallStatus.SUCCESS)


def _missing(identifier: str) -> NotFound:
    return NotFound(f"there is no trace {identifier}", field="trace")


def _event(caller: Caller, kind: str, trace: Trace, **payload: Any) -> Row:
    told = audit.event(caller, kind, trace.scope, trace=trace.id, **payload)
    return {**told, "target": trace.id}
