"""What the tests of work items share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.conftest import Principal

Make = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def make(writer: Principal) -> Make:
    """`await make("Ship it", parent_id=…)`: an item of the writer, or of `by`."""

    async def call(title: str, by: Principal | None = None, **more: Any) -> dict[str, Any]:
        body = {"title": title, **more}
        answer = await (by or writer).http.post("/v1/work-items", json=body)
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    return call


async def tree(who: Principal, item: str, **query: Any) -> dict[str, Any]:
    """An item with all that a read of it tells."""
    answer = await who.http.get(f"/v1/work-items/{item}", params=query)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def advance(who: Principal, item: str, to: str, **more: Any) -> int:
    """Ask for another state; the status of the answer."""
    url = f"/v1/work-items/{item}/advance"
    return (await who.http.post(url, json={"to": to, **more})).status_code


async def found(who: Principal, **query: Any) -> list[str]:
    """The titles that a list holds."""
    answer = await who.http.get("/v1/work-items", params=query)
    assert answer.status_code == 200, answer.text
    return [item["untrusted"]["title"] for item in answer.json()["items"]]
