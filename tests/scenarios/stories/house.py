"""One running product for all stories, and the people and agents who come to it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from app.cli.keys import mint
from app.kernel.caller import Role
from app.wiring import Parts
from tests.support.processes import Service, until_ready

PATIENCE = 300  # seconds: a job whose worker went down with Valkey waits for its lease, two minutes


@dataclass(frozen=True)
class Person:
    """Somebody with a key: each verb answers the body of a success, and fails on any other."""

    id: str
    http: httpx.AsyncClient

    async def get(self, path: str, /, **params: Any) -> Any:
        return self._body(await self.http.get(path, params=params))

    async def post(self, path: str, /, body: Any = None, **params: Any) -> Any:
        return self._body(await self.http.post(path, json=body or {}, params=params))

    async def put(self, path: str, /, body: Any, **params: Any) -> Any:
        return self._body(await self.http.put(path, json=body, params=params))

    async def patch(self, path: str, /, body: Any, **params: Any) -> Any:
        return self._body(await self.http.patch(path, json=body, params=params))

    async def status(self, method: str, path: str, body: Any = None, /, **params: Any) -> int:
        """Return the status alone, for what is to be refused."""
        return (await self.http.request(method, path, json=body, params=params)).status_code

    async def tool(self, profile: str, name: str, /, **arguments: Any) -> Any:
        """Call a tool as an agent does, over MCP; return its value."""
        call = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        headers = {"Accept": "application/json, text/event-stream"}
        answer = await self.http.post(
            "/mcp", params={"tools": profile}, json=message, headers=headers
        )
        result = self._body(answer)["result"]
        assert not result.get("isError"), result
        return result["structuredContent"]

    @staticmethod
    def _body(answer: httpx.Response) -> Any:
        assert answer.is_success, f"{answer.request.url} {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None


@dataclass
class House:
    """The running product; every story has a tenant of its own in it."""

    running: Service
    store: Parts
    stack: AsyncExitStack

    async def tenant(self, name: str) -> Person:
        """Open a tenant as its operator does on the command line; its admin."""
        made = await mint(self.store, name, kind="user", name="boss", role=Role.ADMIN)
        return await self._person(f"user:{name}:boss", made.text)

    async def hire(
        self, boss: Person, home: str, name: str, *, role: str = "writer", kind: str = "agent"
    ) -> Person:
        """Let an admin make an agent or user, with a key of that role and no more."""
        if home.count("/"):
            await boss.post("/v1/scopes", {"scope": home})
        made = {"kind": kind, "name": name, "home": home, "role": role}
        principal = (await boss.post("/v1/principals", made))["id"]
        key = await boss.post("/v1/keys", {"principal": principal, "role": role})
        return await self._person(principal, key["key"])

    async def restart(self) -> None:
        """Kill the API and Valkey at once, and start both again; the worker is tended as ever."""
        self.running.kill("api")
        self.running.pair.kill_queue()
        await asyncio.to_thread(self.running.pair.start_queue)
        async with self._client("none") as http:
            await until_ready(http, self.running)

    def _client(self, key: str) -> httpx.AsyncClient:
        url = f"http://127.0.0.1:{self.running.port}"
        return httpx.AsyncClient(
            base_url=url, timeout=60, headers={"Authorization": f"Bearer {key}"}
        )

    async def _person(self, principal: str, key: str) -> Person:
        return Person(principal, await self.stack.enter_async_context(self._client(key)))


@asynccontextmanager
async def opened(running: Service, store: Parts) -> AsyncIterator[House]:
    """A house over processes that are kept running; whoever came to it leaves at the end."""
    keeper = asyncio.create_task(running.keep())
    try:
        async with AsyncExitStack() as stack:
            yield House(running, store, stack)
    finally:
        keeper.cancel()


async def eventually(what: str, look: Callable[[], Awaitable[Any]]) -> Any:
    """Return what a look finds as soon as it finds something; says what was waited for."""
    end = time.monotonic() + PATIENCE
    while not (found := await look()):
        assert time.monotonic() < end, f"waited {PATIENCE} s for {what}"
        await asyncio.sleep(0.25)
    return found
