"""Upkeep at night, only where a scope's rules say `maintenance: nightly` (seed 000's schedule).

Rot hides notes that are old, unread and unimportant; learnings that faded are hidden as well; an
agent that is idle loses trust. What is hidden can be shown again, and pins are respected.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from app.contexts.staleness import Staleness, Verdict, staleness
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.lifecycle.forgetting import ForgettingService
from app.lifecycle.posterior import reliability
from app.lifecycle.rot import idle_trust, learning_is_spent
from app.lifecycle.sweep import PAGE, sweeper
from app.scopes.every import pages
from app.scopes.service import ScopeService

LEARNINGS = "learnings"
ENTRIES = 1000  # most entries of a report


@dataclass(frozen=True, slots=True)
class Rotten:
    """A note that has gone stale."""

    memory: str
    staleness: Staleness


@dataclass(frozen=True, slots=True)
class RotReport:
    """What a scope's notes look like; `entries` has those for review and for the archive, the
    stalest first, `archived` what this run has hidden."""

    scope: str
    total: int
    entries: tuple[Rotten, ...]
    archived: tuple[str, ...] = ()

    def count(self, verdict: Verdict) -> int:
        """How many notes that is said of."""
        return sum(found.staleness.verdict is verdict for found in self.entries)


class UpkeepService:
    """The jobs of the nightly profile; each run again changes nothing more."""

    def __init__(self, graph: Graph, scopes: ScopeService, forgetting: ForgettingService) -> None:
        self._graph = graph
        self._scopes = scopes
        self._forgetting = forgetting

    async def rot(
        self, scope: str, *, dry_run: bool = True, moment: datetime | None = None
    ) -> RotReport:
        """How stale the notes of a scope are; unless it is a dry run, or the rules of the scope
        leave upkeep off, what is stale enough is hidden."""
        at = moment or now()
        rows = await self._notes(scope)
        found = [Rotten(row["id"], _stale(row, at)) for row in rows if not row["is_pinned"]]
        stale = [r for r in found if r.staleness.verdict is not Verdict.KEEP]
        stale.sort(key=lambda rotten: (-rotten.staleness.score, rotten.memory))
        archive = [r.memory for r in stale if r.staleness.verdict is Verdict.ARCHIVE]
        hides = not dry_run and await self._nightly(scope)
        hidden = await self._hide(scope, archive) if hides else ()
        return RotReport(scope, len(rows), tuple(stale), tuple(hidden))

    async def spent_learnings(self, scope: str, moment: datetime | None = None) -> list[str]:
        """Hide learnings that faded; ids. Nothing where the rules of the scope leave it off."""
        if not await self._nightly(scope):
            return []
        at = moment or now()
        rows = await self._notes(scope)
        return await self._hide(scope, (row["id"] for row in rows if _spent(row, at)))

    async def trust_of_agents(self, scope: str, moment: datetime | None = None) -> int:
        """Set the trust in the agents at home in a scope by their record and by how long they have
        been idle; how many that are."""
        if not await self._nightly(scope):
            return 0
        at = moment or now()
        agents = await self._graph.rows(Q.lifecycle.agents_at_home, scope=scope)
        rows = [{"id": agent["id"], "trust": _trust(agent, at), "at": at} for agent in agents]
        if rows:
            await self._graph.rows(Q.lifecycle.set_agent_trust, rows=rows)
        return len(rows)

    async def scopes(self) -> list[str]:
        """Every scope whose rules switch the nightly profile on."""
        found: list[str] = []
        async for page in pages(self._graph):
            rules = await self._scopes.rules_of(page)
            found += [path for path in page if rules[path].maintenance == "nightly"]
        return found

    async def _nightly(self, scope: str) -> bool:
        return (await self._scopes.rules(scope)).maintenance == "nightly"

    async def _notes(self, scope: str) -> list[Row]:
        found: list[Row] = []
        while rows := await self._graph.rows(
            Q.lifecycle.notes_at_rest,
            scope=scope,
            after=found[-1]["id"] if found else "",
            limit=PAGE,
        ):
            found += [row["note"] | {"id": row["id"]} for row in rows]
            if len(rows) < PAGE:
                break
        return found

    async def _hide(self, scope: str, ids: Iterable[str]) -> list[str]:
        places = [{"id": memory, "scope": scope} for memory in ids]
        hidden: list[str] = []
        for start in range(0, len(places), PAGE):
            batch = places[start : start + PAGE]
            hidden += await self._forgetting.apply(sweeper(scope), "forget", batch)
        return hidden


def _stale(row: Row, at: datetime) -> Staleness:
    used = row["last_access"]
    return staleness(at - row["ingested_at"], at - used if used else None, row["importance"])


def _spent(row: Row, at: datetime) -> bool:
    if row["namespace"] != LEARNINGS or row["is_pinned"] or row["importance"] is None:
        return False
    touched = max(m for m in (row["ingested_at"], row["last_access"], row["updated_at"]) if m)
    return learning_is_spent(float(row["importance"]), at - touched, at - row["ingested_at"])


def _trust(agent: Row, at: datetime) -> float:
    record = reliability(agent["agreements"], agent["contradictions"])
    return round(idle_trust(record, at - (agent["last_used_at"] or agent["created_at"])), 6)
