"""Figures of tool calls, which the database counts by the index of their times."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from app.access.parameters import principal_of
from app.errors import InvalidInput
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row

DIGITS = 4  # after the point, of rates


class Grouped(StrEnum):
    """By what calls are counted together."""

    TOOL = "tool"
    AGENT = "agent"
    TOOL_AND_AGENT = "tool_and_agent"


@dataclass(frozen=True, slots=True)
class Asked:
    """Which calls are counted: of a window of time, of a tool, of an agent."""

    since: datetime | None = None
    until: datetime | None = None
    tool: str | None = None
    agent: str | None = None
    grouped: Grouped = Grouped.TOOL


@dataclass(frozen=True, slots=True)
class Figures:
    """Of calls together: durations in milliseconds of those that tell one, `p50` and `p95` between
    the two nearest (linear), and the rate of successes among those that succeeded or failed."""

    tool: str | None
    agent: str | None
    calls: int
    successes: int
    failures: int
    rate: float | None
    timed: int
    mean: float | None
    p50: float | None
    p95: float | None
    last: datetime

    @classmethod
    def of(cls, row: Row) -> Figures:
        """Return the figures of a row."""
        ended = row["successes"] + row["failures"]
        return cls(rate=round(row["successes"] / ended, DIGITS) if ended else None, **row)


class ToolStatistics:
    """Counts the tool calls of scopes that the caller sees."""

    def __init__(self, graph: Graph, days: int, most_days: int) -> None:
        self._graph = graph
        self._days = days
        self._most_days = most_days

    async def of(
        self, caller: Caller, within: list[str] | None, asked: Asked, limit: int
    ) -> tuple[datetime, datetime, list[Figures]]:
        """Return the window and its figures, the most calls first; InvalidInput (`since`)."""
        since, until = self._window(asked)
        query = Q.traces.statistics
        own: Row = {}
        if asked.tool is not None:
            query, own = Q.traces.statistics_of, {"tool": asked.tool}
        rows = await self._graph.rows(
            query,
            scopes=caller.among(within),
            since=since,
            until=until,
            agent=principal_of(caller, asked.agent, "agent") if asked.agent else None,
            by_tool=asked.grouped is not Grouped.AGENT,
            by_agent=asked.grouped is not Grouped.TOOL,
            limit=limit,
            **own,
        )
        return since, until, [Figures.of(row) for row in rows]

    def _window(self, asked: Asked) -> tuple[datetime, datetime]:
        until = asked.until or now() + timedelta(seconds=1)
        since = asked.since or until - timedelta(days=self._days)
        if since >= until:
            raise InvalidInput("since lies after until", field="since")
        if until - since > timedelta(days=self._most_days):
            raise InvalidInput(f"a window has at most {self._most_days} days", field="since")
        return since, until
