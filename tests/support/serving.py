"""The application without a socket, each request in a context of its own, as a server gives it."""

from __future__ import annotations

import asyncio

import httpx


class Served(httpx.ASGITransport):
    """Keep what a request sets in its context (for whom it asks, its queries) out of the test's.

    Else a transaction that a test holds open counts as the tenant's, and whoever waits for a turn
    of that tenant waits for the test.
    """

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await asyncio.create_task(super().handle_async_request(request))
