"""What the tests of goals, escalations, observations and suggestions share."""

from __future__ import annotations

from typing import Any

import httpx

from tests.conftest import Principal


async def told(answer: httpx.Response, status: int = 200) -> Any:
    """What an answer of that status says."""
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


async def make(
    who: Principal, kind: str, body: Any = None, /, status: int = 201, **more: Any
) -> Any:
    """Make something; what the answer says."""
    body = {**(body or {}), **more}
    return await told(await who.http.post(f"/v1/{kind}", json=body), status)


async def read(who: Principal, kind: str, identifier: str) -> Any:
    """Read one by its id."""
    return await told(await who.http.get(f"/v1/{kind}/{identifier}"))


async def listed(who: Principal, kind: str, **query: Any) -> list[Any]:
    """What a list holds."""
    items: list[Any] = (await told(await who.http.get(f"/v1/{kind}", params=query)))["items"]
    return items


async def refused(answer: httpx.Response, status: int, code: str, field: str | None = None) -> None:
    """An answer that refuses for that reason, naming the field."""
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    if field is not None:
        assert answer.json()["errors"][0]["field"] == field, answer.text
