"""Notifications of a running API, handed on to a client that has started a program.

In the newer revision a request to listen is a request to listen at the API, and ends with it. In
the older one there is one session for all that the client subscribes to, and its stream is opened
again whenever it ends: the API keeps what it follows.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import anyio
import httpx
import httpx2
from anyio.abc import TaskGroup, TaskStatus
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import SubscriptionLost
from mcp.server.session import ServerSession
from mcp.types import (
    INTERNAL_ERROR,
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionFilter,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from app.mcp.asking import PATH, asked, away, refused
from app.mcp.stream import SESSION, Context, Told

AGAIN = 1.0  # seconds after which a stream that ended is opened again
SILENT = 300.0  # seconds without a sign of life after which a stream counts as lost
NOTIFIES = {"notifications": "true"}
UPDATED = "notifications/resources/updated"


@dataclass(frozen=True, slots=True)
class Door:
    """Where the API answers, with which headers, and what its address asks for."""

    url: str
    headers: Mapping[str, str]
    params: Mapping[str, str]

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Client]:
        """Connect as a client of the newer revision."""
        timeout = httpx2.Timeout(AGAIN * 30, read=SILENT)
        address = str(httpx2.URL(f"{self.url}{PATH}", params=dict(self.params)))
        async with (
            httpx2.AsyncClient(headers=dict(self.headers), timeout=timeout) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            yield client


class Listened:
    """Streams of the newer revision."""

    def __init__(self, door: Door) -> None:
        self._door = door

    async def listen(
        self, context: Context, asked_for: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Hand on what the API tells until its stream ends.

        Raises MCPError with the API's words where it refuses, and where the stream is lost.
        """
        told = Told(context, asked_for.notifications)
        try:
            async with (
                self._door.client() as client,
                client.listen(**_flags(asked_for.notifications)) as stream,
            ):
                told.wanted = stream.honored
                await told.acknowledge()
                async for event in stream:
                    await told.send([event])
        except (ExceptionGroup, MCPError, SubscriptionLost, httpx2.TransportError) as error:
            raise _first(error, self._door.url) from None
        return SubscriptionsListenResult(_meta=told.meta)


class Subscribed:
    """The session of the older revision; `tasks` holds its stream open."""

    def __init__(self, http: httpx.AsyncClient, tasks: TaskGroup) -> None:
        self._http = http
        self._tasks = tasks
        self._headers = {SESSION: secrets.token_urlsafe(24)}
        self._opening = anyio.Lock()
        self._open = False

    async def subscribe(self, context: Context, given: SubscribeRequestParams) -> EmptyResult:
        """Follow a resource; what is told of it begins with the answer."""
        async with self._opening:
            if not self._open:
                await self._tasks.start(self._follow, context.session)
        await self._ask("resources/subscribe", given.uri)
        return EmptyResult()

    async def unsubscribe(self, _: Context, given: UnsubscribeRequestParams) -> EmptyResult:
        """Follow a resource no more."""
        await self._ask("resources/unsubscribe", given.uri)
        return EmptyResult()

    async def end(self) -> None:
        """End the session, if the API still answers."""
        if self._open:
            with suppress(httpx.TransportError):
                await self._http.delete(PATH, params=NOTIFIES, headers=self._headers)

    async def _ask(self, method: str, uri: str) -> None:
        await asked(self._http, method, {"uri": uri}, params=NOTIFIES, headers=self._headers)

    async def _follow(
        self, session: ServerSession, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED
    ) -> None:
        """Hand on what the stream tells; a stream that was open once is opened again and again,
        until the key is refused."""
        while True:
            try:
                async with self._http.stream(
                    "GET", PATH, params=NOTIFIES, headers=self._headers
                ) as answer:
                    if answer.is_client_error and await self._ends(answer):
                        return
                    if answer.is_success and not self._open:
                        self._open = True
                        task_status.started()
                    async for line in answer.aiter_lines():
                        if uri := updated(line):
                            await session.send_resource_updated(uri)
            except httpx.TransportError:
                if not self._open:
                    raise away(self._http) from None
            await anyio.sleep(AGAIN)

    async def _ends(self, answer: httpx.Response) -> bool:
        """Whether a refusal is for good; MCPError where nothing was open before."""
        if not self._open:
            await answer.aread()
            raise refused(answer.json())
        self._open = answer.status_code not in (401, 403)
        return not self._open


def updated(line: str) -> str | None:
    """The URI of a resource that changed, if a line of a stream tells of one."""
    if not line.startswith("data:"):
        return None
    told = json.loads(line.removeprefix("data:"))
    uri = told.get("params", {}).get("uri") if told.get("method") == UPDATED else None
    return uri if isinstance(uri, str) else None


def _flags(wanted: SubscriptionFilter) -> dict[str, Any]:
    """What is asked for, as the SDK's client takes it."""
    return {
        "tools_list_changed": bool(wanted.tools_list_changed),
        "prompts_list_changed": bool(wanted.prompts_list_changed),
        "resources_list_changed": bool(wanted.resources_list_changed),
        "resource_subscriptions": wanted.resource_subscriptions or (),
    }


def _first(error: Exception, url: str) -> MCPError:
    """What went wrong, in the API's own words where it has said something."""
    found = list(_leaves(error))
    for one in found:
        if isinstance(one, MCPError):
            return one
    if any(isinstance(one, SubscriptionLost) for one in found):
        return MCPError(INTERNAL_ERROR, "the stream was lost: listen again, and read anew")
    return MCPError(INTERNAL_ERROR, f"no Loci answers at {url}")


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _leaves(one)
    else:
        yield error
