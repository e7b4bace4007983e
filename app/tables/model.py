"""A table and the versions of its rows, as they are stored and exported.

A version of a row is a node: written when the row was learnt to be so, retracted when it was
learnt to be otherwise. `row_id` is the same in all versions of a row; under key columns it follows
from their cells, so that whoever writes the same key meets the same row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Self

import orjson
from pydantic import BeforeValidator, Field, StrictBool, StrictInt, StrictStr, StringConstraints

from app.entities.model import alias_id, entity_id
from app.entities.names import words
from app.kernel.ids import digest
from app.kernel.kind import Gone, Stored, unpacked
from app.kernel.wire import Moment, WireModel
from app.tables.values import Cell, ColumnType

MOST_COLUMNS, MOST_KEYS = 1000, 8  # of a table that is stored; settings say less
COLLECTION = "collection"  # the type of the entity that stands for a table

Who = Annotated[str, StringConstraints(max_length=200)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Cells = dict[str, StrictBool | StrictInt | StrictStr | None]
TableName = Annotated[
    str, StringConstraints(min_length=1, max_length=63, pattern=r"^[a-z][a-z0-9_-]*$")
]


class Column(WireModel):
    """A column; one that is required has no empty cell."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=400)]
    type: ColumnType
    required: bool = False


class Table(Stored):
    """A table; `writers` are those who wrote rows, beside who made it."""

    name: TableName
    description: str | None = None
    columns: Annotated[
        tuple[Column, ...], Field(min_length=1, max_length=MOST_COLUMNS), BeforeValidator(unpacked)
    ]
    keys: Annotated[tuple[str, ...], Field(max_length=MOST_KEYS)] = ()
    created_at: Moment
    created_by: Who
    described_by: Who = ""
    writers: tuple[Who, ...] = ()

    @property
    def types(self) -> Mapping[str, ColumnType]:
        """The type of each column by its name, in their order."""
        return {column.name: column.type for column in self.columns}

    @property
    def key(self) -> str:
        """The key of its entity; no name in a text has such a one, so that no text means it."""
        return f"{self.name} @table"

    @property
    def aliases(self) -> list[dict[str, str]]:
        """The names of its entity: its key, and its own name as a question may speak it."""
        keys = dict.fromkeys((self.key, " ".join(words(self.name))))
        rows = [{"id": alias_id(self.scope, key), "key": key} for key in keys if key]
        return sorted(rows, key=lambda row: row["id"])

    def derived(self) -> dict[str, Any]:
        """Return the entity that stands for the table, and that it is to be linked."""
        own = entity_id(self.scope, COLLECTION, self.key)
        return {"entity": own, "unlinked": True}

    def people(self) -> Iterable[str]:
        """Return who made, described or filled the table."""
        return {self.created_by, self.described_by, *self.writers}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the table with every principal replaced."""
        return self._with_people(lambda one: name(one) if one else one)

    def without(self, gone: Gone) -> Self | None:
        """Return the table without its maker; None where its names name the person, or where
        nobody but the author has made and filled it. A description goes with its author."""
        if any(map(gone.named, (self.name, *self.types))):
            return None
        others = [one for one in self.writers if not gone.wrote(one)]
        if gone.wrote(self.created_by) and not others:
            return None
        kept = self._with_people(lambda one: "" if gone.wrote(one) else one)
        lost = gone.wrote(self.described_by) or gone.named(self.description or "")
        return kept.model_copy(
            update={
                "description": None if lost else self.description,
                "writers": tuple(others),
            }
        )

    def _with_people(self, name: Callable[[str], str]) -> Self:
        return self.model_copy(
            update={
                "created_by": name(self.created_by),
                "described_by": name(self.described_by),
                "writers": tuple(name(one) for one in self.writers),
            }
        )


class Row(Stored):
    """One version of a row of the table `name`; `writers` tells who wrote which cell last, `keys`
    are the key columns.

    The cells of the key are whose word they were last, since who changes a row names its key.
    """

    name: TableName
    row_id: Id
    keys: Annotated[tuple[str, ...], Field(max_length=MOST_KEYS)] = ()
    cells: Annotated[Cells, BeforeValidator(unpacked)]
    recorded_at: Moment
    recorded_by: Who
    retracted_at: Moment | None = None
    retracted_by: Who = ""
    writers: Annotated[dict[str, Who], BeforeValidator(unpacked)] = Field(default_factory=dict)

    def derived(self) -> dict[str, Any]:
        """Return what is sought: whether it is the present version, not yet linked, and its size
        in bytes."""
        live = True if self.retracted_at is None else None
        return {"live": live, "unlinked": live, "size": len(orjson.dumps(self.cells))}

    def people(self) -> Iterable[str]:
        """Return who wrote a cell, or wrote or retracted the version."""
        return {self.recorded_by, self.retracted_by, *self.writers.values()}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the version with every principal replaced."""
        return self._with_people(lambda one: name(one) if one else one)

    def without(self, gone: Gone) -> Self | None:
        """Return the version without the cells that an author wrote.

        None where it names the person, since what is left of a row would still be about him, and
        where nobody else wrote a cell of it. A key stays for the others' cells beside it.
        """
        if any(gone.named(cell) for cell in self.cells.values() if isinstance(cell, str)):
            return None
        if any(map(gone.named, self.cells)):
            return None
        his = {name for name in self.cells if gone.wrote(self._writer(name))}
        if his and his == {name for name, cell in self.cells.items() if cell is not None} | his:
            return None
        lost = his - {*self.keys}
        cells = {name: cell for name, cell in self.cells.items() if name not in lost}
        kept = self._with_people(lambda one: "" if gone.wrote(one) else one)
        writers = {name: by for name, by in kept.writers.items() if name in cells}
        return kept.model_copy(update={"cells": cells, "writers": writers})

    def _writer(self, column: str) -> str:
        return self.writers.get(column, self.recorded_by)

    def _with_people(self, name: Callable[[str], str]) -> Self:
        return self.model_copy(
            update={
                "recorded_by": name(self.recorded_by),
                "retracted_by": name(self.retracted_by),
                "writers": {column: name(by) for column, by in self.writers.items()},
            }
        )


def key_id(cells: Mapping[str, Cell], keys: Iterable[str]) -> str:
    """Return the id of the row with this key: the same in every place that a package goes to."""
    return digest("data_row", orjson.dumps([cells[name] for name in keys]).decode())[:32]
