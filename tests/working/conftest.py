"""What the tests of working memory share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest_asyncio
from redis.asyncio import Redis

from app.access.keys import KeyRing
from app.asgi import create_app, fill_state
from app.wiring import Parts
from app.working.model import Limits
from tests.conftest import Principal
from tests.lifecycle.conftest import say, switch
from tests.support.waiting import eventually

__all__ = ["quick", "say", "switch", "valkey"]

BASE, SHARES = "/v1/working-memory", "/v1/working-shares"


async def put(who: Principal, path: str, value: Any, **more: Any) -> dict[str, Any]:
    """Keep a value at a path below the base; what was answered."""
    scope = more.pop("scope", None)
    answer = await who.http.put(
        f"{BASE}/{path}", json={"value": value, **more}, params={"scope": scope} if scope else {}
    )
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def got(who: Principal, path: str, **query: str) -> Any:
    """The value at a path; None where it is not found, so store no null where that matters."""
    answer = await who.http.get(f"{BASE}/{path}", params=query)
    if answer.status_code == 404:
        assert answer.json()["code"] == "NotFound"
        return None
    assert answer.status_code == 200, answer.text
    return answer.json()["untrusted"]["value"]


async def run_out(who: Principal, path: str) -> None:
    """Wait until the server has ended a value."""

    async def gone() -> bool:
        return await got(who, path) is None

    await eventually(f"{path} runs out", gone)


async def items(who: Principal, task: str, **query: str) -> list[str]:
    """What a task holds, as `part/name`, in order."""
    answer = await who.http.get(f"{BASE}/{task}", params=query)
    assert answer.status_code == 200, answer.text
    listed = answer.json()["items"]
    return sorted("/".join(filter(None, (one["part"], one["name"]))) for one in listed)


@pytest_asyncio.fixture(loop_scope="session")
async def valkey(opened: Parts) -> AsyncIterator[Redis]:
    """A client of the same Valkey."""
    client = Redis.from_url(opened.settings.redis.url)
    yield client
    await client.aclose()


async def keys_of(valkey: Redis, tenant: str) -> list[bytes]:
    """Every key of a tenant's working memory."""
    return [key async for key in valkey.scan_iter(match=f"loci:working:{{{tenant}}}:*", count=1000)]


async def lose(valkey: Redis, tenant: str) -> None:
    """What a lost Valkey does to one tenant."""
    if keys := await keys_of(valkey, tenant):
        await valkey.delete(*keys)


Quick = Callable[[Principal], Awaitable[Principal]]


@pytest_asyncio.fixture(loop_scope="session")
async def quick(opened: Parts) -> AsyncIterator[Quick]:
    """The same principal before an API that remembers keys for a minute, as an installation may:
    thousands of requests are not held up by as many look-ups."""
    remembering = replace(opened, keys=KeyRing(opened.access_rows, 60.0))
    app = create_app(opened.settings)
    fill_state(app, remembering)
    clients: list[httpx.AsyncClient] = []

    async def make(who: Principal) -> Principal:
        client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://loci", headers=who.http.headers
        )
        clients.append(client)
        return replace(who, http=client)

    yield make
    for client in clients:
        await client.aclose()


class Bounded:
    """Other limits for the time of a `with`."""

    def __init__(self, opened: Parts, **limits: int) -> None:
        self._store, self._limits = opened.working.values, limits

    def __enter__(self) -> Limits:
        self._before = self._store.limits
        self._store.limits = replace(self._before, **self._limits)
        return self._store.limits

    def __exit__(self, *_: object) -> None:
        self._store.limits = self._before
