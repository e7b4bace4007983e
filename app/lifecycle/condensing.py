"""Condensed notes follow the facts: what was written since the last pass is looked at again.

A pass only adds what has grown: a note that says what no longer holds was ended in the transaction
that changed the fact, so no reader depends on this one. What is due follows from the graph.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from app.entities.touched import TouchedScopes
from app.jobs.lanes import Due
from app.jobs.model import Job, Outcome, Report
from app.kernel import audit
from app.kernel.clock import START, now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope
from app.lifecycle.graves import erased
from app.notes import condensed
from app.notes.condensed import FEWEST_FACTS, Change, Place, Stored
from app.notes.kind import AUTHOR
from app.scopes.service import ScopeService

CONDENSE = "notes.condense"
BATCH = 25  # entities of one transaction
PAGE = 500  # entities that are asked for at once
FACTS = 500  # facts of one entity that a note is made from
LAG = timedelta(seconds=5)  # what was written so long ago is committed; later is looked at again


@dataclass(slots=True)
class Tally:
    """What a pass did; `entities` are those it looked into."""

    entities: int = 0
    made: int = 0
    ended: int = 0


class CondensingService:
    """Makes the condensed notes of scopes; running it again changes nothing."""

    def __init__(self, graph: Graph, scopes: ScopeService) -> None:
        self.graph = graph
        self._scopes = scopes
        self._touched = TouchedScopes(graph, Q.condensed.every_scope)
        self._due: set[str] = set()

    async def due(self) -> list[Due]:
        """Scopes in which something was written since the last pass."""
        self._due.update(await self._touched.scopes())
        if not self._due:
            return []
        rows = await self.graph.rows(Q.condensed.due, scopes=sorted(self._due))
        self._due = {row["scope"] for row in rows}
        return [Due(row["scope"], row["tenant"]) for row in rows]

    async def drain(self) -> int:
        """Every scope that is due, once; how many notes were made or ended."""
        return sum([await self.turn(one) for one in await self.due()])

    async def turn(self, due: Due) -> int:
        """What is due in one scope; how many notes were made or ended."""
        tally = await self.condense(due.key)
        return tally.made + tally.ended

    async def condense(self, scope: str, tally: Tally | None = None) -> Tally:
        """What was written in a scope since the last pass; where its rules say no, nothing."""
        total = tally or Tally()
        found = await self.graph.optional(Q.condensed.cursor, scope=scope)
        if found is None:
            return total
        start = now()
        if not (await self._scopes.rules(scope)).condensed_notes:
            await self._reach(scope, start, again=True)
            return total
        if found["condense_all"]:
            await self.condense_all(scope, total)
            await self._reach(scope, start - LAG)
            return total
        since = found["condensed_at"] or START
        while rows := await self.graph.rows(
            Q.condensed.touched, scope=scope, since=since, limit=PAGE, fewest=FEWEST_FACTS
        ):
            since = rows[0]["reached"]
            roots = {i for row in rows if row["due"] for i in (row["root"], *row["members"])}
            await self._entities(scope, sorted(roots), total)
            await self._reach(scope, min(since, start - LAG))
        return total

    async def condense_all(self, scope: str, tally: Tally | None = None) -> Tally:
        """Every entity of a scope, whenever it was written."""
        total = tally or Tally()
        after = ""
        while rows := await self.graph.rows(
            Q.condensed.every, scope=scope, after=after, limit=PAGE, fewest=FEWEST_FACTS
        ):
            after = rows[-1]["id"]
            roots = {i for row in rows if row["due"] for i in (row["root"], row["id"])}
            await self._entities(scope, sorted(roots), total)
        return total

    async def _reach(self, scope: str, at: datetime, *, again: bool = False) -> None:
        await self.graph.rows(Q.condensed.set_cursor, scope=scope, at=at, all=again)

    async def _entities(self, scope: str, ids: Sequence[str], total: Tally) -> None:
        for start in range(0, len(ids), BATCH):
            batch = list(ids[start : start + BATCH])

            async def work(tx: Tx, batch: list[str] = batch) -> tuple[int, int]:
                return await _pass(tx, scope, batch)

            made, ended = await self.graph.write("notes.condense", work)
            total.entities += len(batch)
            total.made += made
            total.ended += ended


async def _pass(tx: Tx, scope: str, ids: list[str]) -> tuple[int, int]:
    """Bring the notes about some entities in line with what is held of them.

    One that is no root any more has no facts of its own, so that its notes end.
    """
    await tx.rows(Q.condensed.lock, roots=ids, scope=scope)
    at = now()
    held: dict[str, list[condensed.Stated]] = defaultdict(list)
    for row in await tx.rows(Q.condensed.material, roots=ids, scope=scope, at=at, limit=FACTS):
        held[row["root"]].append(condensed.stated(row))
    stored: dict[str, list[Stored]] = defaultdict(list)
    for row in await tx.rows(Q.condensed.stored, subjects=ids, scope=scope):
        notes = tuple((note, content) for note, content in row["held"])
        stored[row["subject"]].append(Stored(row["cluster"], row["version"], notes))
    tenant = parse_scope(scope).tenant
    creates: list[Row] = []
    ends: list[Row] = []
    for subject in ids:
        place = Place(scope, tenant, subject, at)
        for change in condensed.changes(condensed.extracts(held[subject]), stored[subject]):
            made = await _made(tx, place, change)
            creates += [made] if made else []
            ends += [_ended(note, made, at) for note in change.ends]
    if creates:
        await tx.rows(Q.condensed.create, rows=creates, scope=scope)
    if ends:
        await tx.rows(Q.condensed.end, rows=ends, scope=scope, at=at)
    return len(creates), len(ends)


async def _made(tx: Tx, place: Place, change: Change) -> Row | None:
    """The row of a new note, under the first number whose id was not erased."""
    if change.extract is None:
        return None
    version = change.version
    while await erased(tx, [condensed.note_id(place, change.extract, version)]):
        version += 1
    row = condensed.note_row(place, change.extract, version)
    event = audit.record(
        "note.condense",
        tenant=place.tenant,
        scope=place.scope,
        actor=AUTHOR,
        request=CONDENSE,
        payload={"facts": len(row["facts"]), "content_hash": row["properties"]["content_hash"]},
    )
    return {**row, "audit": event}


def _ended(note: str, by: Mapping[str, Any] | None, at: datetime) -> Row:
    """A later note holds from when it says; without one the old words are simply not kept up."""
    later = at if by is None else by["properties"]["valid_from"]
    reason = "there is no longer ground for it" if by is None else "more is held of it"
    return {"id": note, "by": by and by["id"], "valid_to": later, "reason": reason}


async def run_condensing(parts: Any, job: Job, report: Report) -> Outcome:
    """Look through the scope that the job names, or through every scope that has entities."""
    named = job.args.get("scope")
    rows = [] if named else await parts.graph.rows(Q.entities.places)
    scopes = [named] if named else [row["scope"] for row in rows]
    tally = Tally()
    for place, scope in enumerate(scopes, start=1):
        if (await parts.scopes.rules(scope)).condensed_notes:
            await parts.condensing.condense_all(scope, tally)
        await report({"scopes": place, "made": tally.made, "ended": tally.ended})
    return Outcome({"scopes": len(scopes), "made": tally.made, "ended": tally.ended})
