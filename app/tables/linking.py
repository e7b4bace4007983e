"""Rows are read for the names of what their scope knows: each gets an edge `HAS_DATA_IN` to them.

A name is found where it is written, the longest first; one that several things bear that nothing
joins is none of them, since data of the wrong person is worse than a hint that is missing. No
entity is made of a cell. What comes by a package, or becomes known later, is linked by a schedule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.entities.model import Known, alias_id
from app.entities.names import words
from app.entities.repository import EntityRepository
from app.entities.resolve import entity_row
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Tx
from app.sanitize.aside import READ, aside
from app.tables.kind import DATA_ROW, DATA_TABLE
from app.tables.model import COLLECTION, Row, Table
from app.tables.values import Cell

LONGEST = 5  # words of a name
MOST_WORDS = 60  # of one cell: what is longer is a text and no record
BATCH = 200  # rows of one transaction of the schedule


@dataclass(frozen=True, slots=True)
class Spoken:
    """The words of one cell, as names have them."""

    words: tuple[str, ...]

    def runs(self) -> Iterable[tuple[int, int, str]]:
        """Yield everything that may be a name, with its place, the longest first."""
        for size in range(min(LONGEST, len(self.words)), 0, -1):
            for start in range(len(self.words) - size + 1):
                yield start, start + size, " ".join(self.words[start : start + size])

    def named(self, known: Mapping[str, str | None]) -> list[str]:
        """Return what the cell names; a word is a part of one name only."""
        taken: set[int] = set()
        found: list[str] = []
        for start, end, key in self.runs():
            if key in known and taken.isdisjoint(range(start, end)):
                taken.update(range(start, end))
                found += [entity for entity in (known[key],) if entity is not None]
        return found


def spoken(cells: Mapping[str, Cell]) -> list[Spoken]:
    """Return the words of the cells that hold text and are no longer than a record's."""
    read = [tuple(words(cell)) for cell in cells.values() if isinstance(cell, str)]
    return [Spoken(one) for one in read if 0 < len(one) <= MOST_WORDS]


async def link_rows(tx: Tx, scope: str, rows: Sequence[Row]) -> None:
    """Link rows of one scope, whose locks are held, to what they name and to nothing else."""
    texts = [row.cells for row in rows]
    cells = await aside(texts, lambda: {row.id: spoken(row.cells) for row in rows}, READ)
    keys = {key for each in cells.values() for one in each for _, _, key in one.runs()}
    known = await _bearers(tx, scope, keys)
    linked = [
        {"id": row, "entities": sorted({e for one in each for e in one.named(known)})}
        for row, each in cells.items()
    ]
    await tx.rows(Q.tables.link, rows=linked)


async def _bearers(tx: Tx, scope: str, keys: Iterable[str]) -> dict[str, str | None]:
    """What some names mean; None where that is not sure."""
    by_alias = {alias_id(scope, key): key for key in keys}
    rows = await tx.rows(Q.tables.bearers, aliases=sorted(by_alias), scope=scope)
    return {
        by_alias[row["alias"]]: row["entity"] if len(row["roots"]) == 1 else None for row in rows
    }


async def stand_for(graph: Graph, tx: Tx, table: Table) -> None:
    """Write the entity of type `collection` that stands for a table, and its edge."""
    entity = str(table.derived()["entity"])
    known = Known(entity, entity, COLLECTION, (table.key,), frozenset({table.name}), frozenset())
    row = {**entity_row(known, table.scope, now()), "names": table.aliases}
    await EntityRepository(graph).upsert(tx, [row])
    await tx.rows(Q.tables.link_table, id=table.id, entity=entity)


class Linker:
    """Links what waits, and once a day everything anew: things become known after their data."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def waiting(self) -> int:
        """Link tables and rows that a package brought or an erasure changed; how many."""
        count, after = 0, ""
        while page := await self.graph.rows(Q.tables.unlinked, after=after, limit=BATCH):
            after = page[-1]["id"]
            await self._link([row["id"] for row in page])
            count += len(page)
        return count

    async def anew(self, *, dry_run: bool = False) -> int:
        """Link all rows of all scopes again; how many those are."""
        count, after = 0, ""
        while page := await self.graph.rows(Q.tables.relink_scopes, after=after, limit=BATCH):
            after = page[-1]["scope"]
            for row in page:
                count += await self._scope(row["scope"], dry_run=dry_run)
        return count

    async def _scope(self, scope: str, *, dry_run: bool) -> int:
        count, after = 0, ""
        while page := await self.graph.many(
            Q.tables.rows_after, Row, scope=scope, after=after, limit=BATCH
        ):
            after = page[-1].id
            if not dry_run:
                await self._link([row.id for row in page])
            count += len(page)
        return count

    async def _link(self, ids: list[str]) -> None:
        async def work(tx: Tx) -> None:
            found = await tx.rows(Q.tables.lock_linked, ids=ids, at=now())
            for row in found:
                if row["kind"] == DATA_TABLE.name:
                    await stand_for(self.graph, tx, Table.of(row["item"]))
            rows = [Row.of(row["item"]) for row in found if row["kind"] == DATA_ROW.name]
            for scope in sorted({row.scope for row in rows}):
                await link_rows(tx, scope, [row for row in rows if row.scope == scope])

        await self.graph.write("tables.linking", work)
