"""Tables: made, listed, filled, asked, and dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from app.errors import (
    AlreadyExists,
    Forbidden,
    InvalidInput,
    NotFound,
    QuotaReached,
    StateRefused,
    TooLarge,
)
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Tx
from app.kernel.graph import Row as Record
from app.kernel.scope import parse_scope
from app.sanitize.aside import READ, aside, sanitize_tree_aside
from app.sanitize.policy import SanitizePolicy
from app.sanitize.tree import sanitize_tree
from app.scopes.service import ScopeService
from app.scopes.tuning import tuned
from app.tables.filters import Test
from app.tables.kind import DATA_ROW, DATA_TABLE
from app.tables.linking import link_rows, stand_for
from app.tables.model import MOST_KEYS, Column, Row, Table
from app.tables.reading import Answer, Asked, answer, fitting, values_of
from app.tables.suggesting import LOOKED, Suggested, suggest
from app.tables.writing import Change, Given, merged, read_rows, retracted

TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class TableLimits:
    """Limits of the settings: tables of one scope; columns, rows, former versions and bytes of one
    table; bytes of one row; rows of one insert."""

    tables: int = tuned("tables.per_scope")
    columns: int = tuned("tables.columns")
    rows: int = tuned("tables.rows")
    versions: int = tuned("tables.versions")
    bytes: int = tuned("tables.max_bytes")
    row_bytes: int = tuned("tables.row_bytes")
    batch: int = tuned("tables.batch")


@dataclass(frozen=True, slots=True)
class Draft:
    """What a client hands in of a table, not yet sanitised."""

    name: str
    scope: str | None
    description: str | None
    columns: tuple[Column, ...]
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Which:
    """A table as an address names it: by id, or by name in a scope, the key's home if unset."""

    named: str
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class Inserted:
    """What became of rows: their ids in the order given, and how many are new or changed."""

    ids: list[str]
    inserted: int
    updated: int
    unchanged: int


