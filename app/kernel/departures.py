"""What is only read for a client is given up when the client goes: its queries end with it.

What changes something goes on, since its client may only have lost the line.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

READS = "only_reads"  # of a route's `opt`: a POST that changes nothing
STAYS = "stays"  # set in a request's state where such a route changes something after all
DEPARTED = "departed"  # set in a request's state once its client has gone
CLOSED = 499  # how logs and metrics count it, as proxies do


class DepartureMiddleware(ASGIMiddleware):
    """Cancel what only reads once nobody waits for its answer."""

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        if not _only_reads(scope):
            await next_app(scope, receive, send)
            return
        # One place: a body is taken from the client as fast as the application reads it.
        inbox: asyncio.Queue[Any] = asyncio.Queue(1)
        gone = asyncio.Event()
        answered = False

        async def listen() -> None:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    gone.set()
                await inbox.put(message)

        async def tell(message: Message) -> None:
            nonlocal answered
            await send(message)
            answered = message["type"] == "http.response.body" and not message.get("more_body")

        async def answer() -> None:
            await next_app(scope, inbox.get, tell)

        answering = asyncio.create_task(answer())
        listening = asyncio.create_task(listen())
        leaving = asyncio.create_task(gone.wait())
        try:
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if gone.is_set() and not (answered or scope["state"].get(STAYS)):
                answering.cancel()
                scope["state"][DEPARTED] = True
            await asyncio.wait({answering})
        finally:
            for task in (answering, listening, leaving):
                task.cancel()
        if not answering.cancelled():
            answering.result()


def _only_reads(scope: Scope) -> bool:
    """Whether a request changes nothing; one with a key to do it once has a record to complete."""
    asked = cast(HTTPScope, scope)
    if any(name == b"idempotency-key" for name, _ in asked["headers"]):
        return False
    return asked["method"] == "GET" or bool(scope["route_handler"].opt.get(READS))
