"""`loci table`: data tables from the command line, as the operator of this machine."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.console import Console
from app.cli.entities import AsJson, Scope, print_json, run_in
from app.cli.later import later
from app.cli.tables import listing
from app.errors import InvalidInput, LociError, NotFound

with later():
    from app.kernel.caller import Caller
    from app.kernel.wire import model_of
    from app.tables.model import Table
    from app.tables.schemas import TableAnswerOut, TableIn, TableOut, TableQueryIn
    from app.tables.service import Inserted, Which
    from app.tables.values import ColumnType
    from app.wiring import Parts

console = Console()
MOST = 200  # tables of one listing

Named = Annotated[str, typer.Argument(help="Name of the table, or its id.")]
Words = {"true": True, "false": False}


def register(cli: typer.Typer) -> None:
    """Add the group to the program."""
    group = typer.Typer(help="Data tables and their rows.", no_args_is_help=True)
    group.command("list")(list_tables)
    group.command("query")(query)
    group.command("import")(take)
    cli.add_typer(group, name="table")


def list_tables(scope: Scope, as_json: AsJson = False) -> None:
    """The tables of a scope, with their columns."""

    async def work(opened: Parts, caller: Caller) -> list[TableOut]:
        found = await opened.data_tables.page(caller, [scope], "", MOST)
        return [TableOut.of(table, rows) for table, rows in found]

    found = run_in(scope, work)
    if as_json:
        print_json(found)
        return
    table = listing("id", "name", "rows", "columns")
    for item in found:
        columns = ", ".join(f"{c['name']} {c['type']}" for c in item.untrusted["columns"])
        table.add_row(item.id, item.name, str(item.rows), columns)
    console.print(table)


def query(
    scope: Scope,
    name: Named,
    question: Annotated[
        str, typer.Argument(help='JSON as for the API, such as {"limit": 5}; all rows if unset.')
    ] = "{}",
    as_json: AsJson = False,
) -> None:
    """Rows of a table, or figures of them."""
    asked = model_of(TableQueryIn, _object(question)).to_asked()

    async def work(opened: Parts, caller: Caller) -> TableAnswerOut:
        return TableAnswerOut.of(await opened.data_tables.query(caller, Which(name, scope), asked))

    found = run_in(scope, work)
    if as_json:
        print_json(found)
        return
    rows = [item.untrusted["cells"] for item in found.items]
    table = listing(*(rows[0] if rows else ["no rows"]))
    for row in rows:
        table.add_row(*("" if cell is None else str(cell) for cell in row.values()))
    console.print(table)
    console.print(f"{len(rows)} of {found.total}")


def take(
    scope: Scope,
    name: Annotated[str, typer.Argument(help="Name of the table.")],
    file: Annotated[Path, typer.Argument(help="CSV in UTF-8 with a line of column names.")],
    column: Annotated[
        list[str] | None,
        typer.Option(help="name:type of a column, to make the table; may be given many times."),
    ] = None,
    key: Annotated[list[str] | None, typer.Option(help="A key column of the new table.")] = None,
) -> None:
    """Insert the rows of a CSV file, or upsert them where the table has key columns.

    Each 1,000 rows are written or none; an error names the line. Empty cells stay as they are.
    """

    async def work(opened: Parts, caller: Caller) -> Inserted:
        table = await _table(opened, caller, Which(name, scope), column, key)
        total = Inserted([], 0, 0, 0)
        for first, rows in _batches(file, table, opened.data_tables.limits.batch):
            done = await _insert(opened, caller, table, first, rows)
            total = Inserted(
                [],
                total.inserted + done.inserted,
                total.updated + done.updated,
                total.unchanged + done.unchanged,
            )
        return total

    done = run_in(scope, work)
    console.print(f"{done.inserted} inserted, {done.updated} updated, {done.unchanged} unchanged")


async def _table(
    opened: Parts, caller: Caller, which: Which, columns: list[str] | None, keys: list[str] | None
) -> Table:
    try:
        return await opened.data_tables.get(caller, which)
    except NotFound:
        if not columns:
            raise
    made = [_column(each) for each in columns]
    given = {"name": which.named, "columns": made, "keys": keys or [], "scope": which.scope}
    return await opened.data_tables.create(caller, model_of(TableIn, given).to_draft())


async def _insert(
    opened: Parts, caller: Caller, table: Table, first: int, rows: list[dict[str, Any]]
) -> Inserted:
    try:
        return await opened.data_tables.insert(caller, Which(table.id), rows, None)
    except LociError as error:
        parts = (error.field or "").split(".", 2)
        if len(parts) < 2 or not parts[1].isdecimal():
            raise
        place = f"row {first + int(parts[1])}{f', {parts[2]}' if len(parts) > 2 else ''}"
        raise type(error)(f"{place}: {error.detail}") from None


def _batches(file: Path, table: Table, size: int) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Rows of a file, so many at once, with the number of the first; the first of all is 1."""
    with file.open(encoding="utf-8-sig", newline="") as lines:
        rows: list[dict[str, Any]] = []
        number = 0
        for number, row in enumerate(csv.DictReader(lines), start=1):
            rows.append(_row(row, table, number))
            if len(rows) == size:
                yield number - size + 1, rows
                rows = []
        if rows:
            yield number - len(rows) + 1, rows


def _row(row: dict[str | Any, Any], table: Table, number: int) -> dict[str, Any]:
    if None in row or None in row.values():
        raise InvalidInput(f"row {number} has not as many cells as the first line")
    types = table.types
    return {n: _cell(cell, types.get(n)) for n, cell in row.items() if cell != ""}


def _cell(cell: str, kind: ColumnType | None) -> Any:
    """A cell as JSON would have it; what does not fit its column is for the service to name."""
    if kind is ColumnType.INTEGER and cell.lstrip("+-").isdecimal() and len(cell) < 20:
        return int(cell)
    return Words.get(cell.lower(), cell) if kind is ColumnType.BOOLEAN else cell


def _column(given: str) -> dict[str, str]:
    name, colon, kind = given.rpartition(":")
    return {"name": name, "type": kind} if colon else {"name": given}


def _object(given: str) -> dict[str, Any]:
    try:
        read = json.loads(given)
    except ValueError:
        raise InvalidInput("the question is no JSON") from None
    if not isinstance(read, dict):
        raise InvalidInput("the question is a JSON object")
    return read
