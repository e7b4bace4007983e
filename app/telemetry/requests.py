"""One canonical log line, one request id and one set of metrics a request."""

from __future__ import annotations

import re
import time
from typing import cast

import structlog
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send
from opentelemetry import trace

from app.kernel.departures import CLOSED, DEPARTED
from app.kernel.graph import query_log
from app.kernel.ids import new_id
from app.telemetry.metrics import QUERY_SECONDS, REQUESTS, SECONDS

log = structlog.get_logger()
tracer = trace.get_tracer("loci")
REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}\Z")
QUIET = ("/health/live", "/health/ready", "/metrics")


class RequestMiddleware(ASGIMiddleware):
    """Outermost: takes or makes `X-Request-ID`, and tells how the request went."""

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        identifier = _request_id(scope)
        scope["state"]["request_id"] = identifier
        queries: list[tuple[str, float]] = []
        token = query_log.set(queries)
        status = 500
        start = time.perf_counter()

        async def tagged(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [*message.get("headers", []), (b"x-request-id", identifier.encode())]
                message["headers"] = headers
            await send(message)

        name = cast(HTTPScope, scope)["method"]
        with (
            structlog.contextvars.bound_contextvars(request=identifier),
            tracer.start_as_current_span(f"HTTP {name}") as span,
        ):
            try:
                await next_app(scope, receive, tagged)
            finally:
                query_log.reset(token)
                if scope["state"].get(DEPARTED):
                    status = CLOSED
                span.set_attribute("http.route", str(scope.get("path_template", "")))
                span.set_attribute("http.response.status_code", status)
                _tell(scope, status, time.perf_counter() - start, queries)


def _request_id(scope: Scope) -> str:
    given = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
    return given.decode() if REQUEST_ID.match(given) else new_id()


def _tell(scope: Scope, status: int, seconds: float, queries: list[tuple[str, float]]) -> None:
    template = str(scope.get("path_template", "")) or "unknown"
    method = cast(HTTPScope, scope)["method"]
    REQUESTS.labels(template, method, status).inc()
    SECONDS.labels(template, method).observe(seconds)
    for name, ms in queries:
        QUERY_SECONDS.labels(name).observe(ms / 1000)
    if template in QUIET:
        return
    caller = scope["state"].get("caller")
    log.info(
        "request",
        method=method,
        route=template,
        status=status,
        ms=round(seconds * 1000, 2),
        caller=getattr(caller, "principal", None),
        scope=getattr(caller, "home", None),
        queries=len(queries),
        query_ms=round(sum(ms for _, ms in queries), 2),
    )
