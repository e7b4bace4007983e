"""What a table is asked: rows that fit, in an order; or sums of groups of them. Pure.

Sums and averages are decimals, exact; an average is rounded half to even at 18 places behind its
point, as many as a decimal has. Empty cells come last in either order, and count for nothing in
aggregates. Rows that an order leaves equal stand in that of their keys, then of their ids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from typing import Any

from app.tables.values import FRACTION, Value

EXACT = 120  # digits: a sum of as many decimals as a table may have rows has fewer
FUNCTIONS = ("sum", "avg", "count", "min", "max")


@dataclass(frozen=True, slots=True)
class Line:
    """A row with its cells as they are compared."""

    id: str
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Order:
    """A column to sort by."""

    column: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A figure of a group; without a column, `count` counts its rows."""

    function: str
    column: str | None
    name: str


@dataclass(frozen=True, slots=True)
class Question:
    """A filter, an order, and what of the rows that fit is shown; `figures` where sums are."""

    fits: Callable[[Mapping[str, Value]], bool] | None = None
    order: tuple[Order, ...] = ()
    group_by: tuple[str, ...] = ()
    figures: tuple[Aggregate, ...] = ()
    keys: tuple[str, ...] = field(default=())


def answered(question: Question, lines: Iterable[Line]) -> list[Line]:
    """Return the rows that fit in their order, or a line for each group with its figures."""
    fits = question.fits
    found = [line for line in lines if fits is None or fits(line.values)]
    if question.figures:
        found = grouped(question, found)
        tie: tuple[str, ...] = question.group_by
    else:
        found.sort(key=lambda line: line.id)
        tie = question.keys
    rest = [Order(name) for name in tie if name not in {each.column for each in question.order}]
    return ordered([*question.order, *rest], found)


def ordered(order: Sequence[Order], lines: list[Line]) -> list[Line]:
    """Return lines by some columns, the first of which counts most."""
    for each in reversed(order):
        there = [line for line in lines if line.values[each.column] is not None]
        empty = [line for line in lines if line.values[each.column] is None]
        there.sort(key=lambda line: _sortable(line, each.column), reverse=each.descending)
        lines = there + empty
    return lines


def _sortable(line: Line, column: str) -> Any:
    return line.values[column]


def grouped(question: Question, lines: Iterable[Line]) -> list[Line]:
    """Return a line for each group, of no rows one line where nothing is grouped by."""
    groups: dict[tuple[Value, ...], list[Line]] = {} if question.group_by else {(): []}
    for line in lines:
        groups.setdefault(tuple(line.values[name] for name in question.group_by), []).append(line)
    return [
        Line("", {**dict(zip(question.group_by, key, strict=True)), **_figures(question, members)})
        for key, members in groups.items()
    ]


def _figures(question: Question, members: Sequence[Line]) -> dict[str, Value]:
    return {each.name: figure(each, members) for each in question.figures}


def figure(wanted: Aggregate, members: Sequence[Line]) -> Value:
    """Return a figure of some rows; None where no cell has a value for it."""
    if wanted.column is None:
        return len(members)
    there: list[Any] = [value for m in members if (value := m.values[wanted.column]) is not None]
    if wanted.function == "count":
        return len(there)
    if not there:
        return None
    if wanted.function in ("min", "max"):
        least: Value = min(there) if wanted.function == "min" else max(there)
        return least
    with localcontext() as context:
        context.prec = EXACT
        total = sum((Decimal(value) for value in there), Decimal(0))
        return total if wanted.function == "sum" else rounded(total / len(there))


def rounded(number: Decimal) -> Decimal:
    """Return a number with as many places behind its point as a decimal has."""
    return number.quantize(Decimal(1).scaleb(-FRACTION), rounding=ROUND_HALF_EVEN)
