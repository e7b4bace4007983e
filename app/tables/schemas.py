"""Wire types of tables. What clients wrote stands under `untrusted`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field, StringConstraints, field_validator

from app.kernel.wire import Moment, WireModel
from app.tables.asking import Order
from app.tables.hints import Hint
from app.tables.model import Column, Row, Table, TableName
from app.tables.reading import Answer, Asked, Figure
from app.tables.service import Draft, Inserted
from app.tables.suggesting import Suggested
from app.tables.values import ColumnType

COLUMN_LENGTH = 64
Name = Annotated[str, StringConstraints(min_length=1, max_length=COLUMN_LENGTH)]
FILTER = (
    "A condition: `{column, op, value}` with op eq, ne, lt, le, gt, ge, in, contains, between or "
    "is_null; or `{and: [...]}`, `{or: [...]}`, `{not: {...}}`."
)
DECIMALS = 'A decimal is a string, such as "12.50"; null empties a cell.'


class ColumnIn(WireModel):
    """A column of a new table."""

    name: Name
    type: ColumnType = ColumnType.TEXT
    required: bool = Field(False, description="Whether no cell of it may be empty.")

    @field_validator("name")
    @classmethod
    def _plain(cls, name: str) -> str:
        if name != name.strip() or not name.isprintable():
            raise ValueError("a name has no space around it and no control characters")
        return name


class TableIn(WireModel):
    """A new table; its columns stay as they are."""

    name: TableName = Field(description="Lower-case letters, digits, `_` and `-`.")
    columns: tuple[ColumnIn, ...] = Field(min_length=1)
    keys: tuple[Name, ...] = Field(
        (), description="Columns whose cells tell one row from another; `upsert` goes by them."
    )
    description: Annotated[str, StringConstraints(min_length=1, max_length=2000)] | None = None
    scope: str | None = Field(None, description="Scope path; the key's home if unset.")

    def to_draft(self) -> Draft:
        """Return the draft that this describes."""
        keys = {*self.keys}
        columns = tuple(
            Column(name=c.name, type=c.type, required=c.required or c.name in keys)
            for c in self.columns
        )
        return Draft(self.name, self.scope, self.description, columns, self.keys)


class RowsIn(WireModel):
    """Rows to write, all or none."""

    rows: tuple[dict[str, Any], ...] = Field(
        min_length=1, description=f"Objects of cells by column. {DECIMALS}"
    )
    mode: Literal["insert", "upsert"] | None = Field(
        None,
        description="`upsert` changes the given cells of a row whose key is there, `insert` "
        "refuses it with 409; `upsert` if unset and the table has key columns.",
    )


class RowsDeleteIn(WireModel):
    """Which rows go."""

    filter: dict[str, Any] = Field(description=FILTER)


class OrderIn(WireModel):
    """A column to sort by."""

    column: str
    descending: bool = False


class AggregateIn(WireModel):
    """A figure of a group."""

    function: Literal["sum", "avg", "count", "min", "max"]
    column: str | None = Field(None, description="`count` without a column counts rows.")
    name: Name | None = Field(None, description="Its name; `sum(revenue)` if unset.")


class TableQueryIn(WireModel):
    """What is asked of a table."""

    filter: dict[str, Any] | None = Field(None, description=FILTER)
    columns: tuple[str, ...] = Field((), description="Columns to show; all if unset.")
    sort: tuple[OrderIn, ...] = Field((), description="Empty cells come last.")
    group_by: tuple[str, ...] = ()
    aggregates: tuple[AggregateIn, ...] = Field(
        (), description="Figures of all rows that fit, or of each group; sums are exact."
    )
    limit: Annotated[int, Field(ge=1, le=500)] = 50
    cursor: str | None = None
    known_at: Moment | None = Field(None, description="The rows as they were then; now if unset.")

    def to_asked(self) -> Asked:
        """Return the question that this describes."""
        return Asked(
            filter=self.filter,
            columns=self.columns,
            sort=tuple(Order(each.column, each.descending) for each in self.sort),
            group_by=self.group_by,
            figures=tuple(Figure(a.function, a.column, a.name) for a in self.aggregates),
            limit=self.limit,
            cursor=self.cursor,
            known_at=self.known_at,
        )


class TableOut(msgspec.Struct, frozen=True):
    """A table; `entity` stands for it in the graph, `rows` and `bytes` are of its present rows."""

    id: str
    name: str
    scope: str
    entity: str
    created_at: datetime
    created_by: str
    rows: int
    bytes: int | None
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, table: Table, rows: int = 0, size: int | None = None) -> TableOut:
        """Return the wire form of a table."""
        columns = [
            {"name": c.name, "type": c.type.value, "required": c.required} for c in table.columns
        ]
        return cls(
            id=table.id,
            name=table.name,
            scope=table.scope,
            entity=str(table.derived()["entity"]),
            created_at=table.created_at,
            created_by=table.created_by,
            rows=rows,
            bytes=size,
            untrusted={
                "description": table.description,
                "columns": columns,
                "keys": list(table.keys),
            },
        )


class TablesOut(msgspec.Struct, frozen=True):
    """A page of tables; `next` is the cursor of the one after it."""

    items: list[TableOut]
    next: str | None


class InsertedOut(msgspec.Struct, frozen=True):
    """What became of rows: their ids in the order given, and how many are new, changed or as they
    were."""

    ids: list[str]
    inserted: int
    updated: int
    unchanged: int

    @classmethod
    def of(cls, done: Inserted) -> InsertedOut:
        """Return the wire form of what was done."""
        return cls(done.ids, done.inserted, done.updated, done.unchanged)


class RowsDeletedOut(msgspec.Struct, frozen=True):
    """How many rows were deleted."""

    deleted: int


class DataRowOut(msgspec.Struct, frozen=True):
    """A row, or a group with its figures, which has no id; `recorded_at` is when it was learnt."""

    id: str | None
    recorded_at: datetime | None
    recorded_by: str | None
    untrusted: dict[str, Any]


class TableAnswerOut(msgspec.Struct, frozen=True):
    """A page of an answer; `total` counts the rows or groups of all pages, which are of one moment,
    `known_at`."""

    items: list[DataRowOut]
    total: int
    known_at: datetime
    next: str | None

    @classmethod
    def of(cls, found: Answer) -> TableAnswerOut:
        """Return the wire form of an answer."""
        rows = found.rows or [{}] * len(found.lines)
        items = [
            DataRowOut(
                row.get("row"), row.get("recorded_at"), row.get("recorded_by"), {"cells": cells}
            )
            for row, cells in zip(rows, found.lines, strict=True)
        ]
        return cls(items, found.total, found.known_at, found.next)


class RowVersionOut(msgspec.Struct, frozen=True):
    """A version of a row; the present one has no end."""

    recorded_at: datetime
    recorded_by: str
    retracted_at: datetime | None
    retracted_by: str | None
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> RowVersionOut:
        """Return the wire form of a version."""
        return cls(
            row.recorded_at,
            row.recorded_by,
            row.retracted_at,
            row.retracted_by or None,
            {"cells": row.cells},
        )


class RowVersionsOut(msgspec.Struct, frozen=True):
    """The versions of a row, newest first."""

    items: list[RowVersionOut]


class SuggestedOut(msgspec.Struct, frozen=True):
    """A table that would hold what recurs; nothing is made of it by itself."""

    name: str
    episodes: list[str]
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, one: Suggested) -> SuggestedOut:
        """Return the wire form of a suggestion."""
        columns = [{"name": label, "type": kind.value} for label, kind in one.columns]
        return cls(one.name, list(one.episodes), {"columns": columns})


class SuggestionsOut(msgspec.Struct, frozen=True):
    """The tables that recent episodes of a scope suggest."""

    scope: str
    items: list[SuggestedOut]


class TableHintOut(msgspec.Struct, frozen=True):
    """Which tables hold data of an entity."""

    entity: str
    scope: str
    tables: list[str]
    untrusted: dict[str, str]

    @classmethod
    def of(cls, hint: Hint) -> TableHintOut:
        """Return the wire form of a hint."""
        return cls(hint.entity, hint.scope, [s.table for s in hint.samples], {"text": hint.text})
