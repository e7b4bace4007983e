"""Hints of tables for a prompt: "Thomas has data in: customers (revenue: 5000)"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.kernel.graph import Row as Record
from app.tables.model import Column
from app.tables.reading import values_of_columns
from app.tables.values import ColumnType, Value, shown

FAN = 50  # newest rows of an entity among which its tables are looked for
MOST = 5  # tables that a hint names
LONGEST = 60  # characters of a sample's name, and of its value


@dataclass(frozen=True, slots=True)
class Sample:
    """A table, and one cell of the newest row that names the entity; of a table that stands for
    itself its columns."""

    table: str
    name: str
    says: str
    row: str | None


@dataclass(frozen=True, slots=True)
class Hint:
    """Which tables hold data of an entity."""

    entity: str
    name: str
    scope: str
    samples: tuple[Sample, ...]

    @property
    def text(self) -> str:
        """The hint in words."""
        tables = ", ".join(f"{one.name} ({one.says})" for one in self.samples)
        return f"{self.name} has data in: {tables}"


async def hints(graph: Graph, names: Mapping[str, str], scopes: Sequence[str]) -> list[Hint]:
    """Return hints of entities, by root with the name that is shown, in the order given.

    It asks once; nothing where there is no entity to ask of.
    """
    if not names:
        return []
    rows = await graph.rows(Q.tables.hints, roots=list(names), scopes=list(scopes), fan=FAN)
    found: dict[str, dict[str, Sample]] = {root: {} for root in names}
    homes = {row["root"]: row["scope"] for row in rows}
    for row in rows:
        samples = found[row["root"]]
        if row["item"]["id"] not in samples and len(samples) < MOST:
            samples[row["item"]["id"]] = _sample(row, names[row["root"]])
    return [
        Hint(root, names[root], homes[root], tuple(samples.values()))
        for root, samples in found.items()
        if samples
    ]


def _sample(row: Record, name: str) -> Sample:
    item = row["item"]
    columns = tuple(Column.model_validate(each) for each in orjson.loads(item["columns"]))
    if row["cells"] is None:
        says = f"columns: {', '.join(_cut(column.name) for column in columns[:MOST])}"
        return Sample(item["id"], item["name"], says, None)
    values = values_of_columns(columns, row["cells"])
    told = _told(columns, values, name)
    return Sample(item["id"], item["name"], told, row["row"])


def _told(columns: Sequence[Column], values: Mapping[str, Value], name: str) -> str:
    """The first cell that is no text, else the first that is not the name itself."""
    there = [column for column in columns if values[column.name] is not None]
    plain = [column for column in there if column.type is not ColumnType.TEXT]
    other = [c for c in there if str(values[c.name]).casefold() != name.casefold()]
    best = next(iter([*plain, *other, *there]), None)
    return "1 row" if best is None else f"{_cut(best.name)}: {_cut(_said(values[best.name]))}"


def _said(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(shown(value))


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 1].rstrip()}…"
