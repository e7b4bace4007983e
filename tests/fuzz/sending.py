"""Generated requests, sent to the application from another thread, and what their answers keep."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future

import httpx
import requests
from litestar import Litestar
from schemathesis import Case, CheckContext
from schemathesis.checks import not_a_server_error
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)


def no_server_error(ctx: CheckContext, response: Response, case: Case) -> bool | None:
    """Return None unless something broke; what a protocol has and Loci does not offer says so."""
    if response.status_code == 501 and b'"code":"NotOffered"' in response.content:
        return None
    return not_a_server_error(ctx, response, case)


CHECKS = [
    no_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
Send = Callable[[Case], httpx.Response]


def sender(app: Litestar, key: str, loop: asyncio.AbstractEventLoop) -> Send:
    """Sends a case to the application from another thread."""
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app, raise_app_exceptions=False))

    async def send(request: httpx.Request) -> httpx.Response:
        answer = await client.send(request)
        await answer.aread()
        return answer

    def call(case: Case) -> httpx.Response:
        kwargs = case.as_transport_kwargs(base_url="http://loci")
        made = requests.Request(**kwargs).prepare()
        headers = {**made.headers, "Authorization": f"Bearer {key}"}
        body = made.body.encode() if isinstance(made.body, str) else made.body
        request = httpx.Request(made.method, made.url, headers=headers, content=body)
        waiting: Future[httpx.Response] = asyncio.run_coroutine_threadsafe(send(request), loop)
        return waiting.result(60)

    return call
