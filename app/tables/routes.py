"""Tables over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from app.access.parameters import Limit, Within
from app.kernel.caller import Caller, Role
from app.kernel.departures import READS as ONLY_READS
from app.tables.schemas import (
    InsertedOut,
    RowsDeletedOut,
    RowsDeleteIn,
    RowsIn,
    RowVersionOut,
    RowVersionsOut,
    SuggestedOut,
    SuggestionsOut,
    TableAnswerOut,
    TableIn,
    TableOut,
    TableQueryIn,
    TablesOut,
)
from app.tables.service import TableService, Which

InScope = Annotated[
    str | None,
    QueryParameter(name="scope", description="Scope of a named table; the key's home if unset."),
]


class TableController(Controller):
    """Rows of typed columns."""

    path = "/v1/tables"
    tags = ("Tables",)

    @post("/", operation_id="createTable", opt={"requires": Role.WRITER})
    async def create(
        self,
        data: JSONBody[TableIn],
        caller: NamedDependency[Caller],
        data_tables: NamedDependency[TableService],
    ) -> TableOut:
        """Make a table."""
        return TableOut.of(await data_tables.create(caller, data.to_draft()), 0, 0)

    @get("/", operation_id="listTables", opt={"requires": Role.READER})
    async def list_tables(
        self,
        caller: NamedDependency[Caller],
        data_tables: NamedDependency[TableService],
        within: Within = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> TablesOut:
        """List the tables that this key sees, with their columns, by id."""
        found = await data_tables.page(caller, within, cursor or "", limit + 1)
        items = [TableOut.of(table, rows) for table, rows in found[:limit]]
        return TablesOut(items, items[-1].id if len(found) > limit else None)

    @get("/suggestions", operation_id="suggestTables", opt={"requires": Role.READER})
    async def suggestions(
        self,
        caller: NamedDependency[Caller],
        data_tables: NamedDependency[TableService],
        scope_path: InScope = None,
    ) -> SuggestionsOut:
        """Suggest tables for what recent episodes of a scope say again and again, `name: value`."""
        scope, found = await data_tables.suggestions(caller, scope_path)
        return SuggestionsOut(scope, [SuggestedOut.of(one) for one in found])

    @get("/{table:str}", operation_id="getTable", opt={"requires": Role.READER})
    async def read(
        self,
        table: FromPath[str],
        caller: NamedDependency[Caller],
        data_tables: NamedDependency[TableService],
        scope_path: InScope = None,
    ) -> TableOut:
        """Describe a table, by name or id."""
        found = await data_tables.get(caller, Which(table, scope_path))
        size = await data_tables.count(found)
        return TableOut.of(found, size["rows"], size["bytes"])

    @delete(
        "/{table:str}",
        operation_id="dropTable",
        opt={"requires": Role.WRITER},
        status_code=HTTP_204_NO_CONTENT,
    )
    async def drop(
        self,
        table: FromPath[str],
        caller: NamedDependency[Caller],
        data_tables: NamedDependency[TableService],
        scope_path: InScope = None,
    ) -> None:
        """Drop a table with all versions of its rows."""
        await data_tables.drop(caller, Which(table, scope_path))

    @post(
        "/{table:str}/rows",
        operation_id="insertTableRows",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def insert(
        self,
        table: FromPath[str],
        data: JSONBody[RowsIn],
        caller: NamedDependency[Caller],
        data_tables: NamedDependency[TableService],
        scope_path: InScope = None,
    ) -> InsertedOut:
        """Insert rows, or upsert them by key columns: all or none."""
        which = Which(table, scope_path)
        return InsertedOut.of(await data_tables.insert(caller, which, data.rows, data.mode))

    @post(
        "/{table:str}/rows/delete",
        operation_id="deleteTableRows",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def delete_rows(
        self,
        table: FromPath[str],
        data: JSONBody[RowsDeleteIn],
        caller: NamedDependency[Caller],
        data_tables: NamedDependency[TableService],
        scope_path: InScope = None,
    ) -> RowsDeletedOut:
        """Delete the rows that a filter fits; reads with `known_at` still have them."""
        which = Which(table, scope_path)
        return RowsDeletedOut(await data_tables.delete(caller, which, data.filter))

    @get(
        "/{table:str}/rows/{row:str}/versions",
        operation_id="listTableRowVersions",
        opt={"requires": Role.READER},
    )
    async def versions(
        self,
        table: FromPath[str],
        row: FromPath[str],
        caller: NamedDependency[Caller],
        data_tables: NamedDependency[TableService],
        scope_path: InScope = None,
        limit: Limit = 50,
    ) -> RowVersionsOut:
        """List what a row was, newest first."""
        found = await data_tables.versions(caller, Which(table, scope_path), row, limit)
        return RowVersionsOut([RowVersionOut.of(each) for each in found])

    @post(
        "/{table:str}/query",
        operation_id="queryTable",
        opt={"requires": Role.READER, ONLY_READS: True},
        status_code=HTTP_200_OK,
    )
    async def query(
        self,
        table: FromPath[str],
        data: JSONBody[TableQueryIn],
        caller: NamedDependency[Caller],
        data_tables: NamedDependency[TableService],
        scope_path: InScope = None,
    ) -> TableAnswerOut:
        """Filter, sort and page rows, or sum groups of them."""
        which = Which(table, scope_path)
        return TableAnswerOut.of(await data_tables.query(caller, which, data.to_asked()))
