"""Loci's own sensors: what the graph tells of a scope that somebody may have to do something about.

Each is a number. It is observed where it is another one than at the last observation that has not
expired: so nothing is told twice, and what goes on is told again once that one has run out.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from app.autonomy.authored import LOCI
from app.autonomy.ledger import Ledger, lock_scope, of_loci
from app.autonomy.receipt import Receipt
from app.errors import NotFound
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.observations.model import OBSERVATION, Observation
from app.observations.service import Limits
from app.scopes.every import paths
from app.scopes.service import ScopeService

# Names of the sensors, and of what the query gives for each.
SENSORS = {
    "quarantine.facts": "facts",
    "quarantine.notes": "notes",
    "changes.possible": "changes",
    "goals.idle": "goals",
    "escalations.overdue": "escalations",
    "jobs.dead": "jobs",
}
Times = tuple[datetime, datetime]  # when something is observed, and when that expires


class Collector:
    """Asks the sensors about scopes; `idle` is after how long without progress a goal is told. An
    observation lasts as long as its scope says."""

    def __init__(self, graph: Graph, scopes: ScopeService, limits: Limits, idle: timedelta) -> None:
        self._graph = graph
        self._scopes = scopes
        self._ledger = Ledger(graph, scopes, OBSERVATION)
        self._limits = limits
        self._idle = idle

    async def collect(
        self, scopes: Sequence[str] | None, *, dry_run: bool, moment: datetime | None = None
    ) -> Receipt:
        """Observe some scopes, or all; a second run finds nothing new."""
        receipt = Receipt(dry_run, moment or now())
        async for scope in paths(self._graph, scopes):
            await self._one(scope, receipt)
        return receipt

    async def _one(self, scope: str, receipt: Receipt) -> None:
        """Look first, since most scopes have nothing new; look again with the lock held."""
        asked = self._asked(scope, receipt.at)
        told = await self._graph.rows(Q.autonomy.sense, **asked)
        last = await self._graph.rows(Q.autonomy.last_sensed, **_sought(scope))
        limits = await self._scopes.limits(self._limits, scope)
        times = receipt.at, limits.ends(None, receipt.at)
        found = _fresh(scope, times, (told, last))
        if found and not receipt.dry_run:
            found = await self._write(scope, times, receipt)
        for one in found:
            receipt.add(one)

    async def _write(self, scope: str, times: Times, receipt: Receipt) -> list[Observation]:
        async def work(tx: Tx) -> list[Observation]:
            try:
                await lock_scope(tx, scope)
            except NotFound:
                return []
            told = await tx.rows(Q.autonomy.sense, **self._asked(scope, receipt.at))
            last = await tx.rows(Q.autonomy.last_sensed, **_sought(scope))
            found = _fresh(scope, times, (told, last))
            for one in found:
                who = of_loci(scope, receipt.id)
                await self._ledger.store(tx, who, one, receipt=receipt.id)
            return found

        return await self._graph.write("observation.collect", work)

    def _asked(self, scope: str, at: datetime) -> Row:
        return {"scope": scope, "at": at, "idle": at - self._idle}


def _fresh(scope: str, times: Times, given: tuple[list[Row], list[Row]]) -> list[Observation]:
    """What differs from the last observations; zero is told only after another number."""
    told, last = given
    before = {row["observation"]["sensor"]: Observation.of(row["observation"]) for row in last}
    counts = told[0] if told else {}
    found = []
    for sensor, name in SENSORS.items():
        held = before.get(sensor)
        live = held if held is not None and held.expires_at > times[0] else None
        count = counts.get(name, 0)
        if count != (live.payload.get("count", 0) if live else 0):
            found.append(_new(scope, sensor, (count, held.number + 1 if held else 1), times))
    return found


def _new(scope: str, sensor: str, told: tuple[int, int], times: Times) -> Observation:
    count, number = told
    at, end = times
    return OBSERVATION.placed(
        Observation(
            id="new",
            scope=scope,
            sensor=sensor,
            key=f"{LOCI}:{number}",
            payload={"count": count},
            observed_at=at,
            recorded_at=at,
            recorded_by=LOCI,
            expires_at=end,
            number=number,
        )
    )


def _sought(scope: str) -> Row:
    return {"scope": scope, "sensors": sorted(SENSORS)}
