"""How lists are ordered, and where they go on: the cursors are those of the HTTP routes."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from app.errors import InvalidInput
from app.kernel import paging
from app.kernel.clock import FOREVER, START
from app.kernel.graph import Row

BEYOND = 2**62  # above every count, size and version


@dataclass(frozen=True, slots=True)
class Order:
    """`read` makes parameters of a cursor, of None for the beginning; `write` makes a row's own."""

    read: Callable[[str | None], dict[str, Any]]
    write: Callable[[Row], str]


def by_id(*path: str, newest: bool = False) -> Order:
    """By the id that lies at a path in the row; the cursor is the id.

    Ids that are in the order of their making go back from the newest.
    """
    first = "~" if newest else ""
    return Order(lambda cursor: {"after": cursor or first}, lambda row: str(_at(row, path)))


def by_fact(*path: str) -> Order:
    """Facts by the id at a path, under the cursor that `GET /v1/facts` gives."""

    def read(cursor: str | None) -> dict[str, Any]:
        return {"after": paging.decode(cursor)[1] if cursor else ""}

    return Order(read, lambda row: paging.encode(START, _at(row, path)))


def by_time(moment: str, *path: str, newest: bool = True) -> Order:
    """By the property `moment` of what lies at a path in the row, then by its id."""

    def read(cursor: str | None) -> dict[str, Any]:
        first: datetime = FOREVER if newest else START
        at, identifier = paging.decode(cursor) if cursor else (first, "")
        return {"after_at": at.astimezone(UTC), "after_id": identifier}

    def write(row: Row) -> str:
        held = _at(row, path)
        return paging.encode(held[moment], held["id"])

    return Order(read, write)


def by_rank(rank: tuple[str, ...], identifier: tuple[str, ...]) -> Order:
    """By a number, the largest first, then by an id; both lie at paths in the row."""

    def read(cursor: str | None) -> dict[str, Any]:
        number, after = _decoded(cursor) if cursor else (BEYOND, "")
        return {"after_rank": number, "after_id": after}

    def write(row: Row) -> str:
        pair = [_at(row, rank), _at(row, identifier)]
        return base64.urlsafe_b64encode(orjson.dumps(pair)).decode()

    return Order(read, write)


def by_number(parameter: str, first: int, *path: str) -> Order:
    """By a number, which is the cursor; `parameter` is the query's name for it."""

    def read(cursor: str | None) -> dict[str, Any]:
        return {parameter: first if cursor is None else _number(cursor)}

    return Order(read, lambda row: str(_at(row, path)))


def _at(row: Row, path: tuple[str, ...]) -> Any:
    held: Any = row
    for name in path:
        held = held[name]
    return held


def _decoded(cursor: str) -> tuple[int, str]:
    try:
        number, identifier = orjson.loads(base64.urlsafe_b64decode(cursor.encode()))
        if not _is_number(number) or not isinstance(identifier, str):
            raise ValueError("not a cursor")
    except (ValueError, TypeError, binascii.Error):
        raise _unknown() from None
    return number, identifier


def _number(cursor: str) -> int:
    try:
        number = int(cursor)
    except ValueError:
        raise _unknown() from None
    if not _is_number(number):
        raise _unknown()
    return number


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= BEYOND


def _unknown() -> InvalidInput:
    return InvalidInput("the cursor was not made by this API", field="cursor")
