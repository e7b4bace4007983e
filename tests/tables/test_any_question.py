"""Whatever is written and asked, in any order: always what a plain model with decimals says."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import reduce
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.tables.asking import Aggregate, Line, Order, Question, answered
from app.tables.filters import Reader
from app.tables.values import ColumnType, compared, plain, shown, stored
from tests.conftest import MakePrincipal, Principal
from tests.tables.conftest import URL, Make, ask, insert

TYPES = {
    "t": ColumnType.TEXT,
    "n": ColumnType.INTEGER,
    "d": ColumnType.DECIMAL,
    "b": ColumnType.BOOLEAN,
    "when": ColumnType.DATE,
}
DECIMALS = st.decimals(-1000, 1000, places=3, allow_nan=False).map(lambda d: format(d, "f"))
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "t": st.text("aAbß%_'\" ", max_size=3),
    "n": st.integers(-3, 3),
    "d": DECIMALS | st.sampled_from(["0.1", "0.2", "0.30", "-0"]),
    "b": st.booleans(),
    "when": st.dates(date(2026, 1, 1), date(2026, 1, 4)).map(date.isoformat),
}
ROWS = st.lists(
    st.fixed_dictionaries({name: st.none() | made for name, made in VALUES.items()}), max_size=12
)
OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a is not None and a < b,
    "le": lambda a, b: a is not None and a <= b,
    "gt": lambda a, b: a is not None and a > b,
    "ge": lambda a, b: a is not None and a >= b,
    "in": lambda a, b: a is not None and a in b,
    "between": lambda a, b: a is not None and b[0] <= a <= b[1],
    "contains": lambda a, b: a is not None and b.casefold() in a.casefold(),
    "is_null": lambda a, b: (a is None) == b,
}
Test = tuple[dict[str, Any], Callable[[dict[str, Any]], bool]]


def meant(name: str, value: Any) -> Any:
    """What a written value means."""
    if value is None or name in ("t", "n", "b"):
        return value
    return Decimal(value) if name == "d" else date.fromisoformat(value)


@st.composite
def conditions(draw: st.DrawFn) -> Test:
    """A comparison, and the same as a plain function."""
    name = draw(st.sampled_from(list(TYPES)))
    op = draw(st.sampled_from(list(OPERATORS)))
    if (op == "contains" and name != "t") or (name == "b" and op not in ("eq", "ne", "in")):
        op = "is_null"
    value: Any
    read: Any
    if op == "is_null":
        value = read = draw(st.booleans())
    elif op in ("in", "between"):
        size = 2 if op == "between" else 3
        value = draw(st.lists(VALUES[name], min_size=size, max_size=size))
        read = [meant(name, each) for each in value]
    else:
        value = draw(VALUES[name].filter(lambda v: op != "contains" or bool(v)))
        read = meant(name, value)
    compare = OPERATORS[op]
    return {"column": name, "op": op, "value": value}, lambda row: bool(compare(row[name], read))


def both(tests: list[Test]) -> Test:
    return {"and": [t for t, _ in tests]}, lambda row: all(f(row) for _, f in tests)


def either(tests: list[Test]) -> Test:
    return {"or": [t for t, _ in tests]}, lambda row: any(f(row) for _, f in tests)


def neither(test: Test) -> Test:
    return {"not": test[0]}, lambda row: not test[1](row)


FILTERS = st.recursive(
    conditions(),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map(both)
        | st.lists(inner, min_size=1, max_size=3).map(either)
        | inner.map(neither)
    ),
    max_leaves=6,
)
ORDERS = st.lists(
    st.tuples(st.sampled_from(list(TYPES)), st.booleans()), max_size=3, unique_by=lambda o: o[0]
)


def lines(rows: list[dict[str, Any]]) -> list[Line]:
    """Rows as they are read back: what was written is stored, then compared."""
    return [
        Line(
            f"{place:03}",
            {
                name: None if row[name] is None else compared(stored(row[name], kind), kind)
                for name, kind in TYPES.items()
            },
        )
        for place, row in enumerate(rows)
    ]


def modelled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"id": f"{place:03}", **{name: meant(name, value) for name, value in row.items()}}
        for place, row in enumerate(rows)
    ]


def in_order(rows: list[dict[str, Any]], order: list[tuple[str, bool]]) -> list[dict[str, Any]]:
    """Sorted by the last column first, the others in between by hand: slow, and plainly right."""

    def before(one: dict[str, Any], other: dict[str, Any]) -> bool:
        for name, down in order:
            a, b = one[name], other[name]
            if a == b:
                continue
            if a is None or b is None:
                return b is None
            return bool(a > b) if down else bool(a < b)
        return bool(one["id"] < other["id"])

    found: list[dict[str, Any]] = []
    for row in rows:
        place = next((n for n, there in enumerate(found) if before(row, there)), len(found))
        found.insert(place, row)
    return found


@pytest.mark.one_python  # draws hundreds of questions
@settings(max_examples=150, deadline=None)
@given(ROWS, FILTERS, ORDERS)
def test_rows_are_filtered_and_sorted_as_the_model_has_them(
    rows: list[dict[str, Any]], test: Test, order: list[tuple[str, bool]]
) -> None:
    question = Question(Reader(TYPES).read(test[0]), tuple(Order(*each) for each in order))
    found = answered(question, lines(rows))
    expected = in_order([row for row in modelled(rows) if test[1](row)], order)
    assert [line.id for line in found] == [row["id"] for row in expected]


@settings(max_examples=150, deadline=None)
@given(ROWS, st.lists(st.sampled_from(list(TYPES)), max_size=2, unique=True))
def test_figures_are_what_the_model_says(rows: list[dict[str, Any]], by: list[str]) -> None:
    figures = [Aggregate("count", None, "rows")]
    figures += [Aggregate("count", name, f"count {name}") for name in TYPES]
    figures += [Aggregate(f, n, f"{f} {n}") for f in ("sum", "avg", "min", "max") for n in "nd"]
    figures += [Aggregate("min", "when", "min when"), Aggregate("max", "t", "max t")]
    found = answered(Question(group_by=tuple(by), figures=tuple(figures)), lines(rows))
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {} if by else {(): []}
    for row in modelled(rows):
        groups.setdefault(tuple(row[name] for name in by), []).append(row)
    told = {tuple(line.values[name] for name in by): line.values for line in found}
    assert told.keys() == groups.keys()
    assert len(found) == len(groups)
    for key, members in groups.items():
        assert told[key]["rows"] == len(members)
        for name in TYPES:
            there = [row[name] for row in members if row[name] is not None]
            assert told[key][f"count {name}"] == len(there)
            if name in "nd":
                total = reduce(lambda a, b: a + b, map(Decimal, there), Decimal(0))
                assert told[key][f"sum {name}"] == (total if there else None)
                mean = told[key][f"avg {name}"]
                assert (mean is None) == (not there)
                if isinstance(mean, Decimal):
                    assert abs(mean * len(there) - total) <= len(there) * Decimal("0.5e-18")
                assert told[key][f"min {name}"] == (min(there) if there else None)
                assert told[key][f"max {name}"] == (max(there) if there else None)


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, min_value=-(10**19), max_value=10**19, places=18
    )
)
def test_a_decimal_comes_back_as_it_was(number: Decimal) -> None:
    text = format(number, "f")
    cell = stored(text, ColumnType.DECIMAL)
    assert Decimal(str(cell)) == number
    assert stored(cell, ColumnType.DECIMAL) == cell == plain(number)
    assert shown(compared(cell, ColumnType.DECIMAL)) == cell


@given(
    st.one_of(st.none(), st.text(), st.integers(), st.floats(), st.booleans(), st.lists(st.text()))
)
def test_what_a_package_brings_is_read_or_empty(cell: Any) -> None:
    for kind in ColumnType:
        read = compared(cell, kind)
        if read is not None:
            assert compared(shown(read), kind) == read


KEYS = ["Ann", "Bo", "Cy", "Di"]


@pytest.mark.parametrize("seed", range(3))
async def test_any_order_over_http_is_what_the_model_says(
    writer: Principal, principal: MakePrincipal, tenant: str, make: Make, seed: int
) -> None:
    """Upserts and deletions of two agents; then every moment is read again."""
    dice = random.Random(seed)  # order, not secrets
    other = await principal(f"{tenant}/dev", name="other")
    await make(
        "stock",
        columns=[{"name": "k"}, {"name": "n", "type": "integer"}, {"name": "d", "type": "decimal"}],
        keys=["k"],
    )
    model: dict[str, dict[str, Any]] = {}
    past: list[tuple[str, list[dict[str, Any]]]] = []
    for _ in range(20):
        who = dice.choice([writer, other])
        if dice.random() < 0.25:
            least = dice.randint(-1, 3)
            test = {"column": "n", "op": "ge", "value": least}
            answer = await who.http.post(f"{URL}/stock/rows/delete", json={"filter": test})
            gone = [k for k, row in model.items() if row["n"] is not None and row["n"] >= least]
            assert answer.json() == {"deleted": len(gone)}
            for key in gone:
                del model[key]
        else:
            rows = []
            for key in dice.sample(KEYS, dice.randint(1, 3)):
                row: dict[str, Any] = {"k": key}
                if dice.random() < 0.7:
                    row["n"] = dice.choice([None, 0, 1, 2, 3])
                if dice.random() < 0.7:
                    row["d"] = dice.choice(["0.1", "0.2", "7", None])
                rows.append(row)
            done = await insert(who, "stock", *rows)
            before = {key: dict(row) for key, row in model.items()}
            for row in rows:
                model.setdefault(row["k"], {"k": row["k"], "n": None, "d": None}).update(row)
            new = sum(row["k"] not in before for row in rows)
            same = sum(model[row["k"]] == before.get(row["k"]) for row in rows)
            assert (done["inserted"], done["unchanged"]) == (new, same)
        read = await ask(who, "stock", sort=[{"column": "k"}])
        expected = [dict(model[key]) for key in sorted(model)]
        assert [item["untrusted"]["cells"] for item in read["items"]] == expected
        past.append((read["known_at"], expected))
    for at, expected in past[:-1]:
        read = await ask(writer, "stock", known_at=at)
        assert [item["untrusted"]["cells"] for item in read["items"]] == expected