class TableService:
    """Every operation on tables; those of a scope that is not seen are not there."""

    def __init__(self, graph: Graph, scopes: ScopeService, limits: TableLimits) -> None:
        self.graph = graph
        self.limits = limits
        self._scopes = scopes

    async def create(self, caller: Caller, draft: Draft) -> Table:
        """Make a table without rows, and the entity that stands for it.

        Raises AlreadyExists (409), QuotaReached (409), and InvalidInput naming the column.
        """
        scope = caller.require(str(parse_scope(draft.scope or caller.home)), Role.WRITER)
        policy = await self._scopes.policy(scope)
        most, said = (await self._bounds(scope)).columns, draft.description
        names = [draft.name, *(column.name for column in draft.columns)]
        await aside(names, lambda: check(draft, policy, most))
        table = DATA_TABLE.placed(
            Table(
                id="new",
                scope=scope,
                name=draft.name,
                description=said and await sanitize_tree_aside(said, policy, "description"),
                columns=draft.columns,
                keys=draft.keys,
                created_at=now(),
                created_by=caller.principal,
                described_by=caller.principal if said else "",
            )
        )

        async def work(tx: Tx) -> Table:
            return await self._store(tx, caller, table)

        return await self.graph.write("tables.create", work)

    async def get(self, caller: Caller, which: Which) -> Table:
        """Return a table that the caller sees; NotFound."""
        scope = which.scope or caller.home
        ids = [which.named, DATA_TABLE.id_of(scope, which.named)]
        found = await self.graph.many(Q.tables.find, Table, ids=ids, scopes=caller.visible)
        seen = [table for table in found if which.scope is None or table.scope == which.scope]
        if not seen:
            raise NotFound(f"there is no table {which.named[:128]}", field="table")
        return seen[0]

    async def page(
        self, caller: Caller, within: list[str] | None, after: str, limit: int
    ) -> list[tuple[Table, int]]:
        """Return tables with the number of their rows, by id."""
        scopes = caller.among(within)
        rows = await self.graph.rows(Q.tables.page, scopes=scopes, after=after, limit=limit)
        return [(Table.of(row["item"]), row["rows"]) for row in rows]

    async def count(self, table: Table) -> Record:
        """Return how many present rows a table has, and their bytes."""
        return await self.graph.one(Q.tables.size, id=table.id, scope=table.scope)

    async def drop(self, caller: Caller, which: Which) -> None:
        """Take a table out with all versions of its rows; its maker does, or a curator."""
        seen = await self._writable(caller, which)
        if seen.created_by != caller.principal and not caller.may(seen.scope, Role.CURATOR):
            raise Forbidden("the maker of a table drops it, or a curator")

        async def work(tx: Tx) -> None:
            table = await self._locked(tx, caller, seen)
            parts = await tx.rows(Q.tables.parts, id=table.id, scope=table.scope)
            await tx.rows(Q.kinds.drop, ids=[*(row["id"] for row in parts), table.id])
            event = _event(caller, "table.drop", table, versions=len(parts))
            await tx.rows(Q.tables.tell, events=[event])

        await self.graph.write("tables.drop", work)

    async def insert(
        self, caller: Caller, which: Which, rows: Sequence[Mapping[str, Any]], mode: str | None
    ) -> Inserted:
        """Write rows; in the mode `upsert` a row of a known key gets the cells that are given.

        All are written or none. Without a mode, key columns decide it.
        Raises InvalidInput naming row and column, AlreadyExists (409) for a key that is there where
        nothing is to be changed, QuotaReached (409) and TooLarge (413).
        """
        table = await self._writable(caller, which)
        upsert = mode == "upsert" or (mode is None and bool(table.keys))
        if upsert and not table.keys:
            raise InvalidInput("the table has no key columns to upsert by", field="mode")
        limits = await self._bounds(table.scope)
        if len(rows) > limits.batch:
            raise TooLarge(f"an insert has {limits.batch} rows at most", field="rows")
        policy = await self._scopes.policy(table.scope)
        given = await asyncio.to_thread(read_rows, table, rows, policy, limits.row_bytes)

        async def work(tx: Tx) -> Inserted:
            held = await self._locked(tx, caller, table)
            return await self._insert(tx, caller, held, given, upsert)

        return await self.graph.write("tables.insert", work)

    async def delete(self, caller: Caller, which: Which, given: Any) -> int:
        """Retract the rows that a filter fits; reads of a former moment still have them."""
        table = await self._writable(caller, which)
        fits = await aside(given, lambda: fitting(table, given), READ)

        async def work(tx: Tx) -> int:
            held = await self._locked(tx, caller, table)
            return await self._retract(tx, caller, held, fits)

        return await self.graph.write("tables.delete", work)

    async def query(self, caller: Caller, which: Which, asked: Asked) -> Answer:
        """Return rows or figures; those of a former moment with `known_at`."""
        return await answer(self.graph, await self.get(caller, which), asked)

    async def versions(self, caller: Caller, which: Which, row: str, limit: int) -> list[Row]:
        """Return the versions of a row that are kept, newest first; NotFound."""
        table = await self.get(caller, which)
        found = await self.graph.many(
            Q.tables.versions, Row, id=table.id, scope=table.scope, row=row, limit=limit
        )
        if not found:
            raise NotFound(f"the table has no row {row[:128]}", field="row")
        return found

    async def suggestions(self, caller: Caller, scope: str | None) -> tuple[str, list[Suggested]]:
        """Return the tables that recent episodes of a scope suggest; it makes none."""
        place = caller.require(str(parse_scope(scope or caller.home)), Role.READER)
        rows = await self.graph.rows(Q.tables.recent, scope=place, limit=LOOKED)
        tables = await self.graph.many(Q.tables.columns_of, Table, scope=place)
        texts = [(row["id"], row["content"]) for row in rows]
        return place, await asyncio.to_thread(suggest, texts, [table.types for table in tables])

    # --- within -------------------------------------------------------------------------------

    async def _bounds(self, scope: str) -> TableLimits:
        return await self._scopes.limits(self.limits, scope)

    async def _store(self, tx: Tx, caller: Caller, table: Table) -> Table:
        found = await tx.optional(Q.tables.lock_scope, scope=table.scope, at=now())
        if found is None:
            raise NotFound(f"there is no scope {table.scope}", field="scope")
        most = (await self._bounds(table.scope)).tables
        if found["tables"] >= most:
            raise QuotaReached(f"a scope has {most} tables", field="scope")
        if not await tx.rows(Q.kinds.restore, rows=[DATA_TABLE.new(table)]):
            raise AlreadyExists(f"there is a table {table.name}", field="name")
        await stand_for(self.graph, tx, table)
        await tx.rows(Q.tables.tell, events=[_event(caller, "table.create", table)])
        return table

    async def _insert(
        self, tx: Tx, caller: Caller, table: Table, given: list[Given], upsert: bool
    ) -> Inserted:
        ids = [each.row for each in given]
        held = await self._held(tx, table, ids)
        at = max([now(), *(one.recorded_at + TICK for each in held.values() for one in each)])
        changes: list[Change] = []
        for each in given:
            there = held.get(each.row, [])
            if there and not upsert:
                raise AlreadyExists("there is a row of this key", field=f"rows.{each.place}")
            change = merged(table, each, there[0] if there else None, caller.principal, at)
            changes += [change] if change else []
        old = [one for c in changes if c.former for one in held[c.made.row_id]]
        await self._close(tx, table, [retracted(one, caller.principal, at) for one in old])
        made = [change.made for change in changes]
        await tx.rows(Q.kinds.restore, rows=[DATA_ROW.new(row) for row in made])
        await self._check_size(tx, table)
        await link_rows(tx, table.scope, made)
        await self._tell(tx, caller, table, "table.insert", len(made), wrote=bool(made))
        updated = sum(change.former is not None for change in changes)
        return Inserted(ids, len(made) - updated, updated, len(given) - len(made))

    async def _retract(self, tx: Tx, caller: Caller, table: Table, fits: Test) -> int:
        rows = await tx.rows(Q.tables.rows_now, id=table.id, scope=table.scope)
        cells = [row["cells"] for row in rows]
        found = await aside(cells, lambda: [fits(values_of(table, one)) for one in cells], READ)
        ids = sorted({row["row"] for row, fit in zip(rows, found, strict=True) if fit})
        # What an erasure took of a row in between must not come back with its last version.
        held = await self._held(tx, table, ids)
        at = max([now(), *(one.recorded_at + TICK for each in held.values() for one in each)])
        old = [retracted(one, caller.principal, at) for each in held.values() for one in each]
        await self._close(tx, table, old)
        await self._tell(tx, caller, table, "table.delete", len(held))
        return len(held)

    async def _held(self, tx: Tx, table: Table, rows: list[str]) -> dict[str, list[Row]]:
        """The present versions of some rows, locked; one a row, but for what packages bring."""
        found = await tx.many(
            Q.tables.lock_rows, Row, id=table.id, scope=table.scope, rows=rows, at=now()
        )
        held: dict[str, list[Row]] = {}
        for row in sorted(found, key=lambda one: one.recorded_at, reverse=True):
            held.setdefault(row.row_id, []).append(row)
        return held

    async def _close(self, tx: Tx, table: Table, rows: list[Row]) -> None:
        """Keep versions that are retracted, without their links; the oldest ones make room."""
        if not rows:
            return
        await tx.rows(Q.kinds.change, rows=[DATA_ROW.row(row) for row in rows])
        await tx.rows(Q.tables.unlink, ids=[row.id for row in rows])
        keep = (await self._bounds(table.scope)).versions
        await tx.one(Q.tables.prune, id=table.id, scope=table.scope, keep=keep)

    async def _check_size(self, tx: Tx, table: Table) -> None:
        size = await tx.one(Q.tables.size, id=table.id, scope=table.scope)
        limits = await self._bounds(table.scope)
        if size["rows"] > limits.rows:
            raise QuotaReached(f"a table has {limits.rows} rows at most", field="rows")
        if size["bytes"] > limits.bytes:
            raise QuotaReached(f"a table has {limits.bytes} bytes at most", field="rows")

    async def _tell(
        self, tx: Tx, caller: Caller, table: Table, kind: str, count: int, *, wrote: bool = False
    ) -> None:
        """Keep who wrote rows, and audit."""
        if wrote and caller.principal not in table.writers:
            more = table.model_copy(update={"writers": (*table.writers, caller.principal)})
            await tx.rows(Q.kinds.change, rows=[{**DATA_TABLE.row(more), "unlinked": None}])
        await tx.rows(Q.tables.tell, events=[_event(caller, kind, table, rows=count)])

    async def _writable(self, caller: Caller, which: Which) -> Table:
        table = await self.get(caller, which)
        caller.require(table.scope, Role.WRITER)
        return table

    async def _locked(self, tx: Tx, caller: Caller, seen: Table) -> Table:
        """The table that was seen, locked; StateRefused where another has its name now."""
        found = await tx.many(Q.tables.lock, Table, ids=[seen.id], scopes=caller.visible, at=now())
        if not found:
            raise NotFound(f"there is no table {seen.name}", field="table")
        if (found[0].columns, found[0].keys) != (seen.columns, seen.keys):
            raise StateRefused("the table was made anew meanwhile", field="table")
        return found[0]


