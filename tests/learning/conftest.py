"""What the tests of the learning loop share."""

from __future__ import annotations

from typing import Any

import httpx

from tests.conftest import Principal


async def told(answer: httpx.Response, status: int = 200) -> Any:
    """What an answer of that status says."""
    assert answer.status_code == status, answer.text
    return answer.json()


async def begin(who: Principal, task: str, **more: Any) -> Any:
    """Begin a task; what the answer says."""
    return await told(await who.http.post("/v1/segments", json={"task": task, **more}), 201)


async def end(who: Principal, segment: str, **evidence: Any) -> Any:
    """End a task; what the answer says."""
    return await told(await who.http.post(f"/v1/segments/{segment}/end", json=evidence))


async def solved(who: Principal, task: str, **evidence: Any) -> Any:
    """Begin a task and end it, resolved unless the evidence says something else."""
    evidence = evidence or {"checks": [{"kind": "test", "passed": True}]}
    return await end(who, (await begin(who, task))["id"], **evidence)


async def log_of(who: Principal, **query: Any) -> list[Any]:
    """What the log lists."""
    answer = await who.http.get("/v1/learned", params=query)
    items: list[Any] = (await told(answer))["items"]
    return items


async def run(who: Principal, what: str, scope: str, *, dry_run: bool = False) -> Any:
    """Ask for a check by hand; its receipt."""
    answer = await who.http.post(f"/v1/{what}", json={"scope": scope, "dry_run": dry_run})
    return await told(answer)


async def roll_back(who: Principal, batch: str, status: int = 200, **more: Any) -> Any:
    """Roll a batch back; its receipt."""
    body = {"dry_run": False, **more}
    return await told(
        await who.http.post(f"/v1/learned/batches/{batch}/roll-back", json=body), status
    )
