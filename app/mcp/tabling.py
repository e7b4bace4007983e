"""The tools of data tables, which only the profile `data` lists."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from app.kernel.caller import Caller, Role
from app.kernel.wire import ShortText, WireModel
from app.mcp import telling
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.tables.schemas import (
    InsertedOut,
    RowsDeletedOut,
    RowsDeleteIn,
    RowsIn,
    TableAnswerOut,
    TableIn,
    TableOut,
    TableQueryIn,
    TablesOut,
)
from app.tables.service import Which

Named = Annotated[ShortText, Field(description="Name of the table, or its id.")]
InScope = Annotated[
    str | None, Field(description="Scope of a named table; the key's home if unset.")
]


class InsertRowsIn(RowsIn):
    """Rows for a table."""

    table: Named
    scope: InScope = None


class QueryTableIn(TableQueryIn):
    """A question to a table."""

    table: Named
    scope: InScope = None


class DeleteRowsIn(RowsDeleteIn):
    """Which rows of a table go."""

    table: Named
    scope: InScope = None


class ListTablesIn(WireModel):
    """Where to look for tables."""

    scopes: tuple[str, ...] | None = Field(
        None, description="Scopes to read; all visible if unset."
    )
    cursor: str | None = Field(None, description="Where the page before ended.")
    limit: Annotated[int, Field(ge=1, le=100)] = 50


async def create(services: Services, caller: Caller, given: TableIn) -> Told:
    """Make a table."""
    shown = TableOut.of(await services.data_tables.create(caller, given.to_draft()), 0, 0)
    return Told(shown, f"Table {shown.name} is made in {shown.scope}.")


async def insert(services: Services, caller: Caller, given: InsertRowsIn) -> Told:
    """Write rows, all or none."""
    which = Which(given.table, given.scope)
    done = InsertedOut.of(await services.data_tables.insert(caller, which, given.rows, given.mode))
    says = f"{done.inserted} inserted, {done.updated} updated, {done.unchanged} unchanged."
    return Told(done, says)


async def query(services: Services, caller: Caller, given: QueryTableIn) -> Told:
    """Answer a question to a table."""
    which = Which(given.table, given.scope)
    shown = TableAnswerOut.of(await services.data_tables.query(caller, which, given.to_asked()))
    says = f"{telling.counted(len(shown.items), 'row', 'rows')} of {shown.total}."
    return Told(shown, telling.data(says, shown))


async def delete(services: Services, caller: Caller, given: DeleteRowsIn) -> Told:
    """Delete the rows that a filter fits."""
    which = Which(given.table, given.scope)
    done = await services.data_tables.delete(caller, which, given.filter)
    return Told(RowsDeletedOut(done), f"{telling.counted(done, 'row is', 'rows are')} deleted.")


async def list_tables(services: Services, caller: Caller, given: ListTablesIn) -> Told:
    """Tables with their columns."""
    scopes = None if given.scopes is None else list(given.scopes)
    found = await services.data_tables.page(caller, scopes, given.cursor or "", given.limit + 1)
    items = [TableOut.of(table, rows) for table, rows in found[: given.limit]]
    shown = TablesOut(items, items[-1].id if len(found) > given.limit else None)
    return Told(shown, telling.data(telling.counted(len(items), "table.", "tables."), shown))


DATA = (
    Tool(
        name="data_store_create",
        title="Make a data table",
        description="Make a table with typed columns for data that recurs; key columns tell rows "
        "apart.",
        takes=TableIn,
        gives=TableOut,
        run=create,
        requires=Role.WRITER,
        again=False,
    ),
    Tool(
        name="data_store_insert",
        title="Write rows",
        description="Insert rows into a table, or upsert them by its key columns: all or none.",
        takes=InsertRowsIn,
        gives=InsertedOut,
        run=insert,
        requires=Role.WRITER,
        destructive=True,
        again=False,
    ),
    Tool(
        name="data_store_query",
        title="Ask a data table",
        description="Filter, sort and page the rows of a table, or sum, average and count them by "
        "groups; sums are exact.",
        takes=QueryTableIn,
        gives=TableAnswerOut,
        run=query,
    ),
    Tool(
        name="data_store_delete",
        title="Delete rows",
        description="Delete the rows of a table that a filter fits; a filter is required.",
        takes=DeleteRowsIn,
        gives=RowsDeletedOut,
        run=delete,
        requires=Role.WRITER,
        destructive=True,
    ),
    Tool(
        name="data_store_list",
        title="List data tables",
        description="List tables with their columns and how many rows they have.",
        takes=ListTablesIn,
        gives=TablesOut,
        run=list_tables,
    ),
)
