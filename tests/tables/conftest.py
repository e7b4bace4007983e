"""What the tests of tables share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.conftest import Principal

URL = "/v1/tables"
Make = Callable[..., Awaitable[dict[str, Any]]]
CUSTOMERS = [
    {"name": "name", "type": "text"},
    {"name": "company", "type": "text"},
    {"name": "revenue", "type": "decimal"},
    {"name": "since", "type": "date"},
]


@pytest.fixture
def make(writer: Principal) -> Make:
    """`await make("customers", keys=["name"])`: a table of the writer, or of `by`."""

    async def call(name: str, by: Principal | None = None, **more: Any) -> dict[str, Any]:
        body = {"name": name, "columns": CUSTOMERS, **more}
        answer = await (by or writer).http.post(URL, json=body)
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    return call


async def insert(who: Principal, table: str, *rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Write rows; what became of them."""
    answer = await who.http.post(f"{URL}/{table}/rows", json={"rows": rows, **more})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def ask(who: Principal, table: str, **query: Any) -> dict[str, Any]:
    """A whole answer."""
    answer = await who.http.post(f"{URL}/{table}/query", json=query)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def cells(who: Principal, table: str, **query: Any) -> list[dict[str, Any]]:
    """The cells of the rows or groups of an answer."""
    return [item["untrusted"]["cells"] for item in (await ask(who, table, **query))["items"]]


async def column(who: Principal, table: str, name: str, **query: Any) -> list[Any]:
    """One column of an answer."""
    return [row[name] for row in await cells(who, table, **query)]
