"""A question to a table: read against its columns, then answered from the rows of a moment."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from app.errors import InvalidInput
from app.kernel import paging
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.kernel.graph import Row as Record
from app.sanitize.aside import READ, aside, is_long
from app.tables.asking import FUNCTIONS, Aggregate, Line, Order, Question, answered
from app.tables.filters import Reader, Test
from app.tables.model import Column, Table
from app.tables.values import Cell, ColumnType, Value, compared, shown

QUICK = 500  # rows that are looked through without a thread of their own
MOST_SORTED, MOST_GROUPED, MOST_FIGURES = 8, 8, 20


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as a client asks for it."""

    function: str
    column: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What a client asks of a table; all columns where none are named."""

    filter: Any = None
    columns: tuple[str, ...] = ()
    sort: tuple[Order, ...] = ()
    group_by: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    limit: int = 50
    cursor: str | None = None
    known_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A page of rows or groups; `rows` tells of each row its id and who wrote it when."""

    lines: list[dict[str, Cell]]
    rows: list[Record]
    total: int
    next: str | None
    known_at: datetime = field(default_factory=now)


def fitting(table: Table, given: Any) -> Test:
    """Return the test that a required filter describes; InvalidInput naming what is wrong."""
    if not given:
        raise InvalidInput("a filter is required: nothing is deleted without one", field="filter")
    return Reader(table.types).read(given)


def question(table: Table, asked: Asked) -> Question:
    """Return what is asked, read against the columns; InvalidInput naming what is wrong."""
    types = table.types
    test = None if asked.filter is None else Reader(types).read(asked.filter)
    _known(asked.columns, types, "columns")
    _known(asked.group_by, types, "group_by")
    figures = tuple(_figures(asked, types))
    if asked.group_by and len(asked.group_by) > MOST_GROUPED:
        raise InvalidInput(f"groups are of {MOST_GROUPED} columns at most", field="group_by")
    if figures and asked.columns:
        raise InvalidInput("figures have no columns but those of group_by", field="columns")
    there = [*asked.group_by, *(each.name for each in figures)] if figures else [*types]
    if len({*there}) < len(there):
        raise InvalidInput("two figures or columns have one name", field="aggregates")
    if len(asked.sort) > MOST_SORTED:
        raise InvalidInput(f"rows are sorted by {MOST_SORTED} columns at most", field="sort")
    for place, order in enumerate(asked.sort):
        if order.column not in there:
            raise InvalidInput("there is no such column", field=f"sort.{place}.column")
    return Question(test, asked.sort, asked.group_by, figures, table.keys)


async def answer(graph: Graph, table: Table, asked: Asked) -> Answer:
    """Return the page of an answer; all pages of one are of one moment."""
    wanted = await aside(asked.filter, lambda: question(table, asked), READ)
    at, skip = _place(asked)
    rows = await _rows(graph, table, at)
    present = at or max([now(), *(row["recorded_at"] for row in rows)])
    if len(rows) > QUICK or is_long([row["cells"] for row in rows], READ):
        lines = await asyncio.to_thread(_answered, table, wanted, rows)
    else:
        lines = _answered(table, wanted, rows)
    page = lines[skip : skip + asked.limit]
    more = len(lines) > skip + asked.limit
    by_id = {row["row"]: row for row in rows}
    names = asked.columns or (() if wanted.figures else tuple(table.types))
    told = [{name: shown(line.values[name]) for name in names or line.values} for line in page]
    return Answer(
        lines=told,
        rows=[by_id[line.id] for line in page if line.id],
        total=len(lines),
        next=paging.encode(present, str(skip + asked.limit)) if more else None,
        known_at=present,
    )


async def _rows(graph: Graph, table: Table, at: datetime | None) -> list[Record]:
    """The rows of a moment, each once: of two versions that packages brought the later one."""
    if at is None:
        found = await graph.rows(Q.tables.rows_now, id=table.id, scope=table.scope)
    else:
        found = await graph.rows(Q.tables.rows_at, id=table.id, scope=table.scope, at=at)
    found.sort(key=lambda row: (row["recorded_at"], row["id"]))
    return list({row["row"]: row for row in found}.values())


def _answered(table: Table, wanted: Question, rows: Iterable[Record]) -> list[Line]:
    return answered(wanted, [Line(row["row"], values_of(table, row["cells"])) for row in rows])


def values_of(table: Table, cells: str) -> dict[str, Value]:
    """Return the cells of a stored row as they are compared, an empty one for each that lacks."""
    return values_of_columns(table.columns, cells)


def values_of_columns(columns: Iterable[Column], cells: str) -> dict[str, Value]:
    """Return the same of a table of which only the columns are at hand."""
    there: Mapping[str, object] = orjson.loads(cells)
    return {column.name: compared(there.get(column.name), column.type) for column in columns}


def _place(asked: Asked) -> tuple[datetime | None, int]:
    """The moment of which rows are read, and how many were told before."""
    if asked.cursor is None:
        return asked.known_at, 0
    at, skip = paging.decode(asked.cursor)
    if not skip.isdecimal() or len(skip) > 9:
        raise InvalidInput("the cursor was not made by this API", field="cursor")
    return at, int(skip)


def _known(names: Sequence[str], types: Mapping[str, ColumnType], at: str) -> None:
    for place, name in enumerate(names):
        if name not in types:
            raise InvalidInput("the table has no such column", field=f"{at}.{place}")
    if len({*names}) < len(names):
        raise InvalidInput("a column is named twice", field=at)


def _figures(asked: Asked, types: Mapping[str, ColumnType]) -> Iterable[Aggregate]:
    given = asked.figures
    if len(given) > MOST_FIGURES:
        raise InvalidInput(f"there are {MOST_FIGURES} aggregates at most", field="aggregates")
    if asked.group_by and not given:
        given = (Figure("count"),)
    for place, each in enumerate(given):
        yield _figure(each, types, f"aggregates.{place}")


def _figure(each: Figure, types: Mapping[str, ColumnType], at: str) -> Aggregate:
    if each.function not in FUNCTIONS:
        raise InvalidInput(f"a function is one of {', '.join(FUNCTIONS)}", field=f"{at}.function")
    if each.column is None:
        if each.function != "count":
            raise InvalidInput(f"{each.function} needs a column", field=f"{at}.column")
        return Aggregate("count", None, each.name or "count")
    kind = types.get(each.column)
    if kind is None:
        raise InvalidInput("the table has no such column", field=f"{at}.column")
    if each.function in ("sum", "avg") and not kind.counts:
        raise InvalidInput(f"{each.function} is for numbers", field=f"{at}.column")
    if each.function in ("min", "max") and kind is ColumnType.BOOLEAN:
        raise InvalidInput("true and false have no order", field=f"{at}.column")
    return Aggregate(each.function, each.column, each.name or f"{each.function}({each.column})")
