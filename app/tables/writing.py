"""Rows as they are handed in: checked against the columns of their table. Pure but for a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from app.errors import InvalidInput, TooLarge
from app.kernel.ids import new_id
from app.sanitize.policy import SanitizePolicy
from app.sanitize.tree import sanitize_tree
from app.tables.kind import DATA_ROW
from app.tables.model import Row, Table, key_id
from app.tables.values import Cell, ColumnType, stored


@dataclass(frozen=True, slots=True)
class Given:
    """A row as it was handed in: `place` in the list, the cells that it names, and whose row."""

    place: int
    row: str
    cells: dict[str, Cell]


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of a row: a new version, and the one that it takes the place of."""

    made: Row
    former: Row | None


def read_rows(
    table: Table, rows: Sequence[Mapping[str, Any]], policy: SanitizePolicy, most: int
) -> list[Given]:
    """Return rows as they may be stored, of at most `most` bytes each.

    Raises InvalidInput naming row and column, such as `rows.3.revenue`, and TooLarge (413).
    """
    seen: dict[str, int] = {}
    found: list[Given] = []
    for place, cells in enumerate(rows):
        given = _row(table, place, cells, policy)
        if len(orjson.dumps(given.cells)) > most:
            raise TooLarge(f"a row has {most} bytes at most", field=f"rows.{place}")
        if given.row in seen:
            says = f"rows {seen[given.row]} and {place} have one key"
            raise InvalidInput(says, field=f"rows.{place}")
        seen[given.row] = place
        found.append(given)
    return found


def _row(table: Table, place: int, cells: Mapping[str, Any], policy: SanitizePolicy) -> Given:
    at = f"rows.{place}"
    types = table.types
    for name in cells:
        if name not in types:
            raise InvalidInput("the table has no such column", field=f"{at}.{name}"[:200])
    read = {
        name: _cell(cells[name], types[name], policy, f"{at}.{name}")
        for name in types
        if name in cells
    }
    for key in table.keys:
        if read.get(key) is None:
            raise InvalidInput("a key column cannot be empty", field=f"{at}.{key}")
        if read[key] != stored(cells[key], types[key]):
            says = "sanitising changes this text, so that it cannot be a key"
            raise InvalidInput(says, field=f"{at}.{key}")
    return Given(place, key_id(read, table.keys) if table.keys else new_id(), read)


def _cell(given: Any, kind: ColumnType, policy: SanitizePolicy, at: str) -> Cell:
    if given is None:
        return None
    try:
        cell = stored(given, kind)
    except ValueError as error:
        raise InvalidInput(str(error), field=at) from None
    if kind is not ColumnType.TEXT:
        return cell
    clean: str = sanitize_tree(cell, policy, at)
    return clean


def check_required(table: Table, cells: Mapping[str, Cell], place: int) -> None:
    """Raise InvalidInput where a cell is empty that is required."""
    for column in table.columns:
        if column.required and cells.get(column.name) is None:
            raise InvalidInput("the column is required", field=f"rows.{place}.{column.name}")


def merged(table: Table, given: Given, held: Row | None, who: str, at: datetime) -> Change | None:
    """Return the next version of a row: the cells that were handed in, and the others as they are;
    None where nothing changes. Raises InvalidInput for a cell that is required and empty."""
    before = held.cells if held else {}
    cells = {name: cell for name, cell in {**before, **given.cells}.items() if cell is not None}
    check_required(table, cells, given.place)
    if held is not None and cells == {k: v for k, v in before.items() if v is not None}:
        return None
    changed = {name for name in cells if cells[name] != before.get(name)} | {*table.keys}
    writers = {**(held.writers if held else {}), **dict.fromkeys(changed, who)}
    made = Row(
        id="new",
        scope=table.scope,
        name=table.name,
        row_id=given.row,
        keys=table.keys,
        cells={name: cells[name] for name in table.types if name in cells},
        recorded_at=at,
        recorded_by=who,
        writers={name: by for name, by in writers.items() if name in cells},
    )
    return Change(DATA_ROW.placed(made), held)


def retracted(row: Row, who: str, at: datetime) -> Row:
    """Return a version as it was held until a moment."""
    return row.model_copy(update={"retracted_at": at, "retracted_by": who})
