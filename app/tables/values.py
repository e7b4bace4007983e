"""Cells of a table: what a client writes, as it is stored in JSON, and as it is compared.

A decimal is a string in JSON on its whole way, since a number there is read as a binary float.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum

Cell = str | int | bool | None  # as it is stored
Value = str | int | bool | Decimal | date | datetime | None  # as it is compared

MOST_INTEGER = 2**53 - 1  # beyond it a client that reads numbers as floats would lose digits
DIGITS, FRACTION = 38, 18  # of a decimal: in all, and behind its point
DECIMAL = re.compile(r"[+-]?(\d+)(?:\.(\d+))?\Z", re.ASCII)
DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}", re.ASCII)


class ColumnType(StrEnum):
    """What the cells of a column hold."""

    TEXT = "text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    BOOLEAN = "boolean"
    DATE = "date"
    MOMENT = "moment"

    @property
    def counts(self) -> bool:
        """Return whether its values have a sum."""
        return self in (ColumnType.INTEGER, ColumnType.DECIMAL)


def stored(given: object, kind: ColumnType) -> Cell:
    """Return a cell as it is stored, in the one form that its value has.

    Raises ValueError with a sentence that says what the column takes.
    """
    return WRITE[kind](given)


def compared(cell: object, kind: ColumnType) -> Value:
    """Return what a stored cell is compared as; None for an empty one, and for one that does not
    fit the column, as a package may bring it."""
    if cell is None:
        return None
    try:
        return _read(stored(cell, kind), kind)
    except ValueError:
        return None


def shown(value: Value) -> Cell:
    """Return a value as it goes over the wire; decimals, dates and moments are strings."""
    if isinstance(value, Decimal):
        return plain(value)
    if isinstance(value, datetime):
        return _moment_text(value)
    if isinstance(value, date):
        return value.isoformat()
    return value


def plain(number: Decimal) -> str:
    """Return the digits of a decimal, without an exponent and without zeros at the end."""
    text = format(number, "f")
    bare = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if bare in ("-0", "") else bare


def _text(given: object) -> Cell:
    if not isinstance(given, str):
        raise ValueError("the column takes text")
    return given


def _integer(given: object) -> Cell:
    if isinstance(given, bool) or not isinstance(given, int):
        raise ValueError("the column takes integers")
    if abs(given) > MOST_INTEGER:
        raise ValueError(f"an integer lies between -{MOST_INTEGER} and {MOST_INTEGER}")
    return given


def _decimal(given: object) -> Cell:
    if isinstance(given, int) and not isinstance(given, bool):
        given = str(given) if abs(given) <= MOST_INTEGER else None
    found = DECIMAL.match(given) if isinstance(given, str) and len(given) <= 2 * DIGITS else None
    if found is None or not isinstance(given, str):
        raise ValueError('a decimal is written as a string of digits, such as "12.50"')
    whole, fraction = found[1].lstrip("0"), (found[2] or "").rstrip("0")
    if len(whole) + len(fraction) > DIGITS or len(fraction) > FRACTION:
        raise ValueError(f"a decimal has {DIGITS} digits at most, {FRACTION} of them behind .")
    return plain(Decimal(given))


def _boolean(given: object) -> Cell:
    if not isinstance(given, bool):
        raise ValueError("the column takes true and false")
    return given


def _date(given: object) -> Cell:
    if not isinstance(given, str) or not DATE.match(given):
        raise ValueError("a date is written as 2026-03-02")
    return date.fromisoformat(given).isoformat()


def _moment(given: object) -> Cell:
    wrong = "a moment is written in ISO 8601 with its zone, such as 2026-03-02T09:00:00Z"
    if not isinstance(given, str) or not MOMENT.match(given):
        raise ValueError(wrong)
    moment = datetime.fromisoformat(given)
    if moment.tzinfo is None:
        raise ValueError(wrong)
    if not 2 <= moment.year <= 9998:
        raise ValueError("the year must lie between 2 and 9998")
    return _moment_text(moment.astimezone(UTC))


def _moment_text(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _read(cell: Cell, kind: ColumnType) -> Value:
    if kind is ColumnType.DECIMAL:
        return Decimal(str(cell))
    if kind is ColumnType.DATE:
        return date.fromisoformat(str(cell))
    if kind is ColumnType.MOMENT:
        return datetime.fromisoformat(str(cell))
    return cell


WRITE = {
    ColumnType.TEXT: _text,
    ColumnType.INTEGER: _integer,
    ColumnType.DECIMAL: _decimal,
    ColumnType.BOOLEAN: _boolean,
    ColumnType.DATE: _date,
    ColumnType.MOMENT: _moment,
}
