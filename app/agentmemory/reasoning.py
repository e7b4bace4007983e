"""Reasoning: traces, their steps and tool calls, and what they touched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson

from app.agentmemory.names import known_as
from app.errors import NotFound
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.traces.drafts import CallDraft, StepDraft
from app.traces.model import Outcome, ToolCall, Trace, TraceLink, TraceStep
from app.traces.service import TraceService, Wanted
from app.traces.similar import SimilarTraces, Sought
from app.traces.statistics import Asked, Figures, ToolStatistics

UUID = re.compile(
    r"\b[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}\b"
)
MOST_TRACES = 200
MOST_LINKS = 20  # entities that one tool call touches
ENDED = {True: Outcome.SUCCESS, False: Outcome.FAILURE, None: Outcome.PARTIAL}
SUCCEEDED = {Outcome.SUCCESS: True, Outcome.FAILURE: False, Outcome.CANCELLED: False}


@dataclass(frozen=True, slots=True)
class Stepped:
    """A step with its tool calls."""

    step: TraceStep
    calls: list[ToolCall]


@dataclass(frozen=True, slots=True)
class Traced:
    """A trace with its steps in order."""

    trace: Trace
    steps: list[Stepped]

    @property
    def success(self) -> bool | None:
        """Whether the task succeeded; None as long as it runs, and where nobody said."""
        return SUCCEEDED.get(self.trace.outcome) if self.trace.outcome else None


@dataclass(frozen=True, slots=True)
class Parts:
    """What this works with; statistics look back `days`."""

    traces: TraceService
    alike: SimilarTraces
    figures: ToolStatistics
    days: int


class ReasoningService:
    """Every operation on the caller's own traces, which lie in its home."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._graph = parts.traces.graph

    async def start(self, caller: Caller, session: str, task: str) -> Traced:
        """Begin the trace of a task."""
        made = await self._parts.traces.start(caller, task, None, session)
        return Traced(made, [])

    async def add_step(
        self,
        caller: Caller,
        given: str,
        thought: str | None,
        action: str | None,
        observation: str | None,
    ) -> Stepped:
        """Add a step; NotFound where there is no such trace."""
        trace = await self._trace(caller, given)
        if trace is None:
            raise NotFound(f"there is no trace {given}", field="trace_id")
        return await self._step(caller, trace, StepDraft(thought, action, observation, None))

    async def add_call(self, caller: Caller, given: str, draft: CallDraft) -> ToolCall:
        """Add a tool call to a step, and link its trace to the entities whose ids it holds."""
        step = await self._found(caller, given)
        numbered = CallDraft(
            draft.tool,
            draft.arguments,
            draft.result,
            draft.status,
            draft.duration_ms,
            draft.error,
            draft.key,
            step.number,
        )
        added = await self._parts.traces.add(caller, step.trace, [], [numbered])
        touched = await self._entities(caller, [draft.arguments, draft.result])
        if touched:
            await self._parts.traces.link(caller, step.trace, touched, step.number)
        return added.calls[0]

    async def complete(
        self, caller: Caller, given: str, outcome: str | None, success: bool | None
    ) -> Traced:
        """End a trace; NotFound where there is no such trace."""
        trace = await self._trace(caller, given)
        if trace is None:
            raise NotFound(f"there is no trace {given}", field="trace_id")
        done = await self._parts.traces.complete(caller, trace.id, ENDED[success], outcome)
        return (await self._whole([done]))[0]

    async def read(self, caller: Caller, given: str) -> Traced | None:
        """Return a trace with its steps; None where there is no such trace."""
        trace = await self._trace(caller, given)
        return None if trace is None else (await self._whole([trace]))[0]

    async def page(self, caller: Caller, session: str | None, limit: int) -> list[Traced]:
        """Return traces with their steps, those that began last first."""
        wanted = Wanted(session=session, agent=caller.principal)
        found = await self._parts.traces.page(caller, [caller.home], wanted, "", limit)
        return await self._whole(found)

    async def statistics(self, caller: Caller, tool: str | None, limit: int) -> list[Figures]:
        """Return figures of the caller's tool calls, the most calls first."""
        since = now() - timedelta(days=self._parts.days - 1)
        asked = Asked(since=since, tool=tool, agent=caller.principal)
        _, _, found = await self._parts.figures.of(caller, [caller.home], asked, limit)
        return found

    async def similar(
        self, caller: Caller, task: str, limit: int, success_only: bool
    ) -> list[Traced]:
        """Return traces of tasks alike that have ended, the most similar first."""
        outcomes = (Outcome.SUCCESS,) if success_only else tuple(Outcome)
        alike = self._parts.alike
        sought = Sought(task, alike.floor, limit, outcomes, caller.principal, None)
        found = await alike.find(caller, [caller.home], sought)
        return await self._whole([each.trace for each in found])

    async def record(
        self, caller: Caller, session: str, thought: str, action: str, result: str | None
    ) -> Stepped:
        """Add a step to the trace of a conversation that runs, which is begun where none does."""
        wanted = Wanted(session=session, agent=caller.principal, outcomes=[], running=True)
        running = await self._parts.traces.page(caller, [caller.home], wanted, "", 1)
        draft = StepDraft(thought.strip() or None, action.strip() or None, result, None)
        if running:
            return await self._step(caller, running[0], draft)
        begun = await self.start(caller, session, f"Conversation {session}")
        return await self._step(caller, begun.trace, draft)

    async def steps(self, caller: Caller, session: str) -> list[Stepped]:
        """Return the steps of all traces of a conversation, in the order of their coming."""
        found = await self.page(caller, session, MOST_TRACES)
        return [step for traced in reversed(found) for step in traced.steps]

    async def explain(self, caller: Caller, given: str) -> tuple[Stepped, Trace, list[str]]:
        """Return a step with its tool calls, its trace, and the entities that it touched."""
        step = await self._found(caller, given)
        whole = await self._parts.traces.whole(caller, step.trace)
        calls = [call for call in whole.calls if call.step == step.number]
        return Stepped(step, calls), whole.trace, _touched(whole.links, step.number)

    async def provenance(
        self, caller: Caller, entities: Sequence[str]
    ) -> list[tuple[Stepped, Trace]]:
        """Return the steps that touched one of some entities, the earliest first."""
        made: dict[str, tuple[Stepped, Trace]] = {}
        for entity in entities:
            found = await self._parts.traces.touching(caller, None, entity, "", MOST_TRACES)
            for trace in (one for one in found if one.agent == caller.principal):
                whole = await self._parts.traces.whole(caller, trace.id)
                numbers = {link.step for link in whole.links if link.memory == entity}
                for step in (one for one in whole.steps if one.number in numbers):
                    calls = [call for call in whole.calls if call.step == step.number]
                    made[step.id] = (Stepped(step, calls), trace)
        return sorted(made.values(), key=lambda pair: (pair[0].step.at, pair[0].step.number))

    # --- within -------------------------------------------------------------------------------

    async def _step(self, caller: Caller, trace: Trace, draft: StepDraft) -> Stepped:
        added = await self._parts.traces.add(caller, trace.id, [draft], [])
        return Stepped(added.steps[0], added.calls)

    async def _trace(self, caller: Caller, given: str) -> Trace | None:
        for one in known_as(given):
            found = await self._graph.many(Q.traces.find, Trace, id=one, scopes=[caller.home])
            if found and found[0].agent == caller.principal:
                return found[0]
        return None

    async def _found(self, caller: Caller, given: str) -> TraceStep:
        row = await self._graph.optional(
            Q.agentmemory.step, ids=known_as(given), scopes=[caller.home]
        )
        if row is None or row["step"]["agent"] != caller.principal:
            raise NotFound(f"there is no step {given}", field="step_id")
        return TraceStep.of(row["step"])

    async def _whole(self, traces: Sequence[Trace]) -> list[Traced]:
        parts = await self._graph.one(
            Q.agentmemory.parts,
            ids=[trace.id for trace in traces],
            scopes=sorted({trace.scope for trace in traces}),
        )
        calls = [ToolCall.of(row) for row in parts["calls"]]
        steps: dict[str, list[Stepped]] = {}
        for step in (TraceStep.of(row) for row in parts["steps"]):
            own = [c for c in calls if (c.trace, c.step) == (step.trace, step.number)]
            steps.setdefault(step.trace, []).append(Stepped(step, own))
        return [Traced(trace, steps.get(trace.id, [])) for trace in traces]

    async def _entities(self, caller: Caller, values: Sequence[Any]) -> list[str]:
        """Return the entities whose ids stand in some values."""
        given = UUID.findall(orjson.dumps(values, default=str).decode())
        ids = list(dict.fromkeys(one for each in given for one in known_as(each)))
        if not ids:
            return []
        rows = await self._graph.rows(
            Q.agentmemory.entities, ids=ids[: 3 * MOST_LINKS], scopes=caller.visible
        )
        return [row["id"] for row in rows][:MOST_LINKS]


def _touched(links: Iterable[TraceLink], number: int) -> list[str]:
    return [link.memory for link in links if link.step == number and link.memory_kind == "entity"]
