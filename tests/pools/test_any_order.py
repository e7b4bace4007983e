"""Several agents at one pool over HTTP, in any order: always what a plain model says."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from tests.conftest import MakePrincipal, Principal
from tests.pools.conftest import Make, value
from tests.pools.test_data import deep, expected

KEYS = ["a", "b", "agent_bulletin"]
PLAIN: list[Any] = [None, True, 0, 1, 1.5, "x", [], [1, {"y": None}], {}, {"a": 2}, {"b": {"a": 3}}]


def drawn(dice: random.Random) -> tuple[str, tuple[str, ...], Any]:
    """An operation with its path and value."""
    path = tuple(dice.choices(KEYS, k=dice.randint(1, 3)))
    part = {key: dice.choice(PLAIN) for key in dice.sample(KEYS, dice.randint(0, 2))}
    name = dice.choice(["put", "put", "merge", "merge", "remove", "replace", "grant", "revoke"])
    return name, path, part if name in ("merge", "replace") else dice.choice(PLAIN)


async def sent(who: Principal, operation: tuple[str, tuple[str, ...], Any]) -> int:
    """Send an operation; the status of the answer."""
    name, path, given = operation
    url, query = "/v1/pools/ops/data", {"path": ".".join(path)}
    if name == "merge":
        answer = await who.http.patch(url, json={"data": given})
    elif name == "remove":
        answer = await who.http.delete(url, params=query)
    elif name == "replace":
        answer = await who.http.put(url, json={"value": given})
    elif name == "put":
        answer = await who.http.put(url, json={"value": given}, params=query)
    elif name == "grant":
        answer = await who.http.post(
            "/v1/pools/ops/grants", json={"agent": "guest", "level": "write"}
        )
    else:
        answer = await who.http.delete("/v1/pools/ops/grants/guest")
    return answer.status_code


@pytest.mark.parametrize("seed", range(4))
async def test_any_order_over_http_is_what_the_model_says(
    writer: Principal, principal: MakePrincipal, tenant: str, make: Make, seed: int
) -> None:
    dice = random.Random(seed)  # order, not secrets
    guest = await principal(f"{tenant}/dev", name="guest")
    await make("ops", type="team_shared")
    data: dict[str, Any] = {}
    version, granted = 1, False
    for _ in range(60):
        operation = drawn(dice)
        who = dice.choice([writer, guest])
        name, path, given = operation
        status = await sent(who, operation)
        if who is guest and not granted:
            assert status == 404
        elif name in ("grant", "revoke"):
            assert status == (200 if who is writer else 403)
            granted = name == "grant" if who is writer else granted
        else:
            wanted = expected(data, (name, path, given, ""))
            assert status == (200 if wanted is not None else 404 if name == "remove" else 422)
            if wanted is not None:
                version += repr(sorted_all(wanted)) != repr(sorted_all(data))
                data = wanted
        assert await value(writer, "ops") == data
        assert (await writer.http.get("/v1/pools/ops")).json()["version"] == version


def sorted_all(given: Any) -> Any:
    """Objects as sorted pairs, so that their order does not count."""
    if isinstance(given, dict):
        return sorted((name, sorted_all(inner)) for name, inner in given.items())
    return [sorted_all(inner) for inner in given] if isinstance(given, list) else given


async def test_agents_at_once_end_where_one_order_would(
    writer: Principal, principal: MakePrincipal, tenant: str, make: Make
) -> None:
    """Each agent merges under a key of its own, many times: the sum is all of their merges."""
    await make("ops", access_control={"public": True})
    crew = [await principal(f"{tenant}/dev", name=f"w{number}") for number in range(5)]
    dice = random.Random(7)  # order, not secrets
    plans = {
        who.caller.name: [
            {who.caller.name: {f"k{dice.randint(0, 3)}": number}} for number in range(8)
        ]
        for who in crew
    }

    async def work(who: Principal) -> None:
        for part in plans[who.caller.name]:
            answer = await who.http.patch("/v1/pools/ops/data", json={"data": part})
            assert answer.status_code == 200, answer.text

    await asyncio.gather(*(work(who) for who in crew))
    wanted: dict[str, Any] = {}
    for parts in plans.values():
        for part in parts:
            wanted = deep(wanted, part)
    assert await value(writer, "ops") == wanted
    assert (await writer.http.get("/v1/pools/ops")).json()["version"] == 41
