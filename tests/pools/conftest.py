"""What the tests of pools share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.conftest import Principal

Make = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def make(writer: Principal) -> Make:
    """`await make("ops", type="shared")`: a pool of the writer, or of `by`."""

    async def call(slug: str, by: Principal | None = None, **more: Any) -> dict[str, Any]:
        body = {"pool_id": slug, "name": slug, **more}
        answer = await (by or writer).http.post("/v1/pools", json=body)
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    return call


async def value(who: Principal, pool: str, **query: Any) -> Any:
    """The data of a pool, or the value at a path."""
    answer = await who.http.get(f"/v1/pools/{pool}/data", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()["untrusted"]["value"]


async def write(who: Principal, pool: str, given: Any, path: str | None = None) -> int:
    """Set a value; the version that this made."""
    query = {"path": path} if path else {}
    answer = await who.http.put(f"/v1/pools/{pool}/data", json={"value": given}, params=query)
    assert answer.status_code == 200, answer.text
    version: int = answer.json()["version"]
    return version


async def merge(who: Principal, pool: str, part: dict[str, Any]) -> int:
    """Merge a part; the version that this made."""
    answer = await who.http.patch(f"/v1/pools/{pool}/data", json={"data": part})
    assert answer.status_code == 200, answer.text
    version: int = answer.json()["version"]
    return version
