"""Filters as data: read once against the columns of a table, then asked row by row. Pure.

An empty cell fits `is_null`, `ne` and what stands under `not`, and nothing else. Texts are compared
by their code points; `contains` does not mind case.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.errors import InvalidInput
from app.tables.values import ColumnType, Value, compared, stored

Values = Mapping[str, Value]
Test = Callable[[Values], bool]

DEEPEST = 5  # conditions inside each other
MOST_CONDITIONS, MOST_LISTED = 100, 200  # conditions of a filter; values of an `in`
ORDERED = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}
OPERATORS = ("eq", "ne", *ORDERED, "in", "contains", "between", "is_null")
GROUPS = ("and", "or", "not")


class Reader:
    """Reads one filter; what is wrong names its place, such as `filter.and.0.value`."""

    def __init__(self, types: Mapping[str, ColumnType], field: str = "filter") -> None:
        self._types = types
        self._field = field
        self._count = 0

    def read(self, given: Any) -> Test:
        """Return the test that a filter describes; InvalidInput naming what is wrong."""
        return self._condition(given, self._field, 0)

    def _condition(self, given: Any, at: str, deep: int) -> Test:
        self._count += 1
        if deep > DEEPEST:
            raise InvalidInput(f"a filter is at most {DEEPEST} levels deep", field=at)
        if self._count > MOST_CONDITIONS:
            raise InvalidInput(f"a filter has {MOST_CONDITIONS} conditions at most", field=at)
        if not isinstance(given, Mapping) or not given:
            raise InvalidInput(
                "a condition is an object with column and op, or and/or/not", field=at
            )
        name = next(iter(given))
        if len(given) == 1 and name in GROUPS:
            return self._group(name, given[name], f"{at}.{name}", deep)
        return self._comparison(given, at)

    def _group(self, name: str, given: Any, at: str, deep: int) -> Test:
        if name == "not":
            inner = self._condition(given, at, deep + 1)
            return lambda row: not inner(row)
        if not isinstance(given, list) or not given:
            raise InvalidInput(f"{name} takes a list of conditions", field=at)
        tests = [self._condition(each, f"{at}.{n}", deep + 1) for n, each in enumerate(given)]
        every = all if name == "and" else any
        return lambda row: every(test(row) for test in tests)

    def _comparison(self, given: Mapping[str, Any], at: str) -> Test:
        for name in given:
            if name not in ("column", "op", "value"):
                raise InvalidInput(f"a condition has no {_word(name)}", field=at)
        column, op = given.get("column"), given.get("op")
        kind = self._types.get(column) if isinstance(column, str) else None
        if kind is None:
            raise InvalidInput("the table has no such column", field=f"{at}.column")
        if op not in OPERATORS:
            raise InvalidInput(f"op is one of {', '.join(OPERATORS)}", field=f"{at}.op")
        return self._test(str(column), kind, op, given.get("value"), at)

    def _test(self, column: str, kind: ColumnType, op: str, given: Any, at: str) -> Test:
        place = f"{at}.value"
        if op == "is_null":
            wanted = _flag(given, place)
            return lambda row: (row[column] is None) == wanted
        if op in ("in", "between"):
            return _listed(column, op, self._values(given, kind, op, place))
        if op == "contains":
            return _contains(column, kind, given, at)
        value = _value(given, kind, place)
        if op in ("eq", "ne"):
            return lambda row: (row[column] == value) == (op == "eq")
        if kind is ColumnType.BOOLEAN:
            raise InvalidInput("true and false have no order", field=f"{at}.op")
        compare: Callable[[Any, Any], Any] = ORDERED[op]
        return lambda row: row[column] is not None and bool(compare(row[column], value))

    def _values(self, given: Any, kind: ColumnType, op: str, at: str) -> list[Any]:
        if op == "between" and kind is ColumnType.BOOLEAN:
            raise InvalidInput("true and false have no order", field=at)
        if not isinstance(given, list) or (op == "between" and len(given) != 2):
            takes = "a list of two values" if op == "between" else "a list of values"
            raise InvalidInput(f"{op} takes {takes}", field=at)
        if len(given) > MOST_LISTED:
            raise InvalidInput(f"in takes {MOST_LISTED} values at most", field=at)
        return [_value(each, kind, f"{at}.{n}") for n, each in enumerate(given)]


def _listed(column: str, op: str, values: Sequence[Any]) -> Test:
    if op == "in":
        known = frozenset(values)
        return lambda row: row[column] is not None and row[column] in known
    low, high = values
    return lambda row: _between(low, row[column], high)


def _between(low: Any, value: Any, high: Any) -> bool:
    return value is not None and bool(low <= value <= high)


def _contains(column: str, kind: ColumnType, given: Any, at: str) -> Test:
    if kind is not ColumnType.TEXT:
        raise InvalidInput("contains is for columns of text", field=f"{at}.op")
    if not isinstance(given, str) or not given:
        raise InvalidInput("contains takes a text", field=f"{at}.value")
    part = given.casefold()
    return lambda row: row[column] is not None and part in str(row[column]).casefold()


def _value(given: Any, kind: ColumnType, at: str) -> Any:
    if given is None:
        raise InvalidInput("an empty cell is asked for with is_null", field=at)
    try:
        return compared(stored(given, kind), kind)
    except ValueError as error:
        raise InvalidInput(str(error), field=at) from None


def _flag(given: Any, at: str) -> bool:
    if given is not None and not isinstance(given, bool):
        raise InvalidInput("is_null takes true or false", field=at)
    return given is not False


def _word(name: object) -> str:
    return repr(str(name)[:40])
