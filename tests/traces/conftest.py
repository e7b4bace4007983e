"""What the tests of traces share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.conftest import Principal

URL = "/v1/traces"
Start = Callable[..., Awaitable[str]]


@pytest.fixture
def start(writer: Principal) -> Start:
    """`await start("Ship it", session="s")`: the id of a trace of the writer, or of `by`."""

    async def call(task: str, by: Principal | None = None, **more: Any) -> str:
        told = await posted(by or writer, "", {"task": task, **more}, 201)
        identifier: str = told["id"]
        return identifier

    return call


async def posted(who: Principal, path: str, body: Any, status: int = 201) -> dict[str, Any]:
    """The answer to a POST below the traces."""
    answer = await who.http.post(URL + path, json=body)
    assert answer.status_code == status, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def steps(who: Principal, trace: str, *given: dict[str, Any]) -> dict[str, Any]:
    """Add steps."""
    return await posted(who, f"/{trace}/steps", {"steps": list(given)})


async def calls(who: Principal, trace: str, *given: dict[str, Any]) -> dict[str, Any]:
    """Add tool calls."""
    return await posted(who, f"/{trace}/tool-calls", {"tool_calls": list(given)})


async def complete(
    who: Principal, trace: str, outcome: str = "success", result: str | None = None
) -> dict[str, Any]:
    """End a trace."""
    return await posted(who, f"/{trace}/complete", {"outcome": outcome, "result": result}, 200)


async def whole(who: Principal, trace: str) -> dict[str, Any]:
    """A trace with all that a read of it tells."""
    answer = await who.http.get(f"{URL}/{trace}")
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def listed(who: Principal, **query: Any) -> list[str]:
    """The tasks that a list holds."""
    answer = await who.http.get(URL, params=query)
    assert answer.status_code == 200, answer.text
    return [item["untrusted"]["task"] for item in answer.json()["items"]]
