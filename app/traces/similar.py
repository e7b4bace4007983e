"""How was this solved before: traces of tasks alike, by meaning."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from app.access.parameters import principal_of
from app.embeddings.calibration import Kinds
from app.indexing.spaces import Part, Spaces
from app.kernel.caller import Caller
from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.traces.model import Outcome, Trace

FIRST, MOST = 64, 1024  # nearest tasks that are looked at; more while the last is above the floor
DIGITS = 2  # tasks whose similarity differs by less than a hundredth are ranked by outcome and age
ORDER = tuple(Outcome)


@dataclass(frozen=True, slots=True)
class Sought:
    """A task, and which traces of tasks like it are wanted; `floor` is a calibrated similarity."""

    task: str
    floor: float
    limit: int
    outcomes: tuple[Outcome, ...] = (Outcome.SUCCESS,)
    agent: str | None = None
    tool: str | None = None


@dataclass(frozen=True, slots=True)
class Similar:
    """A trace, and how like its task is."""

    trace: Trace
    similarity: float


class SimilarTraces:
    """Searches the index of vectors, and holds every cosine by what it means to its model; `floor`
    is the least similarity where none is asked for."""

    def __init__(self, graph: Graph, spaces: Spaces, floor: float) -> None:
        self.floor = floor
        self._graph = graph
        self._spaces = spaces

    async def find(self, caller: Caller, within: list[str] | None, sought: Sought) -> list[Similar]:
        """Return completed traces of tasks at least so similar, by similarity, outcome and age.

        Raises EmbedderUnavailable where there is no vector of the task.
        """
        agent = principal_of(caller, sought.agent, "agent") if sought.agent else None
        return await self.among(caller.among(within), replace(sought, agent=agent))

    async def among(self, scopes: list[str], sought: Sought) -> list[Similar]:
        """Do the same in scopes that are visible, for an agent by its whole id."""
        parts = await self._spaces.asked(sought.task, scopes)
        found = [each for part in parts for each in await self._of(part, sought)]
        return sorted(found, key=_rank)[: sought.limit]

    async def _of(self, part: Part, sought: Sought) -> list[Similar]:
        """Look at so many of the nearest that the rest is below the floor, or enough fit."""
        many = FIRST
        while True:
            rows = await self._graph.rows(
                part.space.over(query=Q.traces.near),
                v=part.vector,
                scopes=part.scopes,
                limit=many,
            )
            near = {
                row["id"]: part.similarity(row["cosine"], Kinds.TASKS, row["language"])
                for row in rows
            }
            above = {i: share for i, share in near.items() if share >= sought.floor}
            traces = await self._among(above, part.scopes, sought)
            ended = len(rows) < many or len(above) < len(near) or many >= MOST
            if ended or len(traces) >= sought.limit:
                return [Similar(trace, round(above[trace.id], 4)) for trace in traces]
            many *= 4

    async def _among(self, ids: Collection[str], scopes: list[str], sought: Sought) -> list[Trace]:
        """Those of some traces that ended as wanted, and are the agent's that is asked for."""
        if not ids:
            return []
        return await self._graph.many(
            Q.traces.among,
            Trace,
            ids=list(ids),
            scopes=scopes,
            outcomes=list(sought.outcomes),
            agent=sought.agent,
            tool=sought.tool,
        )


def _rank(one: Similar) -> tuple[float, int, float]:
    outcome = one.trace.outcome or Outcome.CANCELLED
    ended = one.trace.completed_at or one.trace.started_at
    return -round(one.similarity, DIGITS), ORDER.index(outcome), -ended.timestamp()