def check(draft: Draft, policy: SanitizePolicy, most: int) -> None:
    """Raise InvalidInput naming what is wrong with the columns of a table, and QuotaReached."""
    if len(draft.columns) > most:
        raise QuotaReached(f"a table has {most} columns at most", field="columns")
    if sanitize_tree(draft.name, policy, "name") != draft.name:
        raise InvalidInput("sanitising changes this name", field="name")
    seen: set[str] = set()
    for place, column in enumerate(draft.columns):
        at = f"columns.{place}.name"
        if sanitize_tree(column.name, policy, at) != column.name:
            raise InvalidInput("sanitising changes this name", field=at)
        if column.name.casefold() in seen:
            raise InvalidInput("two columns have this name", field=at)
        seen.add(column.name.casefold())
    names = [column.name for column in draft.columns]
    if len(draft.keys) > MOST_KEYS or len({*draft.keys}) < len(draft.keys):
        raise InvalidInput(f"keys are {MOST_KEYS} different columns at most", field="keys")
    for place, key in enumerate(draft.keys):
        if key not in names:
            raise InvalidInput("the table has no such column", field=f"keys.{place}")


def _event(caller: Caller, kind: str, table: Table, **payload: Any) -> Record:
    return {
        **audit.event(caller, kind, table.scope, table=table.id, **payload),
        "target": table.id,
    }
